//! What can go wrong with an RFile, with a stable code and a place for each.

use std::io;

/// A fault found inside one buffer; whoever knows the file turns it into a [`RFileError::Corrupt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Byte position inside the (decompressed) buffer.
    pub(crate) at: usize,
    /// What is wrong there.
    pub(crate) what: &'static str,
}

impl Fault {
    /// A fault at a position of a buffer.
    pub(crate) fn new(at: usize, what: &'static str) -> Fault {
        Fault { at, what }
    }
}

/// Why an RFile could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RFileError {
    /// The file could not be opened or read.
    #[error("RFILE_READ: {path} at byte {offset}: {source}")]
    Read {
        /// The file as the caller named it.
        path: String,
        /// Where the read started.
        offset: u64,
        /// What the operating system said.
        source: io::Error,
    },
    /// The sink did not take the bytes. The writer refuses all further work.
    #[error("RFILE_WRITE: at byte {offset} of the file: {source}")]
    Write {
        /// Bytes that the sink had taken before.
        offset: u64,
        /// What the sink said.
        source: io::Error,
    },
    /// Bytes that no correct writer produces.
    #[error("RFILE_CORRUPT: {path} at byte {offset} (+{within}): {what}")]
    Corrupt {
        /// The file as the caller named it.
        path: String,
        /// File offset of the region (block, meta block, trailer) at fault.
        offset: u64,
        /// Position inside the decompressed region.
        within: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// A correct file perhaps, but of a version or with a codec that is not read here.
    #[error("RFILE_UNSUPPORTED: {path}: {what}")]
    Unsupported {
        /// The file as the caller named it.
        path: String,
        /// Which version or codec.
        what: String,
    },
    /// A cell was appended that sorts before its predecessor.
    #[error("RFILE_ORDER: cell {cell} sorts before its predecessor: {key} < {previous}")]
    OutOfOrder {
        /// Number of the cell in the file, from 0.
        cell: u64,
        /// The key that was refused, escaped.
        key: String,
        /// The key before it, escaped.
        previous: String,
    },
    /// A cell is larger than any reader of the format accepts (2³¹ bytes with its key).
    #[error("RFILE_TOO_LARGE: cell {cell} has {bytes} bytes of key and value")]
    TooLarge {
        /// Number of the cell in the file, from 0.
        cell: u64,
        /// Bytes of its key fields and value.
        bytes: u64,
    },
    /// Options that contradict each other or the format.
    #[error("RFILE_OPTIONS: {what}")]
    Options {
        /// Which option, and why.
        what: String,
    },
    /// A codec refused to compress; its version and the block size do not fit together.
    #[error("RFILE_CODEC: {codec} could not compress a block of {bytes} bytes: {what}")]
    Codec {
        /// The codec's name in the file format.
        codec: &'static str,
        /// Size of the block.
        bytes: u64,
        /// What the codec said.
        what: String,
    },
    /// An earlier call failed, so the file can be neither completed nor read on.
    #[error("RFILE_BROKEN: an earlier call on this file failed")]
    Broken,
}

impl RFileError {
    /// The stable code that the message starts with.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            RFileError::Read { .. } => "RFILE_READ",
            RFileError::Write { .. } => "RFILE_WRITE",
            RFileError::Corrupt { .. } => "RFILE_CORRUPT",
            RFileError::Unsupported { .. } => "RFILE_UNSUPPORTED",
            RFileError::OutOfOrder { .. } => "RFILE_ORDER",
            RFileError::TooLarge { .. } => "RFILE_TOO_LARGE",
            RFileError::Options { .. } => "RFILE_OPTIONS",
            RFileError::Codec { .. } => "RFILE_CODEC",
            RFileError::Broken => "RFILE_BROKEN",
        }
    }
}
