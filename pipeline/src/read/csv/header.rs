//! Where column names come from, and which are refused.

use std::collections::HashMap;
use std::sync::Arc;

use shardmill_schemas::record::{Record, Schema};

use super::{CsvOptions, CsvReader};
use crate::read::scan::Boundaries as _;
use crate::read::{InputFile, ReadError, RecordReader as _, Step};

/// A header row with more is taken for something else, before it fills memory.
const MAX_COLUMNS: usize = 1 << 16;

impl CsvOptions {
    /// The setting that cannot be meant like this, if any, and why.
    #[must_use]
    pub fn problem(&self) -> Option<(&'static str, String)> {
        if !u8::try_from(self.separator).is_ok_and(|byte| byte.is_ascii())
            || "\"\r\n\0".contains(self.separator)
        {
            let given = self.separator;
            let message =
                format!("{given:?}: it must be one ASCII character and no quote, line end or NUL");
            return Some(("separator", message));
        }
        if self.skip_header && self.header.is_none() {
            let message = "there are no column names without header = [...] when the first row is passed over";
            return Some(("skip_header", message.to_owned()));
        }
        let null = self.null.as_deref().unwrap_or_default();
        if null.contains([self.separator, '"', '\n']) {
            let message =
                format!("{null:?}: no unquoted field has a separator, a quote or a line end");
            return Some(("null", message));
        }
        let names = self.header.as_deref().unwrap_or_default();
        problem(names).map(|message| ("header", message))
    }
}

/// Refuses settings that contradict each other, and returns the separator.
pub(super) fn check(input: &InputFile, options: &CsvOptions) -> Result<u8, ReadError> {
    match options.problem() {
        None => Ok(options.separator as u8),
        Some((key, message)) => Err(ReadError::Options {
            path: input.display.clone(),
            message: format!("{key}: {message}"),
        }),
    }
}

/// Reads or passes over the header row, and returns the column names.
pub(super) fn read(
    reader: &mut CsvReader,
    input: &InputFile,
    options: &CsvOptions,
) -> Result<Arc<Schema>, ReadError> {
    if let Some(names) = &options.header {
        let names = names.clone();
        let schema = Arc::new(Schema { names });
        if options.skip_header {
            reader.advance()?;
        }
        return Ok(schema);
    }
    reader.splitter.room = MAX_COLUMNS;
    let mut record = Record::default();
    let (line, message) = match reader.next(&mut record)? {
        Step::End => {
            let path = input.display.clone();
            return Err(ReadError::EmptyFile { path });
        }
        // With any number of columns but the greatest, the count is not the expected one.
        Step::Reject(fault) if fault.code != "field-count" => {
            let column = fault.column.unwrap_or_default();
            (fault.line, format!("character {column}: {}", fault.message))
        }
        Step::Reject(fault) if record.len() >= MAX_COLUMNS => {
            (fault.line, format!("more than {MAX_COLUMNS} columns"))
        }
        Step::Reject(_) | Step::Record => {
            let fields = record.fields();
            let names = fields.map(|field| field.value.unwrap_or_default().to_owned());
            let names: Vec<String> = names.collect();
            unique(input, reader.position.line, &names)?;
            return Ok(Arc::new(Schema { names }));
        }
    };
    Err(ReadError::Header {
        path: input.display.clone(),
        line,
        message,
    })
}

fn unique(input: &InputFile, line: u64, names: &[String]) -> Result<(), ReadError> {
    match problem(names) {
        None => Ok(()),
        Some(message) => Err(ReadError::Header {
            path: input.display.clone(),
            line,
            message,
        }),
    }
}

/// What is wrong with column names: every column has a name, and no other column has it.
pub(super) fn problem(names: &[String]) -> Option<String> {
    let mut seen = HashMap::new();
    (1..).zip(names).find_map(|(number, name)| {
        if name.is_empty() {
            return Some(format!("column {number} has no name"));
        }
        let first = seen.insert(name, number)?;
        Some(format!(
            "column {number} has the name of column {first}, {name:?}"
        ))
    })
}
