//! Separated values: RFC 4180, strictly, with any one-byte separator.
//!
//! Fields may be in quotes, a quote inside is doubled; records end with LF or CRLF; a byte order mark before the first is skipped. What breaks
//! the rules is rejected, never repaired.

mod boundary;
mod fields;
mod header;
mod near;
mod single;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use memchr::memchr;
use serde::{Deserialize, Serialize};
use shardmill_schemas::record::{Origin, Position, Record, Schema};

use self::boundary::{Found, line_ends, place, without_line_end};
use self::fields::{Flaw, Splitter, Starts};
pub(super) use self::single::parser as single;
use super::scan::Boundaries;
use super::source::Source;
use super::window::Window;
use super::{Fault, InputFile, ReadError, ReadLimits, RecordReader, Slice, Step};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The dialect of one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CsvOptions {
    /// Between fields; an ASCII character that is neither a quote nor part of a line end.
    pub separator: char,
    /// The column names; without them the first row has them.
    pub header: Option<Vec<String>>,
    /// Whether the first row is passed over because `header` replaces it.
    pub skip_header: bool,
    /// An unquoted field of this text is null; without it no field is.
    pub null: Option<String>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        CsvOptions {
            separator: ',',
            header: None,
            skip_header: false,
            null: None,
        }
    }
}

/// Opens a slice.
pub(super) fn open(
    input: &InputFile,
    options: &CsvOptions,
    slice: &Slice,
    limits: &ReadLimits,
) -> Result<CsvReader, ReadError> {
    let mut reader = begin(input, options, limits)?;
    reader.window.go_to(slice.start, slice.end)?;
    reader.slice = slice.start..slice.end;
    (reader.record, reader.line) = (slice.first_record, slice.first_line);
    Ok(reader)
}

/// A reader of the whole input that stands at its first record, behind the header.
pub(super) fn begin(
    input: &InputFile,
    options: &CsvOptions,
    limits: &ReadLimits,
) -> Result<CsvReader, ReadError> {
    let separator = header::check(input, options)?;
    let mut window = Window::new(Source::open(input)?, limits);
    while window.bytes().len() < BYTE_ORDER_MARK.len() && !window.ended() {
        window.more()?;
    }
    if window.bytes().starts_with(BYTE_ORDER_MARK) {
        window.take(BYTE_ORDER_MARK.len());
    }
    let mut reader = CsvReader {
        window,
        max_record_bytes: limits.max_record_bytes.max(1),
        slice: 0..u64::MAX,
        record: 0,
        line: 1,
        position: Position::default(),
        raw: 0..0,
        quoted: false,
        fault: None,
        origin: input.origin(),
        schema: Arc::default(),
        splitter: Splitter::new(separator),
        header: options.header.is_none(),
    };
    reader.schema = header::read(&mut reader, input, options)?;
    reader.splitter.room = reader.schema.names.len();
    reader.splitter.null.clone_from(&options.null);
    reader.record = 0;
    Ok(reader)
}

/// Reads a slice of a file of separated values.
pub(super) struct CsvReader {
    window: Window,
    max_record_bytes: usize,
    slice: Range<u64>,
    /// Ordinal and line of the next record.
    record: u64,
    line: u64,
    /// The record last found, and where its bytes are in the window.
    position: Position,
    raw: Range<usize>,
    quoted: bool,
    fault: Option<Fault>,
    origin: Arc<Origin>,
    schema: Arc<Schema>,
    /// Whether the file has the column names.
    header: bool,
    splitter: Splitter,
}

impl RecordReader for CsvReader {
    fn next(&mut self, record: &mut Record) -> Result<Step, ReadError> {
        Ok(match self.advance()? {
            Some(_) => self.parse(record),
            None => Step::End,
        })
    }

    fn raw(&self) -> &[u8] {
        self.window.taken(&self.raw)
    }

    fn locate(&self, column: usize) -> Option<(u64, u32, u64)> {
        let body = without_line_end(self.raw());
        let start = Starts::new(body, self.splitter.separator).nth(column)?;
        let place = place(body.get(..start)?, self.splitter.separator);
        let position = self.position;
        let offset = position.offset + start as u64;
        Some((position.line + place.lines, place.column, offset))
    }

    fn header(&self) -> Option<&[String]> {
        self.header.then_some(&self.schema.names)
    }

    fn consumed(&self) -> u64 {
        self.window.consumed(self.slice.start)
    }
}

impl Boundaries for CsvReader {
    fn can_be_cut(&self) -> bool {
        self.window.seekable()
    }

    fn offset(&self) -> u64 {
        self.window.offset()
    }

