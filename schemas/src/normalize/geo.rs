use super::degrees::{LATITUDES, LONGITUDES, parse};
use super::{NormalizeError, Normalizer};
use std::fmt::Write as _;

/// A point: latitude and longitude, shifted to be positive, as `000.00000`, with their characters interleaved so that near points have
/// long prefixes in common (`38.8977|-77.0365` → `112082..8996737500`). Text of that form already stays.
#[derive(Clone, Copy, Debug)]
pub struct Geo;

impl Normalizer for Geo {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        if is_interleaved(text) {
            each(text);
            return Ok(());
        }
        let (latitude, longitude) = split(text)
            .and_then(|(latitude, longitude)| Some((parse(latitude)?, parse(longitude)?)))
            .filter(|(latitude, longitude)| {
                LATITUDES.contains(latitude) && LONGITUDES.contains(longitude)
            })
            .ok_or(NormalizeError::NotAPoint)?;
        buffer.clear();
        // Writing to a String cannot fail. Both are nine characters long.
        let _ = write!(buffer, "{:09.5}{:09.5}", latitude + 90.0, longitude + 180.0);
        let half = buffer.len() / 2;
        for at in 0..half {
            for side in [at, half + at] {
                buffer.extend_from_within(side..=side);
            }
        }
        each(&buffer[2 * half..]);
        Ok(())
    }
}

/// `\d{6}\.\.\d+`
fn is_interleaved(text: &str) -> bool {
    text.split_once("..").is_some_and(|(whole, fraction)| {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        whole.len() == 6 && !fraction.is_empty() && digits(whole) && digits(fraction)
    })
}

/// Cuts at the first `|`, else at the character nearest to the middle that is no part of a coordinate; of two equally near the one
/// before. (The search ends where it would leave the text behind the middle.)
fn split(text: &str) -> Option<(&str, &str)> {
    if let Some(at) = text.find('|').filter(|&at| at > 0) {
        return Some((&text[..at], &text[at + 1..]));
    }
    // Java counts UTF-16 units; a character that is none of a coordinate and is more than one byte long can only be the cut itself or
    // makes the parts unreadable.
    let units: Vec<u16> = text.encode_utf16().collect();
    let middle = units.len() / 2;
    let nearest = (0..units.len())
        .map(|step| {
            let distance = step.div_ceil(2);
            if step % 2 == 0 {
                middle.wrapping_sub(distance)
            } else {
                middle + distance
            }
        })
        .take_while(|&at| at < units.len())
        .find(|&at| !is_coordinate(units[at]))
        .filter(|&at| at > 0)?;
    let mut before = 0;
    for (offset, c) in text.char_indices() {
        if before == nearest {
            return Some((&text[..offset], &text[offset + c.len_utf8()..]));
        }
        before += c.len_utf16();
    }
    None
}

fn is_coordinate(unit: u16) -> bool {
    u8::try_from(unit).is_ok_and(|byte| {
        byte.is_ascii_digit()
            || matches!(
                byte.to_ascii_lowercase(),
                b'.' | b'-' | b'+' | b'n' | b's' | b'e' | b'w'
            )
    })
}
