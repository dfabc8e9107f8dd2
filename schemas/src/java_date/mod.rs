//! Java's `SimpleDateFormat`, lenient, in the time zone GMT and the locale en-US: how DataWave reads dates.
//!
//! A [`DatePattern`] is compiled once; parsing does not allocate. It takes a prefix of the text and says how long that was. Out-of-range
//! fields roll over (month 13 is January of the next year), numbers may have signs, blanks before a field are skipped, and dates before
//! 15 October 1582 are of the Julian calendar. Source: the documented behaviour of `java.text.SimpleDateFormat` and
//! `java.util.GregorianCalendar`, checked against JDK 17.

mod calendar;
mod number;
mod parse;
mod pattern;
mod zones;

pub use calendar::{Civil, MILLIS_PER_DAY, civil, write_day, write_iso};
pub use pattern::{DatePattern, PatternError};

/// Cuts a fraction of a second to milliseconds: of the digits that end the text's last run of digits and follow a `.`, the first three
/// stay. Java would read `.123456` as 123,456 milliseconds; DataWave shortens the text before it parses.
///
/// Gives back `text` itself when there is nothing to cut; else the shortened text, made in `scratch`.
#[must_use]
pub fn trim_fraction<'a>(text: &'a str, scratch: &'a mut String) -> &'a str {
    let bytes = text.as_bytes();
    let Some(last) = bytes.iter().rposition(u8::is_ascii_digit) else {
        return text;
    };
    let first = bytes[..last]
        .iter()
        .rposition(|byte| !byte.is_ascii_digit())
        .map_or(0, |before| before + 1);
    if last + 1 - first <= 3 || first == 0 || bytes[first - 1] != b'.' {
        return text;
    }
    scratch.clear();
    scratch.push_str(&text[..first + 3]);
    scratch.push_str(&text[last + 1..]);
    scratch
}

#[cfg(test)]
mod tests;
