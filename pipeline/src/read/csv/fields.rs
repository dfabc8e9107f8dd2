//! The fields of a record whose boundary is known.

use std::ops::Range;

use memchr::{memchr, memchr_iter};
use shardmill_schemas::record::Record;

use super::boundary::{Place, QUOTE, closing, place, without_line_end};

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
        let surplus = Fields::new(body, self.separator).nth(wanted);
        let at = surplus.map_or(body.len(), |field| field.start);
        let message = format!("{count} fields where the header has {wanted}");
        Flaw {
            column: Some(count),
            ..Flaw::new("field-count", at, message)
        }
    }

    /// Appends the fields of `text`, a record without its line end, and returns how many there are.
    fn split(&mut self, text: &str, quoted: bool, record: &mut Record) -> usize {
        if quoted {
            return self.split_quoted(text, record);
        }
        let mut count = 0;
        let mut from = 0;
        for at in memchr_iter(self.separator, text.as_bytes()) {
            self.push(count, &text[from..at], record);
            count += 1;
            from = at + 1;
        }
        self.push(count, &text[from..], record);
        count + 1
    }

    fn push(&self, column: usize, value: &str, record: &mut Record) {
        if column < self.room {
            let value = (self.null.as_deref() != Some(value)).then_some(value);
            record.push(column, value);
        }
    }

    fn split_quoted(&mut self, text: &str, record: &mut Record) -> usize {
        let mut count = 0;
        for field in Fields::new(text.as_bytes(), self.separator) {
            let value = &text[field.text];
            if !field.quoted {
                self.push(count, value, record);
            } else if count < self.room {
                record.push(count, Some(self.unescape(value)));
            }
            count += 1;
        }
        count
    }

    /// The inside of quotes, in which each quote is doubled.
    fn unescape<'a>(&'a mut self, inside: &'a str) -> &'a str {
        let mut rest = inside;
        let Some(mut at) = memchr(QUOTE, rest.as_bytes()) else {
            return inside;
        };
        self.scratch.clear();
        loop {
            self.scratch.push_str(&rest[..=at]);
            rest = &rest[at + 2..];
            match memchr(QUOTE, rest.as_bytes()) {
                Some(next) => at = next,
                None => break,
            }
        }
        self.scratch.push_str(rest);
        &self.scratch
    }
}

/// A field as it stands in a record.
pub(super) struct Spot {
    /// Where it begins, its quote included.
    pub(super) start: usize,
    /// Its text, without the quotes around it.
    pub(super) text: Range<usize>,
    pub(super) quoted: bool,
}

/// Walks the fields of a record that keeps the quoting rules, without its line end.
pub(super) struct Fields<'a> {
    body: &'a [u8],
    separator: u8,
    next: Option<usize>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(body: &'a [u8], separator: u8) -> Self {
        Fields {
            body,
            separator,
            next: Some(0),
        }
    }
}

impl Iterator for Fields<'_> {
    type Item = Spot;

    fn next(&mut self) -> Option<Spot> {
        let start = self.next.take()?;
        let rest = self.body.get(start..)?;
        let quoted = rest.first() == Some(&QUOTE);
        let (text, end) = if quoted {
            let closing = closing(self.body, start + 1)?;
            (start + 1..closing, closing + 1)
        } else {
            let end = memchr(self.separator, rest).map_or(self.body.len(), |at| start + at);
            (start..end, end)
        };
        if end < self.body.len() {
            self.next = Some(end + 1);
        }
        Some(Spot {
            start,
            text,
            quoted,
        })
    }
}
