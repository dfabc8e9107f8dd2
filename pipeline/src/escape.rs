//! Bytes as one line of printable text: a backslash is `\\`, every byte outside 0x20–0x7e is `\xNN`, everything else is itself.
//!
//! Keys and values are arbitrary bytes; this is how they stand in a manifest, a message and a TSV line.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use shardmill_schemas::key::Key;
use std::fmt;

/// The text of `bytes`.
#[must_use]
pub fn escape(bytes: &[u8]) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            0x20..=0x7e => text.push(char::from(byte)),
            _ => {
                text.push_str("\\x");
                text.push(char::from(HEX[usize::from(byte >> 4)]));
                text.push(char::from(HEX[usize::from(byte & 15)]));
            }
        }
    }
    text
}

/// A key as messages and lists show it: row, `family:qualifier`, `[visibility]`, timestamp, each field escaped.
#[must_use]
pub fn key_text(key: &Key<'_>) -> String {
    let [row, family, qualifier, visibility] =
        [key.row, key.family, key.qualifier, key.visibility].map(escape);
    let deleted = if key.deleted { " deleted" } else { "" };
    format!(
        "{row} {family}:{qualifier} [{visibility}] {}{deleted}",
        key.timestamp
    )
}

/// Text that [`escape`] does not produce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at} of the escaped text: {what}")]
pub struct EscapeError {
    /// Byte position in the text.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

/// The bytes of an escaped text. Hexadecimal digits of either case are taken.
///
/// # Errors
/// An escape that is neither `\\` nor `\xNN`, or a byte that would have to be escaped.
pub fn unescape(text: &str) -> Result<Vec<u8>, EscapeError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let fail = |what| EscapeError {
            at: text.len() - rest.len(),
            what,
        };
        rest = match (first, tail) {
            (b'\\', [b'\\', after @ ..]) => {
                bytes.push(b'\\');
                after
            }
            (b'\\', [b'x', high, low, after @ ..]) => {
                let (Some(high), Some(low)) = (digit(*high), digit(*low)) else {
                    return Err(fail("\\x needs two hexadecimal digits"));
                };
                bytes.push(high << 4 | low);
                after
            }
            (b'\\', _) => return Err(fail("a backslash starts \\\\ or \\xNN")),
            (0x20..=0x7e, after) => {
                bytes.push(*first);
                after
            }
            _ => return Err(fail("this byte must be written as \\xNN")),
        };
    }
    Ok(bytes)
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|value| value as u8)
}

/// Bytes that serialise as escaped text.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Escaped(pub Vec<u8>);

impl fmt::Debug for Escaped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl fmt::Display for Escaped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.0))
    }
}

impl Serialize for Escaped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&escape(&self.0))
    }
}

impl<'de> Deserialize<'de> for Escaped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        unescape(&text).map(Escaped).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_round_trips() {
        let all: Vec<u8> = (0..=255).collect();
        let text = escape(&all);
        assert!(text.bytes().all(|byte| (0x20..=0x7e).contains(&byte)));
        assert_eq!(unescape(&text).unwrap(), all);
        assert_eq!(escape(b"a\\\t\x00\xff~"), r"a\\\x09\x00\xff~");
    }

    #[test]
    fn wrong_text_names_the_place() {
        for (text, at) in [
            ("ab\\", 2),
            ("\\n", 0),
            ("a\\x4", 1),
            ("\\x4g", 0),
            ("\t", 0),
            ("aé", 1),
        ] {
            assert_eq!(unescape(text).unwrap_err().at, at, "{text:?}");
        }
    }
}
