//! Searches that nearly always end within a few bytes: between quotes and separators a call of `memchr` costs more than what it looks at.

use memchr::{memchr, memchr2};

const WORD: usize = 8;
/// Words looked at before `memchr` is asked.
const WORDS: usize = 2;
const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The first `byte`.
#[inline]
pub(super) fn near(byte: u8, bytes: &[u8]) -> Option<usize> {
    match within(bytes, |word| hits(word, byte)) {
        Ok(at) => Some(at),
        Err(from) => Some(from + memchr(byte, &bytes[from..])?),
    }
}

/// The first of two bytes.
#[inline]
pub(super) fn near2(one: u8, other: u8, bytes: &[u8]) -> Option<usize> {
    match within(bytes, |word| hits(word, one) | hits(word, other)) {
        Ok(at) => Some(at),
        Err(from) => Some(from + memchr2(one, other, &bytes[from..])?),
    }
}

/// The first hit in the first words, or how many bytes are behind.
#[inline]
fn within(bytes: &[u8], hits: impl Fn(u64) -> u64) -> Result<usize, usize> {
    let mut from = 0;
    for word in bytes.as_chunks::<WORD>().0.iter().take(WORDS) {
        let found = hits(u64::from_le_bytes(*word));
        if found != 0 {
            return Ok(from + found.trailing_zeros() as usize / WORD);
        }
        from += WORD;
    }
    Err(from)
}

/// The high bit of each byte of `word` that is `byte`. Those above the first may be wrong, since the subtraction borrows.
#[inline]
fn hits(word: u64, byte: u8) -> u64 {
    let difference = word ^ (ONES * u64::from(byte));
    difference.wrapping_sub(ONES) & !difference & HIGHS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn it_finds_what_a_walk_finds(bytes in proptest::collection::vec(prop::sample::select(b"\",\n\0\x01\x7f\x80\xa2\xff!#".to_vec()), 0..40)) {
            let first = |wanted: &[u8]| bytes.iter().position(|byte| wanted.contains(byte));
            prop_assert_eq!(near(b'"', &bytes), first(b"\""));
            prop_assert_eq!(near(0, &bytes), first(b"\0"));
            prop_assert_eq!(near2(b'"', b'\n', &bytes), first(b"\"\n"));
            prop_assert_eq!(near2(0xff, b'!', &bytes), first(b"\xff!"));
        }
    }
}
