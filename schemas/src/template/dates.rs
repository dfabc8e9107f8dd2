//! `format_date`: dates in UTC by a pattern of `SimpleDateFormat`'s letters.

use crate::encode::java_text::BadText;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Milli,
    WeekYear,
    Week,
    Other(char),
}

const LETTERS: [(&str, Piece); 9] = [
    ("yyyy", Piece::Year),
    ("MM", Piece::Month),
    ("dd", Piece::Day),
    ("HH", Piece::Hour),
    ("mm", Piece::Minute),
    ("SSS", Piece::Milli),
    ("ss", Piece::Second),
    ("YYYY", Piece::WeekYear),
    ("ww", Piece::Week),
];

/// A date pattern, ready to be used: `yyyyMMdd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DateFormat(Vec<Piece>);

impl DateFormat {
    /// Reads a pattern of `yyyy MM dd HH mm ss SSS`, `YYYY` (ISO week-based year), `ww` (ISO week) and characters that are no letters.
    ///
    /// # Errors
    /// What is wrong: another letter, or another number of them.
    pub fn new(pattern: &str) -> Result<DateFormat, String> {
        let mut pieces = Vec::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            if let Some((letters, piece)) = LETTERS.iter().find(|it| rest.starts_with(it.0)) {
                pieces.push(*piece);
                rest = &rest[letters.len()..];
            } else if first.is_ascii_alphabetic() {
                return Err(format!(
                    "`{rest}` starts with none of yyyy MM dd HH mm ss SSS YYYY ww"
                ));
            } else {
                pieces.push(Piece::Other(first));
                rest = &rest[first.len_utf8()..];
            }
        }
        Ok(DateFormat(pieces))
    }

    /// Appends a date, given in milliseconds since the epoch.
    ///
    /// # Errors
    /// A date outside the years 1 to 9999.
    pub fn write(&self, millis: i64, out: &mut Vec<u8>) -> Result<(), BadText> {
        let outside = BadText::new(
            "bad-date",
            "a date that can be written",
            "only the years 1 to 9999 are known",
        );
        let instant = jiff::Timestamp::from_millisecond(millis).map_err(|_| outside)?;
        let date = jiff::tz::Offset::UTC.to_datetime(instant);
        let week = date.date().iso_week_date();
        if date.year() < 1 || week.year() < 1 {
            return Err(outside);
        }
        for piece in &self.0 {
            let (value, width) = match *piece {
                Piece::Year => (date.year(), 4),
                Piece::Month => (i16::from(date.month()), 2),
                Piece::Day => (i16::from(date.day()), 2),
                Piece::Hour => (i16::from(date.hour()), 2),
                Piece::Minute => (i16::from(date.minute()), 2),
                Piece::Second => (i16::from(date.second()), 2),
                Piece::Milli => (date.millisecond(), 3),
                Piece::WeekYear => (week.year(), 4),
                Piece::Week => (i16::from(week.week()), 2),
                Piece::Other(other) => {
                    let mut buffer = [0; 4];
                    out.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes());
                    continue;
                }
            };
            write_padded(u64::from(value.unsigned_abs()), width, out);
        }
        Ok(())
    }
}

/// Appends decimal digits, with leading zeros up to `width`.
pub(super) fn write_padded(value: u64, width: u32, out: &mut Vec<u8>) {
    let digits = value.checked_ilog10().map_or(1, |log| log + 1).max(width);
    for place in (0..digits).rev() {
        // Beyond the first 20 places there are only zeros.
        let digit = 10_u64
            .checked_pow(place)
            .map_or(0, |power| value / power % 10);
        out.push(b'0' + digit as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(pattern: &str, millis: i64) -> String {
        let mut out = Vec::new();
        DateFormat::new(pattern)
            .unwrap()
            .write(millis, &mut out)
            .unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn patterns_are_written_in_utc() {
        assert_eq!(format("yyyyMM", 1_293_804_584_509), "201012");
        assert_eq!(
            format("yyyy-MM-dd'T'HH:mm:ss.SSS".replace("'T'", "_").as_str(), -1),
            "1969-12-31_23:59:59.999"
        );
        // 1 January 2011 was a Saturday, so it belongs to the last week of 2010.
        assert_eq!(format("YYYYww", 1_293_840_000_000), "201052");
    }

    #[test]
    fn other_letters_and_years_are_errors() {
        for pattern in ["yy", "MMM", "Tyyyy", "yyyyM"] {
            assert!(DateFormat::new(pattern).is_err(), "{pattern}");
        }
        let format = DateFormat::new("yyyy").unwrap();
        for millis in [i64::MIN, i64::MAX, -70_000_000_000_000] {
            assert!(format.write(millis, &mut Vec::new()).is_err(), "{millis}");
        }
    }

    #[test]
    fn digits_are_padded() {
        let mut out = Vec::new();
        write_padded(0, 2, &mut out);
        write_padded(u64::MAX, 2, &mut out);
        write_padded(7, 22, &mut out);
        assert_eq!(out, b"00184467440737095516150000000000000000000007");
    }
}
