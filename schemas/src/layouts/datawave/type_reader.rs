//! Reads the settings of a data type and collects their faults.

use super::config::model::{FieldSettings, TypeSettings};
use super::fields::{NameSet, canonical, canonical_pattern};
use super::rules::FieldRules;
use crate::java_date::DatePattern;
use crate::layout::ConfigError;
use crate::normalize::{self, NormalizerDef};
use crate::visibility;

/// Collects the faults of a section while it is read.
pub(super) struct Reader {
    pub(super) prefix: String,
    pub(super) faults: Vec<ConfigError>,
}

impl Reader {
    fn fault(&mut self, key: &str, message: impl Into<String>) {
        let key = format!("{}.{key}", self.prefix);
        self.faults.push(ConfigError::new(key, message));
    }

    pub(super) fn normalizer(&mut self, key: &str, name: &str) -> &'static NormalizerDef {
        let found = normalize::find(name);
        if found.is_none() {
            let known: Vec<&str> = normalize::NORMALIZERS.iter().map(|def| def.short).collect();
            self.fault(
                key,
                format!("unknown type {name:?}; known are {}", known.join(", ")),
            );
        }
        found.unwrap_or(&normalize::NORMALIZERS[0])
    }

    pub(super) fn marking(&mut self, key: &str, expression: Option<&str>) -> Option<Vec<u8>> {
        match visibility::flatten(expression?.as_bytes()) {
            Ok(flat) => Some(flat),
            Err(error) => {
                self.fault(key, format!("no visibility expression: {error}"));
                None
            }
        }
    }

    pub(super) fn names(
        &mut self,
        key: &str,
        only: Option<&Vec<String>>,
        except: Option<&Vec<String>>,
    ) -> NameSet {
        match (only, except) {
            (Some(_), Some(_)) => {
                self.fault(key, format!("not together with {key}_except"));
                NameSet::none()
            }
            (Some(names), None) => NameSet::only(names),
            (None, Some(names)) => NameSet::except(names),
            (None, None) => NameSet::none(),
        }
    }

    /// The fields that hold several values, without their new names, and those names.
    pub(super) fn multi_valued(
        &mut self,
        config: &TypeSettings,
    ) -> (NameSet, Vec<(String, String)>) {
        if config.multi_valued_separator.is_empty() {
            self.fault("multi_valued_separator", "at least one character is needed");
        }
        let given = config.multi_valued.iter().flatten();
        let split = given.map(|name| name.split_once(':').unwrap_or((name, "")));
        let (mut names, mut renamed) = (Vec::new(), Vec::new());
        for (old, new) in split {
            names.push(old.to_owned());
            if !new.is_empty() {
                renamed.push((canonical(old), canonical(new)));
            }
        }
        let only = config.multi_valued.is_some().then_some(&names);
        let except = config.multi_valued_except.as_ref();
        (self.names("multi_valued", only, except), renamed)
    }

    pub(super) fn id_field(&mut self, config: &TypeSettings) -> String {
        if config.id_field.is_none() {
            self.fault("id_field", "the field that identifies an event is needed");
        }
        canonical(config.id_field.as_deref().unwrap_or_default())
    }

    pub(super) fn dates(&mut self, config: &TypeSettings, now: i64) -> Vec<DatePattern> {
        if config.date_field.is_some() == config.date_formats.is_empty() {
            self.fault("date_formats", "date_field and date_formats go together");
        }
        let mut patterns = Vec::new();
        for (at, format) in config.date_formats.iter().enumerate() {
            match DatePattern::compile(format, now) {
                Ok(pattern) => patterns.push(pattern),
                Err(error) => self.fault(&format!("date_formats.{at}"), error.to_string()),
            }
        }
        patterns
    }

    pub(super) fn field(&mut self, name: &str, config: &FieldSettings) -> FieldRules {
        let key = |last: &str| format!("fields.{name}.{last}");
        let types = config.types.iter().enumerate();
        FieldRules {
            name: canonical_pattern(name),
            types: types
                .map(|(at, class)| self.normalizer(&key(&format!("types.{at}")), class))
                .collect(),
            marking: self.marking(&key("marking"), config.marking.as_deref()),
            failure_policy: config.failure_policy,
        }
    }
}
