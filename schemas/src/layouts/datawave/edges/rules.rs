//! A type's definitions, made ready.

use super::groups::Selector;
use super::{Context, DurationFields, EdgeDefinition, EdgeField};
use crate::cell::TableId;
use crate::layout::Reject;
use crate::layouts::datawave::config::edges_xml::{EdgeNode, EdgeType};
use crate::layouts::datawave::config::model::EdgeSwitches;
use crate::layouts::datawave::jexl::{Expression, JexlError};
use std::collections::{BTreeMap, BTreeSet};

/// Where edges go.
#[derive(Clone, Copy, Debug)]
pub struct EdgeTables {
    /// Edges and statistics.
    pub edges: TableId,
    /// The dictionary; none: it is not written.
    pub dictionary: Option<TableId>,
}

/// The edges of a data type, ready for its events.
#[derive(Clone, Debug)]
pub struct EdgeRules {
    pub(super) definitions: Vec<Definition>,
    pub(super) attribute2: Selector,
    pub(super) attribute3: Selector,
    pub(super) activity_date: Selector,
    /// The edge type for a value.
    pub(super) enrichment: BTreeMap<String, String>,
    pub(super) activity_past: i64,
    pub(super) activity_future: i64,
    pub(super) tables: EdgeTables,
    disallow: bool,
    disallowed_values: BTreeSet<String>,
    disallowed_fields: BTreeSet<String>,
}

/// A definition, read.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    pub(super) edge: EdgeDefinition,
    pub(super) source: Selector,
    pub(super) sink: Selector,
    pub(super) enrichment: Option<Selector>,
    pub(super) duration: Option<DurationFields>,
    precondition: Option<Expression>,
}

impl EdgeRules {
    /// Makes a type's definitions ready. `trim_groups` is the type's `trim.field.group`.
    ///
    /// # Errors
    /// What is wrong with the definitions: a precondition that cannot be read, a `/` in a part of a key.
    pub fn build(
        edges: &EdgeType,
        switches: &EdgeSwitches,
        trim_groups: bool,
        tables: EdgeTables,
    ) -> Result<EdgeRules, Vec<String>> {
        let mut definitions = Vec::new();
        let mut errors = Vec::new();
        let evaluate = switches.evaluate_preconditions;
        for edge in &edges.definitions {
            if edge.precondition.is_some() && !evaluate && !switches.include_all {
                continue;
            }
            match Definition::build(edge, evaluate, trim_groups) {
                Ok(definition) => definitions.push(definition),
                Err(error) => errors.push(error),
            }
        }
        let slash = edges.enrichment.values().find(|name| name.contains('/'));
        errors.extend(slash.map(|name| unreadable("enrichment", name)));
        if !errors.is_empty() {
            return Err(errors);
        }
        let selector = |name| Selector::new(name, trim_groups);
        Ok(EdgeRules {
            definitions,
            attribute2: selector(&edges.attribute2),
            attribute3: selector(&edges.attribute3),
            activity_date: selector(&edges.activity_date),
            enrichment: edges.enrichment.clone(),
            activity_past: switches.activity_past,
            activity_future: switches.activity_future,
            tables,
            disallow: switches.disallow,
            disallowed_values: edges.disallowed_values.iter().cloned().collect(),
            disallowed_fields: edges.disallowed_fields.iter().cloned().collect(),
        })
    }

    /// Whether edges are made of normalized values of the field `name` (without group): they must be there, indexed or not.
    #[must_use]
    pub fn wants_terms_of(&self, name: &str) -> bool {
        let means = |selector: &Selector| selector.field() == name;
        let attributes = [&self.attribute2, &self.attribute3];
        attributes.into_iter().any(means)
            || self.definitions.iter().any(|definition| {
                let ends = [&definition.source, &definition.sink];
                let duration = definition.duration.as_ref();
                ends.into_iter().any(means)
                    || definition.enrichment.as_ref().is_some_and(means)
                    || duration.is_some_and(|fields| fields.selectors().any(means))
            })
    }

    pub(super) fn has_preconditions(&self) -> bool {
        let mut definitions = self.definitions.iter();
        definitions.any(|definition| definition.precondition.is_some())
    }

    /// Whether a list refuses an edge between two values. The list of values holds for sinks even where such lists are off: so in DataWave.
    pub(super) fn is_disallowed(&self, ends: [&EdgeField<'_>; 2]) -> bool {
        let value = |end: &EdgeField<'_>| self.disallowed_values.contains(end.indexed);
        let field = |end: &EdgeField<'_>| self.disallowed_fields.contains(end.name);
        let [source, sink] = ends;
        value(sink) || self.disallow && (value(source) || field(source) || field(sink))
    }
}

impl Definition {
    fn build(edge: &EdgeDefinition, evaluate: bool, trim: bool) -> Result<Definition, String> {
        let mut edge = edge.clone();
        if !evaluate {
            edge.precondition = None;
        }
        if edge.edge_type.contains('/') {
            return Err(unreadable("edge type", &edge.edge_type));
        }
        check_node(&edge.source)?;
        check_node(&edge.sink)?;
        let precondition = edge.precondition.as_deref().map(Expression::parse);
        let precondition = precondition
            .transpose()
            .map_err(|error| format!("the precondition of {}: {error}", edge.edge_type))?;
        let selector = |name: &String| Selector::new(name, trim);
        Ok(Definition {
            source: selector(&edge.source.field),
            sink: selector(&edge.sink.field),
            enrichment: edge.enrichment_field.as_ref().map(selector),
            duration: edge
                .duration
                .as_ref()
                .map(|duration| DurationFields::new(duration, trim)),
            edge,
            precondition,
        })
    }

    /// Whether its precondition holds; of a definition that looks at groups, some group must be left.
    pub(super) fn permits(&self, context: &Context) -> Result<bool, Reject> {
        let Some(expression) = &self.precondition else {
            return Ok(true);
        };
        let values = |name: &str| context.get(name).map_or(&[][..], Vec::as_slice);
        let outcome = expression.evaluate(&values);
        let outcome = outcome.map_err(|error| self.refused(&error))?;
        Ok(outcome.holds && (!self.edge.group_aware || !outcome.left().is_empty()))
    }

    fn refused(&self, error: &JexlError) -> Reject {
        let edge_type = &self.edge.edge_type;
        let message = format!("the precondition of edge {edge_type}: {error}");
        Reject::record("bad-precondition", message)
    }
}

fn check_node(node: &EdgeNode) -> Result<(), String> {
    for (part, text) in [
        ("relationship", &node.relationship),
        ("collection", &node.collection),
    ] {
        if text.contains('/') {
            return Err(unreadable(part, text));
        }
    }
    Ok(())
}

fn unreadable(part: &str, text: &str) -> String {
    format!("the {part} {text:?}: a / would make the keys of its edges unreadable")
}
