//! Parsing with a compiled pattern.

use super::calendar::Offset;
use super::calendar::{Fields, Stamped};
use super::number;
use super::pattern::{DatePattern, Part, Piece};
use super::zones;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

impl DatePattern {
    /// Parses a prefix of `text`: milliseconds since the epoch, and how many bytes were taken. Text without a zone is in GMT.
    #[must_use]
    pub fn parse_prefix(&self, text: &str) -> Option<(i64, usize)> {
        let mut cursor = Cursor {
            text,
            at: 0,
            fields: Fields::default(),
            stamp: 0,
            ambiguous: false,
        };
        for piece in &self.pieces {
            match *piece {
                Piece::Literal(expected) => {
                    let found = text[cursor.at..].chars().next()?;
                    if found != expected {
                        return None;
                    }
                    cursor.at += found.len_utf8();
                }
                Piece::Field { part, count, fixed } => {
                    cursor.field(part, count, fixed, self.century.1)?;
                }
            }
        }
        let mut instant = cursor.fields.instant();
        if cursor.ambiguous && instant < self.century.0 {
            cursor.fields.year = cursor.fields.year.map(|year| year + 100);
            instant = cursor.fields.instant();
        }
        Some((instant, cursor.at))
    }

    /// Parses `text` if the pattern takes all of it.
    #[must_use]
    pub fn parse_all(&self, text: &str) -> Option<i64> {
        self.parse_prefix(text)
            .filter(|&(_, taken)| taken == text.len())
            .map(|(instant, _)| instant)
    }
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    fields: Fields,
    stamp: u8,
    /// The two-digit year is the one in which the century begins.
    ambiguous: bool,
}

