//! The multi-level index of a locality group: which key range is in which block.
//!
//! ```text
//! entry: absolute key, i32 number of cells (0 above level 0), region of the block
//! block: i32 level, i32 number of level-0 entries before it, bool more blocks follow on this level,
//!        i32 n, n × i32 start of each entry, i32 bytes of entries, entries
//! ```
//! Level 0 describes data blocks, level k the blocks of level k−1. Blocks are ordinary compressed blocks of the container; the
//! single block of the top level, the root, stands inside `RFile.index`. Source: Accumulo's `core/file/rfile/MultiLevelIndex.java`.

use std::io::Write;

use shardmill_schemas::key::Key;

use super::container::{ContainerWriter, Region};
use super::error::{Fault, RFileError};
use super::input::Input;
use super::relative_key::{read_key, write_key};

/// Entries are held back until they have this many bytes, so that index blocks stand together; Java's number.
const HELD_BYTES: usize = 10 << 20;

/// One block of the index while it is filled.
#[derive(Debug, Default)]
struct OpenBlock {
    level: i32,
    before: i32,
    entries: Vec<u8>,
    starts: Vec<u32>,
    /// Bytes of the key of the last entry.
    last_key: Vec<u8>,
}

impl OpenBlock {
    fn add(&mut self, key: &[u8], cells: i32, region: &Region) {
        self.starts.push(self.entries.len() as u32);
        self.entries.extend_from_slice(key);
        self.entries.extend_from_slice(&cells.to_be_bytes());
        region.write(&mut self.entries);
        self.last_key.clear();
        self.last_key.extend_from_slice(key);
    }

    fn write(&self, more: bool, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.level.to_be_bytes());
        out.extend_from_slice(&self.before.to_be_bytes());
        out.push(u8::from(more));
        out.extend_from_slice(&(self.starts.len() as i32).to_be_bytes());
        for start in &self.starts {
            out.extend_from_slice(&start.to_be_bytes());
        }
        out.extend_from_slice(&(self.entries.len() as i32).to_be_bytes());
        out.extend_from_slice(&self.entries);
    }

    fn is_over(&self, limit: usize) -> bool {
        self.starts.len() > 1 && self.entries.len() + 4 * self.starts.len() > limit
    }

    fn restart(&mut self, before: i32) {
        self.before = before;
        self.entries.clear();
        self.starts.clear();
    }
}

/// An entry that waits in [`IndexWriter::held`].
#[derive(Debug)]
struct Held {
    key_bytes: u32,
    cells: i32,
    region: Region,
}

/// Builds the index of one locality group.
#[derive(Debug)]
pub(crate) struct IndexWriter {
    limit: usize,
    levels: Vec<OpenBlock>,
    /// Data blocks that went into level 0.
    total: i32,
    held: Vec<Held>,
    held_keys: Vec<u8>,
    scratch: Vec<u8>,
}

