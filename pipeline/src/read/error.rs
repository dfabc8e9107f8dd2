//! What ends the reading of an input. A bad record is no such error: it is a [`Fault`](super::Fault), and reading goes on after it.

use std::io;

/// Why an input cannot be found or read further. After it the reader is of no use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A pattern that matches no file.
    #[error("input {pattern:?} matches no file")]
    NoMatch {
        /// The pattern as the job has it.
        pattern: String,
    },
    /// A pattern that is not a glob.
    #[error("input {pattern:?} is not a valid pattern: {message}")]
    Pattern {
        /// The pattern as the job has it.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// One file that would be read twice.
    #[error("{path}: would be read twice, through input {first:?} and through input {second:?}")]
    Twice {
        /// The file as the second pattern names it.
        path: String,
        /// The pattern that found it first.
        first: String,
        /// The pattern that found it again.
        second: String,
    },
    /// There is no such file.
    #[error("{path}: no such file")]
    Missing {
        /// The file.
        path: String,
    },
    /// The file may not be read.
    #[error("{path}: permission denied")]
    Permission {
        /// The file.
        path: String,
    },
    /// A pipe, a device or a socket, which cannot be read twice.
    #[error("{path}: not a regular file")]
    NotAFile {
        /// The path.
        path: String,
    },
    /// A name that a plan cannot hold.
    #[error("{path}: the name is not valid UTF-8")]
    NameNotUtf8 {
        /// The path, with its bad bytes replaced.
        path: String,
    },
    /// The file is not the one that was planned.
    #[error("{path}: changed since the job was planned: {what}")]
    Changed {
        /// The file.
        path: String,
        /// Size or modification time, before and now.
        what: String,
    },
    /// A gzip file that ends too early or whose content is damaged.
    #[error(
        "{path}: {} gzip data at byte {compressed} (byte {decompressed} of the decompressed text): {message}",
        if *.truncated { "truncated" } else { "damaged" }
    )]
    Gzip {
        /// The file.
        path: String,
        /// Whether the file ends before its data does.
        truncated: bool,
        /// How far the decoder had read the file.
        compressed: u64,
        /// How many bytes it had given out.
        decompressed: u64,
        /// The decoder's words.
        message: String,
    },
    /// No header row to take column names from.
    #[error("{path}: the file is empty: it has no header row, and the job gives no column names")]
    EmptyFile {
        /// The file.
        path: String,
    },
    /// Column names that records cannot be read with.
    #[error("{path}: line {line}: header: {message}")]
    Header {
        /// The file.
        path: String,
        /// Line of the header row.
        line: u64,
        /// What is wrong, and in which column.
        message: String,
    },
    /// Settings of a format that contradict each other.
    #[error("{path}: {message}")]
    Options {
        /// The file.
        path: String,
        /// The setting and what is wrong with it.
        message: String,
    },
    /// Any other failure of the operating system.
    #[error("{path}: at byte {offset}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Offset in the file.
        offset: u64,
        /// The system's error.
        source: io::Error,
    },
}

impl ReadError {
    /// A stable name of the kind of error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            ReadError::NoMatch { .. } => "input-no-match",
            ReadError::Pattern { .. } => "input-pattern",
            ReadError::Twice { .. } => "input-twice",
            ReadError::Missing { .. } => "input-missing",
            ReadError::Permission { .. } => "input-permission",
            ReadError::NotAFile { .. } => "input-not-a-file",
            ReadError::NameNotUtf8 { .. } => "input-name",
            ReadError::Changed { .. } => "input-changed",
            ReadError::Gzip {
                truncated: true, ..
            } => "gzip-truncated",
            ReadError::Gzip { .. } => "gzip-damaged",
            ReadError::EmptyFile { .. } => "empty-file",
            ReadError::Header { .. } => "header",
            ReadError::Options { .. } => "input-options",
            ReadError::Io { .. } => "input-io",
        }
    }

    /// The error for a failed call on `path`.
    pub(crate) fn from_io(path: &str, offset: u64, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ReadError::Missing { path },
            io::ErrorKind::PermissionDenied => ReadError::Permission { path },
            _ => ReadError::Io {
                path,
                offset,
                source,
            },
        }
    }
}
