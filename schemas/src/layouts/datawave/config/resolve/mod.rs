//! From DataWave's files to the model, with every fault in one pass.
//!
//! `scopes` gives each type the properties of the files that are its own or common, `reader` reads single values of them, and a file each
//! reads the settings of the job (`job`), of a type (`types`), of its fields (`fields`) and of the fields made of others (`combined`).

mod combined;
mod fields;
mod input;
mod job;
mod reader;
mod scopes;
mod types;

use super::check::{self, Row};
use super::edges_xml::{self, EdgeFile};
use super::model::{Resolved, TypeSettings};
use super::problem::{ConfigProblem, Include, NamedBytes, Origin, ProblemKind, Wanted};
use reader::Reader;
pub(super) use scopes::FileProperties;
use scopes::Scopes;
use std::collections::BTreeMap;

/// How to take a configuration.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether unsupported properties are warnings instead of faults.
    pub ignore_unsupported: bool,
    /// Values for `${env.NAME}`; none: such variables are faults.
    pub environment: Option<BTreeMap<String, String>>,
}

/// A configuration that can be used.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// The configuration.
    pub config: Resolved,
    /// What a person should know.
    pub warnings: Vec<ConfigProblem>,
    /// Every property with its class, value and origin.
    pub rows: Vec<Row>,
}

/// All that can be said of a configuration, whether it can be used or not.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The configuration as far as it could be read.
    pub config: Option<Resolved>,
    /// Every fault.
    pub faults: Vec<ConfigProblem>,
    /// What a person should know.
    pub warnings: Vec<ConfigProblem>,
    /// Every property with its class, value and origin.
    pub rows: Vec<Row>,
}

/// Resolves files in the order in which they were given; `include` is asked for files that these name.
///
/// # Errors
/// Every fault.
pub fn resolve(
    files: &[NamedBytes],
    include: &mut Include<'_>,
    options: &Options,
) -> Result<Resolution, Vec<ConfigProblem>> {
    let report = inspect(files, include, options);
    match report.config {
        Some(config) if report.faults.is_empty() => Ok(Resolution {
            config,
            warnings: report.warnings,
            rows: report.rows,
        }),
        _ => Err(report.faults),
    }
}

/// The same with the table of properties even if there are faults.
pub fn inspect(files: &[NamedBytes], include: &mut Include<'_>, options: &Options) -> Report {
    let mut report = Report::default();
    let scopes = Scopes::read(files, include, options, &mut report);
    if scopes.by_type.is_empty() {
        if report.faults.is_empty() {
            let first = files.first().map(|file| file.name.clone());
            let origin = Origin {
                file: first.unwrap_or_default(),
                line: 1,
                column: 1,
            };
            let message = "no file names a data type";
            let problem = ConfigProblem::new(ProblemKind::Invalid, origin, message);
            report.faults.push(problem.of("data.name"));
        }
        return report;
    }
    let mut named = NamedFiles {
        include,
        edges: BTreeMap::new(),
    };
    let mut types = BTreeMap::new();
    let mut used = BTreeMap::new();
    for (name, scope) in &scopes.by_type {
        let mut reader = Reader::new(name, scope, &mut report.faults, &mut report.warnings);
        let settings = types::read(&mut reader, &mut named);
        used.insert(name.as_str(), reader.used());
        types.insert(name.clone(), settings);
    }
    check::classify(&scopes.files(), &used, options, &mut report);
    in_order(&mut report.faults);
    in_order(&mut report.warnings);
    report.config = Some(fold(types));
    report
}

/// Problems once each, since those of common files are found in every scope, and in the order of their places.
fn in_order(problems: &mut Vec<ConfigProblem>) {
    problems.sort_by(|a, b| {
        let place = |origin: &Origin| (origin.line, origin.column);
        (&a.origin.file, place(&a.origin)).cmp(&(&b.origin.file, place(&b.origin)))
    });
    let mut once: Vec<ConfigProblem> = Vec::with_capacity(problems.len());
    for problem in problems.drain(..) {
        if !once.contains(&problem) {
            once.push(problem);
        }
    }
    *problems = once;
}

/// Takes the settings of the job that types share out of them.
fn fold(mut types: BTreeMap<String, TypeSettings>) -> Resolved {
    let first = types.values().find_map(|settings| settings.job.as_deref());
    let job = first.cloned().unwrap_or_default();
    for settings in types.values_mut() {
        if settings.job.as_deref() == Some(&job) {
            settings.job = None;
        }
    }
    Resolved { job, types }
}

/// Files that properties name, each read once.
struct NamedFiles<'a, 'b> {
    include: &'a mut Include<'b>,
    edges: BTreeMap<(String, String), Result<EdgeFile, Vec<ConfigProblem>>>,
}

impl NamedFiles<'_, '_> {
    fn bytes(&mut self, named_by: &str, path: &str) -> Result<NamedBytes, String> {
        (self.include)(Wanted { named_by, path })
    }

    fn edges(&mut self, named_by: &Origin, path: &str) -> Result<EdgeFile, Vec<ConfigProblem>> {
        let key = (named_by.file.clone(), path.to_owned());
        if let Some(known) = self.edges.get(&key) {
            return known.clone();
        }
        let read = match self.bytes(&named_by.file, path) {
            Ok(file) => edges_xml::parse(&file),
            Err(reason) => {
                let message = format!("cannot read {path:?}: {reason}");
                let origin = named_by.clone();
                Err(vec![
                    ConfigProblem::new(ProblemKind::Invalid, origin, message)
                        .of("protobufedge.spring.config"),
                ])
            }
        };
        self.edges.insert(key, read.clone());
        read
    }
}

#[cfg(test)]
mod tests;
