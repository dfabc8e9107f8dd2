//! Reads single values of a type's properties.

use super::super::classes::{self, Does, Kind};
use super::super::hadoop_xml::Property;
use super::super::problem::{ConfigProblem, Origin, ProblemKind};
use super::super::registry::ALL_TYPES;
use super::scopes::Scope;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::str::FromStr;

/// A value with its place.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) origin: Origin,
}

impl Setting {
    /// The members of a comma list, without blanks around them and without blank ones.
    pub(super) fn list(&self) -> Vec<String> {
        let members = self.value.split(',').map(str::trim);
        members
            .filter(|member| !member.is_empty())
            .map(Into::into)
            .collect()
    }
}

/// The properties of one type.
pub(super) struct Reader<'a> {
    pub(super) type_name: &'a str,
    scope: &'a Scope,
    faults: &'a mut Vec<ConfigProblem>,
    warnings: &'a mut Vec<ConfigProblem>,
    used: RefCell<BTreeSet<String>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        type_name: &'a str,
        scope: &'a Scope,
        faults: &'a mut Vec<ConfigProblem>,
        warnings: &'a mut Vec<ConfigProblem>,
    ) -> Self {
        Reader {
            type_name,
            scope,
            faults,
            warnings,
            used: RefCell::new(BTreeSet::new()),
        }
    }

    /// The names that were read.
    pub(super) fn used(self) -> BTreeSet<String> {
        self.used.into_inner()
    }

    /// The full name of a property of the type.
    pub(super) fn own(&self, name: &str) -> String {
        format!("{}.{name}", self.type_name)
    }

    pub(super) fn fault(&mut self, setting: &Setting, message: impl Into<String>) {
        self.problem(ProblemKind::Invalid, setting, message);
    }

    pub(super) fn problem(
        &mut self,
        kind: ProblemKind,
        setting: &Setting,
        message: impl Into<String>,
    ) {
        let problem = ConfigProblem::new(kind, setting.origin.clone(), message);
        self.faults.push(problem.of(&setting.name));
    }

    pub(super) fn problems(&mut self, problems: Vec<ConfigProblem>) {
        self.faults.extend(problems);
    }

    pub(super) fn warn(&mut self, warning: ConfigProblem) {
        self.warnings.push(warning);
    }

    /// A fault of a property that is not there: it stands where the type is named.
    pub(super) fn missing(&mut self, name: &str, message: impl Into<String>) {
        let origin = self.scope.origin.clone();
        self.faults
            .push(ConfigProblem::new(ProblemKind::Invalid, origin, message).of(name));
    }

    fn setting(&mut self, property: &Property) -> Option<Setting> {
        self.used.borrow_mut().insert(property.name.clone());
        match self.scope.properties.expand(property) {
            Ok(value) => Some(Setting {
                name: property.name.clone(),
                value,
                origin: property.origin.clone(),
            }),
            Err(problem) => {
                self.faults.push(problem);
                None
            }
        }
    }

    /// A property, blank or not.
    pub(super) fn raw(&mut self, name: &str) -> Option<Setting> {
        let property = self.scope.properties.raw(name)?;
        self.setting(property)
    }

    /// A property that says something, without blanks around it.
    pub(super) fn get(&mut self, name: &str) -> Option<Setting> {
        let mut setting = self.raw(name)?;
        setting.value = setting.value.trim().to_owned();
        (!setting.value.is_empty()).then_some(setting)
    }

    /// The text of such a property.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        self.get(name).map(|setting| setting.value)
    }

    /// The text of a property of the type.
    pub(super) fn own_text(&mut self, name: &str) -> Option<String> {
        let name = self.own(name);
        self.text(&name)
    }

    /// A list of the type; none if it is not there.
    pub(super) fn own_list(&mut self, name: &str) -> Option<Vec<String>> {
        let name = self.own(name);
        self.raw(&name).map(|setting| setting.list())
    }

    /// A list of the type; one without members is none.
    pub(super) fn own_names(&mut self, name: &str) -> Option<Vec<String>> {
        self.own_list(name).filter(|list| !list.is_empty())
    }

    pub(super) fn flag(&mut self, name: &str, default: bool) -> bool {
        let Some(setting) = self.get(name) else {
            return default;
        };
        match setting.value.to_ascii_lowercase().as_str() {
            "true" => true,
            "false" => false,
            _ => {
                self.fault(&setting, format!("true or false, not {:?}", setting.value));
                default
            }
        }
    }

    pub(super) fn own_flag(&mut self, name: &str, default: bool) -> bool {
        let name = self.own(name);
        self.flag(&name, default)
    }

    pub(super) fn number<N: FromStr>(&mut self, name: &str) -> Option<N> {
        let setting = self.get(name)?;
        let number = setting.value.parse().ok();
        if number.is_none() {
            self.fault(
                &setting,
                format!("a number in range, not {:?}", setting.value),
            );
        }
        number
    }

    pub(super) fn own_number<N: FromStr>(&mut self, name: &str) -> Option<N> {
        let name = self.own(name);
        self.number(&name)
    }

    /// One of several words; case does not count.
    pub(super) fn word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Option<T> {
        let setting = self.get(name)?;
        let found = words
            .iter()
            .find(|(word, _)| word.eq_ignore_ascii_case(&setting.value));
        if found.is_none() {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let message = format!("{:?} is none of {}", setting.value, known.join(", "));
            self.fault(&setting, message);
        }
        found.map(|(_, value)| *value)
    }

    pub(super) fn own_word<T: Copy>(&mut self, name: &str, words: &[(&str, T)]) -> Option<T> {
        let name = self.own(name);
        self.word(&name, words)
    }

    /// What a class does; one that is not known or not supported is a fault.
    pub(super) fn class(&mut self, kind: Kind, setting: &Setting, class: &str) -> Option<Does> {
        match classes::find(kind, class).map(|def| def.does) {
            None => {
                let message = format!("{class} is no {} of DataWave", kind.word());
                self.fault(setting, message);
                None
            }
            Some(Does::Unsupported) => {
                let message = format!("the {} {class} is not supported", kind.word());
                self.problem(ProblemKind::Unsupported, setting, message);
                None
            }
            found => found,
        }
    }

    /// Properties of single fields: the field and its setting, for the type and, where the type has none, for all types.
    pub(super) fn of_fields(&mut self, name: &str, with_all: bool) -> Vec<(String, Setting)> {
        let mut found: Vec<(String, Setting)> = Vec::new();
        let scope = self.scope;
        let prefixes = [self.type_name, ALL_TYPES];
        for prefix in prefixes.iter().take(1 + usize::from(with_all)) {
            for property in scope.properties.iter() {
                let rest = property.name.strip_prefix(prefix);
                let rest = rest.and_then(|rest| rest.strip_prefix('.'));
                let field = rest.and_then(|rest| rest.strip_suffix(name));
                let field = field.and_then(|field| field.strip_suffix('.'));
                let Some(field) = field.filter(|field| !field.is_empty()) else {
                    continue;
                };
                let known = found.iter().any(|(other, _)| other == field);
                if let Some(setting) = self.setting(property).filter(|_| !known) {
                    found.push((field.to_owned(), setting));
                }
            }
        }
        found
    }

    /// Properties whose name begins with `prefix` and ends with `suffix`: what stands between, and the setting.
    pub(super) fn between(&mut self, prefix: &str, suffix: &str) -> Vec<(String, Setting)> {
        let scope = self.scope;
        let mut found = Vec::new();
        for property in scope.properties.iter() {
            let rest = property.name.strip_prefix(prefix);
            let Some(between) = rest.and_then(|rest| rest.strip_suffix(suffix)) else {
                continue;
            };
            if let Some(setting) = self.setting(property).filter(|_| !between.is_empty()) {
                found.push((between.to_owned(), setting));
            }
        }
        found
    }
}
