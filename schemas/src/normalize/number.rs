use super::{NormalizeError, Normalizer};
use crate::java_string::digit;
use bigdecimal::BigDecimal;

/// Numbers become text that sorts as they do: a sign, a letter for the power of ten, `E` and the mantissa (`1990` → `+dE1.99`).
///
/// Negative numbers have `!`, reversed letters and ten minus the mantissa. What Java's `BigDecimal` takes is a number; text that is encoded
/// already stays. DataWave's `NumericalEncoder` works so.
#[derive(Clone, Copy, Debug)]
pub struct Number;

/// Digits of a mantissa: one before the point, at most 57 after it.
const DIGITS: usize = 58;

impl Normalizer for Number {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        if is_encoded(text) {
            each(text);
            return Ok(());
        }
        let number = Decimal::parse(text).ok_or(NormalizeError::NotANumber)?;
        buffer.clear();
        number.encode(buffer)?;
        each(buffer);
        Ok(())
    }
}

/// Appends the encoded form of the number that `buffer` holds.
pub(super) fn encode_tail(buffer: &mut String) -> Result<(), NormalizeError> {
    Decimal::parse(buffer)
        .ok_or(NormalizeError::NotANumber)?
        .encode(buffer)
}

/// The value of an encoded number, if the text is one.
pub(super) fn decode(text: &str) -> Option<f64> {
    if !is_encoded(text) {
        return None;
    }
    let (letter, mantissa) = (*text.as_bytes().get(1)?, text.get(3..)?);
    let negative = text.starts_with('!');
    let power = match (letter, negative) {
        (b'a'..=b'z', false) => i32::from(letter - b'a'),
        (b'a'..=b'z', true) => -1 - i32::from(letter - b'a'),
        (_, false) => i32::from(letter) - i32::from(b'A') - 26,
        (_, true) => 25 + i32::from(b'A') - i32::from(letter),
    };
    // A power of ten inside the mantissa is no form that the encoder makes.
    if mantissa.contains(['e', 'E']) {
        return None;
    }
    let mut value: BigDecimal = mantissa.parse().ok()?;
    if negative {
        value -= BigDecimal::from(10);
    }
    format!("{}e{power}", value.to_plain_string()).parse().ok()
}

/// Whether text is an encoded number: `(\!|\+)[a-zA-Z][E|e][0-9].?[0-9]*` and a mantissa that is a number.
fn is_encoded(text: &str) -> bool {
    let &[sign, letter, mark, ref mantissa @ ..] = text.as_bytes() else {
        return false;
    };
    if !matches!(sign, b'!' | b'+') || !letter.is_ascii_alphabetic() {
        return false;
    }
    if !matches!(mark, b'E' | b'e' | b'|') || !mantissa.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    // One character of any kind may follow the first digit, then there are digits only.
    let rest = &text[4..];
    let tail = rest.chars().next().map_or("", |c| &rest[c.len_utf8()..]);
    tail.bytes().all(|byte| byte.is_ascii_digit()) && Decimal::parse(&text[3..]).is_some()
}

/// A decimal number in text: its sign, its first significant digits and their magnitude.
struct Decimal {
    negative: bool,
    /// Significant digits, the first of them not 0 unless the number is zero.
    digits: [u8; DIGITS],
    /// How many of `digits` there are; 0 for the number zero.
    len: usize,
    /// The power of ten of the first digit.
    exponent: i64,
    /// Where the digits that did not fit stand to half a unit of the last place.
    rest: Rest,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    Nothing,
    BelowHalf,
    Half,
    AboveHalf,
}

impl Rest {
    /// The rest after one more digit; `first` tells that it is the first of the rest.
    fn then(self, digit: u8, first: bool) -> Rest {
        match (first, digit) {
            (true, 0) => Rest::Nothing,
            (true, 5) => Rest::Half,
            (true, 1..=4) => Rest::BelowHalf,
            (true, _) => Rest::AboveHalf,
            (false, 0) => self,
            (false, _) => match self {
                Rest::Nothing => Rest::BelowHalf,
                Rest::Half => Rest::AboveHalf,
                other => other,
            },
        }
    }
}

