//! The value of a global index entry: `Uid.List`, a protobuf (proto2), and how DataWave merges such values.
//!
//! ```text
//! IGNORE      required bool     1   08 xx      true: too many to list, count only
//! COUNT       required uint64   2   10 varint  how many events
//! UID         repeated string   3   1a len …   the ids, with their extras
//! REMOVEDUID  repeated string   4   22 len …   ids taken away, only between deletes
//! ```

use super::protobuf::{read_bytes, read_varint, skip, write_bytes, write_varint};
use std::collections::BTreeSet;

/// How many distinct UIDs a list holds; beyond that only the count is kept.
pub const MAX_UIDS: usize = 20;

/// A `Uid.List`, borrowed from its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UidList<'a> {
    /// Only the count is known.
    pub ignore: bool,
    /// Number of events; negative in the values of deletes.
    pub count: i64,
    /// UIDs as they stand in the bytes.
    pub uids: Vec<&'a [u8]>,
    /// Removed UIDs.
    pub removed: Vec<&'a [u8]>,
}

impl<'a> UidList<'a> {
    /// Reads the bytes of a list. `None`: they are no protobuf, or a required field is missing. Unknown fields are skipped.
    #[must_use]
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut list = UidList::default();
        let (mut ignore, mut count) = (None, None);
        let mut input = bytes;
        while !input.is_empty() {
            match (read_varint(&mut input)?, &mut list) {
                (0x08, _) => ignore = Some(read_varint(&mut input)? != 0),
                (0x10, _) => count = Some(read_varint(&mut input)?.cast_signed()),
                (0x1a, list) => list.uids.push(read_bytes(&mut input)?),
                (0x22, list) => list.removed.push(read_bytes(&mut input)?),
                (tag, _) => skip(tag, &mut input)?,
            }
        }
        list.ignore = ignore?;
        list.count = count?;
        Some(list)
    }

    /// Appends the bytes of the list, fields in order.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_head(self.ignore, self.count, out);
        for uid in &self.uids {
            write_uid(uid, out);
        }
        for uid in &self.removed {
            out.push(0x22);
            write_bytes(uid, out);
        }
    }
}

/// Appends the fields IGNORE and COUNT.
pub(super) fn write_head(ignore: bool, count: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(&[0x08, u8::from(ignore), 0x10]);
    write_varint(count.cast_unsigned(), out);
}

/// Appends one field UID.
pub(super) fn write_uid(uid: &[u8], out: &mut Vec<u8>) {
    out.push(0x1a);
    write_bytes(uid, out);
}

/// Which of DataWave's aggregators a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregator {
    /// `GlobalIndexUidAggregator`.
    GlobalIndex,
    /// `KeepCountOnlyUidAggregator`: entries without UIDs never vanish.
    KeepCountOnly,
    /// `KeepCountOnlyNoUidAggregator`: the same, and no UIDs are kept at all.
    KeepCountOnlyNoUid,
}

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The bytes of the merged list, its UIDs sorted.
    pub value: Vec<u8>,
    /// Whether the entry stays in the table.
    pub emitted: bool,
}

/// Merges values in the order given, see [`Reducer`].
pub fn reduce<'a>(
    values: impl IntoIterator<Item = &'a [u8]>,
    aggregator: Aggregator,
    propagate: bool,
) -> Reduced {
    let mut reducer = Reducer::new(aggregator, propagate);
    for value in values {
        reducer.add(value);
    }
    reducer.finish()
}

/// Merges values in the order given, as DataWave's aggregator does: past [`MAX_UIDS`] the count depends on that order. `propagate` is
/// false for scans and full compactions only, where removals are applied for good. Values that are no lists are skipped.
///
/// It holds at most [`MAX_UIDS`] UIDs and as many removals, however many values there are.
#[derive(Clone, Debug)]
pub struct Reducer {
    aggregator: Aggregator,
    propagate: bool,
    uids: BTreeSet<Vec<u8>>,
    removed: BTreeSet<Vec<u8>>,
    count_only: bool,
    count: i64,
}

impl Reducer {
    /// A merge without values.
    #[must_use]
    pub fn new(aggregator: Aggregator, propagate: bool) -> Self {
        Reducer {
            aggregator,
            propagate,
            uids: BTreeSet::new(),
            removed: BTreeSet::new(),
            count_only: false,
            count: 0,
        }
    }

    /// Takes the next value.
    pub fn add(&mut self, value: &[u8]) {
        let Some(list) = UidList::parse(value) else {
            return;
        };
        if !self.count_only && list.ignore {
            self.count_only = true;
            self.count = self.balance();
        }
        if !self.count_only {
            let before = self.balance();
            if !self.collect(&list) {
                self.count_only = true;
                self.count = before;
                self.uids.clear();
                self.removed.clear();
            }
        }
        if self.count_only {
            let change = if list.ignore {
                list.count
            } else {
                list.uids.len() as i64 - list.removed.len() as i64
            };
            self.count = self.count.wrapping_add(change);
        }
    }

    /// The merged list; afterwards the merge is without values again.
    pub fn finish(&mut self) -> Reduced {
        if self.count_only && !self.propagate {
            self.count = self.count.max(0);
        }
        let mut list = UidList {
            ignore: self.count_only,
            count: self.count,
            ..UidList::default()
        };
        if !self.count_only {
            list.count = self.uids.len() as i64;
            list.uids.extend(self.uids.iter().map(Vec::as_slice));
            if self.propagate {
                list.removed.extend(self.removed.iter().map(Vec::as_slice));
            }
        }
        let kept = self.aggregator != Aggregator::GlobalIndex && self.count_only;
        let mut value = Vec::new();
        list.write(&mut value);
        let emitted = self.propagate || !self.uids.is_empty() || self.count > 0 || kept;
        *self = Reducer::new(self.aggregator, self.propagate);
        Reduced { value, emitted }
    }

    fn balance(&self) -> i64 {
        self.uids.len() as i64 - self.removed.len() as i64
    }

    /// Takes the UIDs of a list; false when they become too many. A removal wins over any addition of the same UID.
    fn collect(&mut self, list: &UidList<'_>) -> bool {
        let max = match self.aggregator {
            Aggregator::KeepCountOnlyNoUid => 0,
            _ => MAX_UIDS,
        };
        for &uid in &list.removed {
            self.uids.remove(uid);
            self.removed.insert(uid.to_vec());
            if self.removed.len() >= max {
                return false;
            }
        }
        for &uid in &list.uids {
            if self.removed.contains(uid) {
                continue;
            }
            if self.uids.len() < max {
                self.uids.insert(uid.to_vec());
            } else if !self.uids.contains(uid) {
                return false;
            }
        }
        true
    }
}
