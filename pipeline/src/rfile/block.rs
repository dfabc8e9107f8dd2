//! Data blocks: relative keys and values, one after the other, without header or count.
//!
//! ```text
//! block: { relative key (see relative_key.rs), i32 length of the value, value }…
//! ```
//! The number of cells stands only in the index. The first key of a block refers to nothing before it.

use std::cmp::Ordering;
use std::io::Write;
use std::ops::Range;

use shardmill_schemas::key::{Key, KeyBuf};

use super::container::ContainerWriter;
use super::error::{Fault, RFileError};
use super::families::FamilyCounts;
use super::index::IndexWriter;
use super::input::{Input, write_utf};
use super::relative_key::{Delta, RunningKey, write_first, write_key, write_relative};
use super::shorten::{KeySizes, shorten};

/// No block may reach this size; Java allows for 128 bytes of lengths and flags.
const JAVA_LIMIT: u64 = i32::MAX as u64 - 128;

/// One locality group while it is written: the open block, the index, and what `RFile.index` says of the group.
#[derive(Debug)]
pub(crate) struct GroupWriter {
    /// `None` for the default group.
    name: Option<String>,
    families: FamilyCounts,
    first: Option<KeyBuf>,
    previous: KeyBuf,
    block: Vec<u8>,
    cells_in_block: i32,
    /// A block is full when it has more bytes than this …
    full: usize,
    /// … and is closed under any index key when it has more than this.
    over_full: usize,
    sizes: KeySizes,
    /// The average key size, taken when a block is found full and kept until it is closed.
    average: Option<f64>,
    candidate: KeyBuf,
    scratch: Vec<u8>,
    index: IndexWriter,
    /// Blocks written and their sizes before compression.
    pub(crate) blocks: u64,
    pub(crate) raw_bytes: u64,
}

impl GroupWriter {
    /// An empty group.
    pub(crate) fn new(
        name: Option<String>,
        families: FamilyCounts,
        block_size: usize,
        index_block_size: usize,
    ) -> GroupWriter {
        GroupWriter {
            name,
            families,
            first: None,
            previous: KeyBuf::default(),
            block: Vec::new(),
            cells_in_block: 0,
            full: block_size,
            over_full: block_size + block_size / 10,
            sizes: KeySizes::default(),
            average: None,
            candidate: KeyBuf::default(),
            scratch: Vec::new(),
            index: IndexWriter::new(index_block_size),
            blocks: 0,
            raw_bytes: 0,
        }
    }

    /// First and last key so far.
    pub(crate) fn range(&self) -> Option<(Key<'_>, Key<'_>)> {
        let first = self.first.as_ref()?;
        Some((first.as_key(), self.previous.as_key()))
    }

    /// The difference of a key from the one before it; `None` for the first key of the group.
    #[inline]
    pub(crate) fn delta(&self, key: &Key<'_>) -> Option<Delta> {
        let first = self.first.as_ref();
        first.map(|_| Delta::between(&self.previous.as_key(), key))
    }

    /// Bytes of the open block and of the index that was not written yet.
    pub(crate) fn open_bytes(&self) -> (usize, usize) {
        (self.block.len(), self.index.held_bytes())
    }

    /// Number of index levels.
    pub(crate) fn index_levels(&self) -> usize {
        self.index.level_count()
    }

    /// Adds a cell that is known to be in order; `delta` is [`GroupWriter::delta`] of its key.
    pub(crate) fn push<W: Write>(
        &mut self,
        file: &mut ContainerWriter<W>,
        key: &Key<'_>,
        value: &[u8],
        delta: Option<Delta>,
    ) -> Result<(), RFileError> {
        if self.block.len() > self.full || self.would_overflow(key, value) {
            self.cut_before(file, key, value)?;
        }
        self.families.count(key.family);
        self.block.reserve(key.size() + value.len() + 64);
        match delta {
            Some(delta) if self.cells_in_block > 0 => {
                let before = self.previous.as_key().timestamp;
                write_relative(&mut self.block, before, key, &delta);
            }
            _ => write_first(&mut self.block, key),
        }
        self.block
            .extend_from_slice(&(value.len() as i32).to_be_bytes());
        self.block.extend_from_slice(value);
        self.cells_in_block += 1;
        self.sizes.add(key.size() as u32);
        self.previous.set(key);
        if self.first.is_none() {
            self.first = Some(key.to_buf());
        }
        Ok(())
    }

