//! The date index: `yyyyMMdd_P │ DATETYPE │ yyyyMMdd of the shard\0TYPE\0FIELD │ bits`, in which shards of which day a date of a field occurs.
//!
//! The row has the day of the date and a partition of its own: the sum of Java's hashes of all parts of the key. The value is the set of
//! shard numbers ([`date_bits`]). The visibility is that of the event. Format: `DateIndexDataTypeHandler`, `DateIndexUtil`.

use super::date_bits;
use super::fields::EventView;
use crate::cell::{Cell, CellSink, TableId};
use crate::java_date::{MILLIS_PER_DAY, write_day};
use crate::java_string::hash_code;
use crate::layout::ConfigError;
use crate::normalize::Date;

/// Which dates of a type are in the index.
#[derive(Debug)]
pub(super) struct DateRules {
    /// Date types and their fields.
    fields: Vec<(String, String)>,
    num_shards: u32,
}

/// Buffers that are reused from event to event.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    text: String,
    day: String,
    bits: Vec<u8>,
}

impl DateRules {
    /// Reads the settings `TYPE=FIELD`.
    ///
    /// # Errors
    /// Those of another form; keys are below `prefix`.
    pub(super) fn build(
        prefix: &str,
        settings: &[String],
        num_shards: u32,
    ) -> Result<DateRules, Vec<ConfigError>> {
        let (mut fields, mut faults) = (Vec::new(), Vec::new());
        for (at, setting) in settings.iter().enumerate() {
            match setting.split_once('=') {
                Some((kind, field)) => fields.push((kind.into(), field.into())),
                None => faults.push(ConfigError::new(
                    format!("{prefix}.date_index.{at}"),
                    format!("{setting:?} is not of the form TYPE=FIELD"),
                )),
            }
        }
        if faults.is_empty() {
            Ok(DateRules { fields, num_shards })
        } else {
            Err(faults)
        }
    }

    /// Whether dates of this field are in the index.
    pub(super) fn contains(&self, field: &str) -> bool {
        self.fields.iter().any(|(_, dated)| dated == field)
    }
}

pub(super) fn put(
    view: EventView<'_>,
    rules: &DateRules,
    scratch: &mut Scratch,
    out: &mut dyn CellSink,
) {
    let Some(table) = view.tables.date_index else {
        return;
    };
    for value in &view.event.values {
        let (Some(plan), Some(indexed)) = (view.plans.get(value.plan), &value.indexed) else {
            continue;
        };
        let named = |(_, field): &&(String, String)| *field == plan.index_name;
        for (kind, field) in rules.fields.iter().filter(named) {
            let text = &view.event.text[indexed.clone()];
            // Text that is no date is none in DataWave, too.
            if let Some(date) = Date.parse(text, &mut scratch.text) {
                let dated = Dated { kind, field, date };
                dated.put(view, table, rules.num_shards, scratch, out);
            }
        }
    }
}

/// A date of a field.
struct Dated<'a> {
    kind: &'a str,
    field: &'a str,
    date: i64,
}

impl Dated<'_> {
    fn put(
        &self,
        view: EventView<'_>,
        table: TableId,
        num_shards: u32,
        scratch: &mut Scratch,
        out: &mut dyn CellSink,
    ) {
        let event = view.event;
        let Some((shard_day, shard)) = event.shard.split_once('_') else {
            return;
        };
        let Scratch { day, bits, .. } = scratch;
        day.clear();
        write_day(self.date, day);
        let visibility = String::from_utf8_lossy(&event.visibility);
        let parts = [
            day.as_str(),
            self.kind,
            shard_day,
            view.output_name,
            self.field,
            &visibility,
        ];
        let sum: i64 = parts.iter().map(|part| i64::from(hash_code(part))).sum();
        let partition = (sum & 0x7fff_ffff) % i64::from(num_shards.max(1));
        bits.clear();
        date_bits::write_shard(shard.parse().unwrap_or_default(), bits);
        out.put(
            table,
            &Cell {
                row: &[day.as_bytes(), b"_", partition.to_string().as_bytes()],
                family: &[self.kind.as_bytes()],
                qualifier: &[
                    shard_day.as_bytes(),
                    b"\0",
                    view.output_name.as_bytes(),
                    b"\0",
                    self.field.as_bytes(),
                ],
                visibility: &event.visibility,
                timestamp: self.date - self.date.rem_euclid(MILLIS_PER_DAY),
                deleted: false,
                value: bits,
            },
        );
    }
}