impl Decimal {
    /// Reads what `new BigDecimal(text)` reads.
    fn parse(text: &str) -> Option<Decimal> {
        let mut number = Decimal {
            negative: text.starts_with('-'),
            digits: [0; DIGITS],
            len: 0,
            exponent: 0,
            rest: Rest::Nothing,
        };
        let body = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (mut seen, mut point, mut first_of_rest) = (false, false, true);
        // The power of ten of the next digit, if the digits read so far were the whole part.
        let (mut whole, mut fraction) = (0i64, 0i64);
        let mut power = 0;
        for (at, c) in body.char_indices() {
            if let Some(digit) = digit(c) {
                seen = true;
                fraction += i64::from(point);
                if number.len > 0 || digit > 0 {
                    // Digits before the point raise the magnitude of the first; digits after it do not.
                    if number.len == 0 {
                        number.exponent = if point { -fraction } else { 0 };
                    } else {
                        whole += i64::from(!point);
                    }
                    if number.len < DIGITS {
                        number.digits[number.len] = digit;
                        number.len += 1;
                    } else {
                        number.rest = number.rest.then(digit, first_of_rest);
                        first_of_rest = false;
                    }
                }
            } else if c == '.' && !point {
                point = true;
            } else if matches!(c, 'e' | 'E') && seen {
                power = exponent(&body[at + 1..])?;
                break;
            } else {
                return None;
            }
        }
        // A scale (digits after the point, less the exponent) that is no int is no BigDecimal, even of zero.
        i32::try_from(fraction - power).ok()?;
        number.exponent += whole + power;
        seen.then_some(number)
    }

    fn encode(mut self, out: &mut String) -> Result<(), NormalizeError> {
        if self.len == 0 {
            out.push_str("+AE0");
            return Ok(());
        }
        self.round();
        if !(-26..=25).contains(&self.exponent) {
            return Err(NormalizeError::NumberRange);
        }
        let letter = |base: u8, step: i64| char::from(base + step as u8);
        let positive = match self.exponent {
            below @ ..0 => letter(b'A', below + 26),
            above => letter(b'a', above),
        };
        let negative = match self.exponent {
            below @ ..0 => letter(b'a', -1 - below),
            above => letter(b'A', 25 - above),
        };
        out.push(if self.negative { '!' } else { '+' });
        out.push(if self.negative { negative } else { positive });
        out.push('E');
        if self.negative {
            self.complement();
        }
        self.write_digits(out);
        Ok(())
    }

    /// The digits as a mantissa: a point behind the first.
    fn write_digits(&self, out: &mut String) {
        for (index, digit) in self.digits[..self.len].iter().enumerate() {
            if index == 1 {
                out.push('.');
            }
            out.push(char::from(b'0' + digit));
        }
    }

    /// Rounds to the digits kept, half to even, and drops trailing zeros.
    fn round(&mut self) {
        let odd = self.digits[self.len - 1] % 2 == 1;
        if self.rest == Rest::AboveHalf || (self.rest == Rest::Half && odd) {
            let nines = self.digits[..self.len].iter().rev();
            let nines = nines.take_while(|&&digit| digit == 9).count();
            self.len -= nines;
            if self.len == 0 {
                self.digits[0] = 1;
                self.len = 1;
                self.exponent += 1;
            } else {
                self.digits[self.len - 1] += 1;
            }
        }
        while self.len > 1 && self.digits[self.len - 1] == 0 {
            self.len -= 1;
        }
    }

    /// Ten minus the mantissa.
    fn complement(&mut self) {
        let last = self.len - 1;
        for digit in &mut self.digits[..last] {
            *digit = 9 - *digit;
        }
        self.digits[last] = 10 - self.digits[last];
    }
}

/// The exponent of a `BigDecimal` text: an optional sign and up to ten digits, leading zeros not counted.
fn exponent(text: &str) -> Option<i64> {
    let negative = text.starts_with('-');
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() {
        return None;
    }
    let value = digits.chars().try_fold(0i64, |sum, c| {
        let sum = sum * 10 + i64::from(digit(c)?);
        (sum <= 9_999_999_999).then_some(sum)
    })?;
    let value = if negative { -value } else { value };
    i32::try_from(value).ok().map(i64::from)
}
