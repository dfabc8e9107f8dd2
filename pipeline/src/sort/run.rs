//! A run container: everything that one task spilled, each spill sorted.
//!
//! ```text
//! "SHMLRUN1"
//! blocks …            lz4, each followed by nothing; checked by the xxh3 in the index
//! index               segments in the order written, see below
//! index offset u64 │ index length u64 │ xxh3-64 of the index u64 │ "SHMLRUN1"
//!
//! index   = count u32, then per segment: table u16 │ partition u32 │ cells u64 │ blocks u32, then per block: offset u64 │ stored u32 │ raw u32 │ xxh3-64 u64
//! ```
//!
//! All integers are little-endian. A segment is what one spill holds of one partition of one table: sorted, ready to be merged. Cells in a
//! block are prefix-encoded against the one before; the first of a block stands alone.

use super::run_block::{BlockCells, BlockWriter};
use shardmill_schemas::combine::Input;
use shardmill_schemas::key::Key;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 8] = b"SHMLRUN1";
const FOOTER: usize = 3 * 8 + 8;
/// Raw bytes after which a block is closed.
pub const BLOCK: usize = 64 << 10;

/// A run that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The operating system said no.
    #[error("{path}: {source}")]
    Io {
        /// The run.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// The bytes are not what was written.
    #[error("{path}: byte {offset}: {reason}")]
    Corrupt {
        /// The run.
        path: PathBuf,
        /// Offset in the file.
        offset: u64,
        /// What is wrong there.
        reason: &'static str,
    },
}

/// A sorted stretch of a run: one partition of one table in one spill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Index of the table.
    pub table: u16,
    /// Index of the partition in its table.
    pub partition: u32,
    /// How many cells it holds.
    pub cells: u64,
    blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    offset: u64,
    stored: u32,
    raw: u32,
    xxh3: u64,
}

/// Writes a run, segment after segment.
#[derive(Debug)]
pub struct RunWriter {
    path: PathBuf,
    file: BufWriter<File>,
    offset: u64,
    segments: Vec<Segment>,
    block: BlockWriter,
    stored: Vec<u8>,
}

impl RunWriter {
    /// Creates the file, which must not exist.
    ///
    /// # Errors
    /// It exists or cannot be created.
    pub fn create(path: &Path) -> Result<Self, RunError> {
        let file = File::create_new(path).map_err(|source| io_error(path, source))?;
        let file = BufWriter::with_capacity(256 << 10, file);
        let mut run = RunWriter {
            path: path.into(),
            file,
            offset: 0,
            segments: Vec::new(),
            block: BlockWriter::default(),
            stored: Vec::new(),
        };
        run.write(MAGIC)?;
        Ok(run)
    }

    /// Begins a segment; the one before is complete.
    ///
    /// # Errors
    /// The last block of the segment before could not be written.
    pub fn begin(&mut self, table: u16, partition: u32) -> Result<(), RunError> {
        self.close_block()?;
        self.segments.push(Segment {
            table,
            partition,
            cells: 0,
            blocks: Vec::new(),
        });
        Ok(())
    }

    /// Appends the next cell of the segment.
    ///
    /// # Errors
    /// The disk is full, or another I/O error.
    pub fn append(&mut self, key: &Key<'_>, input: Input<'_>) -> Result<(), RunError> {
        self.block.append(key, input);
        if let Some(segment) = self.segments.last_mut() {
            segment.cells += 1;
        }
        if self.block.len() >= BLOCK {
            self.close_block()
        } else {
            Ok(())
        }
    }

    /// Forgets every segment from the one with this index on; their bytes stay unused in the file.
    pub fn truncate(&mut self, segments: usize) {
        self.block.clear();
        self.segments.truncate(segments);
    }

    /// How many segments were begun.
    #[must_use]
    pub fn segments(&self) -> usize {
        self.segments.len()
    }

