//! The manifest of a published run: what was made, of what, by which versions.
//!
//! It holds no time but the plan's `now`, no host and no path, so the same plan and inputs give the same bytes.

mod table;

pub use table::{File, Group, Iterator, KeyText, Table};

use super::digest::Digest;
use super::{IteratorFlavour, RunFacts, TableResult};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Name of the manifest in the run's folder.
pub const MANIFEST: &str = "manifest.json";
/// Name of the list of digests in the run's folder.
pub const DIGESTS: &str = "manifest.sha256";
/// The format that this version writes and reads.
pub const FORMAT: u32 = 1;

/// What `manifest.json` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// SHA-256 of the plan.
    pub run_id: Digest,
    /// SHA-256 of what was asked for and of the inputs' content: equal for runs that differ in a `now` that nobody gave.
    pub request_id: Digest,
    /// Versions that shape bytes: `shardmill` itself and its codec crates.
    pub versions: BTreeMap<String, String>,
    /// Name of the layout.
    pub layout: String,
    /// The plan's one clock value, in milliseconds since the epoch.
    pub now: i64,
    /// How the files were encoded.
    pub files: FileSettings,
    /// The flavour that the settings files and scripts use.
    pub iterators: IteratorFlavour,
    /// One entry an input file, in the order of the plan.
    pub inputs: Vec<Input>,
    /// Sums over all inputs and tables.
    pub totals: Totals,
    /// In the order of the layout.
    pub tables: Vec<Table>,
}

/// The encoding of all RFiles of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSettings {
    /// Block codec as Accumulo names it: `gz`, `none`, `snappy`, `lz4`, `zstd`.
    pub codec: String,
    /// Compression level, where the codec has one.
    pub level: Option<i32>,
    /// Version of the container, BCFile: 3 for Accumulo 2 and later, 1 for 1.x.
    pub bcfile: u32,
    /// Bytes of cells after which a data block is closed.
    pub block_size: u64,
    /// Bytes of index entries after which an index block is closed.
    pub index_block_size: u64,
}

/// One input file and what became of its records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Its name, without a folder.
    pub file: String,
    /// Data type as the job names it.
    pub data_type: String,
    /// Length, where it is known.
    pub bytes: Option<u64>,
    /// What became of its records.
    pub records: Records,
}

/// Every record that is read ends in exactly one of the other counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Records {
    /// All.
    pub read: u64,
    /// Became cells.
    pub written: u64,
    /// Could not be taken; each stands in `rejects/`.
    pub rejected: u64,
    /// Left out by a rule of the configuration.
    pub filtered: u64,
    /// Repeated a record that was written.
    pub deduplicated: u64,
}

/// Sums over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Totals {
    /// Records of all inputs.
    pub records: Records,
    /// RFiles of all tables.
    pub files: u64,
    /// Cells in all RFiles, delete markers included.
    pub entries: u64,
    /// Delete markers in all RFiles.
    pub deletes: u64,
    /// Length of all RFiles.
    pub bytes: u64,
}

impl Records {
    /// The sum of two counts.
    #[must_use]
    pub fn plus(self, other: Records) -> Records {
        Records {
            read: self.read + other.read,
            written: self.written + other.written,
            rejected: self.rejected + other.rejected,
            filtered: self.filtered + other.filtered,
            deduplicated: self.deduplicated + other.deduplicated,
        }
    }

    /// Whether no record was lost: read = written + rejected + filtered + deduplicated.
    #[must_use]
    pub fn balance(&self) -> bool {
        [self.rejected, self.filtered, self.deduplicated]
            .iter()
            .try_fold(self.written, |sum, &count| sum.checked_add(count))
            == Some(self.read)
    }
}

impl Manifest {
    /// The manifest of a run, with its totals summed up.
    #[must_use]
    pub fn of(run: &RunFacts, tables: &[TableResult], iterators: IteratorFlavour) -> Manifest {
        let tables: Vec<Table> = tables.iter().map(Table::of).collect();
        Manifest {
            format: FORMAT,
            run_id: Digest(run.run_id),
            request_id: Digest(run.request_id),
            versions: run.versions.clone(),
            layout: run.layout.clone(),
            now: run.now,
            files: run.files.clone(),
            iterators,
            inputs: run.inputs.clone(),
            totals: Totals {
                records: run
                    .inputs
                    .iter()
                    .fold(Records::default(), |sum, input| sum.plus(input.records)),
                files: tables.iter().map(|table| table.files.len() as u64).sum(),
                entries: tables.iter().map(|table| table.entries).sum(),
                deletes: tables.iter().map(|table| table.deletes).sum(),
                bytes: tables.iter().map(|table| table.bytes).sum(),
            },
            tables,
        }
    }

    /// The text of `manifest.json`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let text = serde_json::to_string_pretty(self);
        text.expect("strings, numbers and lists always serialise") + "\n"
    }
}

/// Why a folder's manifest cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// No folder of a published run, or no right to read it.
    #[error("MANIFEST_READ: {path}: {source}")]
    Read {
        /// The manifest.
        path: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Its text is no manifest.
    #[error("MANIFEST_SYNTAX: {path}: {source}")]
    Syntax {
        /// The manifest.
        path: String,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
    /// Another version of Shardmill wrote it.
    #[error(
        "MANIFEST_FORMAT: {path} has format {found}, this version of shardmill reads format {FORMAT}"
    )]
    Format {
        /// The manifest.
        path: String,
        /// Its format.
        found: u32,
    },
}

/// Reads the manifest of the run in folder `run`.
///
/// # Errors
/// It is missing, unreadable, no manifest, or of another format.
pub fn read_manifest(run: &Path) -> Result<Manifest, ManifestError> {
    let file = run.join(MANIFEST);
    let path = || file.display().to_string();
    let bytes = std::fs::read(&file).map_err(|source| ManifestError::Read {
        path: path(),
        source,
    })?;
    let syntax = |source| ManifestError::Syntax {
        path: path(),
        source,
    };
    // Another format is told by its number, before its unknown fields are complained about.
    #[derive(Deserialize)]
    struct Format {
        format: u32,
    }
    let Format { format: found } = serde_json::from_slice(&bytes).map_err(syntax)?;
    if found != FORMAT {
        return Err(ManifestError::Format {
            path: path(),
            found,
        });
    }
    serde_json::from_slice(&bytes).map_err(syntax)
}
