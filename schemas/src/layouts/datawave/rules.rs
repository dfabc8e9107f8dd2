//! The configuration of a data type, checked and compiled.

use super::config::{FailurePolicy, FieldConfig, TypeConfig};
use super::fields::{FieldPlan, NameSet, Separator, canonical, canonical_pattern, fits};
use crate::java_date::{DatePattern, trim_fraction};
use crate::layout::ConfigError;
use crate::normalize::{self, Normalizer};
use crate::visibility;
use std::sync::Arc;

/// The rules of one data type.
#[derive(Debug)]
pub(super) struct TypeRules {
    /// What an input's data type must be called to come here.
    pub(super) name: String,
    pub(super) output_name: String,
    pub(super) id_field: String,
    pub(super) id_downcase: bool,
    pub(super) uid_time: bool,
    pub(super) date_field: Option<String>,
    date_formats: Vec<DatePattern>,
    pub(super) visibility_field: Option<String>,
    pub(super) failure_field: String,
    pub(super) load_date: bool,
    pub(super) orig_file: bool,
    /// The default marking, flattened.
    pub(super) marking: Option<Vec<u8>>,
    index: NameSet,
    reverse_index: NameSet,
    index_only: NameSet,
    normalized: NameSet,
    drop: NameSet,
    downcase: NameSet,
    multi_valued: NameSet,
    separator: Arc<Separator>,
    /// Names of fields that hold several values, where they are not the columns' own.
    renamed: Vec<(String, String)>,
    aliases: Vec<(String, String)>,
    default_type: &'static dyn Normalizer,
    failure_policy: FailurePolicy,
    fields: Vec<FieldRules>,
}

/// The section of one field name or name pattern.
#[derive(Debug)]
struct FieldRules {
    name: String,
    types: Vec<&'static dyn Normalizer>,
    marking: Option<Vec<u8>>,
    failure_policy: Option<FailurePolicy>,
}

/// Collects the faults of a section while it is read.
struct Reader {
    prefix: String,
    faults: Vec<ConfigError>,
}

impl Reader {
    fn fault(&mut self, key: &str, message: impl Into<String>) {
        let key = format!("{}.{key}", self.prefix);
        self.faults.push(ConfigError::new(key, message));
    }