impl IndexWriter {
    /// An index whose blocks are closed once they have more than `limit` bytes.
    pub(crate) fn new(limit: usize) -> IndexWriter {
        IndexWriter {
            limit,
            levels: vec![OpenBlock::default()],
            total: 0,
            held: Vec::new(),
            held_keys: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Adds a data block that is not the last one; `key` is at least its last key and at most the first of the next block.
    pub(crate) fn add<W: Write>(
        &mut self,
        file: &mut ContainerWriter<W>,
        key: &Key<'_>,
        cells: i32,
        region: Region,
    ) -> Result<(), RFileError> {
        self.hold(key, cells, region);
        if self.held_bytes() > HELD_BYTES {
            self.release(file)?;
        }
        Ok(())
    }

    /// Adds the last data block, whose key must be the last key of the group, and closes all levels but the root's.
    pub(crate) fn add_last<W: Write>(
        &mut self,
        file: &mut ContainerWriter<W>,
        key: &Key<'_>,
        cells: i32,
        region: Region,
    ) -> Result<(), RFileError> {
        self.release(file)?;
        self.hold(key, cells, region);
        self.insert_held(0, 0);
        let mut level = 0;
        while level + 1 < self.levels.len() {
            self.close(file, level, false)?;
            level += 1;
        }
        Ok(())
    }

    /// The number of levels.
    pub(crate) fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// Bytes that wait to be written.
    pub(crate) fn held_bytes(&self) -> usize {
        self.held_keys.len() + 16 * self.held.len()
    }

    /// Appends the number of data blocks and the root block, as `RFile.index` holds them.
    pub(crate) fn write_root(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.total.to_be_bytes());
        if let Some(root) = self.levels.last() {
            root.write(false, out);
        }
    }

    fn hold(&mut self, key: &Key<'_>, cells: i32, region: Region) {
        let start = self.held_keys.len();
        write_key(&mut self.held_keys, key);
        self.held.push(Held {
            key_bytes: (self.held_keys.len() - start) as u32,
            cells,
            region,
        });
    }

    /// Moves held entry `i`, whose key starts at `start`, to level 0; gives the end of its key.
    fn insert_held(&mut self, i: usize, start: usize) -> usize {
        let held = &self.held[i];
        let end = start + held.key_bytes as usize;
        self.total += 1;
        self.levels[0].add(&self.held_keys[start..end], held.cells, &held.region);
        end
    }

    /// Moves all held entries into the levels.
    fn release<W: Write>(&mut self, file: &mut ContainerWriter<W>) -> Result<(), RFileError> {
        let mut start = 0;
        for i in 0..self.held.len() {
            start = self.insert_held(i, start);
            let mut level = 0;
            while self.levels[level].is_over(self.limit) {
                self.close(file, level, true)?;
                level += 1;
            }
        }
        self.held.clear();
        self.held_keys.clear();
        Ok(())
    }

    /// Writes the block of a level and enters it into the level above.
    fn close<W: Write>(
        &mut self,
        file: &mut ContainerWriter<W>,
        level: usize,
        more: bool,
    ) -> Result<(), RFileError> {
        if level + 1 == self.levels.len() {
            self.levels.push(OpenBlock {
                level: level as i32 + 1,
                ..OpenBlock::default()
            });
        }
        let (lower, upper) = self.levels.split_at_mut(level + 1);
        let block = &mut lower[level];
        self.scratch.clear();
        block.write(more, &mut self.scratch);
        let region = file.write_block(&self.scratch)?;
        upper[0].add(&block.last_key, 0, &region);
        block.restart(self.total);
        Ok(())
    }
}

/// One entry of an index block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexEntry<'a> {
    pub(crate) key: Key<'a>,
    pub(crate) cells: i32,
    pub(crate) region: Region,
}

/// A block of the index as it was read; entries are parsed when asked for.
#[derive(Clone, Debug)]
pub(crate) struct IndexBlock {
    bytes: Vec<u8>,
    pub(crate) level: u32,
    count: usize,
    /// Where the entry starts and the entries begin in `bytes`.
    starts_at: usize,
    entries_at: usize,
    entries_end: usize,
}

impl IndexBlock {
    /// Takes a block that starts at `at` of `input`, which is left behind it.
    pub(crate) fn read(input: &mut Input<'_>) -> Result<IndexBlock, Fault> {
        let start = input.at();
        let mut whole = *input;
        let level = input.i32()?;
        let before = input.i32()?;
        input.bool()?;
        let count = input.count()?;
        let starts = input
            .take(count.saturating_mul(4))
            .map(|_| input.at() - 4 * count)?;
        let size = input.count()?;
        let entries = input.at();
        input.take(size)?;
        let level =
            u32::try_from(level).map_err(|_| Fault::new(start, "an index level is negative"))?;
        if before < 0 {
            return Err(Fault::new(start, "an index block has a negative position"));
        }
        Ok(IndexBlock {
            bytes: whole.take(input.at() - start)?.to_vec(),
            level,
            count,
            starts_at: starts - start,
            entries_at: entries - start,
            entries_end: entries + size - start,
        })
    }

    /// Number of entries.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Bytes of the serialized block.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Entry `i`, which must be below [`IndexBlock::count`].
    pub(crate) fn entry(&self, i: usize) -> Result<IndexEntry<'_>, Fault> {
        let start = Input::new(&self.bytes, self.starts_at + 4 * i).count()?;
        let bytes = &self.bytes[..self.entries_end];
        let mut input = Input::new(bytes, self.entries_at.saturating_add(start));
        let entry = IndexEntry {
            key: read_key(&mut input)?,
            cells: input.i32()?,
            region: Region::read(&mut input)?,
        };
        let wrong = if self.level == 0 {
            entry.cells < 1
        } else {
            entry.cells != 0
        };
        if wrong {
            return Err(input.fault("an index entry has an impossible number of cells"));
        }
        Ok(entry)
    }

    /// The first entry whose key has a row of at least `row`; the number of entries where there is none.
    pub(crate) fn first_at_row(&self, row: &[u8]) -> Result<usize, Fault> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.entry(middle)?.key.row < row {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}
