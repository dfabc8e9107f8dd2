//! The seam between layouts and everything else, and the registry of layouts.
//!
//! A layout is a family of tables and the rules that make their key/values. To add one: a folder in `layouts/` and a line in [`LAYOUTS`].

use crate::cell::CellSink;
use crate::combine::Combiner;
use crate::layouts;
use crate::record::Record;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A layout, configured: its tables and the workers that expand records into their cells.
pub trait Layout: Send + Sync {
    /// The tables in the order of their [`TableId`](crate::cell::TableId)s.
    fn tables(&self) -> &[TableSpec];

    /// The state of one map task: counts, dictionaries and whatever else accumulates over the records of the task.
    fn worker(&self) -> Box<dyn Worker + '_>;
}

/// Expands the records of one map task, in input order.
pub trait Worker {
    /// Puts the cells of one record.
    ///
    /// # Errors
    /// The record cannot be taken; cells that were put for it do not count.
    fn expand(&mut self, record: &Record, out: &mut dyn CellSink) -> Result<Outcome, Reject>;

    /// Puts what has accumulated, at the end of the task. Its cells must combine to the same result however records are spread over tasks.
    fn flush(&mut self, _out: &mut dyn CellSink) {}
}

/// What became of a record that was not rejected. Every record that is read ends in exactly one of these or in a [`Reject`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its cells were put.
    Written,
    /// A rule of the configuration leaves it out.
    Filtered,
    /// It repeats a record that was written.
    Deduplicated,
}

/// Why a record cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", .field.as_ref().map(|name| format!("field {name:?}: ")).unwrap_or_default())]
pub struct Reject {
    /// A stable word for programs, e.g. `bad-date`.
    pub code: &'static str,
    /// The field at fault, where there is one.
    pub field: Option<String>,
    /// What is wrong, with the offending value.
    pub message: String,
}

impl Reject {
    /// A reject that names a field.
    pub fn field(code: &'static str, field: &str, message: impl Into<String>) -> Self {
        Reject {
            code,
            field: Some(field.to_owned()),
            message: message.into(),
        }
    }

    /// A reject of the record as a whole.
    pub fn record(code: &'static str, message: impl Into<String>) -> Self {
        Reject {
            code,
            field: None,
            message: message.into(),
        }
    }
}

/// What the engine and the loader must know of a table.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// Name in Accumulo, with its namespace when it has one.
    pub name: String,
    /// Locality groups of its files; families in none of them are in the default group.
    pub locality_groups: Vec<LocalityGroup>,
    /// Which combiner folds which families; the first rule that names a family wins.
    pub combiners: Vec<CombinerRule>,
    /// What happens to equal keys that no combiner folds.
    pub duplicates: Duplicates,
    /// Iterators as the system that the layout belongs to has them.
    pub iterators: Vec<IteratorSetting>,
    /// Iterators that any Accumulo has, to the same effect as far as it goes; where they are the same, empty.
    pub plain_iterators: Vec<IteratorSetting>,
    /// Further table properties, without iterators and locality groups.
    pub properties: Vec<(String, String)>,
}

impl TableSpec {
    /// A table with Accumulo's defaults: the newest version of a cell shows, no combiner, one locality group.
    #[must_use]
    pub fn plain(name: impl Into<String>) -> Self {
        TableSpec {
            name: name.into(),
            locality_groups: Vec::new(),
            combiners: Vec::new(),
            duplicates: Duplicates::First,
            iterators: vec![IteratorSetting::versioning(1)],
            plain_iterators: Vec::new(),
            properties: Vec::new(),
        }
    }

    /// The combiner of a family.
    #[must_use]
    pub fn combiner(&self, family: &[u8]) -> Option<&Arc<dyn Combiner>> {
        self.combiners
            .iter()
            .find(|rule| rule.families.contains(family))
            .map(|rule| &rule.combiner)
    }
}

/// Families that one combiner folds.
#[derive(Clone, Debug)]
pub struct CombinerRule {
    /// Which families.
    pub families: Families,
    /// How.
    pub combiner: Arc<dyn Combiner>,
}

