//! From a record to an event: who it is, when it was, which values it has. Then every table puts its cells.

use super::columns::{FAILURE, FIRST_COLUMN, LOAD_DATE, ORIG_FILE, TypeState};
use super::config::model::FailurePolicy;
use super::counts::Counts;
use super::fields::{Event, EventView, Marking, Value};
use super::terms::{Started, Terms};
use super::visibility_cache::VisibilityCache;
use super::{DataWave, event, field_index, global_index, shard_id, term_frequency, uid};
use super::{date_index, load_dates, metadata};
use crate::cell::CellSink;
use crate::java_date::{write_day, write_iso};
use crate::layout::{Outcome, Reject, Worker};
use crate::record::{Field, Origin, Record};
use std::fmt::Write;
use std::sync::Arc;

/// Expands the records of one task.
#[derive(Debug)]
pub(super) struct DataWaveWorker<'l> {
    types: Vec<TypeState<'l>>,
    /// The input read last and the index of its type.
    current: Option<(Arc<Origin>, usize)>,
    /// `now` as LOAD_DATE has it: milliseconds in the event, ISO in indexes.
    load_date: [String; 2],
    event: Event,
    visibilities: VisibilityCache,
    buffer: String,
    index: global_index::Scratch,
    tokens: term_frequency::Scratch,
    dates: date_index::Scratch,
    /// Of each type.
    counts: Vec<Counts>,
    /// The day of `now`.
    load_day: String,
}

impl<'l> DataWaveWorker<'l> {
    pub(super) fn new(layout: &'l DataWave) -> Self {
        let mut iso = String::new();
        write_iso(layout.now, &mut iso);
        let mut load_day = String::new();
        write_day(layout.now, &mut load_day);
        DataWaveWorker {
            types: layout.types.iter().map(TypeState::new).collect(),
            current: None,
            load_date: [layout.now.to_string(), iso],
            event: Event::default(),
            visibilities: VisibilityCache::default(),
            buffer: String::new(),
            index: global_index::Scratch::default(),
            tokens: term_frequency::Scratch::default(),
            dates: date_index::Scratch::default(),
            counts: layout.types.iter().map(|_| Counts::default()).collect(),
            load_day,
        }
    }

    /// The index of the type of a record's input.
    fn find_type(&mut self, record: &Record) -> Result<usize, Reject> {
        let origin = record.origin();
        if let Some((last, index)) = &self.current
            && Arc::ptr_eq(last, origin)
        {
            return Ok(*index);
        }
        let name = &origin.data_type;
        // An input without a type can only be of the one that there is.
        let only = name.is_empty() && self.types.len() == 1;
        let named = |state: &TypeState<'_>| only || state.rules.name == *name;
        let index = self.types.iter().position(named);
        let index = index.ok_or_else(|| {
            let message = format!("the data type {name:?} of the input is not configured");
            Reject::record("unknown-type", message)
        })?;
        self.current = Some((Arc::clone(origin), index));
        Ok(index)
    }
}

impl Worker for DataWaveWorker<'_> {
    fn expand(&mut self, record: &Record, out: &mut dyn CellSink) -> Result<Outcome, Reject> {
        let index = self.find_type(record)?;
        let state = &mut self.types[index];
        state.follow(record.schema());
        state.record += 1;
        self.event.clear();
        let mut filling = Filling {
            state,
            event: &mut self.event,
            visibilities: &mut self.visibilities,
            buffer: &mut self.buffer,
        };
        filling.identify(record)?;
        if !filling.state.rules.dates.contains(&filling.event.date) {
            return Ok(Outcome::Filtered);
        }
        for field in record.fields() {
            filling.column(&field)?;
        }
        filling.added(record, &self.load_date);
        let state = &self.types[index];
        let view = EventView {
            event: &self.event,
            plans: &state.plans,
            output_name: &state.rules.output_name,
            tables: state.rules.tables,
            index_uids: state.rules.index_uids,
        };
        event::put(view, out);
        field_index::put(view, out);
        global_index::put(view, &mut self.index, out);
        term_frequency::put(view, state.rules, &mut self.tokens, out);
        date_index::put(view, &state.rules.dated, &mut self.dates, out);
        self.counts[index].add(view);
        Ok(Outcome::Written)
    }

    fn flush(&mut self, out: &mut dyn CellSink) {
        for (state, counts) in self.types.iter().zip(&self.counts) {
            let rules = state.rules;
            let output_name = rules.output_name.as_str();
            if let Some(table) = rules.tables.metadata {
                metadata::put(counts, table, output_name, rules.count_fields, out);
            }
            if let Some(table) = rules.tables.load_dates {
                let load = load_dates::Load {
                    table,
                    day: &self.load_day,
                    index: rules.index_name.as_deref(),
                    reverse_index: rules.reverse_index_name.as_deref(),
                    output_name,
                };
                load_dates::put(counts, load, out);
            }
        }
        self.counts.fill_with(Counts::default);
    }
}

