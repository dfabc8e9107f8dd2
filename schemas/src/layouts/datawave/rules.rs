//! The configuration of a data type, checked and compiled.

use super::config::model::{FailurePolicy, FieldSettings, JobSettings, TypeSettings};
use super::fields::{FieldPlan, NameSet, Separator, canonical, canonical_pattern, fits};
use super::tables::TableIds;
use super::tokens::TokenRules;
use super::unsupported;
use crate::java_date::{DatePattern, trim_fraction};
use crate::layout::ConfigError;
use crate::normalize::{self, Normalizer};
use crate::visibility;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The rules of one data type.
#[derive(Debug)]
pub(super) struct TypeRules {
    /// What an input's data type must be called to come here.
    pub(super) name: String,
    pub(super) output_name: String,
    pub(super) tables: TableIds,
    num_shards: u32,
    /// From which day on there are how many.
    num_shards_from: BTreeMap<String, u32>,
    /// Whether index entries list UIDs.
    pub(super) index_uids: bool,
    event_columns: bool,
    pub(super) id_field: String,
    pub(super) id_downcase: bool,
    pub(super) uid_time: bool,
    pub(super) date_field: Option<String>,
    date_formats: Vec<DatePattern>,
    pub(super) visibility_field: Option<String>,
    /// The dates of events that are taken.
    pub(super) dates: Range<i64>,
    pub(super) failure_field: String,
    pub(super) load_date: bool,
    pub(super) orig_file: bool,
    /// The default marking, flattened.
    pub(super) marking: Option<Vec<u8>>,
    index: NameSet,
    reverse_index: NameSet,
    index_only: NameSet,
    shard_except: NameSet,
    pub(super) tokens: TokenRules,
    /// A field that has no event column may have index entries.
    excluded_are_indexed: bool,
    normalized: NameSet,
    drop: NameSet,
    downcase: NameSet,
    multi_valued: NameSet,
    separator: Arc<Separator>,
    /// Names of fields that hold several values, where they are not the columns' own.
    renamed: Vec<(String, String)>,
    aliases: Vec<(String, String)>,
    default_type: &'static dyn Normalizer,
    most_precise_type: bool,
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
    fn multi_valued(&mut self, config: &TypeSettings) -> (NameSet, Vec<(String, String)>) {
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

    fn id_field(&mut self, config: &TypeSettings) -> String {
        if config.id_field.is_none() {
            self.fault("id_field", "the field that identifies an event is needed");
        }
        canonical(config.id_field.as_deref().unwrap_or_default())
    }

    fn dates(&mut self, config: &TypeSettings, now: i64) -> Vec<DatePattern> {
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

    fn field(&mut self, name: &str, config: &FieldSettings) -> FieldRules {
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
        config: &TypeSettings,
        job: &JobSettings,
        tables: TableIds,
        now: i64,
    ) -> Result<TypeRules, Vec<ConfigError>> {
        let mut reader = Reader {
            prefix: format!("types.{name}"),
            faults: unsupported::type_faults(name, config),
        };
        let (multi_valued, renamed) = reader.multi_valued(config);
        let tokens = TokenRules::build(&reader.prefix, config.writes.tokens, &config.tokens)?;
        let rules = TypeRules {
            multi_valued,
            renamed,
            separator: Arc::new(Separator::new(&config.multi_valued_separator)),
            name: name.to_owned(),
            output_name: config.output_name.clone().unwrap_or_else(|| name.into()),
            tables,
            num_shards: job.num_shards,
            num_shards_from: job.num_shards_from.clone(),
            index_uids: job.index_uids,
            event_columns: job.event_columns,
            id_field: reader.id_field(config),
            id_downcase: config.id_downcase,
            uid_time: config.uid_time,
            date_field: config.date_field.as_deref().map(canonical),
            date_formats: reader.dates(config, now),
            visibility_field: config.visibility_field.as_deref().map(canonical),
            dates: dates_taken(config, now),
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
            tokens,
            excluded_are_indexed: config.writes.tokens,
            shard_except: NameSet::only(&config.shard_except),
            normalized: NameSet::only(&config.normalized),
            drop: NameSet::only(&config.drop),
            downcase: NameSet::only(&config.downcase),
            aliases: (config.aliases.iter())
                .map(|(old, new)| (canonical(old), canonical(new)))
                .collect(),
            default_type: reader.normalizer("default_type", &config.default_type),
            most_precise_type: config.most_precise_type,
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

    /// How many partitions a day (`yyyyMMdd`) has.
    pub(super) fn num_shards(&self, day: &str) -> u32 {
        let since = self.num_shards_from.iter().rev();
        let mut until = since.skip_while(|(first, _)| first.as_str() > day);
        until.next().map_or(self.num_shards, |(_, shards)| *shards)
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
        let mut types = self.types(base);
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

    /// The types of a field, without those that hold for all.
    fn own_types(&self, base: &str) -> Vec<&'static dyn Normalizer> {
        let typed = |rules: &&FieldRules| !rules.types.is_empty() && fits(&rules.name, base);
        let longest = (self.fields.iter().filter(typed))
            .map(|rules| rules.name.len())
            .max();
        let counts =
            |rules: &&FieldRules| !self.most_precise_type || Some(rules.name.len()) == longest;
        let rules = self.fields.iter().filter(typed).filter(counts);
        rules.flat_map(|rules| &rules.types).copied().collect()
    }

    fn types(&self, base: &str) -> Vec<&'static dyn Normalizer> {
        let own = self.own_types(base);
        if own.is_empty() {
            vec![self.default_type]
        } else {
            own
        }
    }

    /// The plan of a field that the ingest adds: not normalized, under the visibility of the event.
    pub(super) fn plain(&self, name: &str) -> FieldPlan {
        let tokens = self.tokens.plan(name);
        // Where tokens have the name of the field itself, the field is indexed as they are.
        let own = tokens.as_ref().filter(|tokens| tokens.name == name);
        let excluded = self.shard_except.contains(name);
        let indexed = !excluded || self.excluded_are_indexed;
        let forward = self.index.contains(name) || own.is_some_and(|own| own.forward);
        let reverse = self.reverse_index.contains(name) || own.is_some_and(|own| own.reverse);
        FieldPlan {
            event_name: name.to_owned(),
            index_name: name.to_owned(),
            index: indexed && forward,
            reverse_index: indexed && reverse,
            event: self.event_columns && !excluded && !self.index_only.contains(name),
            event_normalized: false,
            normalizers: Vec::new(),
            failure_policy: FailurePolicy::Leave,
            marking: None,
            dropped: false,
            downcase: false,
            tokens,
            separator: None,
        }
    }
}

/// The new name of `name`, if it has one.
fn other_name<'a>(names: &'a [(String, String)], name: &'a str) -> &'a str {
    let found = names.iter().find(|(old, _)| old == name);
    found.map_or(name, |(_, new)| new)
}

/// The dates of events that are neither too old nor too new; an interval of 0 is none.
fn dates_taken(config: &TypeSettings, now: i64) -> Range<i64> {
    let bound = |interval: i64, none, at: i64| if interval == 0 { none } else { at };
    let oldest = now.saturating_sub(config.discard_older);
    let newest = now.saturating_add(config.discard_newer).saturating_add(1);
    bound(config.discard_older, i64::MIN, oldest)..bound(config.discard_newer, i64::MAX, newest)
}

/// The faults of the settings that hold for all types.
pub(super) fn job_faults(job: &JobSettings) -> Vec<ConfigError> {
    let mut faults = unsupported::job_faults(job);
    if job.num_shards == 0 || job.num_shards_from.values().any(|shards| *shards == 0) {
        faults.push(ConfigError::new("num_shards", "at least 1 is needed"));
    }
    faults
}