    fn advance(&mut self) -> Result<Option<Position>, ReadError> {
        self.fault = None;
        self.raw = 0..0;
        if self.window.offset() >= self.slice.end {
            return Ok(None);
        }
        let Some(found) = self.find()? else {
            return Ok(None);
        };
        self.position = Position {
            record: self.record,
            line: self.line,
            offset: self.window.offset(),
            length: 0,
        };
        if let Found::Record { length, quoted } = found {
            self.raw = self.window.take(length);
            self.quoted = quoted;
            self.position.length = length as u64;
            self.line += if quoted { line_ends(self.raw()) } else { 1 };
        } else {
            self.reject_line(found)?;
            self.line += 1;
        }
        self.record += 1;
        Ok(Some(self.position))
    }

    fn parse(&mut self, record: &mut Record) -> Step {
        if let Some(fault) = self.fault.take() {
            return Step::Reject(fault);
        }
        if !Arc::ptr_eq(record.origin(), &self.origin) {
            *record = Record::new(self.origin.clone(), self.schema.clone());
        } else if !Arc::ptr_eq(record.schema(), &self.schema) {
            record.set_schema(self.schema.clone());
        }
        record.begin(self.position);
        let raw = self.window.taken(&self.raw);
        match self.splitter.fill(raw, self.quoted, record) {
            Ok(()) => Step::Record,
            Err(flaw) => Step::Reject(self.fault(raw, flaw)),
        }
    }
}

impl CsvReader {
    /// What begins at the front of the window, which is filled until that does not depend on how much of the input is in it.
    fn find(&mut self) -> Result<Option<Found>, ReadError> {
        let most = self.max_record_bytes;
        loop {
            let held = self.window.bytes();
            let whole = self.window.ended() && held.len() <= most;
            if whole && held.is_empty() {
                return Ok(None);
            }
            let seen = &held[..held.len().min(most)];
            let found = boundary::find(seen, whole, self.splitter.separator);
            let settled = match found {
                Found::Record { .. } => true,
                // Its line is rejected, so the end of the line has to be here too.
                Found::StrayQuote(_) | Found::QuoteJunk(_) => memchr(b'\n', seen).is_some(),
                Found::Open(_) | Found::Short => false,
            };
            if settled || whole || held.len() > most {
                return Ok(Some(found));
            }
            self.window.more()?;
        }
    }

    /// Rejects the line at the front of the window, on which a record begins that has no proper end.
    fn reject_line(&mut self, found: Found) -> Result<(), ReadError> {
        let most = self.max_record_bytes;
        let held = self.window.bytes();
        let limited = held.len() > most;
        let seen = &held[..held.len().min(most)];
        let end = if limited {
            format!("within the record limit of {most} bytes")
        } else {
            "before the end of the input".to_owned()
        };
        let flaw = broken_quote(found, &end).unwrap_or_else(|| {
            let message = format!("the record is longer than the limit of {most} bytes");
            Flaw::new("record-too-long", seen.len(), message)
        });
        let mut fault = self.fault(seen, flaw);
        let line_end = memchr(b'\n', seen).map(|at| at + 1);
        if let Some(length) = line_end.or((!limited).then_some(seen.len())) {
            self.raw = self.window.take(length);
            self.position.length = length as u64;
        } else {
            (self.raw, self.position.length) = self.window.take_long_line(most)?;
            let length = self.position.length;
            fault.message +=
                &format!("; of the {length} bytes of its line the first {most} are kept");
        }
        fault.position = self.position;
        self.fault = Some(fault);
        Ok(())
    }

    /// A flaw of the record that begins with these bytes, with its place in the input.
    fn fault(&self, raw: &[u8], flaw: Flaw) -> Fault {
        let place = flaw.place(raw, self.splitter.separator);
        Fault {
            position: self.position,
            code: flaw.code,
            line: self.position.line + place.lines,
            column: Some(place.column),
            field: self.schema.names.get(place.field).cloned(),
            at: self.position.offset + flaw.at as u64,
            message: flaw.message,
        }
    }
}

/// The flaw of a record that breaks the quoting rules; `end` says where a quote should have closed.
fn broken_quote(found: Found, end: &str) -> Option<Flaw> {
    Some(match found {
        Found::StrayQuote(at) => {
            let message = "a quote inside an unquoted field; a field with quotes has quotes around it, and each inside is doubled";
            Flaw::new("stray-quote", at, message)
        }
        Found::QuoteJunk(at) => {
            let message = "text behind a closing quote; a quote inside quotes is doubled";
            Flaw::new("quote-junk", at, message)
        }
        Found::Open(at) => {
            let message = format!("the quote that opens here is not closed {end}");
            Flaw::new("unterminated-quote", at, message)
        }
        Found::Short | Found::Record { .. } => return None,
    })
}
