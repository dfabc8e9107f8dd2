//! Text as Java sees it, where that differs from Rust: decimal digits of any script, `String.hashCode`.

/// The zeros of the decimal digits (category Nd) of the Basic Multilingual Plane, as JDK 17 (Unicode 13) knows them. Java's number parsers
/// look at UTF-16 units, so digits beyond that plane are none to them.
const ZEROS: [u16; 37] = [
    0x0030, 0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6,
    0x0D66, 0x0DE6, 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80,
    0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0,
    0xFF10,
];

/// The value 0–9 of a decimal digit, as `Character.digit(c, 10)` gives it for one UTF-16 unit.
#[must_use]
pub fn digit(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then_some(c as u8 & 0x0f);
    }
    let unit = u16::try_from(u32::from(c)).ok()?;
    let zero = ZEROS[..ZEROS.partition_point(|&zero| zero <= unit)].last()?;
    u8::try_from(unit - zero).ok().filter(|&value| value < 10)
}

/// `String.hashCode`: over UTF-16 units, wrapping.
#[must_use]
pub fn hash_code(text: &str) -> i32 {
    if text.is_ascii() {
        return text.bytes().fold(0, |hash: i32, byte| {
            hash.wrapping_mul(31).wrapping_add(i32::from(byte))
        });
    }
    text.encode_utf16().fold(0, |hash: i32, unit| {
        hash.wrapping_mul(31).wrapping_add(i32::from(unit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_of_every_script_but_no_lookalikes() {
        assert_eq!(digit('7'), Some(7));
        assert_eq!(digit('٣'), Some(3));
        assert_eq!(digit('９'), Some(9));
        for other in ['½', '²', 'x', '/', ':', '٪', '𝟗'] {
            assert_eq!(digit(other), None, "{other}");
        }
    }

    #[test]
    fn hash_of_units() {
        assert_eq!(hash_code(""), 0);
        assert_eq!(hash_code("abc"), 96354);
        assert_eq!(hash_code("é"), 0xe9);
        assert_eq!(hash_code("\u{1F600}"), 0xD83D * 31 + 0xDE00);
    }
}
