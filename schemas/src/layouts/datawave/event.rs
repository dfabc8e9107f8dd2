//! Event columns of the shard table: `shard │ TYPE\0UID │ FIELD\0value`.

use super::SHARD;
use super::fields::EventView;
use crate::cell::{Cell, CellSink};

pub(super) fn put(view: EventView<'_>, out: &mut dyn CellSink) {
    let event = view.event;
    for (name, text, visibility) in view.columns() {
        out.put(
            SHARD,
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
}