/// A record on its way into the event.
struct Filling<'a, 'l> {
    state: &'a mut TypeState<'l>,
    event: &'a mut Event,
    visibilities: &'a mut VisibilityCache,
    buffer: &'a mut String,
}

impl Filling<'_, '_> {
    /// Sets date, UID, shard and visibility.
    fn identify(&mut self, record: &Record) -> Result<(), Reject> {
        let rules = self.state.rules;
        let date = self.date(record)?;
        self.event.date = date;
        let id = trimmed(record, self.state.id)
            .ok_or_else(|| Reject::field("missing-id", &rules.id_field, "the record has no id"))?;
        let lower;
        let id = if rules.id_downcase {
            lower = id.to_lowercase();
            &lower
        } else {
            id
        };
        let time = rules.uid_time.then_some(date);
        let sharded = uid::write_uid(id, time, &mut self.event.uid);
        let Event { uid, shard, .. } = &mut *self.event;
        write_day(date, shard);
        let num_shards = rules.num_shards(shard);
        shard_id::write_partition(&uid[..sharded], num_shards, shard);
        self.visibility(record)
    }

    fn date(&mut self, record: &Record) -> Result<i64, Reject> {
        let rules = self.state.rules;
        let mut dated = rules.date_parsers.iter().zip(&self.state.dated_ids);
        if let Some(date) =
            dated.find_map(|(parser, column)| parser.date(trimmed(record, *column)?))
        {
            return Ok(date);
        }
        let Some(field) = &rules.date_field else {
            let message = "the type has no date_field, and the input gives no timestamp";
            let missing = || Reject::record("missing-date", message);
            return record.timestamp().ok_or_else(missing);
        };
        let text = trimmed(record, self.state.date)
            .ok_or_else(|| Reject::field("missing-date", field, "the record has no date"))?;
        rules.date(text, self.buffer).ok_or_else(|| {
            let message = format!("no date in any of the formats: {text:?}");
            Reject::field("bad-date", field, message)
        })
    }

    fn visibility(&mut self, record: &Record) -> Result<(), Reject> {
        let rules = self.state.rules;
        let column = trimmed(record, self.state.visibility);
        let own = column.or_else(|| record.visibility());
        self.event.visibility.clear();
        let flat = match own {
            Some(expression) => self.visibilities.flatten(expression).map_err(|error| {
                let message = format!("no visibility expression: {expression:?}: {error}");
                Reject {
                    code: "bad-visibility",
                    field: column.and(rules.visibility_field.clone()),
                    message,
                }
            })?,
            None => rules.marking.as_deref().unwrap_or_default(),
        };
        self.event.visibility.extend_from_slice(flat);
        Ok(())
    }

    /// Takes the value of a column; an empty one is none.
    fn column(&mut self, field: &Field<'_>) -> Result<(), Reject> {
        let Some(text) = field.value.filter(|text| !text.is_empty()) else {
            return Ok(());
        };
        let index = FIRST_COLUMN + field.column;
        let Some(plan) = self.state.plans.get(index).filter(|plan| !plan.dropped) else {
            return Ok(());
        };
        let marking = match field.visibility {
            None => Marking::Field,
            Some(expression) => {
                let flat = self.visibilities.flatten(expression).map_err(|error| {
                    let message = format!("no visibility expression: {expression:?}: {error}");
                    Reject::field("bad-visibility", field.name, message)
                })?;
                let start = self.event.markings.len();
                self.event.markings.extend_from_slice(flat);
                Marking::Own(start..self.event.markings.len())
            }
        };
        let lower;
        let text = if plan.downcase {
            lower = text.to_lowercase();
            &lower
        } else {
            text
        };
        let Some(separator) = plan.separator.clone() else {
            return self.value(index, text, marking);
        };
        separator.split(text, |part| self.value(index, part, marking.clone()))
    }

