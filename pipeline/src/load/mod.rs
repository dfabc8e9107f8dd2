//! What the loader needs beside the RFiles: load plans, table settings, scripts and the manifest.
//!
//! ```text
//! RUN/manifest.json, manifest.sha256    what was made of what; digests for `sha256sum -c`
//! RUN/tables/<table>/*.rf               RFiles only: the folder can be imported as it is
//! RUN/load/load.jsh, load.shell         scripts that create, configure, split and import all tables
//! RUN/load/run.properties               what load.jsh reads first: run id, tables
//! RUN/load/<table>.{plan.json,file-plan.json,splits,properties,count}
//! RUN/rejects/*.jsonl                   records that could not be taken
//! ```

mod codec_notice;
pub mod digest;
mod error;
pub mod manifest;
mod names;
pub mod plan;
pub mod script;
pub mod settings;
mod stage;

pub use codec_notice::codec_notice;
pub use digest::Digest;
pub use error::LoadError;
pub use manifest::{Manifest, ManifestError, read_manifest};
pub use names::{check_table_name, namespace};
pub(crate) use names::{plain_file_name, rfile_name};
pub use plan::{LoadPlan, file_plan, table_plan};
pub use settings::IteratorFlavour;
pub use stage::write_sidecars;

use shardmill_schemas::key::KeyBuf;
use shardmill_schemas::layout::TableSpec;
use std::collections::BTreeMap;

/// Facts of the run as a whole. No time (but `now`), no host and no path may be in them: they become bytes of the manifest.
#[derive(Clone, Debug)]
pub struct RunFacts {
    /// SHA-256 of the plan.
    pub run_id: [u8; 32],
    /// SHA-256 of the request, see the manifest.
    pub request_id: [u8; 32],
    /// Versions that shape bytes: `shardmill` itself and its codec crates.
    pub versions: BTreeMap<String, String>,
    /// Name of the layout.
    pub layout: String,
    /// The plan's one clock value, in milliseconds since the epoch.
    pub now: i64,
    /// How the files were encoded.
    pub files: manifest::FileSettings,
    /// One entry an input file, in the order of the plan.
    pub inputs: Vec<manifest::Input>,
}

/// One table of a finished run.
#[derive(Clone, Debug)]
pub struct TableResult {
    /// The table as its layout describes it.
    pub spec: TableSpec,
    /// The end rows of all tablets but the last, ascending.
    pub splits: Vec<Vec<u8>>,
    /// Its files, in the order of their rows.
    pub files: Vec<FileResult>,
}

/// One RFile of a finished run. It holds at least one entry: an import maps an empty file to no tablet.
#[derive(Clone, Debug)]
pub struct FileResult {
    /// `x.rf`, without a folder.
    pub name: String,
    /// The first tablet of its range. Tablet `i` covers the rows (`splits[i-1]`, `splits[i]`], the last one is unbounded.
    pub first_tablet: usize,
    /// The last tablet of its range.
    pub last_tablet: usize,
    /// Cells, delete markers included.
    pub entries: u64,
    /// Delete markers.
    pub deletes: u64,
    /// Length of the file.
    pub bytes: u64,
    /// The least key.
    pub first_key: KeyBuf,
    /// The greatest key.
    pub last_key: KeyBuf,
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
}

#[cfg(test)]
pub(crate) mod tests;
