//! Why a run cannot be handed to the loader.

use std::io;
use std::path::Path;

/// Why load plans, settings, scripts or the manifest were not written.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A table name that Accumulo refuses.
    #[error("LOAD_TABLE_NAME: {name:?} cannot be a table of Accumulo: {reason}")]
    TableName {
        /// The name as it was given.
        name: String,
        /// What is wrong and what would be right.
        reason: &'static str,
    },
    /// Splits, tablets or files of a table contradict each other.
    #[error("LOAD_TABLE: table {table}: {reason}")]
    Table {
        /// The table.
        table: String,
        /// What contradicts what.
        reason: String,
    },
    /// A table setting that Accumulo or a settings file cannot hold.
    #[error("LOAD_SETTING: table {table}: setting {key:?}: {reason}")]
    Setting {
        /// The table.
        table: String,
        /// The property.
        key: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// Facts of the run that cannot be true or may not be published.
    #[error("LOAD_FACTS: {what}: {reason}")]
    Facts {
        /// Which fact.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// Something in the staged folder that is no part of a run, or is missing from it.
    #[error("LOAD_FOLDER: {path}: {reason}")]
    Folder {
        /// Path below the run's folder.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("LOAD_IO: {path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl LoadError {
    /// The stable code that the message starts with.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            LoadError::TableName { .. } => "LOAD_TABLE_NAME",
            LoadError::Table { .. } => "LOAD_TABLE",
            LoadError::Setting { .. } => "LOAD_SETTING",
            LoadError::Facts { .. } => "LOAD_FACTS",
            LoadError::Folder { .. } => "LOAD_FOLDER",
            LoadError::Io { .. } => "LOAD_IO",
        }
    }

    /// Turns what the operating system said about `path` into an error.
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> LoadError + '_ {
        move |source| LoadError::Io {
            path: path.display().to_string(),
            source,
        }
    }

    /// An error about a table as a whole.
    pub(crate) fn table(table: &str, reason: impl Into<String>) -> LoadError {
        LoadError::Table {
            table: table.to_owned(),
            reason: reason.into(),
        }
    }
}
