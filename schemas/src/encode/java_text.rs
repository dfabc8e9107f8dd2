//! Reads numbers and ids from text as the Java methods do that a client would use.
//!
//! Three liberties of Java are not taken, since they hide mistakes in data: digits outside ASCII, hexadecimal floating point
//! (`0x1p3`), and parts of a UUID that are longer than they should be.

use num_bigint::BigInt;

/// Digits of the longest integer that is read. Reading takes time in the square of the length, and a row this long is a mistake.
pub const MAX_BIG_INTEGER_DIGITS: usize = 10_000;

/// Text that is not what a type needs. The text itself and the field it stood in are named by whoever knows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not {wanted}: {hint}")]
pub struct BadText {
    /// A stable word for programs: `bad-long`.
    pub code: &'static str,
    /// What the text was read as, with its article: `a long`.
    pub wanted: &'static str,
    /// What such a text looks like.
    pub hint: &'static str,
}

impl BadText {
    /// A refusal that says what was wanted and what would have been right.
    #[must_use]
    pub const fn new(code: &'static str, wanted: &'static str, hint: &'static str) -> BadText {
        BadText { code, wanted, hint }
    }
}

fn integer<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    // Rust reads exactly what Java's parseLong family reads: an optional sign and decimal digits, no spaces.
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// `Long.parseLong`.
///
/// # Errors
/// When the text is no decimal integer of 64 bits.
pub fn parse_long(text: &[u8]) -> Result<i64, BadText> {
    integer(text).ok_or(BadText::new(
        "bad-long",
        "a long",
        "a decimal integer from -9223372036854775808 to 9223372036854775807 is needed",
    ))
}

/// `Long.parseUnsignedLong`.
///
/// # Errors
/// When the text is no unsigned decimal integer of 64 bits.
pub fn parse_ulong(text: &[u8]) -> Result<u64, BadText> {
    integer(text).ok_or(BadText::new(
        "bad-ulong",
        "a ulong",
        "a decimal integer from 0 to 18446744073709551615 is needed",
    ))
}

/// `Integer.parseInt`.
///
/// # Errors
/// When the text is no decimal integer of 32 bits.
pub fn parse_int(text: &[u8]) -> Result<i32, BadText> {
    integer(text).ok_or(BadText::new(
        "bad-int",
        "an int",
        "a decimal integer from -2147483648 to 2147483647 is needed",
    ))
}

/// `Integer.parseUnsignedInt`.
///
/// # Errors
/// When the text is no unsigned decimal integer of 32 bits.
pub fn parse_uint(text: &[u8]) -> Result<u32, BadText> {
    integer(text).ok_or(BadText::new(
        "bad-uint",
        "a uint",
        "a decimal integer from 0 to 4294967295 is needed",
    ))
}

/// `Double.parseDouble`: spaces around it, a suffix `d` or `f`, `NaN` and `Infinity` are all allowed.
///
/// # Errors
/// When the text is no decimal floating point number.
pub fn parse_double(text: &[u8]) -> Result<f64, BadText> {
    floating(text).ok_or(BadText::new("bad-double", "a double", FLOATING_HINT))
}

/// `Float.parseFloat`, as [`parse_double`]; rounded once, from the text.
///
/// # Errors
/// When the text is no decimal floating point number.
pub fn parse_float(text: &[u8]) -> Result<f32, BadText> {
    floating(text).ok_or(BadText::new("bad-float", "a float", FLOATING_HINT))
}

const FLOATING_HINT: &str = "a number such as -1.5, 2e10, NaN or Infinity is needed";

fn floating<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    let text = trim(text);
    let unsigned = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-"));
    match unsigned.unwrap_or(text) {
        // Java gives the one canonical NaN whatever its sign.
        b"NaN" => return "NaN".parse().ok(),
        b"Infinity" => return std::str::from_utf8(text).ok()?.parse().ok(),
        _ => {}
    }
    let number = match text.split_last() {
        Some((b'f' | b'F' | b'd' | b'D', number)) => number,
        _ => text,
    };
    // Words that Rust knows and Java does not (`inf`) are kept out.
    let numeric = |byte: &u8| byte.is_ascii_digit() || b".eE+-".contains(byte);
    if !number.iter().all(numeric) {
        return None;
    }
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// `String.trim`: drops everything up to a space at both ends.
fn trim(mut text: &[u8]) -> &[u8] {
    while let Some((0..=b' ', rest)) = text.split_first() {
        text = rest;
    }
    while let Some((0..=b' ', rest)) = text.split_last() {
        text = rest;
    }
    text
}

/// A point in time in milliseconds since the epoch. A decimal integer is the milliseconds themselves, as in `new Date(long)`; ISO 8601 /
/// RFC 3339 text is read too, as UTC where it names no offset and as midnight where it has no time of day.
///
/// # Errors
/// When the text is neither.
pub fn parse_date(text: &[u8]) -> Result<i64, BadText> {
    if let Some(millis) = integer(text) {
        return Ok(millis);
    }
    std::str::from_utf8(text)
        .ok()
        .and_then(iso_millis)
        .ok_or(BadText::new(
            "bad-date",
            "a date",
            "milliseconds since the epoch or a time such as 2014-05-13T16:53:20Z are needed",
        ))
}

