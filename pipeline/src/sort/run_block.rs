//! Cells inside a block of a run.
//!
//! ```text
//! flags u8          01 same row  02 same family  04 same qualifier  08 same visibility  10 same timestamp  20 deleted  40 partial state
//! per field that is not the same: shared v │ length v │ bytes         shared = bytes in common with the same field of the cell before
//! timestamp, if not the same: 8 bytes little-endian
//! length v │ value                                                     v = LEB128
//! ```

use shardmill_schemas::combine::Input;
use shardmill_schemas::key::{Key, common_prefix};

const DELETED: u8 = 0x20;
const PARTIAL: u8 = 0x40;
const SAME_TIMESTAMP: u8 = 0x10;

/// Collects the cells of one block.
#[derive(Debug, Default)]
pub(super) struct BlockWriter {
    bytes: Vec<u8>,
    fields: [Vec<u8>; 4],
    timestamp: i64,
}

impl BlockWriter {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    pub(super) fn append(&mut self, key: &Key<'_>, input: Input<'_>) {
        let first = self.bytes.is_empty();
        let (value, partial) = match input {
            Input::Value(bytes) => (bytes, 0),
            Input::Partial(bytes) => (bytes, PARTIAL),
        };
        let flags_at = self.bytes.len();
        self.bytes.push(0);
        let mut flags = partial | if key.deleted { DELETED } else { 0 };
        for (index, field) in [key.row, key.family, key.qualifier, key.visibility]
            .into_iter()
            .enumerate()
        {
            let before = &mut self.fields[index];
            let shared = if first {
                0
            } else {
                common_prefix(before, field)
            };
            if !first && shared == field.len() && shared == before.len() {
                flags |= 1 << index;
                continue;
            }
            write_length(&mut self.bytes, shared);
            write_length(&mut self.bytes, field.len() - shared);
            self.bytes.extend_from_slice(&field[shared..]);
            before.truncate(shared);
            before.extend_from_slice(&field[shared..]);
        }
        if !first && key.timestamp == self.timestamp {
            flags |= SAME_TIMESTAMP;
        } else {
            self.bytes.extend_from_slice(&key.timestamp.to_le_bytes());
            self.timestamp = key.timestamp;
        }
        write_length(&mut self.bytes, value.len());
        self.bytes.extend_from_slice(value);
        self.bytes[flags_at] = flags;
    }
}

fn write_length(out: &mut Vec<u8>, mut length: usize) {
    while length >= 0x80 {
        out.push(length as u8 | 0x80);
        length >>= 7;
    }
    out.push(length as u8);
}

/// Reads the cells of one block, one at a time.
#[derive(Debug, Default)]
pub(super) struct BlockCells {
    bytes: Vec<u8>,
    at: usize,
    fields: [Vec<u8>; 4],
    timestamp: i64,
    flags: u8,
    value: std::ops::Range<usize>,
}

impl BlockCells {
    /// Makes room for a block of so many raw bytes; the caller fills it.
    pub(super) fn refill(&mut self, raw: usize) -> &mut [u8] {
        self.at = 0;
        self.bytes.resize(raw, 0);
        if self.bytes.capacity() > 16 * super::run::BLOCK && raw <= super::run::BLOCK * 2 {
            self.bytes.shrink_to(super::run::BLOCK * 2);
        }
        &mut self.bytes
    }

    /// Moves to the next cell: `Some(false)` at the end of the block, `None` when it is malformed.
    pub(super) fn advance(&mut self) -> Option<bool> {
        if self.at == self.bytes.len() {
            return Some(false);
        }
        self.flags = *self.bytes.get(self.at)?;
        self.at += 1;
        for index in 0..4 {
            if self.flags & 1 << index == 0 {
                let shared = self.length()?;
                let suffix = self.slice()?;
                let field = &mut self.fields[index];
                if shared > field.len() {
                    return None;
                }
                field.truncate(shared);
                field.extend_from_slice(&self.bytes[suffix]);
            }
        }
        if self.flags & SAME_TIMESTAMP == 0 {
            let bytes = self.bytes.get(self.at..)?.first_chunk::<8>()?;
            self.timestamp = i64::from_le_bytes(*bytes);
            self.at += 8;
        }
        self.value = self.slice()?;
        Some(true)
    }

    fn length(&mut self) -> Option<usize> {
        let mut length = 0;
        for shift in (0..63).step_by(7) {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            length |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(length);
            }
        }
        None
    }

    fn slice(&mut self) -> Option<std::ops::Range<usize>> {
        let length = self.length()?;
        let end = self
            .at
            .checked_add(length)
            .filter(|&end| end <= self.bytes.len())?;
        let range = self.at..end;
        self.at = end;
        Some(range)
    }

    pub(super) fn key(&self) -> Key<'_> {
        let [row, family, qualifier, visibility] = &self.fields;
        Key {
            row,
            family,
            qualifier,
            visibility,
            timestamp: self.timestamp,
            deleted: self.flags & DELETED != 0,
        }
    }

    pub(super) fn input(&self) -> Input<'_> {
        let bytes = &self.bytes[self.value.clone()];
        if self.flags & PARTIAL != 0 {
            Input::Partial(bytes)
        } else {
            Input::Value(bytes)
        }
    }
}
