//! The global indexes: `term │ FIELD │ shard\0TYPE │ Uid.List`, forward and reverse.

use super::fields::EventView;
use super::uid_list;
use crate::cell::{Cell, CellSink, TableId};
use crate::java_date::MILLIS_PER_DAY;

/// Buffers that are reused from event to event.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    list: Vec<u8>,
    reversed: String,
}

pub(super) fn put(view: EventView<'_>, scratch: &mut Scratch, out: &mut dyn CellSink) {
    let Scratch { list, reversed } = scratch;
    let entry = Entry::new(view, list);
    for (field, term, visibility) in view.terms(|plan| plan.index) {
        entry.put(view.tables.index, field, term, visibility, out);
    }
    for (field, term, visibility) in view.terms(|plan| plan.reverse_index) {
        reversed.clear();
        reversed.extend(term.chars().rev());
        entry.put(view.tables.reverse_index, field, reversed, visibility, out);
    }
}

/// What all entries of an event share.
pub(super) struct Entry<'a> {
    pub(super) view: EventView<'a>,
    list: &'a [u8],
}

impl<'a> Entry<'a> {
    /// Makes the list of UIDs in `list`.
    pub(super) fn new(view: EventView<'a>, list: &'a mut Vec<u8>) -> Self {
        list.clear();
        uid_list::write_head(!view.index_uids, 1, list);
        if view.index_uids {
            uid_list::write_uid(view.event.uid.as_bytes(), list);
        }
        Entry { view, list }
    }

    /// Puts the entry of one term.
    pub(super) fn put(
        &self,
        table: Option<TableId>,
        field: &str,
        row: &str,
        visibility: &[u8],
        out: &mut dyn CellSink,
    ) {
        let Some(table) = table else {
            return;
        };
        let event = self.view.event;
        out.put(
            table,
            &Cell {
                row: &[row.as_bytes()],
                family: &[field.as_bytes()],
                qualifier: &[
                    event.shard.as_bytes(),
                    b"\0",
                    self.view.output_name.as_bytes(),
                ],
                visibility,
                // As in Java, the division cuts towards zero: the day before the epoch has the epoch's timestamp.
                timestamp: event.date / MILLIS_PER_DAY * MILLIS_PER_DAY,
                deleted: false,
                value: self.list,
            },
        );
    }
}
