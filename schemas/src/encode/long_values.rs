//! The values of Accumulo's long combiners (`org.apache.accumulo.core.iterators.LongCombiner`, option `type`).

use super::java_text::{self, BadText};
use super::vlong::{read_vlong, write_vlong};

/// How a combiner keeps a 64-bit number in a value. The iterator on the cluster must be told the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LongEncoding {
    /// `STRING`: decimal text, a `-` before negative numbers.
    Text,
    /// `VARLEN`: Hadoop's variable-length integer, 1 to 9 bytes.
    VarLen,
    /// `FIXEDLEN`: 8 bytes, big-endian.
    FixedLen,
}

impl LongEncoding {
    /// All encodings, for messages and tests.
    pub const ALL: [LongEncoding; 3] = [
        LongEncoding::Text,
        LongEncoding::VarLen,
        LongEncoding::FixedLen,
    ];

    /// The name that the iterator's option `type` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LongEncoding::Text => "STRING",
            LongEncoding::VarLen => "VARLEN",
            LongEncoding::FixedLen => "FIXEDLEN",
        }
    }

    /// The encoding of a name, in any case; `None` if there is no such encoding.
    #[must_use]
    pub fn from_name(name: &str) -> Option<LongEncoding> {
        LongEncoding::ALL
            .into_iter()
            .find(|encoding| encoding.name().eq_ignore_ascii_case(name))
    }

    /// Appends the value.
    pub fn encode(self, value: i64, out: &mut Vec<u8>) {
        match self {
            LongEncoding::Text => write_decimal(value, out),
            LongEncoding::VarLen => write_vlong(value, out),
            LongEncoding::FixedLen => out.extend_from_slice(&value.to_be_bytes()),
        }
    }

    /// Reads a whole value. Bytes behind the number are an error here, though Java overlooks them in `VARLEN` and `FIXEDLEN`: they
    /// mean that the value was written in another encoding.
    ///
    /// # Errors
    /// When the bytes are no number of this encoding.
    pub fn decode(self, bytes: &[u8]) -> Result<i64, BadText> {
        match self {
            LongEncoding::Text => java_text::parse_long(bytes),
            LongEncoding::VarLen => match read_vlong(bytes) {
                Some((value, length)) if length == bytes.len() => Ok(value),
                _ => Err(BadText::new(
                    "bad-varlen",
                    "a VARLEN number",
                    "1 to 9 bytes are needed",
                )),
            },
            LongEncoding::FixedLen => bytes.try_into().map(i64::from_be_bytes).map_err(|_| {
                BadText::new("bad-fixedlen", "a FIXEDLEN number", "8 bytes are needed")
            }),
        }
    }
}

/// Appends a number as decimal text, without going through a `String`.
pub fn write_decimal(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    let mut digits = [0_u8; 20];
    let mut rest = value.unsigned_abs();
    let mut start = digits.len();
    loop {
        start -= 1;
        // The remainder of a division by ten fits a byte.
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_the_iterators() {
        for encoding in LongEncoding::ALL {
            assert_eq!(LongEncoding::from_name(encoding.name()), Some(encoding));
        }
        assert_eq!(
            LongEncoding::from_name("varlen"),
            Some(LongEncoding::VarLen)
        );
        assert_eq!(LongEncoding::from_name("long"), None);
    }

    #[test]
    fn bytes_of_another_encoding_are_refused() {
        assert!(LongEncoding::FixedLen.decode(b"123").is_err());
        assert!(LongEncoding::VarLen.decode(b"12").is_err());
        assert!(LongEncoding::VarLen.decode(b"").is_err());
        assert!(LongEncoding::Text.decode(&[0x8f, 0x80]).is_err());
    }

    proptest! {
        #[test]
        fn every_value_round_trips(value in any::<i64>(), shift in 0_u32..64) {
            for value in [value >> shift, i64::MIN, i64::MAX, 0] {
                for encoding in LongEncoding::ALL {
                    let mut out = Vec::new();
                    encoding.encode(value, &mut out);
                    prop_assert_eq!(encoding.decode(&out), Ok(value));
                }
                let mut text = Vec::new();
                write_decimal(value, &mut text);
                prop_assert_eq!(String::from_utf8(text).unwrap(), value.to_string());
            }
        }
    }
}
