//! The table designs of the Accumulo manual's chapter "Table Design".
//!
//! | design | row | family | qualifier | visibility | timestamp | value | why |
//! |---|---|---|---|---|---|---|---|
//! | `entity-table` | id | field | | field's, else record's | record's | text | one row is one entity |
//! | `row-ids` | reversed domain, `_date`, `_bucket` of the id | field | | same | same | text | neighbours sort together; rows of bounded width |
//! | `typed-secondary-index`: main table | id | field | | same | same | text | as `entity-table` |
//! | … its index tables | term, token, Lexicoder bytes, or pair of field and Lexicoder | field | id | of the main cell | of the main cell | | ranges over values find ids |
//! | `entity-attribute-graph` | entity | attribute, edge type | value, related entity | field's, else record's | record's | weight | weights of equal keys are summed |
//! | `document-partitioned-index` | bin | token | id | same | same | | `IntersectingIterator` |
//! | `indexed-documents`: documents | shard | `e` 00 doctype | id | same | same | text | `IndexedDocIterator` returns them |
//! | … their index | shard | `i` | token 00 doctype 00 id 00 info | same | same | | and finds them by this |
//!
//! Every design is a set of rules over templates; nothing here makes a cell itself.

mod config;
mod documents;
mod entity;
mod graph;
mod index;

pub use config::{
    AttributeConfig, Config, Design, DocumentsConfig, EdgeConfig, GraphConfig, IndexConfig,
    RowIdConfig,
};

use crate::layout::{Built, ConfigError, JobFacts, LayoutDef, resolve};
use crate::rules::{self, RuleSet};
use std::sync::Arc;

/// The layout `manual`.
pub static DEF: LayoutDef = LayoutDef {
    name: "manual",
    about: "the designs of the Accumulo manual: entity table, typed secondary index, row ids, weighted graph, document indexes",
    configure: |section| resolve::<Config>(section),
    build,
};

fn build(config: &serde_json::Value, facts: JobFacts) -> Built {
    let config: Config = serde_json::from_value(config.clone())
        .map_err(|error| vec![ConfigError::new("", error.to_string())])?;
    let mut faults = config.out_of_place();
    let rules = match rules_of(&config) {
        Ok(rules) => rules,
        Err(more) => {
            faults.extend(more);
            return Err(faults);
        }
    };
    let built = RuleSet::build(&rules, facts);
    match built {
        Ok(set) if faults.is_empty() => Ok(Arc::new(set)),
        Ok(_) => Err(faults),
        Err(more) => {
            for fault in more {
                let fault = ConfigError::new(key_here(&fault.key), fault.message);
                // What stands once in the section goes into several rules.
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
            Err(faults)
        }
    }
}

/// The design as rules.
fn rules_of(config: &Config) -> Result<rules::config::Config, Vec<ConfigError>> {
    match config.design {
        Design::EntityTable => Ok(entity::entity_table(config)),
        Design::RowIds => entity::row_ids(config),
        Design::TypedSecondaryIndex => index::typed_secondary_index(config),
        Design::EntityAttributeGraph => graph::entity_attribute_graph(config),
        Design::DocumentPartitionedIndex => documents::partitioned_index(config),
        Design::IndexedDocuments => documents::indexed_documents(config),
    }
}

/// Where a key of the rules comes from in this section.
fn key_here(key: &str) -> String {
    let mut parts = key.splitn(3, '.');
    let table: usize = match (parts.next(), parts.next().and_then(|it| it.parse().ok())) {
        (Some("tables"), Some(table)) => table,
        _ => return String::new(),
    };
    let rest = parts.next().unwrap_or_default();
    match (rest, table.checked_sub(1)) {
        ("name", None) => return "table".to_owned(),
        ("name", Some(index)) => return format!("indexes.{index}.table"),
        _ => {}
    }
    let part = rest.splitn(3, '.').nth(2).unwrap_or_default();
    match part.split_once('.') {
        Some(("rename", name)) => format!("rename.{name}"),
        _ => part.to_owned(),
    }
}
