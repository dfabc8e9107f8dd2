//! Load dates: `FIELD │ FIELD_NAME\0index table │ yyyyMMdd\0TYPE │ count`, how many values of a field came into an index on which day.
//!
//! The day is that of `now`, the count a `VLong`, and the timestamp Java's greatest number, so that counts of equal days add up.

use super::counts::Counts;
use crate::cell::{Cell, CellSink, TableId};
use crate::encode::vlong::write_vlong;

/// Which table, which day, and what the indexes are called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load<'a> {
    pub(super) table: TableId,
    pub(super) day: &'a str,
    pub(super) index: Option<&'a str>,
    pub(super) reverse_index: Option<&'a str>,
    pub(super) output_name: &'a str,
}

/// Puts the entries of one type.
pub(super) fn put(counts: &Counts, load: Load<'_>, out: &mut dyn CellSink) {
    for field in counts.fields() {
        let values: i64 = field.days.values().sum();
        for times in field.names() {
            for (index, times_counted) in [
                (load.index, times.forward),
                (load.reverse_index, times.reverse),
            ] {
                if times_counted > 0 {
                    put_one(load, times.name, index, values * times_counted, out);
                }
            }
        }
    }
}

fn put_one(load: Load<'_>, name: &str, index: Option<&str>, count: i64, out: &mut dyn CellSink) {
    let mut value = Vec::new();
    write_vlong(count, &mut value);
    // An index without a name is called as Java writes its absence.
    let index = index.unwrap_or("null");
    out.put(
        load.table,
        &Cell {
            row: &[name.as_bytes()],
            family: &[b"FIELD_NAME\0", index.as_bytes()],
            qualifier: &[load.day.as_bytes(), b"\0", load.output_name.as_bytes()],
            visibility: b"",
            timestamp: i64::MAX,
            deleted: false,
            value: &value,
        },
    );
}
