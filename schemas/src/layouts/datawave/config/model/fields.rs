//! Settings of single fields, and fields that are made of others.

use serde::{Deserialize, Serialize};

/// What happens to a value that its type refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailurePolicy {
    /// The record is rejected.
    #[default]
    Fail,
    /// The value is kept and indexed as it is, and the failure field names the field.
    Leave,
    /// The value is kept in the event only, and the failure field names the field.
    Drop,
}

/// Settings of a field or of a pattern of names.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct FieldSettings {
    /// `data.field.type.class`; each gives an index term of its own.
    pub types: Vec<String>,
    /// `event.field.type.class`: types of the event's value.
    pub event_types: Vec<String>,
    /// `data.field.marking`.
    pub marking: Option<String>,
    /// `data.field.normalization.failure.policy`.
    pub failure_policy: Option<FailurePolicy>,
}

/// A field that is made of the values of others.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct VirtualField {
    /// `data.combine.name`.
    pub name: String,
    /// `data.combine.fields`.
    pub members: Vec<Member>,
    /// `data.combine.separator`: stands before the second and every further member.
    #[serde(default = "space")]
    pub separator: String,
    /// `data.combine.start.separator`.
    #[serde(default)]
    pub start: String,
    /// `data.combine.end.separator`.
    #[serde(default)]
    pub end: String,
    /// `data.combine.allow.missing`.
    #[serde(default)]
    pub allow_missing: bool,
    /// `data.combine.grouping.policy`.
    #[serde(default)]
    pub grouping: Grouping,
    /// Not `data.combine.ignore.normalization.on.fields`.
    #[serde(default = "yes")]
    pub normalize: bool,
}

fn space() -> String {
    " ".into()
}

fn yes() -> bool {
    true
}

/// A part of a virtual field.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Member {
    /// The value of a field; the name may contain `*`.
    Field(String),
    /// This text.
    Text(String),
}

/// Which groups come together in a virtual field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grouping {
    /// Members of the same group.
    SameGroupOnly,
    /// Members of the same group and those without one.
    #[default]
    GroupedWithNonGrouped,
    /// All.
    IgnoreGroups,
}

/// A field whose index term joins the index terms of others.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Composite {
    /// `data.composite.field.map`. The first of them may be the field itself, whose values are then replaced.
    pub fields: Vec<String>,
    /// `data.composite.field.separator`.
    #[serde(default = "last_character")]
    pub separator: String,
    /// `data.composite.allow.missing`.
    #[serde(default)]
    pub allow_missing: bool,
}

/// The separator of composite fields where none is given: Unicode's last code point.
fn last_character() -> String {
    char::MAX.to_string()
}
