//! The section `[manual]` of a job file.

use crate::layout::ConfigError;
use crate::rules::config::RuleConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which of the manual's designs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Design {
    /// One row per entity, one cell per attribute.
    EntityTable,
    /// An entity table whose rows are made of the id: reversed domains, dates, buckets.
    RowIds,
    /// An entity table and index tables, one per type.
    TypedSecondaryIndex,
    /// Attributes and edges with summed weights.
    EntityAttributeGraph,
    /// Bins of documents, for the `IntersectingIterator`.
    DocumentPartitionedIndex,
    /// Documents and their index in one table, for the `IndexedDocIterator`.
    IndexedDocuments,
}

/// The section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Which design.
    pub design: Design,
    /// Name of the (main) table.
    pub table: String,
    /// The field that names the entity or document.
    #[serde(default = "id")]
    pub id: String,
    /// The fields that become attributes; `["*"]`, the default, is all but `id` and `except`.
    #[serde(default = "every")]
    pub attributes: Vec<String>,
    /// Fields that are no attributes.
    #[serde(default)]
    pub except: Vec<String>,
    /// Field to column family, where they differ: `account-balance = "balance"`.
    #[serde(default)]
    pub rename: BTreeMap<String, String>,
    /// Template of the visibility of all cells, instead of the field's, else the record's.
    #[serde(default)]
    pub visibility: Option<String>,
    /// Template of the timestamp of all cells, instead of the record's, else the plan's clock.
    #[serde(default)]
    pub timestamp: Option<String>,
    /// Of `row-ids`: how the id becomes a row.
    #[serde(default)]
    pub row_id: Option<RowIdConfig>,
    /// Of `typed-secondary-index`: field to type for rows `pair(field,value)`; `string` where none is said.
    #[serde(default)]
    pub types: BTreeMap<String, String>,
    /// Of `typed-secondary-index`: the index tables.
    #[serde(default)]
    pub indexes: Vec<IndexConfig>,
    /// Of `entity-attribute-graph`: which fields are what.
    #[serde(default)]
    pub graph: Option<GraphConfig>,
    /// Of the two document designs: which fields are what.
    #[serde(default)]
    pub documents: Option<DocumentsConfig>,
}

/// How an id becomes a row: `reverse_domain(id)`, then `_` and the date, then `_` and the suffix or bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowIdConfig {
    /// `mail.google.com` becomes `com.google.mail`.
    #[serde(default)]
    pub reverse_domain: bool,
    /// The field with the date to append.
    #[serde(default)]
    pub date: Option<String>,
    /// Its form: `yyyyMM` (the default), `yyyyMMdd`, `YYYYww`.
    #[serde(default = "month")]
    pub date_format: String,
    /// The field whose text to append as it stands.
    #[serde(default)]
    pub suffix: Option<String>,
    /// The field whose bucket to append; the same text is always in the same bucket.
    #[serde(default)]
    pub bucket_of: Option<String>,
    /// How many buckets.
    #[serde(default)]
    pub buckets: Option<u64>,
}

/// An index table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexConfig {
    /// Its name.
    pub table: String,
    /// Its rows: `term`, `token`, `lexicoder` or `pair(field,value)`.
    pub row: String,
    /// Of `lexicoder`: the type of all its fields, such as `long` or `reverse(date)`.
    #[serde(default, rename = "type")]
    pub lexicoder: Option<String>,
    /// The fields that it indexes.
    pub fields: Vec<String>,
}

/// The fields of a weighted graph. A record may hold an attribute, an edge, or both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphConfig {
    /// The fields of an attribute.
    #[serde(default)]
    pub attribute: Option<AttributeConfig>,
    /// The fields of an edge.
    #[serde(default)]
    pub edge: Option<EdgeConfig>,
    /// The field with the weight; where it is missing or empty, an attribute weighs 0 and an edge 1.
    #[serde(default)]
    pub weight: Option<String>,
    /// How weights are kept: `STRING`, `VARLEN` or `FIXEDLEN`.
    #[serde(default = "string")]
    pub encoding: String,
    /// The families whose weights are summed; none named: all.
    #[serde(default)]
    pub sum: Vec<String>,
}

/// The fields of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AttributeConfig {
    /// The field with its name: the family.
    pub name: String,
    /// The field with its value: the qualifier.
    pub value: String,
}

/// The fields of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EdgeConfig {
    /// The field with its type: the family.
    #[serde(rename = "type")]
    pub kind: String,
    /// The field with the related entity: the qualifier.
    pub related: String,
    /// The field with the type of the same edge seen from the related entity; where it is filled, a second cell is made there.
    #[serde(default)]
    pub reverse_type: Option<String>,
}

/// The fields of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentsConfig {
    /// The field with the text, whose tokens are indexed.
    pub text: String,
    /// How many bins; the row is the bin of the text, `%08x`.
    #[serde(default)]
    pub bins: Option<u64>,
    /// The field to take the bin of, instead of the text.
    #[serde(default)]
    pub bin_of: Option<String>,
    /// Of `indexed-documents`: the field with the row, instead of `bins`.
    #[serde(default)]
    pub shard: Option<String>,
    /// Of `indexed-documents`: the field with the type of the document.
    #[serde(default)]
    pub doctype: Option<String>,
    /// Of `indexed-documents`: the field with what is kept beside each term.
    #[serde(default)]
    pub info: Option<String>,
    /// Of `indexed-documents`: the family of the index.
    #[serde(default = "index_family")]
    pub index_family: String,
    /// Of `indexed-documents`: the family of the documents, before the type.
    #[serde(default = "document_family")]
    pub document_family: String,
}

fn id() -> String {
    "id".to_owned()
}

fn every() -> Vec<String> {
    vec!["*".to_owned()]
}

fn month() -> String {
    "yyyyMM".to_owned()
}

fn string() -> String {
    "STRING".to_owned()
}

fn index_family() -> String {
    "i".to_owned()
}

fn document_family() -> String {
    "e".to_owned()
}

impl Config {
    /// A rule with what all rules of the section share.
    pub(super) fn rule(&self) -> RuleConfig {
        RuleConfig {
            visibility: self.visibility.clone(),
            timestamp: self.timestamp.clone(),
            ..RuleConfig::default()
        }
    }

    /// Settings that the design has no use for.
    pub(super) fn out_of_place(&self) -> Vec<ConfigError> {
        use Design::{
            DocumentPartitionedIndex, EntityAttributeGraph, EntityTable, IndexedDocuments, RowIds,
            TypedSecondaryIndex,
        };
        let documents = [DocumentPartitionedIndex, IndexedDocuments];
        let entities = [EntityTable, RowIds, TypedSecondaryIndex];
        let checks: [(&str, bool, &[Design]); 8] = [
            ("row_id", self.row_id.is_some(), &[RowIds]),
            ("indexes", !self.indexes.is_empty(), &[TypedSecondaryIndex]),
            ("types", !self.types.is_empty(), &[TypedSecondaryIndex]),
            ("graph", self.graph.is_some(), &[EntityAttributeGraph]),
            ("documents", self.documents.is_some(), &documents),
            ("attributes", self.attributes != every(), &entities),
            ("except", !self.except.is_empty(), &entities),
            ("rename", !self.rename.is_empty(), &entities),
        ];
        checks
            .into_iter()
            .filter(|(_, given, designs)| *given && !designs.contains(&self.design))
            .map(|(key, _, _)| ConfigError::new(key, "this design has no use for it"))
            .collect()
    }
}
