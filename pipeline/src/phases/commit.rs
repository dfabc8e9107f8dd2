//! What a task leaves behind when it is committed.

use crate::load::FileResult;
use crate::load::digest::Digest;
use crate::load::manifest::{KeyText, Records};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The record of a map task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapCommit {
    /// Name of its run among the runs; none where no cell was made.
    pub run: Option<String>,
    /// Length of the run in bytes.
    pub run_bytes: u64,
    /// Cells in the run.
    pub cells: u64,
    /// What became of the records, by input.
    pub inputs: BTreeMap<usize, Records>,
    /// Its rejects: name in `rejects/`.
    pub rejects: Option<String>,
    /// Input bytes read, as stored.
    pub bytes: u64,
}

/// The record of a merge task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergeCommit {
    /// Its files in the order of their rows.
    pub files: Vec<CommittedFile>,
    /// Cells read from runs.
    pub cells: u64,
}

/// An RFile of a merge task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommittedFile {
    /// Name in the table's folder.
    pub name: String,
    /// First tablet of its range.
    pub first_tablet: usize,
    /// Last tablet of its range.
    pub last_tablet: usize,
    /// Cells.
    pub entries: u64,
    /// Delete markers among them.
    pub deletes: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// Least key.
    pub first_key: KeyText,
    /// Greatest key.
    pub last_key: KeyText,
    /// SHA-256 of the file.
    pub sha256: Digest,
}

impl From<CommittedFile> for FileResult {
    fn from(file: CommittedFile) -> Self {
        FileResult {
            first_key: file.first_key.as_key().to_buf(),
            last_key: file.last_key.as_key().to_buf(),
            name: file.name,
            first_tablet: file.first_tablet,
            last_tablet: file.last_tablet,
            entries: file.entries,
            deletes: file.deletes,
            bytes: file.bytes,
            sha256: file.sha256.0,
        }
    }
}
