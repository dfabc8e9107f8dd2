//! Where to cut a data block and which key to put into the index: Java's policy, so that our files are as Java's.
//!
//! A block is cut before a key when it is full and the key that would stand in the index is not longer than the average key
//! (or the block is over-full), unless that key is a giant. Source: `RFile.LocalityGroupWriter`, `KeyShortener`, `RollingStats`.

use shardmill_schemas::key::{Key, KeyBuf};

/// Number of the last keys whose sizes make the average.
const WINDOW: usize = 2017;

/// Sizes of the last [`WINDOW`] keys of a locality group.
///
/// Sums are exact integers; Java's running doubles drift by about a thousandth and are recomputed now and then.
#[derive(Debug, Default)]
pub(crate) struct KeySizes {
    window: Vec<u32>,
    next: usize,
    sum: u64,
    squares: u128,
}

impl KeySizes {
    /// Adds the size of one more key, in bytes.
    #[inline]
    pub(crate) fn add(&mut self, size: u32) {
        if self.window.len() < WINDOW {
            self.window.push(size);
        } else {
            let old = std::mem::replace(&mut self.window[self.next], size);
            self.next = if self.next + 1 == WINDOW {
                0
            } else {
                self.next + 1
            };
            self.sum -= u64::from(old);
            self.squares -= u128::from(u64::from(old) * u64::from(old));
        }
        self.sum += u64::from(size);
        self.squares += u128::from(u64::from(size) * u64::from(size));
    }

    /// The average size.
    pub(crate) fn mean(&self) -> f64 {
        self.sum as f64 / self.window.len().max(1) as f64
    }

    /// Whether a key of `size` bytes is a giant among these: more than ten times the average and four deviations off.
    pub(crate) fn is_giant(&self, size: usize) -> bool {
        let mean = self.mean();
        let n = self.window.len() as u128;
        let variance = match n {
            0 | 1 => 0.0,
            _ => {
                // n·Σx² − (Σx)² is never negative, and exact before it is divided.
                let spread = n * self.squares - u128::from(self.sum) * u128::from(self.sum);
                spread as f64 / (n * (n - 1)) as f64
            }
        };
        size as f64 > mean + (9.0 * mean).max(4.0 * variance.sqrt())
    }
}

/// Sets `out` to a key S with `previous` ≤ S < `next`, as short as Java's `KeyShortener` finds one; else to `previous`.
///
/// Only the first of row, family and qualifier that differs is shortened; the fields after it are empty and the timestamp is 0.
pub(crate) fn shorten(previous: &Key<'_>, next: &Key<'_>, scratch: &mut Vec<u8>, out: &mut KeyBuf) {
    let short = Key {
        row: previous.row,
        family: &[],
        qualifier: &[],
        visibility: &[],
        timestamp: 0,
        deleted: false,
    };
    let found = if previous.row != next.row {
        between(previous.row, next.row, scratch).then_some(Key {
            row: scratch,
            ..short
        })
    } else if previous.family != next.family {
        between(previous.family, next.family, scratch).then_some(Key {
            family: scratch,
            ..short
        })
    } else if previous.qualifier != next.qualifier {
        between(previous.qualifier, next.qualifier, scratch).then_some(Key {
            family: previous.family,
            qualifier: scratch,
            ..short
        })
    } else {
        None
    };
    match found {
        Some(key) if *previous < key && key < *next => out.set(&key),
        _ => out.set(previous),
    }
}

/// Sets `out` to bytes strictly between two strings of which the first is smaller; false where there are none.
fn between(previous: &[u8], next: &[u8], out: &mut Vec<u8>) -> bool {
    out.clear();
    let differing = previous.iter().zip(next).position(|(a, b)| a != b);
    let Some(at) = differing else {
        out.extend_from_slice(previous);
        out.push(0);
        return out != next;
    };
    if next[at] - previous[at] > 1 {
        out.extend_from_slice(&previous[..=at]);
        out[at] += 1;
        return true;
    }
    // The bytes are neighbours: stay under `next` and raise the first later byte that can be raised.
    let tail = &previous[at + 1..];
    match tail.iter().position(|&b| b != 0xff) {
        Some(raise) => {
            out.extend_from_slice(&previous[..at + 1 + raise]);
            out.push(0xff);
        }
        None => {
            out.extend_from_slice(previous);
            out.push(0);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key<'a>(row: &'a [u8], family: &'a [u8], qualifier: &'a [u8], timestamp: i64) -> Key<'a> {
        Key {
            row,
            family,
            qualifier,
            visibility: b"A",
            timestamp,
            deleted: false,
        }
    }

    #[test]
    fn rfile_shortened_keys_are_javas() {
        // (previous, next, what must stand in the index)
        for (previous, next, expected) in [
            (&b"abc"[..], &b"axy"[..], Some(&b"ac"[..])),
            (b"abc", b"ac", Some(b"ab\xff")),
            (b"ab", b"ac", Some(b"ab\0")),
            (b"ab\xff\xff", b"ac", Some(b"ab\xff\xff\0")),
            (b"ab\xff1", b"ac", Some(b"ab\xff\xff")),
            (b"ab", b"abc", Some(b"ab\0")),
            (b"ab", b"ab\0", None),
            (b"", b"b", Some(b"\0")),
        ] {
            let (a, b) = (key(previous, b"f", b"q", 5), key(next, b"f", b"q", 5));
            let mut out = KeyBuf::default();
            shorten(&a, &b, &mut Vec::new(), &mut out);
            match expected {
                Some(row) => {
                    let short = out.as_key();
                    assert_eq!((short.row, short.size()), (row, row.len()));
                    assert_eq!((short.timestamp, short.deleted), (0, false));
                    assert!(a < short && short < b);
                }
                None => assert_eq!(out.as_key(), a),
            }
        }
    }

    #[test]
    fn rfile_only_the_first_differing_field_is_shortened() {
        let mut out = KeyBuf::default();
        let (a, b) = (key(b"r", b"fa", b"q", 5), key(b"r", b"fx", b"a", 5));
        shorten(&a, &b, &mut Vec::new(), &mut out);
        assert_eq!((out.as_key().family, out.as_key().size()), (&b"fb"[..], 3));
        let (a, b) = (key(b"r", b"f", b"a", 5), key(b"r", b"f", b"x", 5));
        shorten(&a, &b, &mut Vec::new(), &mut out);
        assert_eq!(
            (out.as_key().qualifier, out.as_key().size()),
            (&b"b"[..], 3)
        );
        let (a, b) = (key(b"r", b"f", b"a", 5), key(b"r", b"f", b"a", 4));
        shorten(&a, &b, &mut Vec::new(), &mut out);
        assert_eq!(out.as_key(), a);
    }

    #[test]
    fn rfile_giants_are_relative_to_the_window() {
        let mut sizes = KeySizes::default();
        for i in 0..5_000 {
            sizes.add(if i < 2_500 { 1_000 } else { 10 });
        }
        assert_eq!(sizes.mean(), 10.0);
        assert!(sizes.is_giant(101) && !sizes.is_giant(100));
        sizes.add(20_000);
        assert!(!sizes.is_giant(500) && sizes.is_giant(100_000));
    }
}
