//! The functions of the template language: their names, their arguments, their bytes.

use super::dates::{DateFormat, write_padded};
use crate::encode::java_text::{self, BadText};
use crate::encode::lexicoder::Scalar;
use crate::encode::long_values::LongEncoding;
use std::net::IpAddr;

/// A function with its constant arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Lexicode(Scalar),
    Number(LongEncoding),
    Lower,
    Upper,
    Trim,
    Hex,
    Hash { buckets: u64, width: u32 },
    JavaHash(i32),
    ReverseDomain,
    FormatDate(DateFormat),
    NonEmpty,
    WithoutNul,
    Reverse,
    Pair,
    List,
    Sequence,
    Default,
    Equals,
}

/// What arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    Exactly(usize),
    AtLeast(usize),
}

/// What the last argument of a function says once and for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    /// A whole number: how many buckets.
    Count,
    /// A text: a date pattern.
    Pattern,
}

impl Function {
    /// Functions without a constant argument.
    pub(super) fn plain(name: &str) -> Option<Function> {
        if let Some(scalar) = Scalar::from_name(name) {
            return Some(Function::Lexicode(scalar));
        }
        Some(match name {
            "decimal" => Function::Number(LongEncoding::Text),
            "varlen" => Function::Number(LongEncoding::VarLen),
            "fixedlen" => Function::Number(LongEncoding::FixedLen),
            "lower" => Function::Lower,
            "upper" => Function::Upper,
            "trim" => Function::Trim,
            "hex" => Function::Hex,
            "reverse_domain" => Function::ReverseDomain,
            "nonempty" => Function::NonEmpty,
            "without_nul" => Function::WithoutNul,
            "reverse" => Function::Reverse,
            "pair" => Function::Pair,
            "list" => Function::List,
            "sequence" => Function::Sequence,
            "default" => Function::Default,
            "equals" => Function::Equals,
            _ => return None,
        })
    }

    /// Whether a name takes a constant as its second argument.
    pub(super) fn constant(name: &str) -> Option<Constant> {
        match name {
            "hash" | "java_hash" => Some(Constant::Count),
            "format_date" => Some(Constant::Pattern),
            _ => None,
        }
    }

    /// `hash` or `java_hash` into so many buckets.
    pub(super) fn bucketing(name: &str, buckets: u64) -> Result<Function, String> {
        if name == "java_hash" {
            return match i32::try_from(buckets) {
                Ok(bins) if bins > 0 => Ok(Function::JavaHash(bins)),
                _ => Err("1 to 2147483647 bins are needed".to_owned()),
            };
        }
        let last = buckets
            .checked_sub(1)
            .ok_or("at least 1 bucket is needed")?;
        let width = last.checked_ilog10().map_or(1, |log| log + 1).max(2);
        Ok(Function::Hash { buckets, width })
    }

    pub(super) fn arity(&self) -> Arity {
        match self {
            Function::Pair | Function::Default | Function::Equals => Arity::Exactly(2),
            Function::List => Arity::AtLeast(1),
            Function::Sequence => Arity::AtLeast(0),
            _ => Arity::Exactly(1),
        }
    }

    /// Whether its arguments must be text. What only moves bytes takes both.
    pub(super) fn needs_text(&self) -> bool {
        match self {
            Function::Lexicode(scalar) => *scalar != Scalar::Bytes,
            Function::Hex
            | Function::Hash { .. }
            | Function::NonEmpty
            | Function::Reverse
            | Function::Pair
            | Function::List
            | Function::Sequence
            | Function::Default
            | Function::Equals => false,
            _ => true,
        }
    }

    /// Whether its result is bytes and no text, given whether one of its arguments is.
    pub(super) fn gives_bytes(&self, of_bytes: bool) -> bool {
        match self {
            Function::Lexicode(scalar) => {
                of_bytes || !matches!(scalar, Scalar::String | Scalar::Text | Scalar::Bytes)
            }
            Function::Number(encoding) => *encoding != LongEncoding::Text,
            Function::Reverse | Function::Pair | Function::List | Function::Sequence => true,
            Function::NonEmpty | Function::Default | Function::Equals => of_bytes,
            _ => false,
        }
    }