fn iso_millis(text: &str) -> Option<i64> {
    let instant = match text.parse::<jiff::Timestamp>() {
        Ok(instant) => instant,
        Err(_) => {
            let civil = text.parse::<jiff::civil::DateTime>().ok()?;
            jiff::tz::Offset::UTC.to_timestamp(civil).ok()?
        }
    };
    // Rounded down, also before 1970, as `Instant.toEpochMilli` does.
    i64::try_from(instant.as_nanosecond().div_euclid(1_000_000)).ok()
}

/// `new BigInteger(text)`, as its shortest two's-complement bytes (`toByteArray`).
///
/// # Errors
/// When the text is no decimal integer or has more than [`MAX_BIG_INTEGER_DIGITS`] digits.
pub fn parse_big_integer(text: &[u8]) -> Result<Vec<u8>, BadText> {
    const CODE: &str = "bad-biginteger";
    const WANTED: &str = "a biginteger";
    let unsigned = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-"));
    let digits = unsigned.unwrap_or(text);
    if digits.len() > MAX_BIG_INTEGER_DIGITS {
        return Err(BadText::new(CODE, WANTED, "it has more than 10000 digits"));
    }
    if digits.iter().all(u8::is_ascii_digit)
        && let Some(number) = BigInt::parse_bytes(text, 10)
    {
        return Ok(number.to_signed_bytes_be());
    }
    Err(BadText::new(CODE, WANTED, "a decimal integer is needed"))
}

/// `UUID.fromString`: five groups of hexadecimal digits, in either case; like Java, groups may be shorter than 8-4-4-4-12.
///
/// # Errors
/// When the text is no UUID.
pub fn parse_uuid(text: &[u8]) -> Result<u128, BadText> {
    uuid(text).ok_or(BadText::new(
        "bad-uuid",
        "a uuid",
        "five groups of hexadecimal digits such as 00112233-4455-6677-8899-aabbccddeeff are needed",
    ))
}

fn uuid(text: &[u8]) -> Option<u128> {
    let mut groups = text.split(|&byte| byte == b'-');
    let mut value = 0_u128;
    for width in [8, 4, 4, 4, 12] {
        let group = groups.next()?;
        if group.is_empty() || group.len() > width || !group.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        let digits = std::str::from_utf8(group).ok()?;
        value = value << (4 * width) | u128::from_str_radix(digits, 16).ok()?;
    }
    groups.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_java_reads_them() {
        assert_eq!(parse_long(b"+7"), Ok(7));
        assert_eq!(parse_long(b"-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(parse_ulong(b"18446744073709551615"), Ok(u64::MAX));
        for bad in ["", " 7", "7 ", "0x7", "7L", "1_0", "9223372036854775808"] {
            assert!(parse_long(bad.as_bytes()).is_err(), "{bad:?}");
        }
        assert!(parse_ulong(b"-0").is_err());
        assert!(parse_int(b"2147483648").is_err());
        assert!(parse_uint(b"4294967296").is_err());
    }

    #[test]
    fn floating_point_is_read_as_java_reads_it() {
        for (text, expected) in [
            (" 1.5 ", 1.5),
            ("1.5f", 1.5),
            ("1e3D", 1000.0),
            ("-.5", -0.5),
            ("5.", 5.0),
            ("-Infinity", f64::NEG_INFINITY),
            ("1e999", f64::INFINITY),
        ] {
            assert_eq!(parse_double(text.as_bytes()), Ok(expected), "{text}");
        }
        assert_eq!(
            parse_double(b"-NaN").map(f64::to_bits),
            Ok(0x7ff8_0000_0000_0000)
        );
        assert_eq!(
            parse_double(b"-0.0").map(f64::to_bits),
            Ok((-0.0_f64).to_bits())
        );
        for bad in ["", ".", "inf", "nan", "Infinityf", "1e", "1,5", "0x1p3"] {
            assert!(parse_double(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn dates_are_milliseconds_or_iso_text() {
        for (text, millis) in [
            ("-1", -1),
            ("1420070400000", 1_420_070_400_000),
            ("2015-01-01", 1_420_070_400_000),
            ("2015-01-01T00:00:00", 1_420_070_400_000),
            ("2015-01-01T01:00:00.5+01:00", 1_420_070_400_500),
            ("1969-12-31T23:59:59.9999Z", -1),
        ] {
            assert_eq!(parse_date(text.as_bytes()), Ok(millis), "{text}");
        }
        for bad in ["", "31/31/1999", "2015-02-30", "yesterday"] {
            assert!(parse_date(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn big_integers_are_bounded_and_strict() {
        assert_eq!(parse_big_integer(b"+128"), Ok(vec![0x00, 0x80]));
        assert_eq!(parse_big_integer(b"-128"), Ok(vec![0x80]));
        for bad in ["", "-", "1_0", "+-1", "1.0", &"9".repeat(10_001)] {
            assert!(parse_big_integer(bad.as_bytes()).is_err());
        }
    }

    #[test]
    fn uuids_may_have_short_groups_and_no_long_ones() {
        assert_eq!(
            parse_uuid(b"1-2-3-4-A"),
            Ok(0x0000_0001_0002_0003_0004_0000_0000_000a)
        );
        for bad in [
            "",
            "1-2-3-4",
            "1-2-3-4-5-6",
            "123456789-2-3-4-5",
            "g-2-3-4-5",
        ] {
            assert!(parse_uuid(bad.as_bytes()).is_err(), "{bad:?}");
        }
    }
}