    fn close_block(&mut self) -> Result<(), RunError> {
        if self.block.len() == 0 {
            return Ok(());
        }
        self.stored.resize(
            lz4_flex::block::get_maximum_output_size(self.block.len()),
            0,
        );
        let stored = lz4_flex::block::compress_into(self.block.bytes(), &mut self.stored)
            .map_err(|error| io_error(&self.path, io::Error::other(error)))?;
        let block = Block {
            offset: self.offset,
            stored: u32::try_from(stored)
                .map_err(|error| io_error(&self.path, io::Error::other(error)))?,
            raw: u32::try_from(self.block.len())
                .map_err(|error| io_error(&self.path, io::Error::other(error)))?,
            xxh3: xxh3_64(&self.stored[..stored]),
        };
        let bytes = std::mem::take(&mut self.stored);
        self.write(&bytes[..stored])?;
        self.stored = bytes;
        if self.stored.len() > 16 * BLOCK {
            self.stored = Vec::new();
        }
        self.block.clear();
        if let Some(segment) = self.segments.last_mut() {
            segment.blocks.push(block);
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        self.file
            .write_all(bytes)
            .map_err(|source| io_error(&self.path, source))?;
        self.offset += bytes.len() as u64;
        Ok(())
    }

    /// Writes the index, syncs the file and says how long it is.
    ///
    /// # Errors
    /// The disk is full, or another I/O error.
    pub fn finish(mut self) -> Result<u64, RunError> {
        self.close_block()?;
        let mut index = Vec::new();
        index.extend_from_slice(&(self.segments.len() as u32).to_le_bytes());
        for segment in &self.segments {
            index.extend_from_slice(&segment.table.to_le_bytes());
            index.extend_from_slice(&segment.partition.to_le_bytes());
            index.extend_from_slice(&segment.cells.to_le_bytes());
            index.extend_from_slice(&(segment.blocks.len() as u32).to_le_bytes());
            for block in &segment.blocks {
                index.extend_from_slice(&block.offset.to_le_bytes());
                index.extend_from_slice(&block.stored.to_le_bytes());
                index.extend_from_slice(&block.raw.to_le_bytes());
                index.extend_from_slice(&block.xxh3.to_le_bytes());
            }
        }
        let mut footer = Vec::with_capacity(FOOTER);
        for word in [self.offset, index.len() as u64, xxh3_64(&index)] {
            footer.extend_from_slice(&word.to_le_bytes());
        }
        footer.extend_from_slice(MAGIC);
        self.write(&index)?;
        self.write(&footer)?;
        self.file
            .flush()
            .and_then(|()| self.file.get_ref().sync_all())
            .map_err(|source| io_error(&self.path, source))?;
        Ok(self.offset)
    }
}

/// A run whose index is read. Its segments are read by `pread` on one descriptor, which is open as long as one of its cursors is.
#[derive(Debug)]
pub struct Run {
    path: PathBuf,
    file: Mutex<Weak<File>>,
    /// The segments in the order written.
    pub segments: Vec<Segment>,
}

impl Run {
    /// Opens a run and reads its index.
    ///
    /// # Errors
    /// It cannot be read, or is not a complete run.
    pub fn open(path: &Path) -> Result<Arc<Self>, RunError> {
        let file = File::open(path).map_err(|source| io_error(path, source))?;
        let length = file
            .metadata()
            .map_err(|source| io_error(path, source))?
            .len();
        let corrupt = |offset, reason| RunError::Corrupt {
            path: path.into(),
            offset,
            reason,
        };
        let footer_at = length
            .checked_sub(FOOTER as u64)
            .ok_or_else(|| corrupt(0, "too short for a run"))?;
        let mut footer = [0; FOOTER];
        file.read_exact_at(&mut footer, footer_at)
            .map_err(|source| io_error(path, source))?;
        let (words, magic) = footer.split_at(24);
        let mut words = words
            .as_chunks::<8>()
            .0
            .iter()
            .map(|word| u64::from_le_bytes(*word));
        let (offset, size, xxh3) = (
            words.next().unwrap_or(0),
            words.next().unwrap_or(0),
            words.next().unwrap_or(0),
        );
        if magic != MAGIC || offset.checked_add(size) != Some(footer_at) {
            return Err(corrupt(footer_at, "no footer of a run"));
        }
        let mut index = vec![0; size as usize];
        file.read_exact_at(&mut index, offset)
            .map_err(|source| io_error(path, source))?;
        if xxh3_64(&index) != xxh3 {
            return Err(corrupt(
                offset,
                "the index has changed since it was written",
            ));
        }
        let segments =
            read_index(&index).ok_or_else(|| corrupt(offset, "the index is not well formed"))?;
        Ok(Arc::new(Run {
            path: path.into(),
            file: Mutex::default(),
            segments,
        }))
    }

