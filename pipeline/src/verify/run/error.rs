//! Why a run is refused.

use crate::load::ManifestError;
use crate::verify::rfile::VerifyError;
use std::io;
use std::path::Path;

/// A fault of a published run.
#[derive(Debug, thiserror::Error)]
pub enum VerifyRunError {
    /// A file of the run is changed, missing, superfluous or says what is not true.
    #[error("VERIFY_RUN: {path}: {what}")]
    Damaged {
        /// Path below the run's folder.
        path: String,
        /// What is wrong with it.
        what: String,
    },
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// An RFile is damaged in itself or cannot be read.
    #[error(transparent)]
    RFile(#[from] VerifyError),
    /// The operating system refuses to read a file.
    #[error("VERIFY_READ: {path}: {source}")]
    Read {
        /// Path below the run's folder.
        path: String,
        /// What the operating system said.
        source: io::Error,
    },
}

impl VerifyRunError {
    /// The stable code that the message starts with.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            VerifyRunError::Damaged { .. } => "VERIFY_RUN",
            VerifyRunError::Manifest(ManifestError::Read { .. }) => "MANIFEST_READ",
            VerifyRunError::Manifest(ManifestError::Syntax { .. }) => "MANIFEST_SYNTAX",
            VerifyRunError::Manifest(ManifestError::Format { .. }) => "MANIFEST_FORMAT",
            VerifyRunError::RFile(error) => error.code(),
            VerifyRunError::Read { .. } => "VERIFY_READ",
        }
    }
}

pub(super) fn damaged(path: &str, what: impl Into<String>) -> VerifyRunError {
    VerifyRunError::Damaged {
        path: path.to_owned(),
        what: what.into(),
    }
}

pub(super) fn unreadable(path: &str) -> impl FnOnce(io::Error) -> VerifyRunError + '_ {
    move |source| VerifyRunError::Read {
        path: path.to_owned(),
        source,
    }
}

/// A text file of the run, by its path below the run's folder.
pub(super) fn read_text(run: &Path, path: &str) -> Result<String, VerifyRunError> {
    let bytes = std::fs::read(run.join(path)).map_err(unreadable(path))?;
    String::from_utf8(bytes).map_err(|_| damaged(path, "it is no UTF-8 text"))
}
