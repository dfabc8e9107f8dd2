//! Reading runs.

use super::run::{Block, FOOTER, MAGIC, RunError, Segment, io_error};
use super::run_block::BlockCells;
use shardmill_schemas::combine::Input;
use shardmill_schemas::key::Key;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use xxhash_rust::xxh3::xxh3_64;

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
