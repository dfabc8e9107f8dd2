//! Rejects fed back: a file of rejects is an input whose lines are the kept records, to be read again once the cause is mended.
//!
//! Nobody has to say that a file is one: a first line that is a JSON object with `code` and with `raw_base64` or `raw` tells. Each line gives
//! one record, read by the input's own format and settings; `columns` has the names that the record's own file had in its header row, and is
//! used where the job gives none. Which bytes are the record:
//!
//! | `raw_base64` | `raw` | the record |
//! |---|---|---|
//! | there | absent, or the same bytes as text | `raw_base64` |
//! | there | something else | `raw`: somebody has mended it |
//! | null or absent | there | `raw` |
//!
//! Where `raw` was mended but still shows bytes that were no UTF-8 as U+FFFD, the line is rejected: those bytes would be lost. So is one
//! that keeps only the beginning of its record (one longer than the record limit). Ordinals, positions and raw bytes are those of the lines of
//! the rejects file; the rejects of such a run can be fed back in their turn.

use std::borrow::Cow;
use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use memchr::memchr;
use serde::Deserialize;
use shardmill_schemas::record::{Position, Record};

use super::scan::Boundaries;
use super::source::Source;
use super::window::Window;
use super::{Fault, InputFile, ReadError, ReadLimits, RecordReader, Slice, Step};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// So much of a file is looked at to see whether it is one of rejects.
const LOOK: usize = 64 << 10;
/// Bytes of a line for each byte of its record: Base64, and text in which each byte may be escaped as `\u0000`; and for all else.
const SWELL: usize = 8;
const BESIDES: usize = 64 << 10;

/// Makes a record of bytes that stand alone, in the format of an input.
pub(super) trait Single: Send {
    /// Fills `record` from `raw`. `names` are the columns that were kept with it.
    fn parse(
        &mut self,
        raw: &[u8],
        names: Option<&[String]>,
        position: Position,
        record: &mut Record,
    ) -> Result<(), Unusable>;
}

/// Why a line gives no record.
#[derive(Debug)]
pub(super) struct Unusable {
    pub(super) code: &'static str,
    pub(super) field: Option<String>,
    pub(super) message: String,
}

impl Unusable {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Unusable {
            code,
            field: None,
            message: message.into(),
        }
    }
}

/// Of a line what reading it again takes. Whoever mends a file may leave out the rest.
#[derive(Deserialize)]
struct Kept {
    #[serde(rename = "code")]
    _code: String,
    #[serde(default)]
    data_type: Option<String>,
    #[serde(default)]
    length: Option<u64>,
    #[serde(default)]
    columns: Option<Vec<String>>,
    #[serde(default)]
    raw_base64: Option<String>,
    #[serde(default)]
    raw: Option<String>,
}

impl Kept {
    /// The bytes of the record.
    fn record(&self) -> Result<Vec<u8>, Unusable> {
        let text = self.raw.as_deref();
        let Some(base64) = &self.raw_base64 else {
            return Ok(text.unwrap_or_default().as_bytes().to_vec());
        };
        let decoded = STANDARD
            .decode(base64.trim())
            .map_err(|error| Unusable::new("bad-base64", format!("raw_base64: {error}")))?;
        let shown = String::from_utf8_lossy(&decoded);
        match text {
            Some(text) if text != shown => {
                let bytes_are_lost = matches!(shown, Cow::Owned(_)) && text.contains('\u{fffd}');
                if bytes_are_lost {
                    let message = "raw was mended, but bytes that are not UTF-8 still show as U+FFFD in it; write what belongs there";
                    return Err(Unusable::new("mended-in-part", message));
                }
                Ok(text.as_bytes().to_vec())
            }
            _ => match self.length {
                Some(length) if length > decoded.len() as u64 => {
                    let message = format!(
                        "only the first {} of the {length} bytes of the record are kept; take it from its own file",
                        decoded.len()
                    );
                    Err(Unusable::new("kept-in-part", message))
                }
                _ => Ok(decoded),
            },
        }
    }
}

fn kept(line: &[u8]) -> Option<Kept> {
    let kept: Kept = serde_json::from_slice(line).ok()?;
    (kept.raw_base64.is_some() || kept.raw.is_some()).then_some(kept)
}

/// Whether a file is one of rejects.
///
/// # Errors
///
/// When its beginning cannot be read.
pub(super) fn recognised(input: &InputFile) -> Result<bool, ReadError> {
    let limits = ReadLimits {
        max_record_bytes: LOOK,
        buffer_bytes: LOOK,
    };
    let mut source = Source::open(input)?;
    let mut mark = [0; BYTE_ORDER_MARK.len() + 1];
    let mut length = 0;
    while length < mark.len() {
        match source.read(&mut mark[length..])? {
            0 => break,
            count => length += count,
        }
    }
    let first = mark[..length].strip_prefix(BYTE_ORDER_MARK);
    if first.unwrap_or(&mark[..length]).first() != Some(&b'{') {
        return Ok(false);
    }
    let mut window = start(input, &limits)?;
    while memchr(b'\n', window.bytes()).is_none() && !window.ended() && window.bytes().len() < LOOK
    {
        window.more()?;
    }
    let bytes = window.bytes();
    Ok(match memchr(b'\n', bytes) {
        Some(end) => kept(&bytes[..end]).is_some(),
        None if window.ended() => kept(bytes).is_some(),
        // A long line cannot be parsed to its end here; nothing else begins as ours do.
        None => {
            bytes.starts_with(b"{\"file\":") && memchr::memmem::find(bytes, b"\"code\":").is_some()
        }
    })
}