impl Cursor<'_> {
    fn field(&mut self, part: Part, count: usize, fixed: bool, century: i32) -> Option<()> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let blanks = bytes[start..]
            .iter()
            .take_while(|b| matches!(b, b' ' | b'\t'));
        let first = start + blanks.count();
        if first >= bytes.len() {
            return None;
        }
        self.stamp = self.stamp.saturating_add(1);
        match part {
            // Names are looked for where the field begins: no blanks before them.
            Part::Month if count > 2 => {
                let month = self.name(&MONTHS)?;
                self.fields.month = Some(month);
            }
            Part::Weekday => {
                self.name(&WEEKDAYS)?;
            }
            Part::AmPm => {
                let half = ["AM", "PM"]
                    .iter()
                    .position(|name| self.prefix(start, name))?;
                self.at = start + 2;
                self.fields.am_pm = self.stamped(half as i32);
            }
            Part::ZoneName => self.zone_name(start, first)?,
            Part::IsoZone => self.iso_zone(first, count)?,
            _ => {
                let end = if fixed {
                    skip_units(self.text, start, count)?
                } else {
                    bytes.len()
                };
                let (value, taken) = number::read(self.text.get(first..end)?)?;
                self.at = first + taken;
                self.set(part, value);
                if part == Part::Year && count <= 2 {
                    self.two_digit_year(&self.text[first..first + taken], value, century);
                }
            }
        }
        Some(())
    }

    fn stamped(&self, value: i32) -> Stamped {
        Stamped {
            value,
            stamp: self.stamp,
        }
    }

    fn set(&mut self, part: Part, value: i32) {
        let stamped = self.stamped(value);
        let fields = &mut self.fields;
        match part {
            Part::Year => fields.year = Some(value),
            Part::Month => fields.month = Some(value.wrapping_sub(1)),
            Part::Day => fields.day = stamped,
            Part::DayOfYear => fields.day_of_year = stamped,
            Part::HourOfDay0 => fields.hour_of_day = stamped,
            // Hours that count from 1 call midnight and noon by their highest number.
            Part::HourOfDay1 => {
                fields.hour_of_day = Stamped {
                    value: if value == 24 { 0 } else { value },
                    ..stamped
                }
            }
            Part::Hour0 => fields.hour = stamped,
            Part::Hour1 => {
                fields.hour = Stamped {
                    value: if value == 12 { 0 } else { value },
                    ..stamped
                }
            }
            Part::Minute => fields.minute = value,
            Part::Second => fields.second = value,
            Part::Milli => fields.milli = value,
            Part::Weekday | Part::AmPm | Part::ZoneName | Part::IsoZone => {}
        }
    }

    fn two_digit_year(&mut self, digits: &str, value: i32, century: i32) {
        let mut chars = digits.chars();
        let two = chars.next().and_then(crate::java_string::digit).is_some()
            && chars.next().and_then(crate::java_string::digit).is_some()
            && chars.next().is_none();
        if two {
            let pivot = century % 100;
            self.ambiguous = value == pivot;
            let next = if value < pivot { 100 } else { 0 };
            self.fields.year = Some(value + century / 100 * 100 + next);
        }
    }

    /// Whether `name` stands at `at`, ignoring case.
    fn prefix(&self, at: usize, name: &str) -> bool {
        let found = self.text.as_bytes().get(at..at + name.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// Takes one of `names`, in full or by its first three letters, and gives back its index.
    fn name(&mut self, names: &[&str]) -> Option<i32> {
        let index = names
            .iter()
            .position(|name| self.prefix(self.at, &name[..3]))?;
        let full = self.prefix(self.at, names[index]);
        self.at += if full { names[index].len() } else { 3 };
        Some(index as i32)
    }

    fn zone_name(&mut self, start: usize, first: usize) -> Option<()> {
        let byte = self.text.as_bytes()[first];
        if matches!(byte, b'+' | b'-') {
            return self.offset(first, 0, false);
        }
        // Java looks for "GMT" where the field begins and not after the blanks, so that " GMT+1" is only the name.
        if byte.eq_ignore_ascii_case(&b'g') && self.prefix(start, "GMT") {
            let after = start + 3;
            if matches!(self.text.as_bytes().get(after), Some(b'+' | b'-')) {
                return self.offset(after, 0, true);
            }
            self.fields.zone = Offset::Minutes(0);
            self.at = after;
            return Some(());
        }
        let zone = zones::at_start(&self.text.as_bytes()[first..])?;
        self.fields.zone = Offset::Named(zone);
        self.at = first + zone.len();
        Some(())
    }

    fn iso_zone(&mut self, first: usize, count: usize) -> Option<()> {
        match self.text.as_bytes()[first] {
            b'Z' => {
                self.fields.zone = Offset::Minutes(0);
                self.at = first + 1;
                Some(())
            }
            b'+' | b'-' => self.offset(first, count, count == 3),
            _ => None,
        }
    }

    /// Reads `+hh`, `+hhmm` or `+hh:mm`; `count` is 0 for zone names, else the number of letters `X`.
    fn offset(&mut self, at: usize, count: usize, colon: bool) -> Option<()> {
        let bytes = self.text.as_bytes();
        let number = |at: usize| {
            let byte = bytes.get(at).filter(|byte| byte.is_ascii_digit())?;
            Some(i32::from(byte & 0x0f))
        };
        let mut hours = number(at + 1)?;
        let mut next = at + 2;
        // The hour may have one digit only after "GMT", where a colon ends it.
        match number(next) {
            Some(low) => {
                hours = hours * 10 + low;
                next += 1;
            }
            None if count > 0 || !colon => return None,
            None => {}
        }
        let mut minutes = 0;
        if count != 1 {
            if colon {
                next += usize::from(*bytes.get(next)? == b':');
                if bytes[next - 1] != b':' {
                    return None;
                }
            }
            minutes = number(next)? * 10 + number(next + 1)?;
            next += 2;
        }
        if hours > 23 || minutes > 59 {
            return None;
        }
        let sign = if bytes[at] == b'-' { -1 } else { 1 };
        self.fields.zone = Offset::Minutes(sign * (hours * 60 + minutes));
        self.at = next;
        Some(())
    }
}

/// The byte offset `count` UTF-16 units after `start`, where the text is that long.
fn skip_units(text: &str, start: usize, count: usize) -> Option<usize> {
    let mut left = count;
    for (at, c) in text[start..].char_indices() {
        if left == 0 {
            return Some(start + at);
        }
        left = left.saturating_sub(c.len_utf16());
    }
    (left == 0).then_some(text.len())
}
