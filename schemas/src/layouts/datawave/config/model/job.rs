//! What holds for all types.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Settings of the job.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct JobSettings {
    /// `num.shards`: partitions of a day.
    pub num_shards: u32,
    /// `preteched.multiple.shard.configuration`: partitions of a day from a day (`yyyyMMdd`) on.
    pub num_shards_from: BTreeMap<String, u32>,
    /// Names of the tables.
    pub tables: TableNames,
    /// `ingest.mode.delete`: key/values delete what the input once made.
    pub delete: bool,
    /// Not `shard.suppress.event.key`: events have columns.
    pub event_columns: bool,
    /// `index.tables.keep.count.only.…`.
    pub uid_lists: UidLists,
    /// `shard.index.create.uids`: index entries list UIDs.
    pub index_uids: bool,
    /// Not `content.ingest.documents.disable`: documents are written where a type has them.
    pub documents: bool,
    /// `content.ingest.base64.dcolumn`.
    pub documents_base64: bool,
    /// `metadata.term.frequency.enabled`: the dictionary counts events by field and day.
    pub count_fields: bool,
    /// `metadata.loaddates.enabled`.
    pub count_load_dates: bool,
    /// `date.index.num.shards`.
    pub date_index_shards: u32,
    /// `all.ingest.policy.enforcer.class`.
    pub policy: Policy,
    /// `ingest.value.dedup.by.timestamp`: tables whose timestamps become days.
    pub day_timestamps: Vec<String>,
    /// `ingest.value.dedup.aggregation`: tables that are exempt from that.
    pub day_timestamps_except: Vec<String>,
    /// `<table>.table.aggregate=false`: tables whose values are not combined.
    pub uncombined_tables: Vec<String>,
    /// `<table>.disable.versioning.iterator`: tables without versioning iterator.
    pub unversioned_tables: Vec<String>,
    /// `<table>.locality.groups` by the table's name, as `GROUP:FAMILY;FAMILY,…`.
    pub locality_groups: BTreeMap<String, String>,
    /// `shard.table.balancer.class`.
    pub shard_balancer: Option<String>,
    /// What holds for all edges.
    pub edges: EdgeSwitches,
    /// What holds for failed records, if they are kept as DataWave keeps them.
    pub errors: Option<ErrorSettings>,
}

impl Default for JobSettings {
    fn default() -> Self {
        JobSettings {
            num_shards: 10,
            num_shards_from: BTreeMap::new(),
            tables: TableNames::default(),
            delete: false,
            event_columns: true,
            uid_lists: UidLists::Uids,
            index_uids: true,
            documents: true,
            documents_base64: true,
            count_fields: true,
            count_load_dates: false,
            date_index_shards: 10,
            policy: Policy::None,
            day_timestamps: Vec::new(),
            day_timestamps_except: Vec::new(),
            uncombined_tables: Vec::new(),
            unversioned_tables: Vec::new(),
            locality_groups: BTreeMap::new(),
            shard_balancer: None,
            edges: EdgeSwitches::default(),
            errors: None,
        }
    }
}

/// Names of the tables, with their namespace where they have one. A table whose name is empty is not written.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableNames {
    /// `shard.table.name`.
    #[serde(with = "table_name")]
    pub shard: Option<String>,
    /// `shard.global.index.table.name`.
    #[serde(with = "table_name")]
    pub index: Option<String>,
    /// `shard.global.rindex.table.name`.
    #[serde(with = "table_name")]
    pub reverse_index: Option<String>,
    /// `metadata.table.name`.
    #[serde(with = "table_name")]
    pub metadata: Option<String>,
    /// `metadata.loaddates.table.name`.
    #[serde(with = "table_name")]
    pub load_dates: Option<String>,
    /// `date.index.table.name`.
    #[serde(with = "table_name")]
    pub date_index: Option<String>,
    /// `protobufedge.table.name`.
    #[serde(with = "table_name")]
    pub edge: Option<String>,
}

impl TableNames {
    /// No table has a name, as in a site's files that name none.
    #[must_use]
    pub fn none() -> Self {
        TableNames {
            shard: None,
            index: None,
            reverse_index: None,
            metadata: None,
            load_dates: None,
            date_index: None,
            edge: None,
        }
    }
}

impl Default for TableNames {
    fn default() -> Self {
        let name = |table: &str| Some(format!("datawave.{table}"));
        TableNames {
            shard: name("shard"),
            index: name("shardIndex"),
            reverse_index: name("shardReverseIndex"),
            metadata: name("metadata"),
            load_dates: name("loadDates"),
            date_index: name("dateIndex"),
            edge: name("edge"),
        }
    }
}

/// The absence of a table as an empty name: a job file has no word for nothing, and leaving a key out gives its default.
mod table_name {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        name: &Option<String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(name.as_deref().unwrap_or_default())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<String>, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok((!name.is_empty()).then_some(name))
    }
}

/// What index entries keep of UIDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UidLists {
    /// UIDs up to a limit, then a count; an entry that counts to zero goes.
    Uids,
    /// The same, but an entry with only a count never goes.
    KeepCounts,
    /// Only counts.
    CountsOnly,
}

/// Which events are faulty for lack of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// None.
    None,
    /// Those without further ids, without date, or without markings (`ExampleIngestPolicyEnforcer`).
    Example,
}

/// What a failure does to the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// It ends.
    FailJob,
    /// It goes on.
    Continue,
}

/// What holds for all edges.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct EdgeSwitches {
    /// `protobufedge.table.metadata.enable`: the edge dictionary is written.
    pub dictionary: bool,
    /// `protobufedge.table.disallowlist.enable`.
    pub disallow: bool,
    /// `protobufedge.evaluate.preconditions`.
    pub evaluate_preconditions: bool,
    /// `protobufedge.include.all.edges`: edges with preconditions stay, without them, if those are not evaluated.
    pub include_all: bool,
    /// `protobufedge.process.default.failurepolicy`.
    pub on_failure: OnFailure,
    /// `protobufedge.valid.activitytime.past.delta`, in milliseconds.
    pub activity_past: i64,
    /// `protobufedge.valid.activitytime.future.delta`, in milliseconds.
    pub activity_future: i64,
}

impl Default for EdgeSwitches {
    fn default() -> Self {
        EdgeSwitches {
            dictionary: true,
            disallow: false,
            evaluate_preconditions: false,
            include_all: false,
            on_failure: OnFailure::FailJob,
            activity_past: 315_360_000_000,
            activity_future: 86_400_000,
        }
    }
}

/// What holds for failed records.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ErrorSettings {
    /// `error.shard.table.name`.
    pub shard: String,
    /// `error.shard.global.index.table.name`.
    pub index: String,
    /// `error.shard.global.rindex.table.name`.
    pub reverse_index: String,
    /// `error.metadata.table.name`.
    pub metadata: String,
    /// `error.metadata.term.frequency.enabled`.
    pub count_fields: bool,
    /// `error.data.default.type.class`.
    pub default_type: String,
    /// `error.data.category.marking.default`.
    pub marking: Option<String>,
    /// `error.data.replace.malformed.utf8`.
    pub replace_malformed: bool,
}

impl Default for ErrorSettings {
    fn default() -> Self {
        ErrorSettings {
            shard: "datawave.error_s".into(),
            index: "datawave.error_i".into(),
            reverse_index: "datawave.error_r".into(),
            metadata: "datawave.error_m".into(),
            count_fields: false,
            default_type: "no_op".into(),
            marking: None,
            replace_malformed: false,
        }
    }
}