    fn descriptor(&self) -> Result<Arc<File>, RunError> {
        // A thread that panicked with the lock held cannot have left a half-made descriptor.
        let mut shared = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = shared.upgrade() {
            return Ok(file);
        }
        let file = File::open(&self.path).map_err(|source| io_error(&self.path, source))?;
        let file = Arc::new(file);
        *shared = Arc::downgrade(&file);
        Ok(file)
    }

    /// Reads a segment from its start.
    ///
    /// # Errors
    /// The file cannot be opened again.
    pub fn cursor(self: &Arc<Self>, segment: &Segment) -> Result<Cursor, RunError> {
        Ok(Cursor {
            file: self.descriptor()?,
            run: Arc::clone(self),
            blocks: segment.blocks.clone(),
            next: 0,
            stored: Vec::new(),
            cells: BlockCells::default(),
        })
    }
}

fn read_index(mut bytes: &[u8]) -> Option<Vec<Segment>> {
    fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
        let (head, rest) = bytes.split_first_chunk::<N>()?;
        *bytes = rest;
        Some(*head)
    }
    let bytes = &mut bytes;
    let count = u32::from_le_bytes(take(bytes)?);
    let mut segments = Vec::new();
    for _ in 0..count {
        let (table, partition) = (
            u16::from_le_bytes(take(bytes)?),
            u32::from_le_bytes(take(bytes)?),
        );
        let cells = u64::from_le_bytes(take(bytes)?);
        let mut blocks = Vec::new();
        for _ in 0..u32::from_le_bytes(take(bytes)?) {
            blocks.push(Block {
                offset: u64::from_le_bytes(take(bytes)?),
                stored: u32::from_le_bytes(take(bytes)?),
                raw: u32::from_le_bytes(take(bytes)?),
                xxh3: u64::from_le_bytes(take(bytes)?),
            });
        }
        segments.push(Segment {
            table,
            partition,
            cells,
            blocks,
        });
    }
    bytes.is_empty().then_some(segments)
}

fn io_error(path: &Path, source: io::Error) -> RunError {
    RunError::Io {
        path: path.into(),
        source,
    }
}

/// The cells of one segment, one at a time.
#[derive(Debug)]
pub struct Cursor {
    run: Arc<Run>,
    file: Arc<File>,
    blocks: Vec<Block>,
    next: usize,
    stored: Vec<u8>,
    cells: BlockCells,
}

impl Cursor {
    /// Moves to the next cell; `false` at the end.
    ///
    /// # Errors
    /// A block cannot be read or has changed.
    pub fn advance(&mut self) -> Result<bool, RunError> {
        loop {
            match self.cells.advance() {
                Some(true) => return Ok(true),
                Some(false) if self.next == self.blocks.len() => return Ok(false),
                Some(false) => self.load()?,
                None => return Err(self.corrupt("a cell is cut short")),
            }
        }
    }

    fn corrupt(&self, reason: &'static str) -> RunError {
        let offset = self
            .next
            .checked_sub(1)
            .and_then(|last| self.blocks.get(last))
            .map_or(0, |block| block.offset);
        RunError::Corrupt {
            path: self.run.path.clone(),
            offset,
            reason,
        }
    }

    fn load(&mut self) -> Result<(), RunError> {
        let block = self.blocks[self.next];
        self.next += 1;
        self.stored.resize(block.stored as usize, 0);
        self.file
            .read_exact_at(&mut self.stored, block.offset)
            .map_err(|source| io_error(&self.run.path, source))?;
        if xxh3_64(&self.stored) != block.xxh3 {
            return Err(self.corrupt("the block has changed since it was written"));
        }
        let raw = self.cells.refill(block.raw as usize);
        match lz4_flex::block::decompress_into(&self.stored, raw) {
            Ok(length) if length == block.raw as usize => Ok(()),
            _ => Err(self.corrupt("the block does not decompress to its length")),
        }
    }

    /// The key of the current cell.
    #[must_use]
    pub fn key(&self) -> Key<'_> {
        self.cells.key()
    }

    /// The value or partial state of the current cell.
    #[must_use]
    pub fn input(&self) -> Input<'_> {
        self.cells.input()
    }
}
