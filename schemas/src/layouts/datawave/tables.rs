//! The tables: which of them are written, and what a cluster must know of each.

use super::config::model::{JobSettings, TableNames, TypeSettings};
use super::{DateBitsCombiner, TermWeightCombiner, UidListCombiner};
use crate::cell::TableId;
use crate::combiners::{Fold, Latest, LongCombiner};
use crate::encode::long_values::LongEncoding;
use crate::layout::{
    CombinerRule, ConfigError, Duplicates, Families, IteratorSetting, LocalityGroup, TableSpec,
};
use std::sync::Arc;

/// Accumulo's iterator that adds numbers.
const SUM: &str = "org.apache.accumulo.core.iterators.user.SummingCombiner";

/// What a table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Shard,
    /// The global index, forwards or backwards.
    Index,
    Metadata,
    LoadDates,
    DateIndex,
}

/// Where the cells of a type go; a table without name is not written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TableIds {
    pub(super) shard: Option<TableId>,
    pub(super) index: Option<TableId>,
    pub(super) reverse_index: Option<TableId>,
    pub(super) metadata: Option<TableId>,
    pub(super) load_dates: Option<TableId>,
    pub(super) date_index: Option<TableId>,
}

/// All tables, in the order of their ids.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) specs: Vec<TableSpec>,
    /// What each is for, and its role in the settings.
    roles: Vec<(Kind, &'static str)>,
}

impl Tables {
    /// The tables of a type with these settings of the job. Types with equal names share tables.
    ///
    /// # Errors
    /// One name stands for two tables, or there is no table at all.
    pub(super) fn ids(
        &mut self,
        job: &JobSettings,
        data_type: &TypeSettings,
    ) -> Result<TableIds, ConfigError> {
        let TableNames {
            shard,
            index,
            reverse_index,
            metadata,
            load_dates,
            date_index,
            ..
        } = &job.tables;
        let writes = &data_type.writes;
        let dated = writes.date_index && !data_type.date_index.is_empty();
        let mut id = |name: &Option<String>, wanted, kind, role| match name {
            Some(name) if wanted => self.id(name, kind, role, job).map(Some),
            _ => Ok(None),
        };
        let ids = TableIds {
            shard: id(shard, writes.shard, Kind::Shard, "shard")?,
            index: id(index, writes.shard, Kind::Index, "index")?,
            reverse_index: id(reverse_index, writes.shard, Kind::Index, "reverse_index")?,
            metadata: id(metadata, true, Kind::Metadata, "metadata")?,
            load_dates: id(
                load_dates,
                job.count_load_dates,
                Kind::LoadDates,
                "load_dates",
            )?,
            date_index: id(date_index, dated, Kind::DateIndex, "date_index")?,
        };
        if self.specs.is_empty() {
            return Err(ConfigError::new("tables", "at least one table is needed"));
        }
        Ok(ids)
    }

    fn id(
        &mut self,
        name: &str,
        kind: Kind,
        role: &'static str,
        job: &JobSettings,
    ) -> Result<TableId, ConfigError> {
        let at = match self.specs.iter().position(|spec| spec.name == name) {
            Some(at) if self.roles[at] == (kind, role) => at,
            Some(_) => {
                let message = "every table needs a name of its own";
                return Err(ConfigError::new("tables", message));
            }
            None => {
                self.specs.push(spec(name, kind, job));
                self.roles.push((kind, role));
                self.specs.len() - 1
            }
        };
        let id = u16::try_from(at).map_err(|_| ConfigError::new("tables", "too many tables"))?;
        Ok(TableId(id))
    }
}

fn spec(name: &str, kind: Kind, job: &JobSettings) -> TableSpec {
    let mut table = TableSpec::plain(name);
    if job.unversioned_tables.iter().any(|listed| listed == name) {
        table.iterators.clear();
    }
    match kind {
        Kind::Shard => shard(&mut table, job),
        Kind::Index => index(&mut table),
        Kind::Metadata => metadata(&mut table),
        Kind::LoadDates => load_dates(&mut table),
        Kind::DateIndex => date_index(&mut table),
    }
    if job.uncombined_tables.iter().any(|listed| listed == name) {
        table.combiners.clear();
        table.duplicates = Duplicates::Keep;
    }
    table
}

