//! Event columns of the shard table: `shard │ TYPE\0UID │ FIELD\0value`.

use super::fields::EventView;
use crate::cell::{Cell, CellSink};

pub(super) fn put(view: EventView<'_>, out: &mut dyn CellSink) {
    for (name, text, visibility) in view.columns() {
        put_column(view, name, text, visibility, out);
    }
}

/// One column.
pub(super) fn put_column(
    view: EventView<'_>,
    name: &str,
    text: &str,
    visibility: &[u8],
    out: &mut dyn CellSink,
) {
    let Some(table) = view.tables.shard else {
        return;
    };
    let event = view.event;
    out.put(
        table,
        &Cell {
            row: &[event.shard.as_bytes()],
            family: &[view.output_name.as_bytes(), b"\0", event.uid.as_bytes()],
            qualifier: &[name.as_bytes(), b"\0", text.as_bytes()],
            visibility,
            timestamp: event.date,
            deleted: false,
            value: b"",
        },
    );
}
