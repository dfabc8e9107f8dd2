//! The two forms in which a key stands in an RFile.
//!
//! * Absolute (`Key.write`), in indexes: four cumulative end offsets, the four fields, timestamp, delete flag.
//! * Relative (`RelativeKey`), in data blocks: a byte of flags, perhaps a second one, then what differs from the key before.
//!
//! Every length and timestamp is a `wvl` (see [`super::varint`]).

use std::cmp::Ordering;

use shardmill_schemas::key::{Key, common_prefix};

use super::error::Fault;
use super::input::Input;
use super::varint::{read_wvl, read_wvl_length, write_wvl};

/// First byte: field `i` is equal to that of the key before.
const SAME: [u8; 4] = [0x01, 0x02, 0x04, 0x08];
/// First byte: the timestamp is equal to that of the key before.
const TS_SAME: u8 = 0x10;
/// First byte: a delete marker; the one flag that is never relative.
const DELETED: u8 = 0x20;
/// First byte: a second byte of flags follows.
const SECOND: u8 = 0x80;
/// Second byte: field `i` starts with a prefix of that of the key before.
const PREFIX: [u8; 4] = [0x01, 0x02, 0x04, 0x08];
/// Second byte: the timestamp is a difference.
const TS_DIFF: u8 = 0x10;

/// Shorter common prefixes are not worth their two lengths; Java's threshold.
const MIN_PREFIX: usize = 2;

/// Appends a key in its absolute form.
pub(crate) fn write_key(out: &mut Vec<u8>, key: &Key<'_>) {
    let mut end = 0;
    for field in fields(key) {
        end += field.len();
        write_wvl(out, end as i64);
    }
    for field in fields(key) {
        out.extend_from_slice(field);
    }
    write_wvl(out, key.timestamp);
    out.push(u8::from(key.deleted));
}

/// Reads a key in its absolute form.
pub(crate) fn read_key<'a>(input: &mut Input<'a>) -> Result<Key<'a>, Fault> {
    let mut lengths = [0; 4];
    let mut end = 0_usize;
    for length in &mut lengths {
        let next = read_wvl_length(input)?;
        *length = next
            .checked_sub(end)
            .ok_or_else(|| input.fault("the fields of a key overlap"))?;
        end = next;
    }
    Ok(Key {
        row: input.take(lengths[0])?,
        family: input.take(lengths[1])?,
        qualifier: input.take(lengths[2])?,
        visibility: input.take(lengths[3])?,
        timestamp: read_wvl(input)?,
        deleted: input.bool()?,
    })
}

fn fields<'a>(key: &Key<'a>) -> [&'a [u8]; 4] {
    [key.row, key.family, key.qualifier, key.visibility]
}

/// What one key has in common with its predecessor; found once and used for the order check and for the encoding.
#[derive(Debug)]
pub(crate) struct Delta {
    common: [usize; 4],
    same: u8,
    /// How the key sorts against its predecessor; `Less` means out of order.
    pub(crate) order: Ordering,
}

impl Delta {
    /// Compares two keys field by field.
    pub(crate) fn between(previous: &Key<'_>, key: &Key<'_>) -> Delta {
        let mut delta = Delta {
            common: [0; 4],
            same: 0,
            order: Ordering::Equal,
        };
        let pairs = fields(previous).into_iter().zip(fields(key));
        for (i, (old, new)) in pairs.enumerate() {
            let common = common_prefix(old, new);
            delta.common[i] = common;
            if common == old.len() && common == new.len() {
                delta.same |= SAME[i];
            } else if delta.order.is_eq() {
                // The bytes after a common prefix differ, or one of them is absent and sorts first.
                delta.order = new.get(common).cmp(&old.get(common));
            }
        }
        if delta.order.is_eq() {
            // Newest first, and a delete marker before a value.
            delta.order = (previous.timestamp, previous.deleted).cmp(&(key.timestamp, key.deleted));
        }
        delta
    }
}

/// Appends a key as the first one of a block.
pub(crate) fn write_first(out: &mut Vec<u8>, key: &Key<'_>) {
    out.push(if key.deleted { DELETED } else { 0 });
    for field in fields(key) {
        write_wvl(out, field.len() as i64);
        out.extend_from_slice(field);
    }
    write_wvl(out, key.timestamp);
}

