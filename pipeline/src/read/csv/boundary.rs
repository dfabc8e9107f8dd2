//! Where a record ends: the one function that reading and planning share, so that they never disagree.
//!
//! A record begins at the beginning of a line, and what it is depends on nothing before it. Without a quote before the line end it is that line;
//! only a quote takes the slow path. A quote that breaks the rules costs its first line alone, and reading goes on with the next.
//!
//! Reading lines again after such a reject does not make the work quadratic. A line that leaves a quote open has an odd number of quotes, so
//! it closes the quote that an earlier line left open: a search for a closing quote never runs past the next line that would start another search.
//! With the record limit that bounds the search where no such line follows, each byte is looked at twice at most.

use super::near::{near, near2};

pub(super) const QUOTE: u8 = b'"';

/// What begins at the front of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A record of so many bytes, line end included.
    Record {
        length: usize,
        /// Whether it has quotes at all.
        quoted: bool,
    },
    /// A quote inside an unquoted field, at this place.
    StrayQuote(usize),
    /// Something other than a separator or a line end behind a closing quote, at this place.
    QuoteJunk(usize),
    /// The bytes end before the record does, inside the quotes that open here.
    Open(usize),
    /// The bytes end before the record does.
    Short,
}

/// Finds the end of the record at the front of `bytes`. `whole` says that the input ends with them.
pub(super) fn find(bytes: &[u8], whole: bool, separator: u8) -> Found {
    let mut quoted = false;
    let mut from = 0;
    loop {
        // Here `bytes[from..]` is outside of quotes.
        let opening = match opening(bytes, from) {
            None => return ends_here(bytes, whole, quoted),
            Some(at) if bytes[at] == b'\n' => {
                let length = at + 1;
                return Found::Record { length, quoted };
            }
            Some(at) => at,
        };
        if opening > 0 && bytes[opening - 1] != separator {
            return Found::StrayQuote(opening);
        }
        quoted = true;
        let Some(closing) = closing(bytes, opening + 1) else {
            return Found::Open(opening);
        };
        let behind = closing + 1;
        match &bytes[behind..] {
            [] => return ends_here(bytes, whole, quoted),
            [b'\r'] if !whole => return Found::Short,
            [b'\n', ..] | [b'\r', b'\n', ..] => from = behind,
            [byte, ..] if *byte == separator => from = behind + 1,
            _ => return Found::QuoteJunk(behind),
        }
    }
}

/// The first quote or line end; where one field is in quotes, the next is often too.
#[inline]
fn opening(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = &bytes[from..];
    match rest.first() {
        Some(&QUOTE) => Some(from),
        _ => near2(QUOTE, b'\n', rest).map(|at| from + at),
    }
}

fn ends_here(bytes: &[u8], whole: bool, quoted: bool) -> Found {
    if whole {
        let length = bytes.len();
        Found::Record { length, quoted }
    } else {
        Found::Short
    }
}

/// The first quote from `from` on that is not doubled. The last byte may be one that the next byte would double; the caller, who then
/// finds nothing behind it, asks for more.
pub(super) fn closing(bytes: &[u8], mut from: usize) -> Option<usize> {
    loop {
        let at = from + near(QUOTE, bytes.get(from..)?)?;
        if bytes.get(at + 1) != Some(&QUOTE) {
            return Some(at);
        }
        from = at + 2;
    }
}

/// A place in a record, told from the bytes of the record before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Line ends before it.
    pub(super) lines: u64,
    /// The character in its line, from 1.
    pub(super) column: u32,
    /// The field, from 0.
    pub(super) field: usize,
}

/// The place right behind `before`, which begins a record and keeps the quoting rules.
pub(super) fn place(before: &[u8], separator: u8) -> Place {
    let line = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    // Bytes 10xxxxxx continue a character.
    let characters = before[line..].iter().filter(|byte| **byte & 0xc0 != 0x80);
    let mut quoted = false;
    let mut field = 0;
    for &byte in before {
        quoted ^= byte == QUOTE;
        field += usize::from(byte == separator && !quoted);
    }
    Place {
        lines: line_ends(before),
        column: u32::try_from(characters.count() + 1).unwrap_or(u32::MAX),
        field,
    }
}

pub(super) fn line_ends(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}

/// A record without its line end. A CR alone is data.
pub(super) fn without_line_end(record: &[u8]) -> &[u8] {
    let Some(line) = record.strip_suffix(b"\n") else {
        return record;
    };
    line.strip_suffix(b"\r").unwrap_or(line)
}
