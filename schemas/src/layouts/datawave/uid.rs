//! The id of an event: three murmur hashes of its bytes, in base 36 (`HashUID`).
//!
//! ```text
//! h0 "." h1 "." h2 [ "+" milliseconds of the day ] [ "." extra ]*
//! ```
//!
//! Everything before the extras is the *sharded portion*: it decides the partition, so that the parts of a document share a shard.

use crate::java_date::MILLIS_PER_DAY;

const SEEDS: [u32; 3] = [2011, 650_567, 22_051_009];
const M: u32 = 0x5bd1_e995;

/// What separates the main id from the extras in an id field.
pub const ATTACHMENT: &str = "-att-";

/// Appends the sharded portion of the UID of `data`: the hashes, and the time of day where `time` (milliseconds) is given. A time before
/// 1970 leaves no suffix unless it is a midnight.
pub fn write_base(data: &[u8], time: Option<i64>, out: &mut String) {
    for (index, hash) in hashes(data).into_iter().enumerate() {
        if index > 0 {
            out.push('.');
        }
        base36(hash.cast_signed(), out);
    }
    // The remainder keeps the sign of the time, as in Java.
    if let Some(time) = time.map(|time| time % MILLIS_PER_DAY).filter(|&t| t >= 0) {
        out.push('+');
        base36(time as i32, out);
    }
}

/// Appends the UID of an id field's text: the part before the first `-att-` is hashed, the parts behind become extras. Gives back how
/// long the sharded portion is, in bytes.
pub fn write_uid(id: &str, time: Option<i64>, out: &mut String) -> usize {
    let start = out.len();
    let mut parts = id.split(ATTACHMENT);
    write_base(parts.next().unwrap_or_default().as_bytes(), time, out);
    let sharded = out.len() - start;
    // As with Java's split, empty parts at the end are none.
    let mut kept = out.len();
    for extra in parts {
        out.push('.');
        out.push_str(extra);
        if !extra.is_empty() {
            kept = out.len();
        }
    }
    out.truncate(kept);
    sharded
}

/// Hadoop's murmur hash with the three seeds. It is not the common MurmurHash2: the bytes of the tail are taken in reverse and with their
/// sign.
fn hashes(data: &[u8]) -> [u32; 3] {
    let mut state = SEEDS.map(|seed| seed ^ data.len() as u32);
    let (blocks, tail) = data.as_chunks::<4>();
    for block in blocks {
        let mut k = u32::from_le_bytes(*block).wrapping_mul(M);
        k ^= k >> 24;
        k = k.wrapping_mul(M);
        state = state.map(|h| h.wrapping_mul(M) ^ k);
    }
    if !tail.is_empty() {
        let mixed = tail.iter().rev().enumerate().fold(0, |mixed, (at, &byte)| {
            mixed ^ i32::from(byte.cast_signed()) << (8 * at)
        });
        state = state.map(|h| (h ^ mixed.cast_unsigned()).wrapping_mul(M));
    }
    state.map(|h| {
        let h = (h ^ h >> 13).wrapping_mul(M);
        h ^ h >> 15
    })
}

/// Appends `Integer.toString(value, 36)`.
fn base36(value: i32, out: &mut String) {
    if value < 0 {
        out.push('-');
    }
    let mut digits = [0u8; 7];
    let mut first = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        first -= 1;
        digits[first] = b"0123456789abcdefghijklmnopqrstuvwxyz"[rest as usize % 36];
        rest /= 36;
        if rest == 0 {
            break;
        }
    }
    out.extend(digits[first..].iter().map(|&digit| char::from(digit)));
}
