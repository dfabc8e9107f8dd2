//! Degrees of latitude and longitude in the forms that DataWave's Geo types take.

use super::number;
use crate::java_number::parse_double;

/// Degrees of north latitude: -90 to 90.
pub(super) const LATITUDES: std::ops::RangeInclusive<f64> = -90.0..=90.0;

/// Degrees of east longitude: -180 to 180.
pub(super) const LONGITUDES: std::ops::RangeInclusive<f64> = -180.0..=180.0;

/// The degrees that a text names: a number, an encoded number, or degrees, minutes and seconds before one of N, S, E and W.
pub(super) fn parse(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c| c <= ' ');
    if let Some(value) = number::decode(text) {
        return Some(value);
    }
    let value = match text.bytes().last()?.to_ascii_lowercase() {
        b'n' | b'e' => sexagesimal(&text[..text.len() - 1])?,
        // Subtracting keeps zero positive.
        b's' | b'w' => 0.0 - sexagesimal(&text[..text.len() - 1])?,
        _ => parse_double(text)?,
    };
    Some(value)
}

/// `D:M:S`, or digits of which the last two before the point are seconds if there are more than five, minutes if more than three.
fn sexagesimal(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c| c <= ' ');
    // Offsets below count characters.
    if !text.is_ascii() {
        return None;
    }
    let (degrees, minutes, seconds) = if text.contains(':') {
        let mut parts = text.split(':');
        let parts = [(); 4].map(|()| parts.next());
        match parts {
            [Some(degrees), minutes, seconds, None] => {
                (degrees, minutes.unwrap_or("0"), seconds.unwrap_or("0"))
            }
            _ => return None,
        }
    } else {
        match text.find('.').unwrap_or(text.len()) {
            point @ 6.. => (
                &text[..point - 4],
                &text[point - 4..point - 2],
                &text[point - 2..],
            ),
            point @ 4..=5 => (&text[..point - 2], &text[point - 2..], "0"),
            _ => (text, "0", "0"),
        }
    };
    Some(parse_double(degrees)? + parse_double(minutes)? / 60.0 + parse_double(seconds)? / 3600.0)
}
