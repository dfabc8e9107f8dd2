//! Which properties does DataWave have, and what is each to us?
//!
//! [`find`] sorts a name into the tables of `tables`; a name that is in none of them is compared with all of them for the nearest.

mod nearest;
mod tables;

use nearest::Nearest;
use serde::Serialize;
use std::collections::BTreeSet;

/// What a property is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// It shapes key/values or table settings, and is obeyed.
    Effective,
    /// It has no influence on key/values.
    Inert,
    /// It would shape key/values, and is not obeyed.
    Unsupported,
    /// Only this value is obeyed; any other is unsupported. Case does not count.
    Only(&'static str),
}

/// Where the name of a property has its variable parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// The whole name is fixed.
    Global,
    /// The name's beginning is fixed.
    GlobalPrefix,
    /// `<type>.…`.
    Type,
    /// `<type>.…` or, for all types, `all.…`.
    TypeOrAll,
    /// `<type>.…<rest>`: the type's part begins so.
    TypePrefix,
    /// `<type>.<FIELD>.…`.
    Field,
    /// `<type>.<FIELD>.…` or `all.<FIELD>.…`.
    FieldOrAll,
    /// `<table>.…`.
    Table,
}

/// A property.
#[derive(Clone, Copy, Debug)]
pub struct PropertyDef {
    /// The fixed part of its name.
    pub name: &'static str,
    /// Where that part stands.
    pub level: Level,
    /// What it is to us.
    pub class: Class,
    /// What it says, in a few words.
    pub meaning: &'static str,
}

impl PropertyDef {
    /// The name with its variable parts, e.g. `<type>.data.header`.
    #[must_use]
    pub fn pattern(&self) -> String {
        let name = self.name;
        match self.level {
            Level::Global => name.to_owned(),
            Level::GlobalPrefix => format!("{name}*"),
            Level::Type => format!("<type>.{name}"),
            Level::TypeOrAll => format!("<type|all>.{name}"),
            Level::TypePrefix => format!("<type>.{name}*"),
            Level::Field => format!("<type>.<FIELD>.{name}"),
            Level::FieldOrAll => format!("<type|all>.<FIELD>.{name}"),
            Level::Table => format!("<table>.{name}"),
        }
    }
}

/// What [`find`] says of a name.
#[derive(Clone, Debug)]
pub enum Found {
    /// It is this property.
    Known(&'static PropertyDef),
    /// It would be a property, but no file names the type that it begins with. With the nearest type.
    NoSuchType(&'static PropertyDef, Option<String>),
    /// No property has this name; with the nearest that one has.
    Unknown(Option<String>),
}

/// All properties.
pub fn all() -> impl Iterator<Item = &'static PropertyDef> {
    tables::ALL.iter().flat_map(|table| table.iter())
}

/// The prefix of properties for all types.
pub const ALL_TYPES: &str = "all";
/// The type that stands for failed records.
pub const ERROR_TYPE: &str = "error";

/// What the property `name` is. `types` are the names that may stand for a type.
#[must_use]
pub fn find(name: &str, types: &BTreeSet<String>) -> Found {
    if let Some(def) = all().find(|def| def.level == Level::Global && def.name == name) {
        return Found::Known(def);
    }
    let prefixed =
        |def: &&PropertyDef| def.level == Level::GlobalPrefix && name.starts_with(def.name);
    if let Some(def) = all().find(prefixed) {
        return Found::Known(def);
    }
    let (head, rest) = name.split_once('.').unwrap_or((name, ""));
    let own = types.contains(head) || head == ERROR_TYPE;
    let typed = all().find(|def| matches_typed(def, rest, head == ALL_TYPES));
    if let Some(def) = typed
        && (own || head == ALL_TYPES)
    {
        return Found::Known(def);
    }
    let tail = |def: &&PropertyDef| {
        let before = name
            .strip_suffix(def.name)
            .and_then(|head| head.strip_suffix('.'));
        def.level == Level::Table && before.is_some_and(|table| !table.is_empty())
    };
    if let Some(def) = all().find(tail) {
        return Found::Known(def);
    }
    match typed {
        Some(def) => {
            let mut nearest = Nearest::to(head);
            types.iter().for_each(|name| nearest.offer(name));
            Found::NoSuchType(def, nearest.found())
        }
        None => Found::Unknown(suggestion(name, head, rest)),
    }
}

/// Whether `rest`, a name without its type, is this property.
fn matches_typed(def: &PropertyDef, rest: &str, for_all: bool) -> bool {
    let field = || {
        let before = rest
            .strip_suffix(def.name)
            .and_then(|head| head.strip_suffix('.'));
        before.is_some_and(|field| !field.is_empty())
    };
    match def.level {
        Level::Type => !for_all && rest == def.name,
        Level::TypeOrAll => {
            rest == def.name || rest.strip_prefix(tables::VIRTUAL) == Some(def.name)
        }
        Level::TypePrefix => {
            let behind = rest.strip_prefix(def.name);
            !for_all && behind.is_some_and(|behind| !behind.is_empty())
        }
        Level::Field => !for_all && field(),
        Level::FieldOrAll => field(),
        Level::Global | Level::GlobalPrefix | Level::Table => false,
    }
}

/// The known name that is nearest to `name`, with the same type and field.
fn suggestion(name: &str, head: &str, rest: &str) -> Option<String> {
    let mut nearest = Nearest::to(name);
    let (field, behind) = rest.split_once('.').unwrap_or((rest, ""));
    for def in all() {
        match def.level {
            Level::Global | Level::GlobalPrefix => nearest.offer(def.name),
            Level::Type | Level::TypeOrAll | Level::TypePrefix => {
                nearest.offer(&format!("{head}.{}", def.name));
            }
            Level::Field | Level::FieldOrAll if !behind.is_empty() => {
                nearest.offer(&format!("{head}.{field}.{}", def.name));
            }
            _ => {}
        }
    }
    nearest.found()
}

#[cfg(test)]
mod tests;
