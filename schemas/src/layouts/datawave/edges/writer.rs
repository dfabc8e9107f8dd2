//! Puts the cells of edges.

use super::days::{Day, days};
use super::keys::Vertex;
use super::rules::Definition;
use super::{EdgeEvent, EdgeField, EdgeRules};
use crate::cell::{Cell, CellSink, TableId};
use crate::java_date::{MILLIS_PER_DAY, write_day};
use crate::layout::Reject;
use crate::layouts::datawave::edge_dictionary::{FAMILY, Metadata};
use crate::layouts::datawave::edge_value::{
    DURATIONS, EdgeValue, EventId, HOURS, duration_bucket, one_hot,
};
use crate::visibility::flatten;
use std::borrow::Cow;
use std::collections::HashSet;
use std::rc::Rc;

/// Buffers that are reused from event to event.
#[derive(Debug, Default)]
pub struct EdgeScratch {
    /// Keys of the event's statistics and dictionary entries: each is put once.
    seen: HashSet<Vec<u8>>,
    value: Vec<u8>,
}

/// An edge between two values.
#[derive(Debug)]
pub(super) struct Edge<'a, 'e> {
    pub(super) definition: &'a Definition,
    pub(super) edge_type: &'a str,
    /// The value that chose the type.
    pub(super) enrichment: Option<&'a str>,
    pub(super) ends: [&'a EdgeField<'e>; 2],
    /// Seconds, and the visibility of statistics of them.
    pub(super) duration: Option<(i64, &'a [u8])>,
}

/// Puts the edges of one event.
pub(super) struct EdgeWriter<'w> {
    rules: &'w EdgeRules,
    event: &'w EdgeEvent<'w>,
    days: Rc<[Day]>,
    event_day: String,
    load_day: Rc<str>,
    id: Option<EventId<'w>>,
    /// `/ATTR2/ATTR3/`, or the reason why there can be none.
    attributes: Result<Rc<str>, Reject>,
    scratch: &'w mut EdgeScratch,
    out: &'w mut dyn CellSink,
}

impl<'w> EdgeWriter<'w> {
    pub(super) fn new(
        rules: &'w EdgeRules,
        event: &'w EdgeEvent<'w>,
        scratch: &'w mut EdgeScratch,
        out: &'w mut dyn CellSink,
    ) -> Self {
        let day = |instant| {
            let mut text = String::new();
            write_day(instant, &mut text);
            text
        };
        scratch.seen.clear();
        EdgeWriter {
            rules,
            event,
            days: days(rules, event).into(),
            event_day: day(event.date),
            load_day: day(event.load_date).into(),
            id: event.id.map(EventId::of),
            attributes: attributes(rules, event).map(Into::into),
            scratch,
            out,
        }
    }

    /// Puts everything that an edge brings.
    pub(super) fn edge(&mut self, edge: &Edge<'_, '_>) -> Result<(), Reject> {
        let attributes = self.attributes.clone()?;
        let visibility = self.visibility(edge.ends)?;
        let definition = &edge.definition.edge;
        // The value of the sink shows the realm of the source, as DataWave has it; its row has its own.
        let label = definition.source.realm.as_deref();
        let [source, sink] = edge.ends;
        let source = &Vertex::new(&definition.source, label, source);
        let sink = &Vertex::new(&definition.sink, label, sink);
        let (days, load_day) = (Rc::clone(&self.days), Rc::clone(&self.load_day));
        for day in days.iter() {
            let filed = Filed {
                edge_type: edge.edge_type,
                day,
                attributes: &attributes,
                load_day: &load_day,
                id: self.id,
            };
            self.link(&filed, [source, sink], &visibility);
            self.activity(&filed, source, &visibility);
            if let Some((seconds, visibility)) = edge.duration {
                self.duration(&filed, source, seconds, visibility);
            }
            if definition.bidirectional {
                self.link(&filed, [sink, source], &visibility);
                self.activity(&filed, sink, &visibility);
                if let Some((seconds, visibility)) = edge.duration {
                    self.duration(&filed, sink, seconds, visibility);
                }
            }
        }
        if let Some(table) = self.rules.tables.dictionary {
            self.define(table, edge, [source, sink]);
            self.define(table, edge, [sink, source]);
        }
        Ok(())
    }

