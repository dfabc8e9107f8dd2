//! The configuration of a data type, checked and compiled.

use super::config::model::{FailurePolicy, JobSettings, TypeSettings};
use super::date_index::DateRules;
use super::fields::{FieldPlan, NameSet, Separator, canonical, fits};
use super::id_parser::DateParser;
use super::tables::TableIds;
use super::tokens::{ListRules, TokenRules};
use super::type_reader::Reader;
use super::unsupported;
use crate::java_date::{DatePattern, trim_fraction};
use crate::layout::ConfigError;
use crate::normalize::NormalizerDef;
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
    pub(super) date_parsers: Vec<DateParser>,
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
    pub(super) lists: ListRules,
    pub(super) dated: DateRules,
    /// Whether the dictionary counts the values of all fields.
    pub(super) count_fields: bool,
    /// What the indexes are called in the load dates.
    pub(super) index_name: Option<String>,
    pub(super) reverse_index_name: Option<String>,
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
    default_type: &'static NormalizerDef,
    most_precise_type: bool,
    failure_policy: FailurePolicy,
    fields: Vec<FieldRules>,
}

/// The section of one field name or name pattern.
#[derive(Debug)]
pub(super) struct FieldRules {
    pub(super) name: String,
    pub(super) types: Vec<&'static NormalizerDef>,
    pub(super) marking: Option<Vec<u8>>,
    pub(super) failure_policy: Option<FailurePolicy>,
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
        let shards = job.date_index_shards;
        let dated = DateRules::build(&reader.prefix, &config.date_index, shards)?;
        let date_parsers = DateParser::build(&reader.prefix, &config.id_parsers, now)?;
        let rules = TypeRules {
            date_parsers,
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
            lists: ListRules::build(config.writes.tokens, &config.lists),
            dated,
            count_fields: job.count_fields,
            index_name: job.tables.index.clone(),
            reverse_index_name: job.tables.reverse_index.clone(),
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
        let mut plan = self.plain(base);
        if let Some(group) = group {
            plan.event_name = format!("{base}.{group}");
        }
        plan.event_normalized = !plan.index && self.normalized.contains(base);
        let types = self.types(base);
        // Each type makes a value of its own, which counts.
        plan.wants_terms |= types.len() > 1 || plan.event_normalized;
        plan.normalizers = (types.iter())
            .map(|def| def.normalizer)
            .filter(|normalizer| plan.wants_terms || normalizer.can_fail())
            .collect();
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
    fn own_types(&self, base: &str) -> Vec<&'static NormalizerDef> {
        let typed = |rules: &&FieldRules| !rules.types.is_empty() && fits(&rules.name, base);
        let longest = (self.fields.iter().filter(typed))
            .map(|rules| rules.name.len())
            .max();
        let counts =
            |rules: &&FieldRules| !self.most_precise_type || Some(rules.name.len()) == longest;
        let rules = self.fields.iter().filter(typed).filter(counts);
        rules.flat_map(|rules| &rules.types).copied().collect()
    }

    /// The classes of a field's types, if the dictionary names them.
    fn classes(&self, name: &str, indexed: bool) -> Vec<&'static str> {
        let mut types = self.own_types(name);
        if types.is_empty() && (indexed || self.normalized.contains(name)) {
            types.push(self.default_type);
        }
        types.iter().map(|def| def.class).collect()
    }

    fn types(&self, base: &str) -> Vec<&'static NormalizerDef> {
        let own = self.own_types(base);
        if own.is_empty() {
            vec![self.default_type]
        } else {
            own
        }
    }

    /// The plan of a field that the ingest adds: not normalized, under the visibility of the event.
    pub(super) fn plain(&self, name: &str) -> FieldPlan {
        let mut tokens = self.tokens.plan(name);
        if let Some(tokens) = &mut tokens {
            tokens.classes = self.classes(&tokens.name, true);
        }
        // Where tokens have the name of the field itself, the field is indexed as they are.
        let own = tokens.as_ref().filter(|tokens| tokens.name == name);
        let list = self.lists.plan(name);
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
            classes: self.classes(name, list.is_some() || indexed && (forward || reverse)),
            normalized: self.normalized.contains(name),
            wants_terms: forward
                || reverse
                || tokens.is_some()
                || list.is_some()
                || self.dated.contains(name),
            failure_policy: FailurePolicy::Leave,
            marking: None,
            dropped: false,
            downcase: false,
            tokens,
            list,
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
