//! DataWave's tables: documents by shard, with a field index beside them, global indexes in front, and a dictionary of what there is.
//!
//! | table | row | family | qualifier | visibility | timestamp | value | why |
//! |---|---|---|---|---|---|---|---|
//! | shard | `yyyyMMdd_P` | `TYPE\0UID` | `FIELD\0value` | field's | event date | — | the event: what a query returns (`event`) |
//! | shard | `yyyyMMdd_P` | `fi\0FIELD` | `term\0TYPE\0UID` | field's | event date | — | field index: which events of a shard have a term (`field_index`) |
//! | shard | `yyyyMMdd_P` | `tf` | `TYPE\0UID\0term\0FIELD` | event's | event date | `TermWeight.Info` | where in a text a term stands (`term_frequency`) |
//! | index | `term` | `FIELD` | `yyyyMMdd_P\0TYPE` | field's | its day | `Uid.List` | which shards have a term, and which events (`global_index`) |
//! | reverse index | `mret` | `FIELD` | `yyyyMMdd_P\0TYPE` | field's | its day | `Uid.List` | the same for terms read backwards (leading wildcards) |
//! | metadata | `FIELD` | `e`, `i`, … | `TYPE`, … | — | newest event, day | —, count | which fields there are, and how often (`metadata`) |
//! | load dates | `FIELD` | `FIELD_NAME\0index` | `yyyyMMdd\0TYPE` | — | the greatest | count | when values came into an index (`load_dates`) |
//! | date index | `yyyyMMdd_Q` | `DATETYPE` | `yyyyMMdd\0TYPE\0FIELD` | event's | day of the date | bit set | which shards have a date in a field (`date_index`) |
//!
//! `P` is the partition of the event's UID ([`shard_id`], [`uid`]), `TYPE` the output name of the data type, `term` the normalized value,
//! `\0` a NUL byte. `rules` and `columns` say what is to be done with a column, `expand` makes a record into an event of `fields`,
//! and each table has a file of its own that puts its cells. Format: DataWave 7 (`ShardedDataTypeHandler`, `ShardIdFactory`, `HashUID`, `GlobalIndexUidAggregator`).

mod columns;
#[cfg(test)]
mod combiner_trees;
pub mod config;
mod counts;
pub mod date_bits;
mod date_index;
pub mod edge_dictionary;
pub mod edge_value;
mod edge_value_combiner;
pub mod edges;
mod event;
mod expand;
mod field_index;
mod fields;
mod global_index;
mod id_parser;
pub mod jexl;
mod load_dates;
mod metadata;
mod protobuf;
mod rules;
mod scan;
pub mod shard_id;
mod tables;
mod term_frequency;
pub mod term_weight;
mod terms;
mod tokens;
mod type_reader;
pub mod uid;
pub mod uid_list;
mod uid_list_combiner;
mod unsupported;
mod visibility_cache;

pub use config::model::FailurePolicy;
pub use date_bits::DateBitsCombiner;
pub use edge_dictionary::EdgeDictionaryCombiner;
pub use edge_value_combiner::EdgeValueCombiner;
pub use scan::scan_iterator;
pub use term_weight::TermWeightCombiner;
pub use uid_list_combiner::UidListCombiner;

use crate::layout::{Built, ConfigError, JobFacts, Layout, LayoutDef, TableSpec, Worker, resolve};
use config::model::Resolved;
use rules::TypeRules;
use serde::Deserialize;
use std::sync::Arc;
use tables::Tables;

/// The registry entry.
pub const DEF: LayoutDef = LayoutDef {
    name: "datawave",
    about: "DataWave's shard table, indexes, dictionary, load dates and date index",
    configure: |section| resolve::<Resolved>(section),
    build,
};

/// The layout, configured.
#[derive(Debug)]
struct DataWave {
    tables: Vec<TableSpec>,
    types: Vec<TypeRules>,
    now: i64,
}

impl Layout for DataWave {
    fn tables(&self) -> &[TableSpec] {
        &self.tables
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(expand::DataWaveWorker::new(self))
    }
}

fn build(config: &serde_json::Value, facts: JobFacts) -> Built {
    let config = Resolved::deserialize(config)
        .map_err(|error| vec![ConfigError::new("", error.to_string())])?;
    let mut errors = Vec::new();
    if config.types.is_empty() {
        errors.push(ConfigError::new("types", "at least one type is needed"));
    }
    let (mut tables, mut types) = (Tables::default(), Vec::new());
    for (name, settings) in &config.types {
        let job = config.job_of(settings);
        for fault in rules::job_faults(job) {
            // Types mostly share the settings of the job.
            if !errors.contains(&fault) {
                errors.push(fault);
            }
        }
        let built = tables.ids(job, settings).map_err(|fault| vec![fault]);
        let built = built.and_then(|ids| TypeRules::build(name, settings, job, ids, facts.now));
        match built {
            Ok(rules) => types.push(rules),
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Arc::new(DataWave {
        tables: tables.specs,
        types,
        now: facts.now,
    }))
}
