//! The section `[datawave]` of a job file.

use crate::layout::ConfigError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The section. Field names anywhere in it are taken as DataWave takes them: `a`–`z` become capitals, all but `A`–`Z`, `0`–`9` and `.`
/// become `_`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Partitions of a day (`num.shards`), at least 1. It must be what the shard table was split for.
    #[serde(default = "ten")]
    pub num_shards: u32,
    /// Names of the tables.
    #[serde(default)]
    pub tables: Tables,
    /// The data types by name; an input's `data_type` chooses one of them, and may be left out where there is only one.
    pub types: BTreeMap<String, TypeConfig>,
}

/// Names of the tables, with their namespace where they have one.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tables {
    /// `shard.table.name`.
    pub shard: String,
    /// `shard.global.index.table.name`.
    pub index: String,
    /// `shard.global.rindex.table.name`.
    pub reverse_index: String,
}

impl Default for Tables {
    fn default() -> Self {
        Tables {
            shard: "datawave.shard".into(),
            index: "datawave.shardIndex".into(),
            reverse_index: "datawave.shardReverseIndex".into(),
        }
    }
}

/// A data type. In lists of fields `*` stands for any text.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TypeConfig {
    /// Name of the type in keys (`output.name`); default: its name.
    #[serde(default)]
    pub output_name: Option<String>,
    /// The field whose text identifies an event (`data.category.id.field`). Its part before `-att-` is hashed, the rest extends the UID.
    pub id_field: String,
    /// Whether the id is lower-cased before it is hashed.
    #[serde(default)]
    pub id_downcase: bool,
    /// Whether the time of day is part of the UID (`ingest.uid.include.time.component`).
    #[serde(default)]
    pub uid_time: bool,
    /// The field that dates an event (`data.category.date`). Without it the input itself must carry timestamps.
    #[serde(default)]
    pub date_field: Option<String>,
    /// Patterns of `SimpleDateFormat`, tried in order; text behind the date is ignored, and it is in GMT unless it says otherwise.
    #[serde(default)]
    pub date_formats: Vec<String>,
    /// Visibility of every field without one of its own (`data.category.marking.default`), and of events without one.
    #[serde(default)]
    pub marking: Option<String>,
    /// The field whose value is the visibility of the event.
    #[serde(default)]
    pub visibility_field: Option<String>,
    /// Fields to index (`data.category.index`).
    #[serde(default)]
    pub index: Option<Vec<String>>,
    /// Index every field but these (`index.disallowlist`); not together with `index`.
    #[serde(default)]
    pub index_except: Option<Vec<String>>,
    /// Fields of the reverse index (`data.category.index.reverse`).
    #[serde(default)]
    pub reverse_index: Option<Vec<String>>,
    /// Every field but these in the reverse index; not together with `reverse_index`.
    #[serde(default)]
    pub reverse_index_except: Option<Vec<String>>,
    /// Fields without an event column (`data.category.index.only`). It does not index them.
    #[serde(default)]
    pub index_only: Vec<String>,
    /// Fields whose event column has the normalized value, if they are not indexed (`data.category.normalized`).
    #[serde(default)]
    pub normalized: Vec<String>,
    /// Fields that are ignored (`data.field.drop`).
    #[serde(default)]
    pub drop: Vec<String>,
    /// Fields whose values are lower-cased as they are read (`data.fields.to.downcase`).
    #[serde(default = "digests")]
    pub downcase: Vec<String>,
    /// Fields whose text holds several values, as `FIELD` or `FIELD:NAME`, which renames the field (`data.fields.multivalued`).
    #[serde(default)]
    pub multi_valued: Option<Vec<String>>,
    /// Every field but these holds several values; not together with `multi_valued`.
    #[serde(default)]
    pub multi_valued_except: Option<Vec<String>>,
    /// What separates the values of such a field; a backslash before it makes it part of a value (`data.multivalued.separator`).
    #[serde(default = "semicolon")]
    pub multi_valued_separator: String,
    /// New names of fields, as `OLD = "NEW"` (`data.category.field.aliases`).
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// Type of the fields without one of their own (`data.default.type.class`): a class (`datawave.data.type.NumberType`, `NumberType`)
    /// or its short name (`number`).
    #[serde(default = "no_op")]
    pub default_type: String,
    /// What happens to values that their type refuses (`data.default.normalization.failure.policy`).
    #[serde(default)]
    pub failure_policy: FailurePolicy,
    /// The field that names fields with refused values (`data.normalization.failure.field`).
    #[serde(default = "failure_field")]
    pub failure_field: String,
    /// Whether events get LOAD_DATE.
    #[serde(default = "yes")]
    pub load_date: bool,
    /// Whether events get ORIG_FILE (`ingest.event.mapper.load.seq.filename`).
    #[serde(default = "yes")]
    pub orig_file: bool,
    /// Settings of single fields. A name may contain `*`.
    #[serde(default)]
    pub fields: BTreeMap<String, FieldConfig>,
}

/// Settings of a field.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct FieldConfig {
    /// Its types (`data.field.type.class`); each gives an index term of its own. Those of all names that fit apply.
    pub types: Vec<String>,
    /// Its visibility (`data.field.marking`).
    pub marking: Option<String>,
    /// What happens to values that its type refuses.
    pub failure_policy: Option<FailurePolicy>,
}

/// What happens to a value that its type refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailurePolicy {
    /// The record is rejected.
    #[default]
    Fail,
    /// The value is kept and indexed as it is, and the failure field names the field.
    Leave,
    /// The value is kept in the event only, and the failure field names the field.
    Drop,
}

impl Config {
    /// Reads a configuration back from a plan.
    pub(in super::super) fn from_resolved(value: &serde_json::Value) -> Result<Self, ConfigError> {
        Config::deserialize(value).map_err(|error| ConfigError::new("", error.to_string()))
    }

    /// Faults outside the types.
    pub(in super::super) fn faults(&self) -> Vec<ConfigError> {
        let mut faults = Vec::new();
        if self.num_shards == 0 {
            faults.push(ConfigError::new("num_shards", "at least 1 is needed"));
        }
        if self.types.is_empty() {
            faults.push(ConfigError::new("types", "at least one type is needed"));
        }
        let Tables {
            shard,
            index,
            reverse_index,
        } = &self.tables;
        for (key, name) in [
            ("shard", shard),
            ("index", index),
            ("reverse_index", reverse_index),
        ] {
            if name.is_empty() {
                faults.push(ConfigError::new(
                    format!("tables.{key}"),
                    "a name is needed",
                ));
            }
        }
        if shard == index || shard == reverse_index || index == reverse_index {
            faults.push(ConfigError::new(
                "tables",
                "every table needs a name of its own",
            ));
        }
        faults
    }
}

fn ten() -> u32 {
    10
}

fn yes() -> bool {
    true
}

fn semicolon() -> String {
    ";".into()
}

fn no_op() -> String {
    "no_op".into()
}

fn failure_field() -> String {
    "FAILED_NORMALIZATION_FIELD".into()
}

fn digests() -> Vec<String> {
    ["MD5", "SHA1", "SHA256"].map(Into::into).into()
}