    /// Takes a value: its event column, and its index terms as the types of the field make them.
    fn value(&mut self, index: usize, text: &str, marking: Marking) -> Result<(), Reject> {
        let Some(value) = self.start(index, text, marking) else {
            return Ok(());
        };
        let plan = &self.state.plans[index];
        let mut failed = None;
        for normalizer in &plan.normalizers {
            let before = (self.event.values.len(), self.event.text.len());
            let first = self.event.values[value.at].clone();
            let terms = &mut Terms {
                event: self.event,
                value: &value,
            };
            let wanted = plan.wants_terms;
            let result = normalizer.normalize(text, self.buffer, &mut |term| {
                if wanted {
                    terms.add(term, text, &self.state.plans);
                }
            });
            let Err(error) = result else { continue };
            self.event.values.truncate(before.0);
            self.event.text.truncate(before.1);
            self.event.values[value.at] = first;
            match plan.failure_policy {
                FailurePolicy::Fail => {
                    let message = format!("{error}: {text:?}");
                    return Err(Reject::field("bad-value", &plan.event_name, message));
                }
                FailurePolicy::Drop => {}
                FailurePolicy::Leave => Terms {
                    event: self.event,
                    value: &value,
                }
                .add(text, text, &self.state.plans),
            }
            failed = Some(index);
        }
        if let Some(index) = failed {
            let name = self.state.plans[index].index_name.clone();
            self.plain(FAILURE, &name, None);
        }
        Ok(())
    }

    /// Takes a value that is not normalized, under the visibility of the event.
    fn plain(&mut self, index: usize, text: &str, indexed: Option<&str>) {
        let Some(value) = self.start(index, text, Marking::Field) else {
            return;
        };
        let mut terms = Terms {
            event: self.event,
            value: &value,
        };
        terms.add(indexed.unwrap_or(text), text, &self.state.plans);
    }

    /// Makes a value with its event text. `None`: the event has the same value of the same field already.
    fn start(&mut self, index: usize, text: &str, marking: Marking) -> Option<Started> {
        let state = &mut *self.state;
        let name = state.names[index];
        let repeated = state.seen[name] == state.record;
        state.seen[name] = state.record;
        if repeated {
            let field = &state.plans[index].event_name;
            let same = |value: &Value| {
                let other = value.event.clone().map(|range| &self.event.text[range]);
                other == Some(text)
                    && state.plans[value.plan].event_name == *field
                    && self.event.same_marking(&value.marking, &marking)
            };
            if self.event.values.iter().any(same) {
                return None;
            }
        }
        let started = Started {
            at: self.event.values.len(),
            plan: index,
            text: self.event.append(text),
            unique: !repeated && state.plans[index].normalizers.len() < 2,
        };
        self.event.values.push(Value {
            plan: index,
            event: Some(started.text.clone()),
            indexed: None,
            origin: started.at,
            repeated: false,
            marking,
        });
        Some(started)
    }

    /// Takes the fields that the ingest adds.
    fn added(&mut self, record: &Record, [millis, iso]: &[String; 2]) {
        if self.state.rules.load_date {
            self.plain(LOAD_DATE, millis, Some(iso));
        }
        if self.state.rules.orig_file {
            let mut text = std::mem::take(self.buffer);
            text.clear();
            // DataWave has the start of the file split last; records are counted from the start of the file here, so that is 0.
            let name = &record.origin().file_name;
            write!(text, "{name}|{}|0", record.position().record).expect("a String takes any text");
            self.plain(ORIG_FILE, &text, None);
            *self.buffer = text;
        }
    }
}

/// The text of a column without blanks and control characters around it; an empty one is none.
fn trimmed(record: &Record, column: Option<usize>) -> Option<&str> {
    let text = record.column(column?)?.value?;
    Some(text.trim_matches(|c| c <= ' ')).filter(|text| !text.is_empty())
}
