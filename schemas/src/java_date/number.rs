//! Integers as Java's `NumberFormat.getIntegerInstance` reads them, without grouping.

use crate::java_string::digit;

/// Reads a number at the start of `text`: its value as an `int`, and how many bytes it takes.
///
/// A minus sign, digits of any script, an exponent (`2E3`), `NaN` and `∞` are numbers to Java's format. Values that do not fit are cut
/// as Java's `Number.intValue` cuts them.
pub(super) fn read(text: &str) -> Option<(i32, usize)> {
    if text.starts_with("NaN") {
        return Some((0, 3));
    }
    let negative = text.starts_with('-');
    let start = usize::from(negative);
    let sign = if negative { -1.0 } else { 1.0 };
    if text[start..].starts_with('∞') {
        return Some(((sign * f64::INFINITY) as i32, start + '∞'.len_utf8()));
    }
    let digits = scan(&text[start..])?;
    let mut end = start + digits.len;
    let mut power = 0;
    if text[end..].starts_with('E') {
        let below = text[end + 1..].starts_with('-');
        let from = end + 1 + usize::from(below);
        if let Some(exponent) = scan(&text[from..]) {
            let size = exponent
                .exact
                .and_then(|size| i32::try_from(size).ok())
                .unwrap_or(i32::MAX);
            power = if below { -size } else { size };
            end = from + exponent.len;
        }
    }
    let exact = digits.exact.and_then(|value| match power {
        0 => Some(value),
        1..=18 => value.checked_mul(10i64.pow(power.unsigned_abs())),
        _ => None,
    });
    let value = match exact {
        Some(value) if negative => value.wrapping_neg() as i32,
        Some(value) => value as i32,
        None => (sign * digits.rough * 10f64.powi(power)) as i32,
    };
    Some((value, end))
}

struct Digits {
    /// Bytes that the digits take.
    len: usize,
    /// Their value where it fits.
    exact: Option<i64>,
    rough: f64,
}

/// Reads a run of digits, at least one.
fn scan(text: &str) -> Option<Digits> {
    let mut digits = Digits {
        len: 0,
        exact: Some(0),
        rough: 0.0,
    };
    for c in text.chars() {
        let Some(value) = digit(c) else { break };
        digits.len += c.len_utf8();
        digits.exact = digits
            .exact
            .and_then(|sum| sum.checked_mul(10)?.checked_add(i64::from(value)));
        digits.rough = digits.rough * 10.0 + f64::from(value);
    }
    (digits.len > 0).then_some(digits)
}
