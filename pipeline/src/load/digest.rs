//! SHA-256 as text.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::fmt;

/// A SHA-256, in text 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// Reads 64 lower-case hexadecimal digits, and nothing else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Digest> {
        let mut digest = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != digest.len() || !rest.is_empty() {
            return None;
        }
        for (byte, pair) in digest.iter_mut().zip(pairs) {
            if pair.iter().any(u8::is_ascii_uppercase) {
                return None;
            }
            let value = |c: u8| char::from(c).to_digit(16);
            *byte = (value(pair[0])? << 4 | value(pair[1])?) as u8;
        }
        Some(Digest(digest))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Digest::parse(&text)
            .ok_or_else(|| D::Error::custom("a SHA-256 is 64 lower-case hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::Digest;

    #[test]
    fn only_its_own_text_is_read() {
        let digest = Digest(std::array::from_fn(|i| i as u8 * 8));
        let text = digest.to_string();
        assert!(text.starts_with("0008101820"), "{text}");
        assert_eq!(Digest::parse(&text), Some(digest));
        for wrong in [
            "",
            &text[1..],
            &format!("{text}0"),
            &text.to_uppercase(),
            &text.replace('0', "g"),
        ] {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }
}
