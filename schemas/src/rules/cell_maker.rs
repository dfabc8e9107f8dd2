//! Makes the cells of one rule on one record.
//!
//! The parts of a cell stand in buffers that are reused. What is the same for the whole record is evaluated once per rule, what changes with
//! the field of `for_each` once per field, and only the rest once per item.

use super::visibility::KnownVisibilities;
use super::{Over, Part, Rule};
use crate::cell::{Cell, CellSink, TableId};
use crate::encode::java_text::{self, BadText};
use crate::layout::Reject;
use crate::record::Field;
use crate::template::{Env, Fault, Source, Tier};
use std::ops::Range;

/// How much of an offending value a message shows, in characters.
const SHOWN: usize = 100;

pub(super) struct CellMaker<'a> {
    /// The names of the columns that templates know by index.
    columns: &'a [String],
    cell: CellBuffers,
    known: KnownVisibilities,
    /// The text that a multi-valued function splits, and its items.
    text: Vec<u8>,
    items: Vec<Range<usize>>,
}

/// The cell at hand, by [`Part`].
#[derive(Default)]
struct CellBuffers {
    parts: [Vec<u8>; Part::COUNT],
    present: [bool; Part::COUNT],
    /// The value as a combiner reads it; empty where the value part stands as it is.
    encoded: Vec<u8>,
    timestamp: i64,
}

impl<'a> CellMaker<'a> {
    pub(super) fn new(columns: &'a [String]) -> CellMaker<'a> {
        CellMaker {
            columns,
            cell: CellBuffers::default(),
            known: KnownVisibilities::default(),
            text: Vec::new(),
            items: Vec::new(),
        }
    }

    /// The cells of one rule; how many. `names` says for each column of the schema which name it has in the table, where the rule comes
    /// to it.
    pub(super) fn cells<'r>(
        &mut self,
        rule: &Rule,
        names: &'r [Option<String>],
        mut env: Env<'r>,
        out: &mut dyn CellSink,
    ) -> Result<u64, Reject> {
        self.cell.present = [false; Part::COUNT];
        if !self.fill(rule, Tier::Record, &env, None)? {
            return Ok(0);
        }
        if matches!(rule.over, Over::Record) {
            return self.items(rule, &env, None, out);
        }
        let mut count = 0;
        for field in env.record.fields() {
            let (Some(Some(name)), Some(value)) = (names.get(field.column), field.value) else {
                continue;
            };
            env.field = name;
            env.value = Some(value);
            if self.fill(rule, Tier::Field, &env, Some(field))? {
                count += self.items(rule, &env, Some(field), out)?;
            }
        }
        Ok(count)
    }

    /// The cells of one field, or of the record: one, or one for each item.
    fn items(
        &mut self,
        rule: &Rule,
        env: &Env<'_>,
        field: Option<Field<'_>>,
        out: &mut dyn CellSink,
    ) -> Result<u64, Reject> {
        let Some(multi) = &rule.multi else {
            self.visibility(rule, env, field)?;
            return self.put(rule, env, field, out).map(|()| 1);
        };
        let mut text = std::mem::take(&mut self.text);
        let mut items = std::mem::take(&mut self.items);
        let split = multi.split(env, &mut text, &mut items);
        let mut made = split
            .map_err(|fault| self.reject(&fault, field))
            .map(|()| 0);
        for item in &items {
            let Ok(count) = made else { break };
            let env = Env {
                item: &text[item.clone()],
                ..*env
            };
            made = self.item(rule, &env, field, out).map(|new| count + new);
        }
        self.text = text;
        self.items = items;
        made
    }

    fn item(
        &mut self,
        rule: &Rule,
        env: &Env<'_>,
        field: Option<Field<'_>>,
        out: &mut dyn CellSink,
    ) -> Result<u64, Reject> {
        if !self.fill(rule, Tier::Item, env, field)? {
            return Ok(0);
        }
        self.visibility(rule, env, field)?;
        self.put(rule, env, field, out).map(|()| 1)
    }

