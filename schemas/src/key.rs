//! The key of a cell, and the one order on keys.
//!
//! Accumulo compares row, family, qualifier and visibility as unsigned bytes (the shorter of two equal prefixes first), then the
//! timestamp **descending**, then a delete marker before a value (`org.apache.accumulo.core.data.Key.compareTo`).
//! Everything in Shardmill that sorts, merges or checks order does it through [`Key`]'s `Ord`.

use std::cmp::Ordering;

/// A borrowed key: four byte strings, a timestamp in milliseconds and the delete flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key<'a> {
    /// Row: what tablets are cut by.
    pub row: &'a [u8],
    /// Column family.
    pub family: &'a [u8],
    /// Column qualifier.
    pub qualifier: &'a [u8],
    /// Column visibility expression, as its bytes stand; empty means public.
    pub visibility: &'a [u8],
    /// Milliseconds since the epoch by convention; newest sorts first.
    pub timestamp: i64,
    /// A delete marker: hides every cell of the same columns that is not newer.
    pub deleted: bool,
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cmp_columns(other)
            .then_with(|| other.timestamp.cmp(&self.timestamp))
            .then_with(|| other.deleted.cmp(&self.deleted))
    }
}

impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Key<'_> {
    /// The order of row, family, qualifier and visibility alone: equal means two versions of one cell.
    #[must_use]
    pub fn cmp_columns(&self, other: &Key<'_>) -> Ordering {
        self.row
            .cmp(other.row)
            .then_with(|| self.family.cmp(other.family))
            .then_with(|| self.qualifier.cmp(other.qualifier))
            .then_with(|| self.visibility.cmp(other.visibility))
    }

    /// Whether row, family, qualifier and visibility are all equal.
    #[must_use]
    pub fn same_columns(&self, other: &Key<'_>) -> bool {
        // The qualifier differs most often between neighbours, so it is compared first.
        self.qualifier == other.qualifier
            && self.row == other.row
            && self.family == other.family
            && self.visibility == other.visibility
    }

    /// The sum of the four field lengths in bytes: what Accumulo calls the size of a key.
    #[must_use]
    pub fn size(&self) -> usize {
        self.row.len() + self.family.len() + self.qualifier.len() + self.visibility.len()
    }

    /// An owned copy.
    #[must_use]
    pub fn to_buf(&self) -> KeyBuf {
        let mut key = KeyBuf::default();
        key.set(self);
        key
    }
}

/// An owned key whose buffer is reused: `set` allocates only when a key is longer than any before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyBuf {
    bytes: Vec<u8>,
    /// End offsets of row, family and qualifier in `bytes`; the visibility ends with it.
    ends: [usize; 3],
    timestamp: i64,
    deleted: bool,
}

impl KeyBuf {
    /// Replaces the content by a copy of `key`.
    pub fn set(&mut self, key: &Key<'_>) {
        self.bytes.clear();
        self.bytes.extend_from_slice(key.row);
        self.ends[0] = self.bytes.len();
        self.bytes.extend_from_slice(key.family);
        self.ends[1] = self.bytes.len();
        self.bytes.extend_from_slice(key.qualifier);
        self.ends[2] = self.bytes.len();
        self.bytes.extend_from_slice(key.visibility);
        self.timestamp = key.timestamp;
        self.deleted = key.deleted;
    }

    /// The key as a borrowed value.
    #[must_use]
    pub fn as_key(&self) -> Key<'_> {
        let (row, rest) = self.bytes.split_at(self.ends[0]);
        let (family, rest) = rest.split_at(self.ends[1] - self.ends[0]);
        let (qualifier, visibility) = rest.split_at(self.ends[2] - self.ends[1]);
        Key {
            row,
            family,
            qualifier,
            visibility,
            timestamp: self.timestamp,
            deleted: self.deleted,
        }
    }
}

/// How many bytes at the start of both slices are equal: what a key has in common with its neighbour need not be written again.
#[must_use]
#[inline]
pub fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut at = 0;
    for (x, y) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        let differing = u64::from_le_bytes(*x) ^ u64::from_le_bytes(*y);
        if differing != 0 {
            return at + (differing.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let tail = a[at..].iter().zip(&b[at..]);
    at + tail.take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key<'a>(
        row: &'a [u8],
        family: &'a [u8],
        qualifier: &'a [u8],
        visibility: &'a [u8],
        timestamp: i64,
        deleted: bool,
    ) -> Key<'a> {
        Key {
            row,
            family,
            qualifier,
            visibility,
            timestamp,
            deleted,
        }
    }

    #[test]
    fn order_is_fields_then_newest_then_deletes() {
        let sorted = [
            key(b"", b"z", b"z", b"z", 0, false),
            key(b"a", b"", b"", b"", i64::MIN, false),
            key(b"a", b"", b"\0", b"", 0, false),
            key(b"a", b"b", b"", b"", 7, true),
            key(b"a", b"b", b"", b"", 7, false),
            key(b"a", b"b", b"", b"", -7, false),
            key(b"a", b"b", b"", b"A", 9, false),
            key(b"a\0", b"", b"", b"", 0, false),
            key(b"a\x7f", b"", b"", b"", 0, false),
            key(b"a\x80", b"", b"", b"", 0, false),
        ];
        for pair in sorted.windows(2) {
            assert!(
                pair[0] < pair[1],
                "{:?} must sort before {:?}",
                pair[0],
                pair[1]
            );
        }
    }

    #[test]
    fn owned_copy_round_trips_and_is_reused() {
        let first = key(b"row", b"family", b"", b"A&B", -5, true);
        let mut buf = first.to_buf();
        assert_eq!(buf.as_key(), first);
        let second = key(b"", b"", b"q", b"", i64::MAX, false);
        buf.set(&second);
        assert_eq!(buf.as_key(), second);
        assert!(
            !first.same_columns(&second)
                && first.same_columns(&Key {
                    timestamp: 1,
                    deleted: false,
                    ..first
                })
        );
    }
}