fn shard(table: &mut TableSpec, job: &JobSettings) {
    table.locality_groups = vec![group("fullcontent", "d"), group("termfrequency", "tf")];
    table.plain_iterators.clone_from(&table.iterators);
    let terms = "datawave.ingest.table.aggregator.TextIndexAggregator";
    let propagating = "datawave.iterators.PropogatingIterator";
    let setting = iterator("agg", 10, propagating, &[("tf", terms)]);
    table.iterators.insert(0, setting);
    table.combiners = vec![CombinerRule {
        families: Families::Named(vec![b"tf".to_vec()]),
        combiner: Arc::new(TermWeightCombiner),
    }];
    if let Some(class) = &job.shard_balancer {
        let property = ("table.balancer".to_owned(), class.clone());
        table.properties.push(property);
    }
}

fn index(table: &mut TableSpec) {
    let lists = "datawave.ingest.table.aggregator.GlobalIndexUidAggregator";
    let total = "datawave.iterators.TotalAggregatingIterator";
    let setting = iterator("UIDAggregator", 19, total, &[("*", lists)]);
    table.iterators.insert(0, setting);
    // Without DataWave's classes lists of several loads cannot be merged: all of them stay visible rather than the newest alone.
    table.plain_iterators = vec![IteratorSetting::versioning(i32::MAX.unsigned_abs())];
    table.combiners = vec![CombinerRule {
        families: Families::All,
        combiner: Arc::new(UidListCombiner),
    }];
}

fn metadata(table: &mut TableSpec) {
    let of = |columns| [("columns", columns), ("type", "VARLEN")];
    let lossy = |columns| [("columns", columns), ("lossy", "true"), ("type", "VARLEN")];
    let counts = [
        iterator("FrequencyCombiner", 10, SUM, &of("f")),
        iterator("IndexCombiner", 11, SUM, &lossy("i")),
        iterator("ReverseIndexCombiner", 12, SUM, &lossy("ri")),
    ];
    let external = "datawave.iterators.CountMetadataCombiner";
    let edges = "datawave.iterators.EdgeMetadataCombiner";
    let own = [
        iterator(
            "CountMetadataCombiner",
            15,
            external,
            &[("columns", "count")],
        ),
        iterator("EdgeMetadataCombiner", 19, edges, &[("columns", "edge")]),
    ];
    let versioning = std::mem::take(&mut table.iterators);
    table.plain_iterators = [&counts[..], &versioning].concat();
    table.iterators = [&counts[..], &own, &versioning].concat();
    table.combiners = vec![
        CombinerRule {
            families: Families::Named([&b"f"[..], b"i", b"ri"].map(Vec::from).into()),
            combiner: Arc::new(LongCombiner::new(Fold::Sum, LongEncoding::VarLen)),
        },
        CombinerRule {
            families: Families::All,
            combiner: Arc::new(Latest),
        },
    ];
}

fn load_dates(table: &mut TableSpec) {
    let all = [("all", "true"), ("type", "VARLEN")];
    let setting = iterator("LoadDateMetadataCombiner", 18, SUM, &all);
    table.iterators.insert(0, setting);
    // Names with a period are none of fields.
    let options = [
        ("encoding", "UTF-8"),
        ("negate", "true"),
        ("rowRegex", ".*\\..*"),
    ];
    let filter = "org.apache.accumulo.core.iterators.user.RegExFilter";
    let setting = iterator("dropBadData", 30, filter, &options);
    table.iterators.push(setting);
    table.combiners = vec![CombinerRule {
        families: Families::All,
        combiner: Arc::new(LongCombiner::new(Fold::Sum, LongEncoding::VarLen)),
    }];
}

fn date_index(table: &mut TableSpec) {
    table.locality_groups = vec![group("fullcontent", "d"), group("termfrequency", "tf")];
    let bits = "datawave.ingest.table.aggregator.DateIndexDateAggregator";
    let total = "datawave.iterators.TotalAggregatingIterator";
    let setting = iterator("DATEAggregator", 19, total, &[("*", bits)]);
    table.iterators.insert(0, setting);
    // Without DataWave's classes the sets of several loads all stay visible.
    table.plain_iterators = vec![IteratorSetting::versioning(i32::MAX.unsigned_abs())];
    table.combiners = vec![CombinerRule {
        families: Families::All,
        combiner: Arc::new(DateBitsCombiner),
    }];
}

fn iterator(name: &str, priority: u32, class: &str, options: &[(&str, &str)]) -> IteratorSetting {
    let own = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    IteratorSetting {
        name: name.into(),
        priority,
        class: class.into(),
        options: options.iter().map(own).collect(),
    }
}

fn group(name: &str, family: &str) -> LocalityGroup {
    LocalityGroup {
        name: name.into(),
        families: vec![family.into()],
    }
}
