//! Edges: which values of an event belong together.
//!
//! | cell | row | family | qualifier | value |
//! |---|---|---|---|---|
//! | edge | `SOURCE\0SINK` | `TYPE/SRCREL-SINKREL` | `yyyyMMdd/SRCCOLL-SINKCOLL/ATTR2/ATTR3/D` | count 1, hour, both vertices |
//! | activity of a vertex | `VERTEX` | `STATS/ACTIVITY/TYPE/REL` | `yyyyMMdd/COLL/ATTR2/ATTR3/D` | one of 24 hours |
//! | duration of a vertex | `VERTEX` | `STATS/DURATION/TYPE/REL` | `yyyyMMdd/COLL/ATTR2/ATTR3/D` | one of 7 buckets |
//! | dictionary | `TYPE/SRCREL-SINKREL` | `edge` | `SRCCOLL-SINKCOLL` | the definition ([`edge_dictionary`](super::edge_dictionary)) |
//!
//! Vertices are normalized values, escaped (`keys`). `D` says whose day it is: `A` the event's, `C` the activity's, `B` both fall on one
//! day. The timestamp is the event's date all the same. An edge of two directions has a second cell with the ends swapped, and statistics
//! of its sink too; other edges have statistics of their source only. The dictionary has both directions always.
//!
//! `groups` finds the values that a definition names, `writer` puts their cells. Format: DataWave 7 (`ProtobufEdgeDataTypeHandler`,
//! `EdgeKey`, `EdgeDataBundle`). Where a field has several values, DataWave takes attributes, activity date and enrichment from whichever
//! its hash tables give first; here it is the first of the record.

mod days;
mod durations;
mod groups;
mod keys;
mod rules;
mod writer;

pub use rules::{EdgeRules, EdgeTables};

use super::config::edges_xml::EdgeDefinition;
use super::jexl::FieldValue;
use crate::cell::CellSink;
use crate::layout::Reject;
use durations::DurationFields;
use groups::is_repeated;
use rules::Definition;
use std::collections::BTreeMap;
use writer::{Edge, EdgeWriter};

pub use writer::EdgeScratch;

/// A value of an event, as edges see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeField<'a> {
    /// Name, without the group.
    pub name: &'a str,
    /// What follows the first `.` of the full name.
    pub group: Option<&'a str>,
    /// Normalized value, which every field has, indexed or not.
    pub indexed: &'a str,
    /// Value of the event.
    pub text: &'a str,
    /// Visibility of its own, flattened: the field's or the type's, not the event's.
    pub marking: Option<&'a [u8]>,
}

/// An event, as edges see it.
#[derive(Clone, Copy, Debug)]
pub struct EdgeEvent<'a> {
    /// Milliseconds since the epoch.
    pub date: i64,
    /// When it is loaded, in milliseconds since the epoch.
    pub load_date: i64,
    /// The first of its further ids.
    pub id: Option<&'a str>,
    /// Visibility, flattened.
    pub visibility: &'a [u8],
    /// Edges are taken away, not added.
    pub deleting: bool,
    /// Its values, in the order of the record.
    pub fields: &'a [EdgeField<'a>],
}

impl EdgeRules {
    /// Puts the edges of an event and their dictionary entries.
    ///
    /// # Errors
    /// A value that makes no duration, that a precondition cannot compare, or that would make a key no one can read back: a `/` in an
    /// attribute or in a type. DataWave, too, gives up the whole event then.
    pub fn put(
        &self,
        event: &EdgeEvent<'_>,
        scratch: &mut EdgeScratch,
        out: &mut dyn CellSink,
    ) -> Result<(), Reject> {
        let context = self.has_preconditions().then(|| context(event));
        let mut writer = EdgeWriter::new(self, event, scratch, out);
        for definition in &self.definitions {
            if let Some(context) = &context
                && !definition.permits(context)?
            {
                continue;
            }
            self.put_definition(definition, event, &mut writer)?;
        }
        Ok(())
    }

    fn put_definition(
        &self,
        definition: &Definition,
        event: &EdgeEvent<'_>,
        writer: &mut EdgeWriter<'_>,
    ) -> Result<(), Reject> {
        let Some((edge_type, enrichment)) = self.edge_type(definition, event) else {
            return Ok(());
        };
        let one_group = definition.source.shares_group(&definition.sink);
        for source in definition.source.values(event.fields) {
            for sink in definition.sink.values(event.fields) {
                // A value has no edge to itself inside a group; a pair of one field without a group has.
                if one_group && source == sink {
                    continue;
                }
                let ends = [&event.fields[source], &event.fields[sink]];
                if ends.iter().any(|end| end.indexed.is_empty()) || self.is_disallowed(ends) {
                    continue;
                }
                let duration = definition.duration.as_ref();
                writer.edge(&Edge {
                    definition,
                    edge_type,
                    enrichment,
                    ends,
                    duration: duration.map_or(Ok(None), |fields| fields.of(event))?,
                })?;
            }
        }
        Ok(())
    }

    /// The type of a definition's edges, and the value that chose it. None: a value for which there is no type.
    fn edge_type<'a>(
        &'a self,
        definition: &'a Definition,
        event: &EdgeEvent<'a>,
    ) -> Option<(&'a str, Option<&'a str>)> {
        let chooser = definition.enrichment.as_ref();
        let Some(field) = chooser.and_then(|selector| selector.first(event.fields)) else {
            return Some((&definition.edge.edge_type, None));
        };
        let edge_type = self.enrichment.get(field.indexed)?;
        (!edge_type.is_empty()).then_some((edge_type, Some(field.indexed)))
    }
}

/// The values of an event as preconditions see them.
///
/// Groups of values have parts in preconditions, but none of DataWave's readers sets a part: so groups decide whether there are edges, and
/// never between which values.
type Context = BTreeMap<String, Vec<FieldValue>>;

fn context(event: &EdgeEvent<'_>) -> Context {
    let mut context = Context::new();
    for (at, field) in event.fields.iter().enumerate() {
        if is_repeated(event.fields, at) {
            continue;
        }
        let values = context.entry(field.name.to_owned()).or_default();
        values.push(FieldValue {
            value: field.text.to_owned(),
            group: field.group.map(str::to_owned),
            sub_group: None,
        });
    }
    context
}

#[cfg(test)]
mod tests;
