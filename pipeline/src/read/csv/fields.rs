//! The fields of a record whose boundary is known.

use std::ops::Range;

use memchr::{memchr, memchr_iter};
use shardmill_schemas::record::Record;

use super::boundary::{QUOTE, closing};

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
    /// Appends the fields of `text`, a record without its line end, and returns how many there are.
    pub(super) fn split(&mut self, text: &str, quoted: bool, record: &mut Record) -> usize {
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
