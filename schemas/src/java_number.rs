//! Numbers as Java reads them: `Integer.parseInt`, `Integer.decode`, `Long.parseLong`, `Double.parseDouble`.
//!
//! Writing needs nothing here: `Double.toString` gives the shortest digits that read back as the same number, as Rust's formatting does
//! (JDKs before 19 give a digit too many now and then for very large and very small numbers), and Java's `NumberFormat` rounds the exact binary value half to even, as
//! Rust's precision does.

use crate::java_string::digit;

/// `Long.parseLong(text, radix)`: an optional sign, then digits of any script; letters count from ten, full-width ones too.
#[must_use]
pub fn parse_long(text: &str, radix: u8) -> Option<i64> {
    let negative = text.starts_with('-');
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() {
        return None;
    }
    // Counting downwards makes room for the smallest number.
    let number = digits.chars().try_fold(0i64, |number, c| {
        let digit = digit_in(c, radix)?;
        number.checked_mul(i64::from(radix))?.checked_sub(digit)
    })?;
    if negative {
        Some(number)
    } else {
        number.checked_neg()
    }
}

/// `Integer.parseInt(text, radix)`.
#[must_use]
pub fn parse_int(text: &str, radix: u8) -> Option<i32> {
    parse_long(text, radix)?.try_into().ok()
}

/// `Long.decode(text)`: after an optional sign, `0x`, `0X` or `#` announces base 16, a zero with more behind it base 8.
#[must_use]
pub fn decode_long(text: &str) -> Option<i64> {
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let prefixes = [("0x", 16), ("0X", 16), ("#", 16), ("0", 8)];
    let (digits, radix) = prefixes
        .iter()
        .find_map(|&(prefix, radix)| {
            let digits = body.strip_prefix(prefix)?;
            // A lone zero is a decimal number.
            (radix == 16 || !digits.is_empty()).then_some((digits, radix))
        })
        .unwrap_or((body, 10));
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let number = parse_long(digits, radix)?;
    Some(if text.starts_with('-') {
        -number
    } else {
        number
    })
}

/// `Double.parseDouble(text)` of decimal numbers: blanks and control characters around it are dropped, and one of `fFdD` may end it.
///
/// Java's hexadecimal form (`0x1p3`) is not taken.
#[must_use]
pub fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c| c <= ' ');
    let body = text.strip_prefix(['+', '-']).unwrap_or(text);
    let sign = if text.starts_with('-') { -1.0 } else { 1.0 };
    match body {
        "NaN" => return Some(f64::NAN),
        "Infinity" => return Some(sign * f64::INFINITY),
        _ => {}
    }
    let body = body.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(body);
    // Rust reads the same grammar, and besides it words such as `inf`.
    let decimal =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
    if body.starts_with(['+', '-']) || !body.bytes().all(decimal) {
        return None;
    }
    body.parse::<f64>().ok().map(|value| sign * value)
}

fn digit_in(c: char, radix: u8) -> Option<i64> {
    let value = digit(c).or_else(|| {
        let letter = match c {
            'a'..='z' | 'A'..='Z' => u32::from(c.to_ascii_lowercase()) - u32::from('a'),
            'ａ'..='ｚ' => u32::from(c) - u32::from('ａ'),
            'Ａ'..='Ｚ' => u32::from(c) - u32::from('Ａ'),
            _ => return None,
        };
        u8::try_from(letter + 10).ok()
    })?;
    (value < radix).then(|| i64::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longs_and_ints() {
        assert_eq!(parse_long("-9223372036854775808", 10), Some(i64::MIN));
        assert_eq!(parse_long("9223372036854775808", 10), None);
        assert_eq!(parse_long("+fＦ", 16), Some(255));
        assert_eq!(parse_int("2147483648", 10), None);
        assert_eq!(parse_int("٣", 10), Some(3));
        for text in ["", "+", "-", "--1", "1 ", "8"] {
            assert_eq!(parse_long(text, 8), None, "{text}");
        }
    }

    #[test]
    fn decoding_sees_the_prefix() {
        for (text, value) in [
            ("0", 0),
            ("010", 8),
            ("0x1F", 31),
            ("#a", 10),
            ("-0X1", -1),
            ("12", 12),
        ] {
            assert_eq!(decode_long(text), Some(value), "{text}");
        }
        for text in ["", "0x", "08", "0x-1", "a"] {
            assert_eq!(decode_long(text), None, "{text}");
        }
    }

    #[test]
    fn doubles() {
        for (text, value) in [
            (" 1.5\t", 1.5),
            (".5", 0.5),
            ("5.", 5.0),
            ("-1e2d", -100.0),
            ("+3F", 3.0),
        ] {
            assert_eq!(parse_double(text), Some(value), "{text}");
        }
        assert!(parse_double("NaN").is_some_and(f64::is_nan));
        assert_eq!(parse_double("-Infinity"), Some(f64::NEG_INFINITY));
        for text in [
            "", "inf", "nan", "infinity", "1e", ".", "1_0", "++1", "1ff", "٣",
        ] {
            assert_eq!(parse_double(text), None, "{text}");
        }
    }
}