    /// What both ends demand; the event's visibility where none says anything.
    fn visibility(&self, ends: [&EdgeField<'_>; 2]) -> Result<Vec<u8>, Reject> {
        let [source, sink] = ends;
        match (source.marking, sink.marking) {
            (None, None) => Ok(self.event.visibility.to_vec()),
            (Some(one), None) | (None, Some(one)) => Ok(one.to_vec()),
            (Some(one), Some(other)) if one == other || other.is_empty() => Ok(one.to_vec()),
            (Some([]), Some(other)) => Ok(other.to_vec()),
            (Some(one), Some(other)) => {
                let both = [b"(", one, b")&(", other, b")"].concat();
                flatten(&both).map_err(|error| {
                    let both = String::from_utf8_lossy(&both);
                    let message = format!("no visibility expression: {both:?}: {error}");
                    Reject::field("bad-visibility", source.name, message)
                })
            }
        }
    }

    fn link(&mut self, filed: &Filed<'_>, [one, other]: [&Vertex<'_>; 2], visibility: &[u8]) {
        let value = EdgeValue {
            count: Some(self.times()),
            hour_bitmask: filed.day.hour.map(|hour| 1 << hour),
            source: Some(one.text.as_bytes()),
            sink: Some(other.text.as_bytes()),
            bad_activity: filed.day.bad_activity,
            ..filed.value()
        };
        self.scratch.value.clear();
        value.write(&mut self.scratch.value);
        let cell = Cell {
            row: &[one.row.as_bytes(), b"\0", other.row.as_bytes()],
            family: &[
                filed.edge_type.as_bytes(),
                b"/",
                one.node.relationship.as_bytes(),
                b"-",
                other.node.relationship.as_bytes(),
            ],
            qualifier: &[
                filed.day.text.as_bytes(),
                b"/",
                one.node.collection.as_bytes(),
                b"-",
                other.node.collection.as_bytes(),
                filed.attributes.as_bytes(),
                filed.day.letter.as_bytes(),
            ],
            visibility,
            timestamp: self.event.date,
            deleted: self.event.deleting,
            value: &self.scratch.value,
        };
        self.out.put(self.rules.tables.edges, &cell);
    }

    fn activity(&mut self, filed: &Filed<'_>, vertex: &Vertex<'_>, visibility: &[u8]) {
        // No hour: all of the histogram is zero.
        let hours = one_hot::<HOURS>(filed.day.hour.unwrap_or(HOURS));
        let hours = hours.map(|number| number * self.times());
        let value = EdgeValue {
            hours: Cow::Borrowed(&hours),
            bad_activity: filed.day.bad_activity,
            ..filed.value()
        };
        let histogram = (&b"STATS/ACTIVITY/"[..], value);
        self.statistics(filed, vertex, visibility, histogram);
    }

    fn duration(
        &mut self,
        filed: &Filed<'_>,
        vertex: &Vertex<'_>,
        seconds: i64,
        visibility: &[u8],
    ) {
        let durations = one_hot::<DURATIONS>(duration_bucket(seconds));
        let durations = durations.map(|number| number * self.times());
        let value = EdgeValue {
            durations: Cow::Borrowed(&durations),
            ..filed.value()
        };
        let histogram = (&b"STATS/DURATION/"[..], value);
        self.statistics(filed, vertex, visibility, histogram);
    }

