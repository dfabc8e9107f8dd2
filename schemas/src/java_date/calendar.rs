//! Days, civil dates and the resolution of calendar fields to an instant.

use super::zones::Zone;
use std::fmt::Write;

/// Milliseconds of a day.
pub const MILLIS_PER_DAY: i64 = 86_400_000;
/// 15 October 1582, the first day of the Gregorian calendar, in days since the epoch.
const CUTOVER: i64 = -141_427;
const CUTOVER_YEAR: i64 = 1582;

/// A date and time of the proleptic ISO calendar in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// Proleptic year; 0 is 1 BC.
    pub year: i64,
    /// Month, 1–12.
    pub month: u8,
    /// Day of the month, 1–31.
    pub day: u8,
    /// Millisecond of the day.
    pub millis: u32,
}

/// The UTC date and time of an instant in milliseconds since the epoch.
#[must_use]
pub fn civil(instant: i64) -> Civil {
    let days = instant.div_euclid(MILLIS_PER_DAY);
    // Howard Hinnant's algorithm on years that begin in March, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    Civil {
        year: year_of_era + era * 400 + i64::from(month <= 2),
        month: month as u8,
        day: (day_of_year - (153 * march_month + 2) / 5 + 1) as u8,
        millis: instant.rem_euclid(MILLIS_PER_DAY) as u32,
    }
}

/// Appends `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'`, in UTC.
pub fn write_iso(instant: i64, out: &mut String) {
    let at = civil(instant);
    let seconds = at.millis / 1000;
    write!(
        out,
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        at.year,
        at.month,
        at.day,
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60,
        at.millis % 1000
    )
    .expect("a String takes any text");
}

/// Appends `yyyyMMdd`, in UTC, as `java.time` has it: the year of its era, with a plus sign past 9999.
pub fn write_day(instant: i64, out: &mut String) {
    let at = civil(instant);
    let year = if at.year > 0 { at.year } else { 1 - at.year };
    let sign = if year > 9999 { "+" } else { "" };
    write!(out, "{sign}{year:04}{:02}{:02}", at.month, at.day).expect("a String takes any text");
}

/// Days since the epoch of the first of a month (1–12) of the Gregorian calendar.
fn gregorian_days(year: i64, month: i64) -> i64 {
    let (year, shifted) = march_year(year, month);
    365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + shifted
        - 719_468
}

/// Days since the epoch of the first of a month (1–12) of the Julian calendar.
fn julian_days(year: i64, month: i64) -> i64 {
    let (year, shifted) = march_year(year, month);
    365 * year + year.div_euclid(4) + shifted - 719_470
}

/// The year that begins in March, and the day of it on which the month begins.
fn march_year(year: i64, month: i64) -> (i64, i64) {
    if month > 2 {
        (year, (153 * (month - 3) + 2) / 5)
    } else {
        (year - 1, (153 * (month + 9) + 2) / 5)
    }
}

/// A field's value with the moment at which it was set; the later of two rival fields counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamped {
    pub(super) value: i32,
    /// 0: not set.
    pub(super) stamp: u8,
}

/// What a parse has found, not yet resolved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Fields {
    pub(super) year: Option<i32>,
    /// From 0; any value.
    pub(super) month: Option<i32>,
    pub(super) day: Stamped,
    pub(super) day_of_year: Stamped,
    pub(super) hour_of_day: Stamped,
    pub(super) hour: Stamped,
    pub(super) am_pm: Stamped,
    pub(super) minute: i32,
    pub(super) second: i32,
    pub(super) milli: i32,
    pub(super) zone: Offset,
}

/// How far clocks are from GMT.
#[derive(Clone, Copy, Debug)]
pub(super) enum Offset {
    Minutes(i32),
    Named(&'static Zone),
}

impl Default for Offset {
    fn default() -> Self {
        Offset::Minutes(0)
    }
}

impl Fields {
    /// The instant in milliseconds; as in Java, far beyond the calendar it wraps.
    pub(super) fn instant(&self) -> i64 {
        let time = ((self.hours() * 60 + i64::from(self.minute)) * 60 + i64::from(self.second))
            * 1000
            + i64::from(self.milli);
        let days = self.days(time.div_euclid(MILLIS_PER_DAY));
        let wall = days
            .wrapping_mul(MILLIS_PER_DAY)
            .wrapping_add(time.rem_euclid(MILLIS_PER_DAY));
        wall.wrapping_sub(match self.zone {
            Offset::Minutes(minutes) => i64::from(minutes) * 60_000,
            Offset::Named(zone) => zone.offset(wall),
        })
    }

    fn hours(&self) -> i64 {
        let half_day = self.hour.stamp > 0 && self.am_pm.stamp > 0;
        let half_day_stamp = if half_day {
            self.hour.stamp.max(self.am_pm.stamp)
        } else {
            0
        };
        if self.hour_of_day.stamp > 0 && self.hour_of_day.stamp >= half_day_stamp {
            return i64::from(self.hour_of_day.value);
        }
        i64::from(self.hour.value) + 12 * i64::from(self.am_pm.value)
    }

    /// Days since the epoch of the date, moved by `carry`, in the calendar that was in force.
    fn days(&self, carry: i64) -> i64 {
        let year = i64::from(self.year.unwrap_or(1970));
        let by_year = self.day_of_year.stamp > self.day.stamp;
        let (month, day) = if by_year {
            (0, i64::from(self.day_of_year.value))
        } else {
            let day = if self.day.stamp > 0 {
                i64::from(self.day.value)
            } else {
                1
            };
            (i64::from(self.month.unwrap_or(0)), day)
        };
        let rolled = year + month.div_euclid(12);
        let month = month.rem_euclid(12) + 1;
        let gregorian = gregorian_days(rolled, month) + day - 1 + carry;
        let julian = julian_days(rolled, month) + day - 1 + carry;
        let in_force = match year.cmp(&CUTOVER_YEAR) {
            std::cmp::Ordering::Greater => gregorian >= CUTOVER,
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => !by_year && gregorian >= CUTOVER,
        };
        if in_force { gregorian } else { julian }
    }
}
