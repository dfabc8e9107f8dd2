//! DataWave's tables: documents by shard, with a field index beside them and a global index in front.
//!
//! | table | row | family | qualifier | visibility | timestamp | value | why |
//! |---|---|---|---|---|---|---|---|
//! | shard | `yyyyMMdd_P` | `TYPE\0UID` | `FIELD\0value` | field's | event date | — | the event: what a query returns (`event`) |
//! | shard | `yyyyMMdd_P` | `fi\0FIELD` | `term\0TYPE\0UID` | field's | event date | — | field index: which events of a shard have a term (`field_index`) |
//! | index | `term` | `FIELD` | `yyyyMMdd_P\0TYPE` | field's | its day | `Uid.List` | which shards have a term, and which events (`global_index`) |
//! | reverse index | `mret` | `FIELD` | `yyyyMMdd_P\0TYPE` | field's | its day | `Uid.List` | the same for terms read backwards (leading wildcards) |
//!
//! `P` is the partition of the event's UID ([`shard_id`], [`uid`]), `TYPE` the output name of the data type, `term` the normalized value,
//! `\0` a NUL byte. `rules` and `columns` say what is to be done with a column, `expand` makes a record into an event of `fields`,
//! and each table has a file of its own that puts its cells. Format: DataWave 7 (`ShardedDataTypeHandler`, `ShardIdFactory`, `HashUID`, `GlobalIndexUidAggregator`).

mod columns;
#[cfg(test)]
mod combiner_trees;
pub mod config;
pub mod date_bits;
pub mod edge_dictionary;
pub mod edge_value;
mod edge_value_combiner;
pub mod edges;
mod event;
mod expand;
mod field_index;
mod fields;
mod global_index;
pub mod jexl;
mod protobuf;
mod rules;
mod scan;
pub mod shard_id;
pub mod term_weight;
pub mod uid;
pub mod uid_list;
mod uid_list_combiner;
mod visibility_cache;

pub use config::{Config, FailurePolicy, FieldConfig, Tables, TypeConfig};
pub use date_bits::DateBitsCombiner;
pub use edge_dictionary::EdgeDictionaryCombiner;
pub use edge_value_combiner::EdgeValueCombiner;
pub use scan::scan_iterator;
pub use term_weight::TermWeightCombiner;
pub use uid_list_combiner::UidListCombiner;

use crate::cell::TableId;
use crate::layout::{
    Built, CombinerRule, Families, IteratorSetting, JobFacts, Layout, LayoutDef, LocalityGroup,
    TableSpec, Worker, resolve,
};
use rules::TypeRules;
use std::sync::Arc;

/// The registry entry.
pub const DEF: LayoutDef = LayoutDef {
    name: "datawave",
    about: "DataWave's shard, index and reverse index tables",
    configure: |section| resolve::<Config>(section),
    build,
};

const SHARD: TableId = TableId(0);
const INDEX: TableId = TableId(1);
const REVERSE_INDEX: TableId = TableId(2);

/// The layout, configured.
#[derive(Debug)]
struct DataWave {
    tables: Vec<TableSpec>,
    types: Vec<TypeRules>,
    num_shards: u32,
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
    let config = Config::from_resolved(config).map_err(|error| vec![error])?;
    let mut errors = config.faults();
    let mut types = Vec::new();
    for (name, section) in &config.types {
        match TypeRules::build(name, section, facts.now) {
            Ok(rules) => types.push(rules),
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Arc::new(DataWave {
        tables: tables(&config.tables),
        types,
        num_shards: config.num_shards,
        now: facts.now,
    }))
}

/// The tables in the order of the [`TableId`]s above.
fn tables(names: &Tables) -> Vec<TableSpec> {
    let iterator = |name: &str, priority, class: &str, option: (&str, &str)| IteratorSetting {
        name: name.into(),
        priority,
        class: class.into(),
        options: vec![(option.0.into(), option.1.into())],
    };
    let group = |name: &str, family: &str| LocalityGroup {
        name: name.into(),
        families: vec![family.into()],
    };
    let mut shard = TableSpec::plain(&names.shard);
    shard.locality_groups = vec![group("fullcontent", "d"), group("termfrequency", "tf")];
    shard.plain_iterators = shard.iterators.clone();
    let terms = "datawave.ingest.table.aggregator.TextIndexAggregator";
    let propagating = "datawave.iterators.PropogatingIterator";
    shard
        .iterators
        .insert(0, iterator("agg", 10, propagating, ("tf", terms)));

    let index = |name: &str| {
        let mut table = TableSpec::plain(name);
        let lists = "datawave.ingest.table.aggregator.GlobalIndexUidAggregator";
        let total = "datawave.iterators.TotalAggregatingIterator";
        table
            .iterators
            .insert(0, iterator("UIDAggregator", 19, total, ("*", lists)));
        // Without DataWave's classes lists of several loads cannot be merged: all of them stay visible rather than the newest alone.
        table.plain_iterators = vec![IteratorSetting::versioning(i32::MAX.unsigned_abs())];
        table.combiners = vec![CombinerRule {
            families: Families::All,
            combiner: Arc::new(UidListCombiner),
        }];
        table
    };
    vec![shard, index(&names.index), index(&names.reverse_index)]
}
