//! The field index of the shard table: `shard │ fi\0FIELD │ term\0TYPE\0UID`.

use super::SHARD;
use super::fields::EventView;
use crate::cell::{Cell, CellSink};

pub(super) fn put(view: EventView<'_>, out: &mut dyn CellSink) {
    let event = view.event;
    // Terms of the reverse index have no field index entries.
    for (field, term, visibility) in view.terms(|plan| plan.index) {
        out.put(
            SHARD,
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
}