/// Appends a key after a predecessor with the timestamp `previous`, from which it differs by `delta`.
pub(crate) fn write_relative(out: &mut Vec<u8>, previous: i64, key: &Key<'_>, delta: &Delta) {
    let mut first = delta.same;
    let mut second = 0;
    for ((same, prefix), common) in SAME.into_iter().zip(PREFIX).zip(delta.common) {
        if first & same == 0 && common >= MIN_PREFIX {
            second |= prefix;
        }
    }
    if key.timestamp == previous {
        first |= TS_SAME;
    } else {
        second |= TS_DIFF;
    }
    if key.deleted {
        first |= DELETED;
    }
    if second == 0 {
        out.push(first);
    } else {
        out.extend_from_slice(&[first | SECOND, second]);
    }
    for (i, field) in fields(key).into_iter().enumerate() {
        if first & SAME[i] != 0 {
            continue;
        }
        let shared = if second & PREFIX[i] != 0 {
            write_wvl(out, delta.common[i] as i64);
            delta.common[i]
        } else {
            0
        };
        write_wvl(out, (field.len() - shared) as i64);
        out.extend_from_slice(&field[shared..]);
    }
    if first & TS_SAME == 0 {
        write_wvl(out, key.timestamp.wrapping_sub(previous));
    }
}

/// The key that a sequence of relative keys has arrived at; its buffers are reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunningKey {
    fields: [Vec<u8>; 4],
    timestamp: i64,
    deleted: bool,
}

impl RunningKey {
    /// The key as a borrowed value.
    pub(crate) fn as_key(&self) -> Key<'_> {
        let [row, family, qualifier, visibility] = &self.fields;
        Key {
            row,
            family,
            qualifier,
            visibility,
            timestamp: self.timestamp,
            deleted: self.deleted,
        }
    }

    /// Reads the next key of a block and says how it sorts against the one before.
    ///
    /// `first` is true for the first key of a block, which must not refer to a predecessor.
    pub(crate) fn advance(
        &mut self,
        input: &mut Input<'_>,
        first: bool,
    ) -> Result<Ordering, Fault> {
        let start = input.at();
        let flags = input.u8()?;
        let second = if flags & SECOND == 0 { 0 } else { input.u8()? };
        if first && flags & !DELETED != 0 {
            return Err(Fault::new(start, "the first key of a block is relative"));
        }
        let mut order = Ordering::Equal;
        for (i, field) in self.fields.iter_mut().enumerate() {
            if flags & SAME[i] != 0 {
                continue;
            }
            let shared = if second & PREFIX[i] == 0 {
                0
            } else {
                read_wvl_length(input)?
            };
            let length = read_wvl_length(input)?;
            let suffix = input.take(length)?;
            let replaced = field
                .get(shared..)
                .ok_or(Fault::new(start, "a prefix is longer than the key before"))?;
            order = order.then_with(|| suffix.cmp(replaced));
            field.truncate(shared);
            field.extend_from_slice(suffix);
        }
        let previous = (self.timestamp, self.deleted);
        if flags & TS_SAME == 0 {
            let n = read_wvl(input)?;
            self.timestamp = if second & TS_DIFF == 0 {
                n
            } else {
                self.timestamp.wrapping_add(n)
            };
        }
        self.deleted = flags & DELETED != 0;
        Ok(order
            .then_with(|| previous.0.cmp(&self.timestamp))
            .then_with(|| previous.1.cmp(&self.deleted)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn any_key()(
            fields in prop::array::uniform4("[ab\u{e9}]{0,20}"),
            timestamp in prop_oneof![Just(i64::MIN), Just(i64::MAX), -2..2_i64],
            deleted in any::<bool>(),
        ) -> ([String; 4], i64, bool) {
            (fields, timestamp, deleted)
        }
    }

    fn borrow(owned: &([String; 4], i64, bool)) -> Key<'_> {
        Key {
            row: owned.0[0].as_bytes(),
            family: owned.0[1].as_bytes(),
            qualifier: owned.0[2].as_bytes(),
            visibility: owned.0[3].as_bytes(),
            timestamp: owned.1,
            deleted: owned.2,
        }
    }

    proptest! {
        #[test]
        fn rfile_relative_keys_round_trip_and_know_the_order(a in any_key(), b in any_key()) {
            let (a, b) = (borrow(&a), borrow(&b));
            let delta = Delta::between(&a, &b);
            prop_assert_eq!(delta.order, b.cmp(&a));
            let mut out = Vec::new();
            write_first(&mut out, &a);
            write_relative(&mut out, a.timestamp, &b, &delta);
            let mut running = RunningKey::default();
            let mut input = Input::new(&out, 0);
            running.advance(&mut input, true).unwrap();
            prop_assert_eq!(running.as_key(), a);
            prop_assert_eq!(running.advance(&mut input, false).unwrap(), b.cmp(&a));
            prop_assert_eq!(running.as_key(), b);
            prop_assert!(input.end().is_ok());
            let mut absolute = Vec::new();
            write_key(&mut absolute, &a);
            prop_assert_eq!(read_key(&mut Input::new(&absolute, 0)), Ok(a));
        }
    }
}
