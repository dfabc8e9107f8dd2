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

use std::io;
use std::path::{Path, PathBuf};

pub use super::run_reader::{Cursor, Run};
pub use super::run_writer::RunWriter;

pub(super) const MAGIC: &[u8; 8] = b"SHMLRUN1";
pub(super) const FOOTER: usize = 3 * 8 + 8;
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
    pub(super) blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) offset: u64,
    pub(super) stored: u32,
    pub(super) raw: u32,
    pub(super) xxh3: u64,
}

pub(super) fn io_error(path: &Path, source: io::Error) -> RunError {
    RunError::Io {
        path: path.into(),
        source,
    }
}
