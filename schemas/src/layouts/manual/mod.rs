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
//!
//! ```toml
//! [manual]
//! design = "typed-secondary-index"
//! table = "people"
//! id = "userid"
//! rename = { account-balance = "balance" }
//! timestamp = "modified"
//! types = { age = "int" }
//!
//! [[manual.indexes]]
//! table = "people_index_string"
//! row = "term"
//! fields = ["name", "city"]
//!
//! [[manual.indexes]]
//! table = "people_index_double"
//! row = "lexicoder"
//! type = "double"
//! fields = ["account-balance"]
//!
//! [[manual.indexes]]
//! table = "people_index_pair"
//! row = "pair(field,value)"
//! fields = ["name", "age"]
//! ```
//!
//! All keys: [`Config`].

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::JobFacts;

    /// The keys at fault.
    fn faults(section: &str) -> Vec<String> {
        let section = toml::de::ValueDeserializer::parse(section).unwrap();
        let config = (DEF.configure)(section).unwrap();
        match (DEF.build)(&config, JobFacts { now: 0 }) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.into_iter().map(|fault| fault.key).collect(),
        }
    }

    #[test]
    fn faults_are_named_by_the_keys_of_this_section() {
        for (section, keys) in [
            (r#"{ design = "entity-table", table = "t" }"#, &[][..]),
            (
                r#"{ design = "entity-table", table = "a b", visibility = "(" }"#,
                &["table", "visibility"],
            ),
            (
                r#"{ design = "entity-table", table = "t", indexes = [], graph = { } }"#,
                &["graph"],
            ),
            (
                r#"{ design = "entity-table", table = "t", attributes = ["a"], rename = { b = "c" } }"#,
                &["rename.b"],
            ),
            (r#"{ design = "row-ids", table = "t" }"#, &["row_id"]),
            (
                r#"{ design = "row-ids", table = "t", row_id = { date = "d", date_format = "yy" } }"#,
                &["row_id.date_format"],
            ),
            (
                r#"{ design = "row-ids", table = "t", row_id = { buckets = 3 } }"#,
                &["row_id.buckets"],
            ),
            (
                r#"{ design = "typed-secondary-index", table = "t", types = { a = "lng" }, indexes = [
                    { table = "i", row = "lexicoder", fields = ["a"] },
                    { table = "j", row = "lexicoder", type = "list(long)", fields = ["a"] },
                    { table = "k", row = "terms", fields = ["a"] },
                    { table = "l", row = "term", fields = [] } ] }"#,
                &[
                    "types.a",
                    "indexes.0.type",
                    "indexes.1.type",
                    "indexes.2.row",
                    "indexes.3.fields",
                ],
            ),
            (
                r#"{ design = "typed-secondary-index", table = "t", indexes = [{ table = "t", row = "term", fields = ["a"] }] }"#,
                &["indexes.0.table"],
            ),
            (
                r#"{ design = "entity-attribute-graph", table = "t", graph = { encoding = "LONG" } }"#,
                &["graph.encoding"],
            ),
            (
                r#"{ design = "document-partitioned-index", table = "t", documents = { text = "x", shard = "s" } }"#,
                &["documents.bins"],
            ),
        ] {
            assert_eq!(faults(section), keys, "{section}");
        }
    }

    #[test]
    fn the_example_above_builds() {
        let example: String = include_str!("mod.rs")
            .lines()
            .skip_while(|line| *line != "//! ```toml")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| line.trim_start_matches("//!").trim_start().to_owned() + "\n")
            .collect();
        let mut job: toml::Table = toml::from_str(&example).unwrap();
        let section = job.remove("manual").unwrap().to_string();
        assert!(faults(&section).is_empty());
    }

    #[test]
    fn settings_of_another_design_are_refused() {
        let section = r#"{ design = "document-partitioned-index", table = "t", rename = { a = "b" },
            documents = { text = "x", bins = 4 }, row_id = { reverse_domain = true } }"#;
        assert_eq!(faults(section), ["row_id", "rename"]);
    }

    #[test]
    fn unknown_keys_are_refused_when_the_section_is_read() {
        let section = r#"{ design = "entity-table", table = "t", colour = "red" }"#;
        let section = toml::de::ValueDeserializer::parse(section).unwrap();
        let error = (DEF.configure)(section).unwrap_err();
        assert!(error.message().contains("colour"), "{error}");
        assert!(error.span().is_some());
    }
}