    /// Appends the result of a function of one text. The others are evaluated where their arguments are.
    pub(super) fn apply(&self, text: &[u8], out: &mut Vec<u8>) -> Result<(), BadText> {
        match self {
            Function::Lexicode(scalar) => scalar.encode(text, out)?,
            Function::Number(encoding) => encoding.encode(java_text::parse_long(text)?, out),
            Function::Lower => {
                change_case(text, out, <[u8]>::make_ascii_lowercase, str::to_lowercase)
            }
            Function::Upper => {
                change_case(text, out, <[u8]>::make_ascii_uppercase, str::to_uppercase)
            }
            Function::Trim => out.extend_from_slice(trim(text)),
            Function::Hex => hex(text, out),
            Function::Hash { buckets, width } => write_padded(fnv1a(text) % buckets, *width, out),
            Function::JavaHash(bins) => {
                let bin = java_hash(text).wrapping_rem(*bins).unsigned_abs();
                hex(&bin.to_be_bytes(), out);
            }
            Function::ReverseDomain => reverse_domain(text, out),
            Function::FormatDate(format) => format.write(java_text::parse_date(text)?, out)?,
            Function::WithoutNul if text.contains(&0) => {
                return Err(BadText::new(
                    "bad-nul",
                    "a part of a key that a zero byte ends",
                    "no zero byte may stand in it",
                ));
            }
            Function::WithoutNul => out.extend_from_slice(text),
            // These have arguments that are evaluated in place.
            Function::NonEmpty
            | Function::Reverse
            | Function::Pair
            | Function::List
            | Function::Sequence
            | Function::Default
            | Function::Equals => out.extend_from_slice(text),
        }
        Ok(())
    }
}

fn change_case(text: &[u8], out: &mut Vec<u8>, ascii: fn(&mut [u8]), unicode: fn(&str) -> String) {
    match std::str::from_utf8(text) {
        Ok(words) if !words.is_ascii() => out.extend_from_slice(unicode(words).as_bytes()),
        _ => {
            let start = out.len();
            out.extend_from_slice(text);
            ascii(&mut out[start..]);
        }
    }
}

fn trim(text: &[u8]) -> &[u8] {
    std::str::from_utf8(text).map_or_else(|_| text.trim_ascii(), |words| words.trim().as_bytes())
}

fn hex(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        out.push(DIGITS[usize::from(byte >> 4)]);
        out.push(DIGITS[usize::from(byte & 15)]);
    }
}

/// FNV-1a, 64 bits: small, published, and the same in every language.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Java's `String.hashCode`: over UTF-16 code units.
fn java_hash(text: &[u8]) -> i32 {
    String::from_utf8_lossy(text)
        .encode_utf16()
        .fold(0_i32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(i32::from(unit))
        })
}

fn reverse_domain(text: &[u8], out: &mut Vec<u8>) {
    let is_address = std::str::from_utf8(text).is_ok_and(|host| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare.parse::<IpAddr>().is_ok()
    });
    if is_address {
        out.extend_from_slice(text);
        return;
    }
    let mut lowered = Vec::with_capacity(text.len());
    change_case(
        text,
        &mut lowered,
        <[u8]>::make_ascii_lowercase,
        str::to_lowercase,
    );
    let host = lowered.strip_suffix(b".").unwrap_or(&lowered);
    for (index, label) in host.split(|&byte| byte == b'.').rev().enumerate() {
        if index > 0 {
            out.push(b'.');
        }
        out.extend_from_slice(label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(function: &Function, text: &str) -> String {
        let mut out = Vec::new();
        function.apply(text.as_bytes(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn domains_are_reversed_and_addresses_are_not() {
        for (host, row) in [
            ("mail.google.com", "com.google.mail"),
            ("WWW.Example.ORG.", "org.example.www"),
            ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("", ""),
        ] {
            assert_eq!(apply(&Function::ReverseDomain, host), row);
        }
    }

    #[test]
    fn buckets_are_published_hashes() {
        // FNV-1a of "" and "a" by its authors.
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        let hash = Function::bucketing("hash", 100).unwrap();
        assert_eq!(
            apply(&hash, "a"),
            format!("{:02}", 0xaf63_dc4c_8601_ec8c_u64 % 100)
        );
        assert_eq!(
            apply(&Function::bucketing("hash", 1001).unwrap(), "").len(),
            4
        );
        assert_eq!(java_hash("the white house".as_bytes()), {
            let mut hash = 0_i32;
            for byte in b"the white house" {
                hash = hash.wrapping_mul(31).wrapping_add(i32::from(*byte));
            }
            hash
        });
        assert_eq!(apply(&Function::JavaHash(4), "abc"), "00000002");
        assert!(Function::bucketing("hash", 0).is_err());
        assert!(Function::bucketing("java_hash", 1 << 31).is_err());
    }

    #[test]
    fn case_and_spaces_follow_unicode() {
        assert_eq!(apply(&Function::Lower, "ÄBC"), "äbc");
        assert_eq!(apply(&Function::Upper, "straße"), "STRASSE");
        assert_eq!(apply(&Function::Trim, "\u{a0} a b "), "a b");
        assert_eq!(apply(&Function::Hex, "a\n"), "610a");
    }
}
