//! `entity-attribute-graph`: attributes and edges whose weights are summed.

use super::config::{Config, GraphConfig};
use super::entity;
use crate::encode::long_values::LongEncoding;
use crate::layout::ConfigError;
use crate::rules::config::{Config as Rules, RuleConfig};
use crate::template::column_reference;

pub(super) fn entity_attribute_graph(config: &Config) -> Result<Rules, Vec<ConfigError>> {
    let fault = |key: &str, problem: &str| Err(vec![ConfigError::new(key, problem)]);
    let Some(graph) = &config.graph else {
        return fault("graph", "it is missing: which fields are what?");
    };
    let Some(encoding) = LongEncoding::from_name(&graph.encoding) else {
        return fault("graph.encoding", "STRING, VARLEN or FIXEDLEN is needed");
    };
    let mut cells = Vec::new();
    if let Some(attribute) = &graph.attribute {
        cells.push(RuleConfig {
            row: column_reference(&config.id),
            family: filled(&attribute.name),
            qualifier: column_reference(&attribute.value),
            value: weight(graph, encoding, '0'),
            ..config.rule()
        });
    }
    if let Some(edge) = &graph.edge {
        let out = RuleConfig {
            row: column_reference(&config.id),
            family: filled(&edge.kind),
            qualifier: filled(&edge.related),
            value: weight(graph, encoding, '1'),
            ..config.rule()
        };
        if let Some(reverse_type) = &edge.reverse_type {
            cells.push(RuleConfig {
                row: out.qualifier.clone(),
                family: filled(reverse_type),
                qualifier: out.row.clone(),
                ..out.clone()
            });
        }
        cells.push(out);
    }
    if cells.is_empty() {
        return fault(
            "graph",
            "the fields of an `attribute` or an `edge` are needed",
        );
    }
    let mut table = entity::table(&config.table, cells);
    let sum = format!("sum({})", encoding.name());
    for family in &graph.sum {
        table.combine.insert(family.clone(), sum.clone());
    }
    if graph.sum.is_empty() {
        table.combine.insert("*".to_owned(), sum);
    }
    Ok(Rules {
        required: vec![config.id.clone()],
        tables: vec![table],
    })
}

/// A field that makes no cell where it is empty: CSV has no other way to say that it is not there.
fn filled(field: &str) -> String {
    format!("nonempty({})", column_reference(field))
}

/// Every weight is encoded, also in families that nothing sums, so that a client reads the whole table in one way.
fn weight(graph: &GraphConfig, encoding: LongEncoding, default: char) -> String {
    let function = match encoding {
        LongEncoding::Text => "decimal",
        LongEncoding::VarLen => "varlen",
        LongEncoding::FixedLen => "fixedlen",
    };
    match &graph.weight {
        Some(field) => format!("{function}(default({},'{default}'))", filled(field)),
        None => format!("{function}('{default}')"),
    }
}
