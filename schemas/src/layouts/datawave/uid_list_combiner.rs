//! Merging the UIDs of an index entry, order-free.
//!
//! DataWave's own fold ([`uid_list::reduce`](super::uid_list::reduce)) depends on the order of its inputs once there are more than 20
//! UIDs. This combiner gives the answer of one order, wherever and however often it runs: the values by their bytes, descending, as they
//! stand in Accumulo among equal keys. Then the 20 greatest UIDs are listed before the list overflows, and every further value counts,
//! repetitions too. So the state is those 20 with the number of times each was met, and a count of the rest.
//!
//! A key of the index names its shard, the shard names the day and the day is the timestamp: equal columns mean equal keys.

use super::protobuf::{read_bytes, read_varint, write_bytes, write_varint};
use super::uid_list::{MAX_UIDS, UidList, write_head, write_uid};
use crate::combine::{CombineError, Combiner, Folder, Grouping, Input};
use crate::key::Key;
use std::cmp::Ordering;

const NAME: &str = "uid-list";

/// Folds `Uid.List` values of equal keys.
#[derive(Clone, Copy, Debug)]
pub struct UidListCombiner;

impl Combiner for UidListCombiner {
    fn name(&self) -> &'static str {
        NAME
    }

    fn grouping(&self) -> Grouping {
        Grouping::Exact
    }

    fn folder(&self) -> Box<dyn Folder> {
        Box::new(UidFolder::default())
    }
}

/// A UID and how often it was met.
#[derive(Debug, Default)]
struct Entry {
    uid: Vec<u8>,
    times: u64,
}

#[derive(Debug, Default)]
struct UidFolder {
    /// The first `used` are the greatest UIDs met, in descending order; the others are spare buffers.
    entries: Vec<Entry>,
    used: usize,
    /// Occurrences of the UIDs that did not stay among the greatest.
    rest: u64,
    /// The sum of the counts of values that were count-only already, where there were any.
    counted: Option<i64>,
    value: Vec<u8>,
}

impl UidFolder {
    fn take(&mut self, uid: &[u8], times: u64) {
        let used = &mut self.entries[..self.used];
        let Err(at) = used
            .binary_search_by(|entry| descending(&entry.uid, uid))
            .map(|found| used[found].times = used[found].times.saturating_add(times))
        else {
            return;
        };
        if self.used == MAX_UIDS {
            let lost = if at == MAX_UIDS {
                times
            } else {
                self.entries[MAX_UIDS - 1].times
            };
            self.rest = self.rest.saturating_add(lost);
            if at == MAX_UIDS {
                return;
            }
        } else {
            if self.used == self.entries.len() {
                self.entries.push(Entry::default());
            }
            self.used += 1;
        }
        // The last buffer is a spare one or that of the UID which falls out; it moves to the place of the new one.
        self.entries[at..self.used].rotate_right(1);
        let entry = &mut self.entries[at];
        entry.uid.clear();
        entry.uid.extend_from_slice(uid);
        entry.times = times;
    }

    fn add_value(&mut self, bytes: &[u8]) -> Result<(), &'static str> {
        if let Some(uid) = single(bytes) {
            self.take(uid, 1);
            return Ok(());
        }
        let list = UidList::parse(bytes).ok_or("the value is no Uid.List")?;
        if !list.removed.is_empty() || list.count < 0 {
            return Err("a Uid.List with removals is not expected in a file of additions");
        }
        if list.ignore {
            let counted = self.counted.get_or_insert(0);
            *counted = counted.saturating_add(list.count);
        }
        for uid in list.uids {
            self.take(uid, 1);
        }
        Ok(())
    }

    fn add_partial(&mut self, mut state: &[u8]) -> Option<()> {
        let input = &mut state;
        let rest = read_varint(input)?;
        if let Some(counted) = read_varint(input)?.checked_sub(1) {
            let sum = self.counted.get_or_insert(0);
            *sum = sum.saturating_add_unsigned(counted);
        }
        self.rest = self.rest.saturating_add(rest);
        while !input.is_empty() {
            let times = read_varint(input)?;
            self.take(read_bytes(input)?, times);
        }
        Some(())
    }

    fn clear(&mut self) {
        self.used = 0;
        self.rest = 0;
        self.counted = None;
    }
}

impl Folder for UidFolder {
    fn add(&mut self, _key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        let result = match input {
            Input::Value(bytes) => self.add_value(bytes),
            Input::Partial(state) => self
                .add_partial(state)
                .ok_or("the partial state is cut short"),
        };
        result.map_err(|reason| CombineError {
            combiner: NAME,
            reason: reason.into(),
        })
    }

    /// The rest, the sum of count-only values plus one (0: there were none), then each UID with its number of times.
    fn partial(&mut self, state: &mut Vec<u8>) {
        write_varint(self.rest, state);
        let counted = self
            .counted
            .map_or(0, |sum| sum.cast_unsigned().saturating_add(1));
        write_varint(counted, state);
        for entry in &self.entries[..self.used] {
            write_varint(entry.times, state);
            write_bytes(&entry.uid, state);
        }
        self.clear();
    }

    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8])) {
        self.value.clear();
        let used = &mut self.entries[..self.used];
        if let Some(counted) = self.counted {
            // A value without UIDs comes before all others in the order, and from there on everything counts.
            let times = used
                .iter()
                .fold(0u64, |sum, entry| sum.saturating_add(entry.times));
            let count = counted
                .saturating_add_unsigned(self.rest)
                .saturating_add_unsigned(times);
            write_head(true, count, &mut self.value);
        } else if self.rest > 0 {
            write_head(
                true,
                (MAX_UIDS as i64).saturating_add_unsigned(self.rest),
                &mut self.value,
            );
        } else {
            write_head(false, used.len() as i64, &mut self.value);
            used.sort_unstable_by(|one, other| one.uid.cmp(&other.uid));
            for entry in used {
                write_uid(&entry.uid, &mut self.value);
            }
        }
        emit(first, &self.value);
        self.clear();
    }
}

/// The order of the values that hold one UID each: their bytes, descending. A length stands before the UID, so the longer one comes first.
fn descending(one: &[u8], other: &[u8]) -> Ordering {
    if one.len() < 0x80 && other.len() < 0x80 {
        return (other.len(), other).cmp(&(one.len(), one));
    }
    (varint(other.len()), other).cmp(&(varint(one.len()), one))
}

/// The bytes of a protobuf varint, which compare as they do in a value: no varint begins with another one.
fn varint(mut value: usize) -> [u8; 10] {
    let mut bytes = [0; 10];
    for byte in &mut bytes {
        *byte = value as u8 & 0x7f;
        value >>= 7;
        if value == 0 {
            break;
        }
        *byte |= 0x80;
    }
    bytes
}

/// The UID of a value as the layout makes it, without reading it as a protobuf: one UID of less than 128 bytes.
fn single(bytes: &[u8]) -> Option<&[u8]> {
    let (len, uid) = bytes
        .strip_prefix(&[0x08, 0, 0x10, 1, 0x1a])?
        .split_first()?;
    (*len < 0x80 && usize::from(*len) == uid.len()).then_some(uid)
}

#[cfg(test)]
#[path = "uid_list_combiner_tests.rs"]
mod tests;
