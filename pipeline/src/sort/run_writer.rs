//! Writing runs.

use super::run::{BLOCK, Block, FOOTER, MAGIC, RunError, Segment, io_error};
use super::run_block::BlockWriter;
use shardmill_schemas::combine::Input;
use shardmill_schemas::key::Key;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

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