    /// Evaluates the parts that change at this tier; `false` if there is no cell.
    fn fill(
        &mut self,
        rule: &Rule,
        tier: Tier,
        env: &Env<'_>,
        field: Option<Field<'_>>,
    ) -> Result<bool, Reject> {
        for part in Part::ALL {
            let index = part as usize;
            let Some(template) = rule.templates[index]
                .as_ref()
                .filter(|template| template.tier() == tier)
            else {
                continue;
            };
            let buffer = &mut self.cell.parts[index];
            buffer.clear();
            let present = template
                .write(env, buffer)
                .map_err(|fault| self.reject(&fault, field))?;
            self.cell.present[index] = present;
            // Without these two a cell has a default; without any other part there is no cell.
            if !present && !matches!(part, Part::Visibility | Part::Timestamp) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts the visibility of the cell into its buffer, and checks it.
    fn visibility(
        &mut self,
        rule: &Rule,
        env: &Env<'_>,
        field: Option<Field<'_>>,
    ) -> Result<(), Reject> {
        let part = Part::Visibility as usize;
        let buffer = &mut self.cell.parts[part];
        let checked = if self.cell.present[part] {
            self.known.check(buffer)
        } else {
            buffer.clear();
            self.known.default_of(rule, env, field, buffer)
        };
        checked.map_err(|error| {
            let shown = show(&String::from_utf8_lossy(&self.cell.parts[part]));
            let message = format!("not a visibility: {shown}: {error}");
            match self.visibility_field(rule, field) {
                Some(name) => Reject::field("bad-visibility", name, message),
                None => Reject::record("bad-visibility", message),
            }
        })
    }

    /// The field whose visibility, or whose text as a visibility, a cell has.
    fn visibility_field<'f>(&'f self, rule: &Rule, field: Option<Field<'f>>) -> Option<&'f str> {
        match &rule.templates[Part::Visibility as usize] {
            Some(template) => match template.source()? {
                Source::Column(column) => self.columns.get(column).map(String::as_str),
                Source::Field => field.map(|field| field.name),
            },
            None => field
                .filter(|field| field.visibility.is_some())
                .map(|field| field.name),
        }
    }

    fn put(
        &mut self,
        rule: &Rule,
        env: &Env<'_>,
        field: Option<Field<'_>>,
        out: &mut dyn CellSink,
    ) -> Result<(), Reject> {
        self.timestamp(rule, env, field)?;
        self.encode_value(rule, field)?;
        let cell = &self.cell;
        let part = |part: Part| cell.parts[part as usize].as_slice();
        let combined = !cell.encoded.is_empty();
        out.put(
            TableId(rule.table),
            &Cell {
                row: &[part(Part::Row)],
                family: &[part(Part::Family)],
                qualifier: &[part(Part::Qualifier)],
                visibility: part(Part::Visibility),
                timestamp: cell.timestamp,
                deleted: false,
                value: if combined {
                    &cell.encoded
                } else {
                    part(Part::Value)
                },
            },
        );
        Ok(())
    }

    fn timestamp(
        &mut self,
        rule: &Rule,
        env: &Env<'_>,
        field: Option<Field<'_>>,
    ) -> Result<(), Reject> {
        let part = Part::Timestamp as usize;
        self.cell.timestamp = match &rule.templates[part] {
            Some(template) if self.cell.present[part] => {
                let text = &self.cell.parts[part];
                java_text::parse_date(text)
                    .map_err(|bad| self.reject(&fault(bad, text, template.source()), field))?
            }
            _ => env.record.timestamp().unwrap_or(env.now),
        };
        Ok(())
    }

    /// Where a combiner reads the value: encodes its text, or checks bytes that the rule has encoded itself.
    fn encode_value(&mut self, rule: &Rule, field: Option<Field<'_>>) -> Result<(), Reject> {
        self.cell.encoded.clear();
        let family = &self.cell.parts[Part::Family as usize];
        let value = &self.cell.parts[Part::Value as usize];
        let (Some(combiner), Some(template)) = (
            rule.combine.of(family),
            &rule.templates[Part::Value as usize],
        ) else {
            return Ok(());
        };
        let encoded = if template.is_binary() {
            combiner.check(value)
        } else {
            combiner.encode(value, &mut self.cell.encoded)
        };
        encoded.map_err(|bad| self.reject(&fault(bad, value, template.source()), field))
    }

    fn reject(&self, fault: &Fault, field: Option<Field<'_>>) -> Reject {
        let name = match fault.source {
            Some(Source::Column(column)) => self.columns.get(column).map(String::as_str),
            Some(Source::Field) => field.map(|field| field.name),
            None => None,
        };
        let BadText { code, wanted, hint } = fault.bad;
        let message = format!("not {wanted}: {}: {hint}", show(&fault.text));
        match name {
            Some(name) => Reject::field(code, name, message),
            None => Reject::record(code, message),
        }
    }
}

fn fault(bad: BadText, text: &[u8], source: Option<Source>) -> Fault {
    Fault {
        bad,
        text: String::from_utf8_lossy(text).into_owned(),
        source,
    }
}

/// A value in a message: quoted, escaped, and not longer than a line.
fn show(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}
