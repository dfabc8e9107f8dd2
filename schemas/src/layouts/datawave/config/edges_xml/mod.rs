//! Edge definitions, as DataWave has them in a Spring file.
//!
//! `beans` reads the file's vocabulary (beans, `parent`, lists, maps, sets) into plain values, `definitions` makes edges of
//! them, each between the ends that `pairs` finds.

mod beans;
mod definitions;
mod pairs;

use super::problem::{ConfigProblem, NamedBytes};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The edges of a file, by the name of the type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EdgeFile {
    /// Each bean that defines edges. A type looks for its output name first and for its own name then.
    pub types: BTreeMap<String, EdgeType>,
    /// Pairs that were left out because the file does not list what they name.
    pub warnings: Vec<ConfigProblem>,
}

impl EdgeFile {
    /// The edges of a type.
    #[must_use]
    pub fn of_type(&self, output_name: &str, name: &str) -> Option<&EdgeType> {
        self.types.get(output_name).or_else(|| self.types.get(name))
    }
}

/// The edges of a data type.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeType {
    /// `edgeAttribute2`: the field of the second attribute.
    pub attribute2: String,
    /// `edgeAttribute3`: the field of the third attribute.
    pub attribute3: String,
    /// `activityDateField`.
    pub activity_date: String,
    /// `enrichmentTypeMappings`: the edge type for a value of an enrichment field.
    #[serde(default)]
    pub enrichment: BTreeMap<String, String>,
    /// The edges, each pair for itself, in the order of the file.
    pub definitions: Vec<EdgeDefinition>,
    /// `….disallowlist.values`: vertices without edges.
    #[serde(default)]
    pub disallowed_values: Vec<String>,
    /// `….disallowlist.fields`: fields without edges.
    #[serde(default)]
    pub disallowed_fields: Vec<String>,
}

/// An edge between two fields.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeDefinition {
    /// `edgeType`.
    pub edge_type: String,
    /// `direction` is `bi`.
    #[serde(default)]
    pub bidirectional: bool,
    /// Where it starts.
    pub source: EdgeNode,
    /// Where it ends.
    pub sink: EdgeNode,
    /// `enrichmentField`: its value chooses the edge type.
    #[serde(default)]
    pub enrichment_field: Option<String>,
    /// How long it lasts.
    #[serde(default)]
    pub duration: Option<Duration>,
    /// `jexlPrecondition`: events that do not fulfil it have no such edge.
    #[serde(default)]
    pub precondition: Option<String>,
    /// `isGroupAware`: groups that fulfil the precondition choose the values.
    #[serde(default = "yes")]
    pub group_aware: bool,
}

fn yes() -> bool {
    true
}

/// An end of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeNode {
    /// `selector`: a field, possibly with its group (`NAME.GROUP`).
    pub field: String,
    /// `relationship`.
    #[serde(default)]
    pub relationship: String,
    /// `collection`.
    #[serde(default)]
    pub collection: String,
    /// `realm`.
    #[serde(default)]
    pub realm: Option<String>,
}

/// How long an edge lasts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Duration {
    /// `elapsedTime`: a field of seconds.
    Elapsed(String),
    /// `upTime` and `downTime`: fields of milliseconds.
    UpDown {
        /// The beginning.
        up: String,
        /// The end.
        down: String,
    },
}

/// Reads a file of edge definitions.
///
/// # Errors
/// All that is wrong with it, each with its line.
pub fn parse(file: &NamedBytes) -> Result<EdgeFile, Vec<ConfigProblem>> {
    definitions::read(&beans::parse(file)?)
}

#[cfg(test)]
mod tests;
