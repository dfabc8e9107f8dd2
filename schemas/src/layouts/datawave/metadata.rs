//! The data dictionary: which fields there are, what they are indexed by, and how often they occur.
//!
//! | row | family | qualifier | timestamp | value | written for |
//! |---|---|---|---|---|---|
//! | FIELD | `e` | `TYPE` | newest event | — | fields with event columns |
//! | FIELD | `f` | `TYPE\0yyyyMMdd` | that day | count | the same, if fields are counted |
//! | FIELD | `i`, `ri` | `TYPE\0yyyyMMdd` | that day | count | fields in the index, in the reverse index; fields of tokens |
//! | FIELD | `t` | `TYPE\0class` | newest event | — | each type of an indexed, normalized or typed field |
//! | FIELD | `tf` | `TYPE` | newest event | — | fields of tokens and of lists |
//! | FIELD | `n` | `TYPE` | newest event | — | normalized fields |
//!
//! Counts are of values, as `VLong`; they add up. Of the others the newest stays. Format: `EventMetadata`.

use super::counts::{Counted, Counts};
use crate::cell::{Cell, CellSink, TableId};
use crate::encode::vlong::write_vlong;
use crate::java_date::write_day;

/// Puts the entries of one type.
pub(super) fn put(
    counts: &Counts,
    table: TableId,
    output_name: &str,
    count_fields: bool,
    out: &mut dyn CellSink,
) {
    for field in counts.fields() {
        let mut entries = Entries {
            field,
            table,
            output_name: output_name.as_bytes(),
            day: String::new(),
            value: Vec::new(),
            out: &mut *out,
        };
        entries.put_field(count_fields);
    }
}

/// The entries of one field on their way out.
struct Entries<'a> {
    field: &'a Counted,
    table: TableId,
    output_name: &'a [u8],
    day: String,
    value: Vec<u8>,
    out: &'a mut dyn CellSink,
}

impl Entries<'_> {
    fn put_field(&mut self, count_fields: bool) {
        let plan = &self.field.plan;
        let name = plan.index_name.as_str();
        if plan.event {
            self.fact(name, "e", None);
            if count_fields {
                self.counts(name, "f", 1);
            }
        }
        for times in self.field.names() {
            self.counts(times.name, "i", times.forward);
            self.counts(times.name, "ri", times.reverse);
        }
        for class in &plan.classes {
            self.fact(name, "t", Some(class));
        }
        if plan.list.is_some() {
            self.fact(name, "tf", None);
        }
        if let Some(tokens) = &plan.tokens {
            self.fact(&tokens.name, "tf", None);
            for class in &tokens.classes {
                self.fact(&tokens.name, "t", Some(class));
            }
        }
        if plan.normalized {
            self.fact(name, "n", None);
        }
    }

    /// An entry that says what a field is.
    fn fact(&mut self, name: &str, family: &str, detail: Option<&str>) {
        let separator: &[u8] = if detail.is_some() { b"\0" } else { b"" };
        let detail = detail.unwrap_or_default();
        let cell = Cell {
            row: &[name.as_bytes()],
            family: &[family.as_bytes()],
            qualifier: &[self.output_name, separator, detail.as_bytes()],
            visibility: b"",
            timestamp: self.field.newest,
            deleted: false,
            value: b"",
        };
        self.out.put(self.table, &cell);
    }

    /// Entries that say how many values a field had on each day, each value taken so many times.
    fn counts(&mut self, name: &str, family: &str, times: i64) {
        if times == 0 {
            return;
        }
        for (&start, &count) in &self.field.days {
            self.day.clear();
            write_day(start, &mut self.day);
            self.value.clear();
            write_vlong(count * times, &mut self.value);
            let cell = Cell {
                row: &[name.as_bytes()],
                family: &[family.as_bytes()],
                qualifier: &[self.output_name, b"\0", self.day.as_bytes()],
                visibility: b"",
                timestamp: start,
                deleted: false,
                value: &self.value,
            };
            self.out.put(self.table, &cell);
        }
    }
}
