//! The field index of the shard table: `shard │ fi\0FIELD │ term\0TYPE\0UID`.

use super::fields::EventView;
use crate::cell::{Cell, CellSink};

pub(super) fn put(view: EventView<'_>, out: &mut dyn CellSink) {
    // Terms of the reverse index have no field index entries.
    for (field, term, visibility) in view.terms(|plan| plan.index) {
        put_term(view, field, term, visibility, out);
    }
}

/// The entry of one term.
pub(super) fn put_term(
    view: EventView<'_>,
    field: &str,
    term: &str,
    visibility: &[u8],
    out: &mut dyn CellSink,
) {
    // As in DataWave, a term is in both indexes or in none.
    let (Some(table), Some(_)) = (view.tables.shard, view.tables.index) else {
        return;
    };
    let event = view.event;
    out.put(
        table,
        &Cell {
            row: &[event.shard.as_bytes()],
            family: &[b"fi\0", field.as_bytes()],
            qualifier: &[
                term.as_bytes(),
                b"\0",
                view.output_name.as_bytes(),
                b"\0",
                event.uid.as_bytes(),
            ],
            visibility,
            timestamp: event.date,
            deleted: false,
            value: b"",
        },
    );
}
