//! Why cells cannot be shown.

use crate::load::ManifestError;
use crate::rfile::RFileError;
use shardmill_schemas::iterators::ScanError;

/// Why cells cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The folder is no published run, or its manifest is broken.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file cannot be read or is corrupt.
    #[error(transparent)]
    RFile(#[from] RFileError),
    /// The run does not have the table that was asked for.
    #[error("VIEW_TABLE: {path} has no table {table:?}; it has {}", tables.join(", "))]
    NoTable {
        /// The run.
        path: String,
        /// What was asked for.
        table: String,
        /// What it has.
        tables: Vec<String>,
    },
    /// The files of a table are not in order.
    #[error("VIEW_ORDER: {path}: its first cell sorts before the last one of the file before it")]
    Order {
        /// The file.
        path: String,
    },
    /// An iterator of the table cannot read a value.
    #[error(
        "VIEW_VALUE: {path} at byte {offset}: table {table}, {key}: {error}; the cells as they are can be seen raw"
    )]
    Value {
        /// The file.
        path: String,
        /// Where the block with the cell starts.
        offset: u64,
        /// The table.
        table: String,
        /// The cell's key, escaped.
        key: String,
        /// What the iterator says.
        error: ScanError,
    },
}
