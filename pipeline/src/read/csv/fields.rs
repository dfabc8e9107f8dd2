//! The fields of a record whose boundary is known.

use std::ops::Range;

use memchr::{memchr, memchr_iter};
use shardmill_schemas::record::Record;

use super::boundary::{Place, QUOTE, closing, place, without_line_end};
use super::near::near;

/// What is wrong with a record, and where.
pub(super) struct Flaw {
    pub(super) code: &'static str,
    /// Offset in the record.
    pub(super) at: usize,
    /// The column, where it is not the one that `at` lies in.
    pub(super) column: Option<usize>,
    pub(super) message: String,
}

impl Flaw {
    pub(super) fn new(code: &'static str, at: usize, message: impl Into<String>) -> Self {
        Flaw {
            code,
            at,
            column: None,
            message: message.into(),
        }
    }

    /// Its place in the record that begins with `raw`.
    pub(super) fn place(&self, raw: &[u8], separator: u8) -> Place {
        let place = place(raw.get(..self.at).unwrap_or(raw), separator);
        Place {
            field: self.column.unwrap_or(place.field),
            ..place
        }
    }
}

/// How field texts become values.
pub(super) struct Splitter {
    pub(super) separator: u8,
    /// An unquoted field of this text is null.
    pub(super) null: Option<String>,
    /// How many fields are kept; more are only counted.
    pub(super) room: usize,
    /// Where doubled quotes are undone.
    pub(super) scratch: String,
}

impl Splitter {
    /// One that keeps no field yet.
    pub(super) fn new(separator: u8) -> Self {
        Splitter {
            separator,
            null: None,
            room: 0,
            scratch: String::new(),
        }
    }

    /// Fills `record` from the bytes of a record that keeps the quoting rules, its line end included.
    pub(super) fn fill(
        &mut self,
        raw: &[u8],
        quoted: bool,
        record: &mut Record,
    ) -> Result<(), Flaw> {
        let body = without_line_end(raw);
        if body.is_empty() {
            return Err(Flaw::new("blank-line", 0, "the line is empty"));
        }
        let text = std::str::from_utf8(body).map_err(|error| {
            let at = error.valid_up_to();
            let message = format!("byte 0x{:02x} is not valid UTF-8 here", body[at]);
            Flaw::new("invalid-utf8", at, message)
        })?;
        if let Some(at) = memchr(0, body) {
            return Err(Flaw::new("nul-byte", at, "a NUL byte"));
        }
        let count = self.split(text, quoted, record);
        if count == self.room {
            Ok(())
        } else {
            Err(self.miscounted(body, count))
        }
    }

    /// Too few or too many fields: where the first one is missing, or where the first surplus one begins.
    fn miscounted(&self, body: &[u8], count: usize) -> Flaw {
        let wanted = self.room;
        let surplus = Starts::new(body, self.separator).nth(wanted);
        let at = surplus.unwrap_or(body.len());
        let message = format!("{count} fields where the header has {wanted}");
        Flaw {
            column: Some(count),
            ..Flaw::new("field-count", at, message)
        }
    }

    /// Appends the fields of `text`, a record without its line end, and returns how many there are.
    fn split(&mut self, text: &str, quoted: bool, record: &mut Record) -> usize {
        record.hold(text);
        if quoted {
            return self.split_quoted(text, record);
        }
        let mut count = 0;
        let mut from = 0;
        for at in memchr_iter(self.separator, text.as_bytes()) {
            self.push(count, text, from..at, record);
            count += 1;
            from = at + 1;
        }
        self.push(count, text, from..text.len(), record);
        count + 1
    }

    fn push(&self, column: usize, text: &str, part: Range<usize>, record: &mut Record) {
        if column >= self.room {
            return;
        }
        match &self.null {
            Some(null) if text[part.clone()] == **null => record.push(column, None),
            _ => record.push_part(column, part),
        }
    }

    fn split_quoted(&mut self, text: &str, record: &mut Record) -> usize {
        let bytes = text.as_bytes();
        let mut count = 0;
        let mut start = 0;
        loop {
            let end = if bytes.get(start) == Some(&QUOTE) {
                self.push_quoted(count, text, start + 1, record) + 1
            } else {
                let rest = &bytes[start..];
                let end = near(self.separator, rest).map_or(bytes.len(), |at| start + at);
                self.push(count, text, start..end, record);
                end
            };
            count += 1;
            if end >= bytes.len() {
                return count;
            }
            start = end + 1;
        }
    }

    /// Appends the field that begins here, behind its quote, and returns the place of the quote that closes it. Doubled quotes are undone on
    /// the way.
    fn push_quoted(
        &mut self,
        column: usize,
        text: &str,
        start: usize,
        record: &mut Record,
    ) -> usize {
        let bytes = text.as_bytes();
        let mut from = start;
        let closing = loop {
            // The rules are kept, so there is a closing quote.
            let Some(at) = near(QUOTE, &bytes[from..]).map(|at| from + at) else {
                break bytes.len();
            };
            if bytes.get(at + 1) != Some(&QUOTE) {
                break at;
            }
            if from == start {
                self.scratch.clear();
            }
            self.scratch.push_str(&text[from..=at]);
            from = at + 2;
        };
        if column >= self.room {
            return closing;
        }
        if from == start {
            record.push_part(column, start..closing);
        } else {
            self.scratch.push_str(&text[from..closing]);
            record.push(column, Some(&self.scratch));
        }
        closing
    }
}

/// Walks the places at which the fields begin of a record that keeps the quoting rules, without its line end.
pub(super) struct Starts<'a> {
    body: &'a [u8],
    separator: u8,
    next: Option<usize>,
}

impl<'a> Starts<'a> {
    pub(super) fn new(body: &'a [u8], separator: u8) -> Self {
        Starts {
            body,
            separator,
            next: Some(0),
        }
    }
}

impl Iterator for Starts<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let start = self.next.take()?;
        let rest = self.body.get(start..)?;
        let end = if rest.first() == Some(&QUOTE) {
            closing(self.body, start + 1)? + 1
        } else {
            memchr(self.separator, rest).map_or(self.body.len(), |at| start + at)
        };
        if end < self.body.len() {
            self.next = Some(end + 1);
        }
        Some(start)
    }
}
