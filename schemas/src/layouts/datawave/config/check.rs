//! The table of all properties: what each is to us, its value and where it comes from.

use super::hadoop_xml::{Properties, Property};
use super::problem::{ConfigProblem, ProblemKind};
use super::registry::{self, Class, ERROR_TYPE, Found};
use super::resolve::{FileProperties, Options, Report};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What a property turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It is obeyed.
    Effective,
    /// It has no influence on key/values.
    Inert,
    /// It would have influence beside other settings, but not beside these.
    Idle,
    /// It is DataWave's and is not obeyed.
    Unsupported,
    /// It is not known.
    Unknown,
    /// Another place says otherwise.
    Overruled,
}

impl Standing {
    fn word(self) -> &'static str {
        match self {
            Standing::Effective => "effective",
            Standing::Inert => "inert",
            Standing::Idle => "idle",
            Standing::Unsupported => "unsupported",
            Standing::Unknown => "unknown",
            Standing::Overruled => "overruled",
        }
    }
}

/// A property of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its name.
    pub property: String,
    /// Its value with its variables replaced.
    pub value: String,
    /// What it is.
    pub standing: Standing,
    /// Where it stands: file and line.
    pub origin: String,
    /// What it says, in a few words.
    pub meaning: &'static str,
}

/// The rows as a table for people.
#[must_use]
pub fn table(rows: &[Row]) -> String {
    let width = |of: &dyn Fn(&Row) -> usize| rows.iter().map(of).max().unwrap_or_default();
    let (name, value) = (
        width(&|row| row.property.chars().count()),
        width(&|row| shown(&row.value).chars().count()),
    );
    let mut out = String::new();
    for row in rows {
        let Row {
            property,
            standing,
            origin,
            meaning,
            ..
        } = row;
        let text = shown(&row.value);
        let standing = standing.word();
        // Writing to a text cannot fail.
        let _ = writeln!(
            out,
            "{property:name$}  {standing:11}  {text:value$}  {origin}  {meaning}"
        );
    }
    out
}

/// A value in one short line.
fn shown(value: &str) -> String {
    const LONGEST: usize = 40;
    let text: String = value.escape_debug().collect();
    if text.chars().count() <= LONGEST {
        return text;
    }
    let start: String = text.chars().take(LONGEST - 1).collect();
    format!("{start}…")
}

/// Sorts every property of every file, and reports what is unknown, unsupported or of no effect. `used` has the names that each type's settings
/// were read from.
pub(super) fn classify(
    files: &[FileProperties<'_>],
    used: &BTreeMap<&str, BTreeSet<String>>,
    options: &Options,
    report: &mut Report,
) {
    let mut types = BTreeSet::new();
    for file in files {
        for (name, properties) in &file.scopes {
            types.extend(type_names(name, properties));
        }
    }
    for file in files {
        for property in file.properties {
            let scopes = file.scopes.iter();
            let mut scopes = scopes.filter(|(_, all)| all.raw(&property.name) == Some(property));
            let Some((_, scope)) = scopes.clone().next() else {
                push(
                    report,
                    property,
                    property.value.clone(),
                    Standing::Overruled,
                    "",
                );
                continue;
            };
            let value = scope
                .expand(property)
                .unwrap_or_else(|_| property.value.clone());
            let read = scopes.any(|(name, _)| {
                let used = used.get(name);
                used.is_some_and(|names| names.contains(&property.name))
            });
            one(property, value, read, &types, options, report);
        }
    }
}

/// The names that properties of a type may begin with: its own, the one in keys, and those of types that come out of its records.
fn type_names(name: &str, properties: &Properties) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    for suffix in ["output.name", "event.data.type.values"] {
        if let Some(property) = properties.raw(&format!("{name}.{suffix}")) {
            let value = properties.expand(property).unwrap_or_default();
            let members = value.split(',').map(|name| name.trim().to_owned());
            names.extend(members.filter(|name| !name.is_empty()));
        }
    }
    names
}

fn push(
    report: &mut Report,
    property: &Property,
    value: String,
    standing: Standing,
    meaning: &'static str,
) {
    report.rows.push(Row {
        property: property.name.clone(),
        value,
        standing,
        origin: format!("{}:{}", property.origin.file, property.origin.line),
        meaning,
    });
}

fn one(
    property: &Property,
    value: String,
    read: bool,
    types: &BTreeSet<String>,
    options: &Options,
    report: &mut Report,
) {
    let problem = |kind, message: String| {
        ConfigProblem::new(kind, property.origin.clone(), message).of(&property.name)
    };
    let def = match registry::find(&property.name, types) {
        Found::Known(def) => def,
        Found::NoSuchType(_, nearest) => {
            let mut message = "no file names the type that it begins with".to_owned();
            if let Some(nearest) = nearest {
                let _ = write!(message, "; did you mean {nearest:?}?");
            }
            report.warnings.push(problem(ProblemKind::Unknown, message));
            return push(report, property, value, Standing::Unknown, "");
        }
        Found::Unknown(nearest) => {
            let mut message = "no property of DataWave is called so".to_owned();
            if let Some(nearest) = nearest {
                let _ = write!(message, "; did you mean {nearest}?");
            }
            report.warnings.push(problem(ProblemKind::Unknown, message));
            return push(report, property, value, Standing::Unknown, "");
        }
    };
    let standing = standing(def.class, &property.name, &value, read);
    match standing {
        Standing::Unsupported => {
            let message = match def.class {
                Class::Only(only) => format!("only {only:?} is supported, not {value:?}"),
                _ => format!("not supported ({})", def.meaning),
            };
            let problem = problem(ProblemKind::Unsupported, message);
            if options.ignore_unsupported {
                report.warnings.push(problem);
            } else {
                report.faults.push(problem);
            }
        }
        Standing::Idle => {
            let message = "without effect beside the other settings of its file".to_owned();
            report.warnings.push(problem(ProblemKind::Ignored, message));
        }
        _ => {}
    }
    push(report, property, value, standing, def.meaning);
}

fn standing(class: Class, name: &str, value: &str, read: bool) -> Standing {
    let of_errors = name
        .split_once('.')
        .is_some_and(|(head, _)| head == ERROR_TYPE);
    match class {
        Class::Inert => Standing::Inert,
        Class::Unsupported => Standing::Unsupported,
        Class::Only(only) if value.trim().eq_ignore_ascii_case(only) => Standing::Inert,
        Class::Only(_) => Standing::Unsupported,
        Class::Effective if read => Standing::Effective,
        // Failed records have few settings of their own; all that other types have would be obeyed by DataWave.
        Class::Effective if of_errors => Standing::Unsupported,
        Class::Effective => Standing::Idle,
    }
}
