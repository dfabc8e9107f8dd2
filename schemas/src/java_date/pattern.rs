//! Compilation of a date pattern.

use super::calendar::{MILLIS_PER_DAY, civil};

/// A pattern that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A letter that is no part of the pattern language, or one that this reader does not take.
    #[error(
        "pattern letter {0:?} is not supported (those that are: y M L d D E a H k K h m s S z Z X; quote literal text with ')"
    )]
    Letter(char),
    /// More letters in a row than the field allows.
    #[error("{0:?} may stand at most three times")]
    Count(char),
    /// A quotation mark without its partner.
    #[error("a quote (') is not closed")]
    Quote,
    /// `E` without a day: Java would search the month for the weekday.
    #[error("a day of the week (E) needs a day of the month (d) or of the year (D)")]
    Weekday,
}

/// What a pattern letter stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Year,
    Month,
    Day,
    DayOfYear,
    Weekday,
    AmPm,
    HourOfDay0,
    HourOfDay1,
    Hour0,
    Hour1,
    Minute,
    Second,
    Milli,
    ZoneName,
    IsoZone,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Piece {
    Literal(char),
    Field {
        part: Part,
        count: usize,
        /// The number ends after `count` characters, since another number follows without anything between.
        fixed: bool,
    },
}

/// A compiled pattern.
#[derive(Clone, Debug)]
pub struct DatePattern {
    pub(super) pieces: Vec<Piece>,
    /// Two-digit years are of the hundred years that begin at this instant, in this year.
    pub(super) century: (i64, i32),
    fraction: bool,
}

impl DatePattern {
    /// Compiles `pattern`, in the language of `SimpleDateFormat`. `now` (milliseconds) settles two-digit years: they lie between 80 years
    /// before and 20 years after it.
    ///
    /// # Errors
    /// Unknown or unsupported letters, too many of one letter, an open quote.
    pub fn compile(pattern: &str, now: i64) -> Result<Self, PatternError> {
        let mut pieces = split(pattern)?;
        for index in 0..pieces.len() {
            let follows = pieces.get(index + 1).is_some_and(is_numeric);
            if let Piece::Field { fixed, .. } = &mut pieces[index] {
                *fixed = follows;
            }
        }
        let has = |wanted: &[Part]| {
            pieces
                .iter()
                .any(|piece| matches!(piece, Piece::Field { part, .. } if wanted.contains(part)))
        };
        if has(&[Part::Weekday]) && !has(&[Part::Day, Part::DayOfYear]) {
            return Err(PatternError::Weekday);
        }
        Ok(DatePattern {
            century: century(now),
            fraction: has(&[Part::Milli]),
            pieces,
        })
    }

    /// Whether it reads fractions of a second, so that longer fractions must be cut before ([`trim_fraction`](super::trim_fraction)).
    #[must_use]
    pub fn has_fraction(&self) -> bool {
        self.fraction
    }
}

/// Eighty years before `now`, to the day, and the year of that.
fn century(now: i64) -> (i64, i32) {
    let today = civil(now);
    let fields = super::calendar::Fields {
        year: i32::try_from(today.year - 80).ok(),
        month: Some(i32::from(today.month) - 1),
        day: super::calendar::Stamped {
            value: i32::from(today.day),
            stamp: 1,
        },
        ..Default::default()
    };
    let start = fields
        .instant()
        .wrapping_add(now.rem_euclid(MILLIS_PER_DAY));
    (start, fields.year.unwrap_or(1970))
}

fn split(pattern: &str) -> Result<Vec<Piece>, PatternError> {
    let mut pieces = Vec::new();
    let mut chars = pattern.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        if c == '\'' {
            // Two in a row are one quotation mark, inside quoted text and outside.
            if chars.next_if_eq(&'\'').is_some() {
                pieces.push(Piece::Literal('\''));
            } else {
                quoted = !quoted;
            }
        } else if quoted || !c.is_ascii_alphabetic() {
            pieces.push(Piece::Literal(c));
        } else {
            let mut count = 1;
            while chars.next_if_eq(&c).is_some() {
                count += 1;
            }
            let part = part(c).ok_or(PatternError::Letter(c))?;
            if part == Part::IsoZone && count > 3 {
                return Err(PatternError::Count(c));
            }
            pieces.push(Piece::Field {
                part,
                count,
                fixed: false,
            });
        }
    }
    if quoted {
        return Err(PatternError::Quote);
    }
    Ok(pieces)
}

fn part(letter: char) -> Option<Part> {
    Some(match letter {
        'y' => Part::Year,
        'M' | 'L' => Part::Month,
        'd' => Part::Day,
        'D' => Part::DayOfYear,
        'E' => Part::Weekday,
        'a' => Part::AmPm,
        'H' => Part::HourOfDay0,
        'k' => Part::HourOfDay1,
        'K' => Part::Hour0,
        'h' => Part::Hour1,
        'm' => Part::Minute,
        's' => Part::Second,
        'S' => Part::Milli,
        'z' | 'Z' => Part::ZoneName,
        'X' => Part::IsoZone,
        _ => return None,
    })
}

fn is_numeric(piece: &Piece) -> bool {
    match *piece {
        Piece::Literal(_) => false,
        Piece::Field { part, count, .. } => match part {
            Part::Month => count <= 2,
            Part::Weekday | Part::AmPm | Part::ZoneName | Part::IsoZone => false,
            _ => true,
        },
    }
}