    fn normalizer(&mut self, key: &str, name: &str) -> &'static dyn Normalizer {
        let found = normalize::find(name);
        if found.is_none() {
            let known: Vec<&str> = normalize::NORMALIZERS.iter().map(|def| def.short).collect();
            self.fault(
                key,
                format!("unknown type {name:?}; known are {}", known.join(", ")),
            );
        }
        found.map_or(&normalize::NoOp, |def| def.normalizer)
    }

    fn marking(&mut self, key: &str, expression: Option<&str>) -> Option<Vec<u8>> {
        match visibility::flatten(expression?.as_bytes()) {
            Ok(flat) => Some(flat),
            Err(error) => {
                self.fault(key, format!("no visibility expression: {error}"));
                None
            }
        }
    }

    fn names(
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
    fn multi_valued(&mut self, config: &TypeConfig) -> (NameSet, Vec<(String, String)>) {
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

    fn dates(&mut self, config: &TypeConfig, now: i64) -> Vec<DatePattern> {
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

    fn field(&mut self, name: &str, config: &FieldConfig) -> FieldRules {
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

impl TypeRules {
    /// Compiles the section of the type `name`.
    ///
    /// # Errors
    /// Every fault of the section.
    pub(super) fn build(
        name: &str,
        config: &TypeConfig,
        now: i64,
    ) -> Result<TypeRules, Vec<ConfigError>> {
        let mut reader = Reader {
            prefix: format!("types.{name}"),
            faults: Vec::new(),
        };
        let (multi_valued, renamed) = reader.multi_valued(config);
        let rules = TypeRules {
            multi_valued,
            renamed,
            separator: Arc::new(Separator::new(&config.multi_valued_separator)),
            name: name.to_owned(),
            output_name: config.output_name.clone().unwrap_or_else(|| name.into()),
            id_field: canonical(&config.id_field),
            id_downcase: config.id_downcase,
            uid_time: config.uid_time,
            date_field: config.date_field.as_deref().map(canonical),
            date_formats: reader.dates(config, now),
            visibility_field: config.visibility_field.as_deref().map(canonical),
            failure_field: canonical(&config.failure_field),
            load_date: config.load_date,
            orig_file: config.orig_file,
            marking: reader.marking("marking", config.marking.as_deref()),
            index: reader.names("index", config.index.as_ref(), config.index_except.as_ref()),
            reverse_index: reader.names(
                "reverse_index",
                config.reverse_index.as_ref(),
                config.reverse_index_except.as_ref(),
            ),
            index_only: NameSet::only(&config.index_only),
            normalized: NameSet::only(&config.normalized),
            drop: NameSet::only(&config.drop),
            downcase: NameSet::only(&config.downcase),
            aliases: (config.aliases.iter())
                .map(|(old, new)| (canonical(old), canonical(new)))
                .collect(),
            default_type: reader.normalizer("default_type", &config.default_type),
            failure_policy: config.failure_policy,
            fields: (config.fields.iter())
                .map(|(name, field)| reader.field(name, field))
                .collect(),
        };
        if reader.faults.is_empty() {
            Ok(rules)
        } else {
            Err(reader.faults)
        }
    }

    /// Reads an event date: the first format that takes the beginning of the text counts.
    pub(super) fn date(&self, text: &str, scratch: &mut String) -> Option<i64> {
        let trimmed = trim_fraction(text, scratch);
        self.date_formats.iter().find_map(|pattern| {
            let text = if pattern.has_fraction() {
                trimmed
            } else {
                text
            };
            pattern.parse_prefix(text).map(|(instant, _)| instant)
        })
    }

    /// What is to be done with a column of this name.
    pub(super) fn plan(&self, column: &str) -> FieldPlan {
        let name = canonical(column);
        let (base, group) = match name.split_once('.') {
            Some((base, group)) => (base, Some(group)),
            None => (name.as_str(), None),
        };
        let separator = (self.multi_valued.contains(base)).then(|| Arc::clone(&self.separator));
        let base = other_name(&self.renamed, base);
        let base = other_name(&self.aliases, base);
        let settings = || self.fields.iter().filter(|rules| fits(&rules.name, base));
        // The longest name that fits is the most precise one.
        let marking = settings().filter(|rules| rules.marking.is_some());
        let marking = marking.max_by_key(|rules| rules.name.len());
        let policy = settings().filter(|rules| rules.failure_policy.is_some());
        let policy = policy.max_by_key(|rules| rules.name.len());
        let mut types: Vec<_> = settings().flat_map(|rules| &rules.types).copied().collect();
        if types.is_empty() {
            types.push(self.default_type);
        }
        let mut plan = self.plain(base);
        if let Some(group) = group {
            plan.event_name = format!("{base}.{group}");
        }
        plan.event_normalized = !plan.index && self.normalized.contains(base);
        types.retain(|normalizer| plan.wants_terms() || normalizer.can_fail());
        plan.normalizers = types;
        plan.failure_policy = policy
            .and_then(|rules| rules.failure_policy)
            .unwrap_or(self.failure_policy);
        plan.marking = marking
            .and_then(|rules| rules.marking.clone())
            .or_else(|| self.marking.clone());
        plan.separator = separator;
        plan.dropped = self.drop.contains(base);
        plan.downcase = self.downcase.contains(base);
        plan
    }

    /// The plan of a field that the ingest adds: not normalized, under the visibility of the event.
    pub(super) fn plain(&self, name: &str) -> FieldPlan {
        FieldPlan {
            event_name: name.to_owned(),
            index_name: name.to_owned(),
            index: self.index.contains(name),
            reverse_index: self.reverse_index.contains(name),
            event: !self.index_only.contains(name),
            event_normalized: false,
            normalizers: Vec::new(),
            failure_policy: FailurePolicy::Leave,
            marking: None,
            dropped: false,
            downcase: false,
            separator: None,
        }
    }
}

/// The new name of `name`, if it has one.
fn other_name<'a>(names: &'a [(String, String)], name: &'a str) -> &'a str {
    let found = names.iter().find(|(old, _)| old == name);
    found.map_or(name, |(_, new)| new)
}