    fn would_overflow(&self, key: &Key<'_>, value: &[u8]) -> bool {
        (key.size() + value.len() + self.block.len()) as u64 >= JAVA_LIMIT
    }

    /// Closes the open block before `key` when Java would.
    fn cut_before<W: Write>(
        &mut self,
        file: &mut ContainerWriter<W>,
        key: &Key<'_>,
        value: &[u8],
    ) -> Result<(), RFileError> {
        if self.cells_in_block == 0 {
            return Ok(());
        }
        let average = *self.average.get_or_insert_with(|| self.sizes.mean());
        let previous = self.previous.as_key();
        shorten(&previous, key, &mut self.scratch, &mut self.candidate);
        let size = self.candidate.as_key().size();
        let good = size as f64 <= average || self.block.len() > self.over_full;
        if (good && !self.sizes.is_giant(size)) || self.would_overflow(key, value) {
            let region = file.write_block(&self.block)?;
            let cells = self.cells_in_block;
            self.index
                .add(file, &self.candidate.as_key(), cells, region)?;
            self.start_block();
        }
        Ok(())
    }

    fn start_block(&mut self) {
        self.blocks += 1;
        self.raw_bytes += self.block.len() as u64;
        self.block.clear();
        self.cells_in_block = 0;
        self.average = None;
    }

    /// Closes the last block under the group's true last key, by which Accumulo knows the file's range.
    pub(crate) fn finish<W: Write>(
        &mut self,
        file: &mut ContainerWriter<W>,
    ) -> Result<(), RFileError> {
        if self.cells_in_block == 0 {
            return Ok(());
        }
        let region = file.write_block(&self.block)?;
        let last = self.previous.as_key();
        self.index
            .add_last(file, &last, self.cells_in_block, region)?;
        self.start_block();
        Ok(())
    }

    /// Appends what `RFile.index` says of this group; `None` when its name is too long for the format.
    pub(crate) fn write_metadata(&self, out: &mut Vec<u8>) -> Option<()> {
        out.push(u8::from(self.name.is_none()));
        if let Some(name) = &self.name {
            write_utf(out, name)?;
        }
        self.families.write(out);
        out.push(u8::from(self.first.is_some()));
        if let Some(first) = &self.first {
            write_key(out, &first.as_key());
        }
        self.index.write_root(out);
        Some(())
    }
}

/// Reads the cells of data blocks one after the other, keeping the key from block to block to check the order.
#[derive(Debug, Default)]
pub(crate) struct BlockCursor {
    /// The decompressed block; filled by the owner, who then calls [`BlockCursor::start`].
    pub(crate) block: Vec<u8>,
    at: usize,
    left: i32,
    fresh: bool,
    key: RunningKey,
    value: Range<usize>,
    /// Whether `key` is a predecessor that the next key must not sort before.
    started: bool,
}

impl BlockCursor {
    /// Starts at the begin of `block`, which holds `cells` cells.
    pub(crate) fn start(&mut self, cells: i32) {
        self.at = 0;
        self.left = cells;
        self.fresh = true;
    }

    /// Forgets the position and the predecessor.
    pub(crate) fn reset(&mut self) {
        self.left = 0;
        self.at = 0;
        self.block.clear();
        self.started = false;
    }

    /// Cells of the block that were not read yet.
    pub(crate) fn left(&self) -> i32 {
        self.left
    }

    /// Reads the next cell; only while [`BlockCursor::left`] is positive.
    pub(crate) fn advance(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let mut input = Input::new(&self.block, start);
        let order = self.key.advance(&mut input, self.fresh)?;
        if self.started && order == Ordering::Less {
            return Err(Fault::new(start, "a key sorts before its predecessor"));
        }
        let length = input.count()?;
        let value = input.at();
        input.take(length)?;
        self.value = value..input.at();
        self.at = input.at();
        self.started = true;
        self.fresh = false;
        self.left -= 1;
        if self.left == 0 {
            input.end()?;
        }
        Ok(())
    }

    /// The key of the cell that was read last.
    pub(crate) fn key(&self) -> Key<'_> {
        self.key.as_key()
    }

    /// The value of the cell that was read last.
    pub(crate) fn value(&self) -> &[u8] {
        &self.block[self.value.clone()]
    }
}