fn start(input: &InputFile, limits: &ReadLimits) -> Result<Window, ReadError> {
    let mut window = Window::new(Source::open(input)?, limits);
    while window.bytes().len() < BYTE_ORDER_MARK.len() && !window.ended() {
        window.more()?;
    }
    if window.bytes().starts_with(BYTE_ORDER_MARK) {
        window.take(BYTE_ORDER_MARK.len());
    }
    Ok(window)
}

/// Opens a slice.
pub(super) fn open(
    input: &InputFile,
    single: Box<dyn Single>,
    slice: &Slice,
    limits: &ReadLimits,
) -> Result<RejectsReader, ReadError> {
    let mut reader = begin(input, single, limits)?;
    reader.window.go_to(slice.start, slice.end)?;
    reader.slice = slice.start..slice.end;
    (reader.record, reader.line) = (slice.first_record, slice.first_line);
    Ok(reader)
}

/// A reader of the whole input that stands at its first line.
pub(super) fn begin(
    input: &InputFile,
    single: Box<dyn Single>,
    limits: &ReadLimits,
) -> Result<RejectsReader, ReadError> {
    let line = limits.max_record_bytes.saturating_mul(SWELL);
    let limits = ReadLimits {
        max_record_bytes: line.saturating_add(BESIDES),
        ..*limits
    };
    Ok(RejectsReader {
        window: start(input, &limits)?,
        longest: limits.max_record_bytes,
        data_type: input.data_type.clone(),
        single,
        slice: 0..u64::MAX,
        record: 0,
        line: 1,
        position: Position::default(),
        raw: 0..0,
    })
}

/// Reads a slice of a file of rejects.
pub(super) struct RejectsReader {
    window: Window,
    /// The longest line.
    longest: usize,
    data_type: String,
    single: Box<dyn Single>,
    slice: Range<u64>,
    /// Ordinal and number of the next line; they part where a blank one is passed over.
    record: u64,
    line: u64,
    position: Position,
    raw: Range<usize>,
}

impl RejectsReader {
    /// Takes the next line, whatever is in it.
    fn take_line(&mut self) -> Result<bool, ReadError> {
        if self.window.offset() >= self.slice.end {
            return Ok(false);
        }
        let mut looked = 0;
        let length = loop {
            let held = self.window.bytes();
            let line_end = held.get(looked..).and_then(|new| memchr(b'\n', new));
            if let Some(at) = line_end.map(|at| looked + at + 1) {
                break at;
            }
            if held.len() > self.longest || self.window.ended() {
                break held.len();
            }
            looked = held.len();
            self.window.more()?;
        };
        if length == 0 {
            return Ok(false);
        }
        let offset = self.window.offset();
        let (raw, length) = if length > self.longest {
            self.window.take_long_line(self.longest)?
        } else {
            (self.window.take(length), length as u64)
        };
        self.raw = raw;
        self.position = Position {
            record: self.record,
            line: self.line,
            offset,
            length,
        };
        self.line += 1;
        Ok(true)
    }

    fn fill(&mut self, record: &mut Record) -> Result<(), Unusable> {
        let line = self.window.taken(&self.raw);
        if self.position.length > line.len() as u64 {
            let message = format!("the line is longer than {} bytes", self.longest);
            return Err(Unusable::new("record-too-long", message));
        }
        let Some(mut reject) = kept(line) else {
            let message = "no JSON object with code and raw_base64 or raw, as each line of a rejects file has them";
            return Err(Unusable::new("not-a-reject", message));
        };
        // What was rejected when rejects were fed back is a line of rejects itself. Each is shorter than the one around it.
        loop {
            if let Some(other) = reject
                .data_type
                .as_ref()
                .filter(|name| **name != self.data_type)
            {
                let message = format!(
                    "the record is of data type {other:?}, this input of {:?}; feed back the lines of each type in a file of their own",
                    self.data_type
                );
                return Err(Unusable::new("other-data-type", message));
            }
            let raw = reject.record()?;
            let Some(inner) = kept(&raw) else {
                let names = reject.columns.as_deref();
                return self.single.parse(&raw, names, self.position, record);
            };
            reject = inner;
        }
    }
}

impl Boundaries for RejectsReader {
    fn can_be_cut(&self) -> bool {
        self.window.seekable()
    }

    fn offset(&self) -> u64 {
        self.window.offset()
    }

    fn advance(&mut self) -> Result<Option<Position>, ReadError> {
        // An editor may leave blank lines; there is no record in them that could be lost.
        while self.take_line()? {
            if !self.raw().trim_ascii().is_empty() {
                self.record += 1;
                return Ok(Some(self.position));
            }
        }
        self.raw = 0..0;
        Ok(None)
    }

    fn parse(&mut self, record: &mut Record) -> Step {
        let Err(why) = self.fill(record) else {
            return Step::Record;
        };
        Step::Reject(Fault {
            position: self.position,
            code: why.code,
            line: self.position.line,
            column: None,
            field: why.field,
            at: self.position.offset,
            message: why.message,
        })
    }
}

impl RecordReader for RejectsReader {
    fn next(&mut self, record: &mut Record) -> Result<Step, ReadError> {
        Ok(match self.advance()? {
            Some(_) => self.parse(record),
            None => Step::End,
        })
    }

    fn raw(&self) -> &[u8] {
        self.window.taken(&self.raw)
    }

    fn consumed(&self) -> u64 {
        self.window.consumed(self.slice.start)
    }
}

#[cfg(test)]
mod tests;
