//! Which file's properties hold for which type.

use super::super::hadoop_xml::{self, Properties, Property};
use super::super::problem::{Include, NamedBytes, Origin};
use super::{Options, Report};
use std::collections::BTreeMap;

/// The properties of a type.
pub(super) struct Scope {
    pub(super) properties: Properties,
    /// Where the type is named.
    pub(super) origin: Origin,
}

/// All files and what becomes of them.
pub(super) struct Scopes {
    files: Vec<(Option<String>, Vec<Property>)>,
    pub(super) by_type: BTreeMap<String, Scope>,
}

impl Scopes {
    pub(super) fn read(
        files: &[NamedBytes],
        include: &mut Include<'_>,
        options: &Options,
        report: &mut Report,
    ) -> Scopes {
        let mut read = Vec::new();
        let mut by_type = BTreeMap::new();
        for file in files {
            match hadoop_xml::parse(file, include) {
                Ok(properties) => {
                    let named = properties.iter().rev().find(|p| p.name == "data.name");
                    let named = named.filter(|property| !property.value.trim().is_empty());
                    if let Some(property) = named {
                        let scope = || Scope {
                            properties: Properties::new(options.environment.clone()),
                            origin: property.origin.clone(),
                        };
                        let name = property.value.trim().to_owned();
                        by_type.entry(name).or_insert_with(scope);
                    }
                    let name = named.map(|property| property.value.trim().to_owned());
                    read.push((name, properties));
                }
                Err(problems) => report.faults.extend(problems),
            }
        }
        for (name, scope) in &mut by_type {
            for (of, properties) in &read {
                if of.as_ref().is_none_or(|of| of == name) {
                    scope.properties.add(properties, &mut report.warnings);
                }
            }
        }
        Scopes {
            files: read,
            by_type,
        }
    }

    /// Every property as its file has it, with the scopes that the file belongs to.
    pub(super) fn files(&self) -> Vec<FileProperties<'_>> {
        let files = self.files.iter().map(|(name, properties)| FileProperties {
            properties,
            scopes: self
                .by_type
                .iter()
                .filter_map(|(of, scope)| {
                    let inside = name.as_ref().is_none_or(|name| name == of);
                    inside.then_some((of.as_str(), &scope.properties))
                })
                .collect(),
        });
        files.collect()
    }
}

/// A file's properties.
pub(in super::super) struct FileProperties<'a> {
    /// What it says.
    pub(in super::super) properties: &'a [Property],
    /// The scopes that it belongs to.
    pub(in super::super) scopes: Vec<(&'a str, &'a Properties)>,
}
