//! One record that stands alone, without the file around it: what a rejects file keeps.

use std::sync::Arc;

use shardmill_schemas::record::{Origin, Position, Record, Schema};

use super::boundary::{Found, find};
use super::fields::{Flaw, Splitter};
use super::{CsvOptions, broken_quote, header};
use crate::read::rejects::{Single, Unusable};
use crate::read::{InputFile, ReadError};

/// Parses records that stand alone, in the dialect of an input.
pub(in crate::read) fn parser(
    input: &InputFile,
    options: &CsvOptions,
) -> Result<SingleParser, ReadError> {
    let mut splitter = Splitter::new(header::check(input, options)?);
    splitter.null.clone_from(&options.null);
    let names = options.header.clone();
    let given = names.map(|names| Arc::new(Schema { names }));
    Ok(SingleParser {
        splitter,
        given,
        kept: Arc::default(),
        origin: input.origin(),
    })
}

pub(in crate::read) struct SingleParser {
    splitter: Splitter,
    /// The columns that the job names.
    given: Option<Arc<Schema>>,
    /// Those of the record before, which are nearly always those of the next one too.
    kept: Arc<Schema>,
    origin: Arc<Origin>,
}

impl SingleParser {
    fn schema(&mut self, names: Option<&[String]>) -> Result<Arc<Schema>, Unusable> {
        if let Some(given) = &self.given {
            return Ok(given.clone());
        }
        let Some(names) = names else {
            let message = "no column names: the job gives none, and none are kept with the record";
            return Err(Unusable::new("no-columns", message));
        };
        if self.kept.names != names {
            if let Some(problem) = header::problem(names) {
                return Err(Unusable::new("bad-columns", format!("columns: {problem}")));
            }
            let names = names.to_vec();
            self.kept = Arc::new(Schema { names });
        }
        Ok(self.kept.clone())
    }

    fn fill(&mut self, raw: &[u8], record: &mut Record) -> Result<(), Flaw> {
        match find(raw, true, self.splitter.separator) {
            Found::Record { length, quoted } if length == raw.len() => {
                self.splitter.fill(raw, quoted, record)
            }
            Found::Record { length, .. } => {
                let message = "a second record begins here; a reject is one record";
                Err(Flaw::new("several-records", length, message))
            }
            broken => {
                let end = "before the end of the record";
                Err(broken_quote(broken, end)
                    .unwrap_or_else(|| Flaw::new("blank-line", 0, "the record is empty")))
            }
        }
    }
}

impl Single for SingleParser {
    fn parse(
        &mut self,
        raw: &[u8],
        names: Option<&[String]>,
        position: Position,
        record: &mut Record,
    ) -> Result<(), Unusable> {
        let schema = self.schema(names)?;
        self.splitter.room = schema.names.len();
        if !Arc::ptr_eq(record.origin(), &self.origin) {
            *record = Record::new(self.origin.clone(), schema.clone());
        } else if !Arc::ptr_eq(record.schema(), &schema) {
            record.set_schema(schema.clone());
        }
        record.begin(position);
        self.fill(raw, record).map_err(|flaw| {
            let place = flaw.place(raw, self.splitter.separator);
            let line = match place.lines {
                0 => String::new(),
                lines => format!("line {}, ", lines + 1),
            };
            Unusable {
                code: flaw.code,
                field: schema.names.get(place.field).cloned(),
                message: format!(
                    "{} ({line}character {} of the kept record)",
                    flaw.message, place.column
                ),
            }
        })
    }
}