    /// Puts a histogram, unless the event has put one under the same key.
    fn statistics(
        &mut self,
        filed: &Filed<'_>,
        vertex: &Vertex<'_>,
        visibility: &[u8],
        (kind, value): (&[u8], EdgeValue<'_>),
    ) {
        let value = EdgeValue {
            source: Some(vertex.text.as_bytes()),
            ..value
        };
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        let cell = Cell {
            row: &[vertex.row.as_bytes()],
            family: &[
                kind,
                filed.edge_type.as_bytes(),
                b"/",
                vertex.node.relationship.as_bytes(),
            ],
            qualifier: &[
                filed.day.text.as_bytes(),
                b"/",
                vertex.node.collection.as_bytes(),
                filed.attributes.as_bytes(),
                filed.day.letter.as_bytes(),
            ],
            visibility,
            timestamp: self.event.date,
            deleted: self.event.deleting,
            value: &bytes,
        };
        if self.scratch.is_new(&cell, b"") {
            self.out.put(self.rules.tables.edges, &cell);
        }
    }

    fn define(&mut self, table: TableId, edge: &Edge<'_, '_>, [one, other]: [&Vertex<'_>; 2]) {
        let enriched = edge
            .enrichment
            .and(edge.definition.edge.enrichment_field.as_deref());
        let metadata = Metadata {
            source: one.field.as_bytes(),
            sink: other.field.as_bytes(),
            enrichment: enriched.map(str::as_bytes),
            enrichment_index: edge.enrichment.map(str::as_bytes),
            date: Some(self.event_day.as_bytes()),
            precondition: edge
                .definition
                .edge
                .precondition
                .as_deref()
                .map(str::as_bytes),
        };
        let mut bytes = Vec::new();
        metadata.write(&mut bytes);
        let cell = Cell {
            row: &[
                edge.edge_type.as_bytes(),
                b"/",
                one.node.relationship.as_bytes(),
                b"-",
                other.node.relationship.as_bytes(),
            ],
            family: &[FAMILY],
            qualifier: &[
                one.node.collection.as_bytes(),
                b"-",
                other.node.collection.as_bytes(),
            ],
            visibility: b"",
            // As in Java, the division cuts towards zero.
            timestamp: self.event.date / MILLIS_PER_DAY * MILLIS_PER_DAY,
            // What is defined stays defined: DataWave takes no entry back.
            deleted: false,
            value: &bytes,
        };
        if self.scratch.is_new(&cell, &bytes) {
            self.out.put(table, &cell);
        }
    }

    fn times(&self) -> i64 {
        if self.event.deleting { -1 } else { 1 }
    }
}

/// Where an edge is filed.
struct Filed<'a> {
    edge_type: &'a str,
    day: &'a Day,
    /// `/ATTR2/ATTR3/`.
    attributes: &'a str,
    load_day: &'a str,
    id: Option<EventId<'a>>,
}

impl<'a> Filed<'a> {
    /// What all values of the event have.
    fn value(&self) -> EdgeValue<'a> {
        EdgeValue {
            load_date: Some(self.load_day.as_bytes()),
            id: self.id,
            ..EdgeValue::default()
        }
    }
}

impl EdgeScratch {
    /// Whether the event has put no such cell yet; `and` counts besides the key.
    fn is_new(&mut self, cell: &Cell<'_>, and: &[u8]) -> bool {
        let mut key = Vec::new();
        for part in [
            cell.row,
            cell.family,
            cell.qualifier,
            &[cell.visibility, and],
        ] {
            for piece in part {
                key.extend_from_slice(piece);
            }
            key.push(0);
        }
        self.seen.insert(key)
    }
}

/// `/ATTR2/ATTR3/`; an attribute that is not there is empty, its slash stays.
fn attributes(rules: &EdgeRules, event: &EdgeEvent<'_>) -> Result<String, Reject> {
    let mut text = String::from("/");
    for selector in [&rules.attribute2, &rules.attribute3] {
        if let Some(field) = selector.first(event.fields) {
            if field.indexed.contains('/') {
                let value = field.indexed;
                let message =
                    format!("a / in an attribute of edges makes their keys unreadable: {value:?}");
                return Err(Reject::field("bad-edge-attribute", field.name, message));
            }
            text.push_str(field.indexed);
        }
        text.push('/');
    }
    Ok(text)
}