/// A set of column families.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Families {
    /// Every family.
    All,
    /// The named ones.
    Named(Vec<Vec<u8>>),
}

impl Families {
    /// Whether `family` is in the set.
    #[must_use]
    pub fn contains(&self, family: &[u8]) -> bool {
        match self {
            Families::All => true,
            Families::Named(names) => names.iter().any(|name| name == family),
        }
    }
}

/// What happens to cells with equal keys where nothing combines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// The one with the greatest value stays: ties are broken by value bytes descending, never by arrival.
    First,
    /// All stay, in descending order of their values.
    Keep,
}

/// A named set of families that a file keeps apart from the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalityGroup {
    /// Name as `table.groups.enabled` has it.
    pub name: String,
    /// Its families.
    pub families: Vec<Vec<u8>>,
}

/// An iterator of a table, set in all three scopes (scan, minc, majc).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IteratorSetting {
    /// Name in `table.iterator.<scope>.<name>`.
    pub name: String,
    /// Lower runs nearer to the data.
    pub priority: u32,
    /// Java class.
    pub class: String,
    /// Options in the order in which they are printed.
    pub options: Vec<(String, String)>,
}

impl IteratorSetting {
    /// The class of Accumulo's versioning iterator.
    pub const VERSIONING: &str = "org.apache.accumulo.core.iterators.user.VersioningIterator";

    /// Accumulo's default: priority 20, so many versions.
    #[must_use]
    pub fn versioning(max_versions: u32) -> Self {
        IteratorSetting {
            name: "vers".into(),
            priority: 20,
            class: Self::VERSIONING.into(),
            options: vec![("maxVersions".into(), max_versions.to_string())],
        }
    }
}

/// Facts of the job that shape bytes and are no part of the layout's own section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobFacts {
    /// The plan's one clock value, in milliseconds since the epoch.
    pub now: i64,
}

/// A setting that is wrong. Its key is a path inside the layout's section (`tables.0.row`); the caller knows the file and finds the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct ConfigError {
    /// Dotted path of the key inside the layout's section; list members by index. Empty: the section itself.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl ConfigError {
    /// An error at `key`.
    pub fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        ConfigError {
            key: key.into(),
            message: message.into(),
        }
    }
}

/// What [`LayoutDef::build`] gives: the layout, or every fault of its configuration.
pub type Built = Result<Arc<dyn Layout>, Vec<ConfigError>>;

/// A member of the registry.
#[derive(Clone, Copy, Debug)]
pub struct LayoutDef {
    /// Name in `layout = "…"`, which is the name of its section too.
    pub name: &'static str,
    /// One line for `--help` and the README.
    pub about: &'static str,
    /// Reads its section into the resolved configuration, which stands in the plan. Syntax errors come with a span from the deserializer;
    /// what only the layout knows is wrong comes from `build`.
    pub configure:
        fn(toml::de::ValueDeserializer<'_>) -> Result<serde_json::Value, toml::de::Error>,
    /// Builds the layout from a resolved configuration; all faults at once.
    pub build: fn(&serde_json::Value, JobFacts) -> Built,
}

/// Deserializes a section into `T` (with `deny_unknown_fields`) and gives it back as the plan keeps it. The usual `configure`.
///
/// # Errors
/// Unknown or missing keys and wrong types, with their span in the job file.
pub fn resolve<'de, T: Serialize + Deserialize<'de>>(
    section: toml::de::ValueDeserializer<'de>,
) -> Result<serde_json::Value, toml::de::Error> {
    let config = T::deserialize(section)?;
    serde_json::to_value(config).map_err(serde::de::Error::custom)
}

/// All layouts, in the order in which they are listed to the user.
pub static LAYOUTS: &[LayoutDef] = &[
    layouts::datawave::DEF,
    layouts::manual::DEF,
    layouts::cells::DEF,
];

/// The layout of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static LayoutDef> {
    LAYOUTS.iter().find(|def| def.name == name)
}
