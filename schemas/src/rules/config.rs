//! What a design by rules says. Templates are explained in [`crate::template`].

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The tables of a design.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Fields that every record must have, neither null nor empty; a record without them is rejected.
    #[serde(default)]
    pub required: Vec<String>,
    /// The tables, each with its rules.
    pub tables: Vec<TableConfig>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableConfig {
    /// Name in Accumulo, with its namespace where it has one.
    pub name: String,
    /// Its cells.
    pub cells: Vec<RuleConfig>,
    /// How many versions of a cell the table shows; 0: all, without a versioning iterator.
    #[serde(default = "one")]
    pub versions: u32,
    /// Family to combiner: `sum`, `min`, `max` (`sum(VARLEN)`: with an encoding), `latest`. `*` is every family not named here.
    #[serde(default)]
    pub combine: BTreeMap<String, String>,
    /// Locality groups: name to families.
    #[serde(default)]
    pub locality_groups: BTreeMap<String, Vec<String>>,
    /// Further table properties.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
}

/// A rule: one cell per record, per field of `for_each`, per item of a multi-valued function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleConfig {
    /// Template of the row.
    pub row: String,
    /// Template of the column family; empty if it is not given.
    #[serde(default)]
    pub family: String,
    /// Template of the column qualifier; empty if it is not given.
    #[serde(default)]
    pub qualifier: String,
    /// Template of the value; empty if it is not given. For a family that is combined as numbers: a number as text, which is encoded as the
    /// combiner has it, or bytes in that encoding.
    #[serde(default)]
    pub value: String,
    /// Template of the visibility. If it is not given or null: what the fields of the rule carry, all of it; where none carries any, the
    /// record's.
    #[serde(default)]
    pub visibility: Option<String>,
    /// Template of the timestamp: milliseconds or ISO 8601 text. If it is not given or null: the record's own; where it has none, the
    /// plan's clock.
    #[serde(default)]
    pub timestamp: Option<String>,
    /// Template that must not be null for a cell to be made.
    #[serde(default)]
    pub when: Option<String>,
    /// One cell for each of these fields that is not null; `["*"]` is every field that `except` does not name.
    #[serde(default)]
    pub for_each: Vec<String>,
    /// Fields that `*` leaves out.
    #[serde(default)]
    pub except: Vec<String>,
    /// Other names in the table for fields of `for_each`: what `field` gives.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
}

fn one() -> u32 {
    1
}
