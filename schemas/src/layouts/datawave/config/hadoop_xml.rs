//! Hadoop's `Configuration` files: ordered properties, `final`, `${…}` and XInclude.

use super::problem::{ConfigProblem, Include, NamedBytes, Origin, ProblemKind, Wanted};
use super::xml::{self, Element};
use std::collections::BTreeMap;

/// Files that include files that include files: more levels than this are a circle.
const MAX_INCLUDES: usize = 16;
/// How often Hadoop replaces a variable in one value.
const MAX_SUBSTITUTIONS: usize = 20;

/// A property as a file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Name, trimmed.
    pub name: String,
    /// Value as it stands there; blank is a value.
    pub value: String,
    /// Whether files that come later cannot change it.
    pub is_final: bool,
    /// Where it stands.
    pub origin: Origin,
}

/// Reads a file's properties in their order, those of included files in place.
///
/// # Errors
/// What makes it no configuration file. An include that fails and has a fallback is no fault.
pub fn parse(
    file: &NamedBytes,
    include: &mut Include<'_>,
) -> Result<Vec<Property>, Vec<ConfigProblem>> {
    let mut found = Found::default();
    found.file(file, include, 0);
    if found.problems.is_empty() {
        Ok(found.properties)
    } else {
        Err(found.problems)
    }
}

/// Whether the bytes look like such a file: the root element decides.
#[must_use]
pub fn is_configuration(file: &NamedBytes) -> bool {
    xml::parse(file).is_ok_and(|root| root.name == "configuration")
}

#[derive(Default)]
struct Found {
    properties: Vec<Property>,
    problems: Vec<ConfigProblem>,
}

impl Found {
    fn file(&mut self, file: &NamedBytes, include: &mut Include<'_>, depth: usize) {
        match xml::parse(file) {
            Ok(root) if root.name == "configuration" => {
                self.configuration(&root, include, depth);
            }
            Ok(root) => self.problems.push(root.malformed(format!(
                "a Hadoop configuration starts with <configuration>, this with <{}>",
                root.name
            ))),
            Err(problem) => self.problems.push(problem),
        }
    }

    fn configuration(&mut self, parent: &Element, include: &mut Include<'_>, depth: usize) {
        for element in &parent.children {
            match element.name.as_str() {
                "property" => self.property(element),
                "configuration" => self.configuration(element, include, depth),
                "include" => self.include(element, include, depth),
                other => self.problems.push(
                    element.malformed(format!("<{other}> is not known inside <configuration>")),
                ),
            }
        }
    }

    fn include(&mut self, element: &Element, include: &mut Include<'_>, depth: usize) {
        let Some(path) = element.attribute("href") else {
            let problem = element.malformed("<include> needs an href");
            return self.problems.push(problem);
        };
        if depth >= MAX_INCLUDES {
            let problem = element.malformed(format!("{path:?} is included in a circle"));
            return self.problems.push(problem);
        }
        let wanted = Wanted {
            named_by: &element.origin.file,
            path,
        };
        match (include(wanted), element.child("fallback")) {
            (Ok(file), _) => self.file(&file, include, depth + 1),
            (Err(_), Some(fallback)) => self.configuration(fallback, include, depth),
            (Err(reason), None) => {
                let problem = element.malformed(format!("cannot include {path:?}: {reason}"));
                self.problems.push(problem);
            }
        }
    }

    fn property(&mut self, element: &Element) {
        let part = |key: &str| {
            let child = element.child(key).map(|child| child.text.as_str());
            child.or_else(|| element.attribute(key))
        };
        let name = part("name").unwrap_or_default().trim();
        if name.is_empty() {
            let problem = element.malformed("a <property> needs a <name>");
            return self.problems.push(problem);
        }
        let known = ["name", "value", "final", "source", "description", "tag"];
        let strange = element
            .children
            .iter()
            .find(|c| !known.contains(&c.name.as_str()));
        if let Some(strange) = strange {
            let message = format!("<{}> is not known inside <property>", strange.name);
            let problem = strange.malformed(message).of(name);
            return self.problems.push(problem);
        }
        let Some(value) = part("value") else {
            let problem = element.malformed("it has no <value>").of(name);
            return self.problems.push(problem);
        };
        self.properties.push(Property {
            name: name.to_owned(),
            value: value.to_owned(),
            is_final: part("final").is_some_and(|text| text.trim() == "true"),
            origin: element.origin.clone(),
        });
    }
}

