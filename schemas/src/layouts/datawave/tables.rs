//! The tables: which of them are written, and what a cluster must know of each.

use super::config::model::{JobSettings, TableNames};
use super::{TermWeightCombiner, UidListCombiner};
use crate::cell::TableId;
use crate::layout::{
    CombinerRule, ConfigError, Duplicates, Families, IteratorSetting, LocalityGroup, TableSpec,
};
use std::sync::Arc;

/// What a table is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Shard,
    /// The global index, forwards or backwards.
    Index,
}

/// Where the cells of a type go; a table without name is not written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TableIds {
    pub(super) shard: Option<TableId>,
    pub(super) index: Option<TableId>,
    pub(super) reverse_index: Option<TableId>,
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
    pub(super) fn ids(&mut self, job: &JobSettings) -> Result<TableIds, ConfigError> {
        let TableNames {
            shard,
            index,
            reverse_index,
            ..
        } = &job.tables;
        let mut id = |name: &Option<String>, kind, role| match name {
            Some(name) => self.id(name, kind, role, job).map(Some),
            None => Ok(None),
        };
        let ids = TableIds {
            shard: id(shard, Kind::Shard, "shard")?,
            index: id(index, Kind::Index, "index")?,
            reverse_index: id(reverse_index, Kind::Index, "reverse_index")?,
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