/// The properties of several files together.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    by_name: BTreeMap<String, Property>,
    environment: Option<BTreeMap<String, String>>,
}

impl Properties {
    /// No properties. `${env.NAME}` takes its values from `environment`, and without one is a fault.
    #[must_use]
    pub fn new(environment: Option<BTreeMap<String, String>>) -> Self {
        Properties {
            by_name: BTreeMap::new(),
            environment,
        }
    }

    /// Adds a file's properties: a later value wins, but not over a final one, which gives a warning.
    pub fn add(&mut self, properties: &[Property], warnings: &mut Vec<ConfigProblem>) {
        for property in properties {
            let standing = self.by_name.get(&property.name);
            if let Some(standing) = standing.filter(|standing| standing.is_final) {
                if standing.value != property.value {
                    let message = format!("left out: it is final at {}", standing.origin);
                    let origin = property.origin.clone();
                    warnings.push(
                        ConfigProblem::new(ProblemKind::Ignored, origin, message)
                            .of(&property.name),
                    );
                }
                continue;
            }
            self.by_name.insert(property.name.clone(), property.clone());
        }
    }

    /// All properties by name.
    pub fn iter(&self) -> impl Iterator<Item = &Property> {
        self.by_name.values()
    }

    /// The property of this name as it stands in its file.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&Property> {
        self.by_name.get(name)
    }

    /// The value of `property` with its variables replaced. A variable that has no value stays as it is, as does one that is part of itself.
    ///
    /// # Errors
    /// More than 20 replacements, or a variable of an environment that was not given.
    pub fn expand(&self, property: &Property) -> Result<String, ConfigProblem> {
        let fault = |message: String| {
            let origin = property.origin.clone();
            ConfigProblem::new(ProblemKind::Invalid, origin, message).of(&property.name)
        };
        let mut text = property.value.clone();
        let mut seen = Vec::new();
        for _ in 0..MAX_SUBSTITUTIONS {
            let Some((start, end)) = innermost(&text) else {
                return Ok(text);
            };
            let variable = text.get(start + 2..end).unwrap_or_default().to_owned();
            if seen.contains(&variable) && self.refers_to_itself(&variable) {
                return Ok(property.value.clone());
            }
            let Some(value) = self.variable(&variable).map_err(fault)? else {
                return Ok(text);
            };
            text.replace_range(start..=end, &value);
            seen.push(variable);
        }
        match innermost(&text) {
            None => Ok(text),
            Some(_) => Err(fault(format!(
                "more than {MAX_SUBSTITUTIONS} variables in {:?}",
                property.value
            ))),
        }
    }

    /// Whether the value of `name` leads back to `name`.
    fn refers_to_itself(&self, name: &str) -> bool {
        let mut at = name.to_owned();
        for _ in 0..MAX_SUBSTITUTIONS {
            let Some(property) = self.raw(&at) else {
                return false;
            };
            let Some((start, end)) = innermost(&property.value) else {
                return false;
            };
            at = property
                .value
                .get(start + 2..end)
                .unwrap_or_default()
                .to_owned();
            if at == name {
                return true;
            }
        }
        true
    }

    fn variable(&self, name: &str) -> Result<Option<String>, String> {
        let Some(wanted) = name.strip_prefix("env.") else {
            return Ok(self.raw(name).map(|property| property.value.clone()));
        };
        let Some(environment) = &self.environment else {
            return Err(format!(
                "${{{name}}} asks for the environment, which would make the result depend on where it runs"
            ));
        };
        // As in a shell, `:-` gives a default for an empty value too and `-` only for none.
        if let Some((key, default)) = wanted.split_once(":-") {
            let value = environment.get(key).filter(|value| !value.is_empty());
            return Ok(Some(value.map_or(default, String::as_str).to_owned()));
        }
        if let Some((key, default)) = wanted.split_once('-') {
            let value = environment.get(key);
            return Ok(Some(value.map_or(default, String::as_str).to_owned()));
        }
        Ok(environment.get(wanted).cloned())
    }
}

/// The first variable without another one inside: the places of its `$` and its `}`.
fn innermost(text: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    while let Some(found) = text.get(from..)?.find("${") {
        let start = from + found;
        let inside = text.get(start + 2..)?;
        let length = inside.find(['}', '$', ' '])?;
        if length > 0 && inside.get(length..)?.starts_with('}') {
            return Some((start, start + 2 + length));
        }
        from = start + 2;
    }
    None
}

#[cfg(test)]
mod tests;
