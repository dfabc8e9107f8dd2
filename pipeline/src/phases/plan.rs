//! The plan: everything that shapes the bytes of a job, fixed before the first task. Threads, memory and folders are no part of it.

use crate::escape::Escaped;
use crate::load::IteratorFlavour;
use crate::load::digest::Digest;
use crate::read::{Format, InputFile, ReadLimits, Slice};
use crate::rejects::RejectLimit;
use crate::rfile::{Codec, Container, WriterOptions};
use crate::sort::spill::Partitions;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The format of `plan.json` that this version writes and reads.
pub const FORMAT: u32 = 1;

/// What the user asked for, as far as it shapes bytes. A work folder is resumed only for an equal request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Name of the layout.
    pub layout: String,
    /// Its resolved configuration.
    pub config: serde_json::Value,
    /// The clock value, where the user gave one; milliseconds since the epoch.
    pub now: Option<i64>,
    /// Inputs in the job's order.
    pub inputs: Vec<InputRequest>,
    /// How records are bounded.
    pub read: ReadLimits,
    /// How files are made.
    pub output: OutputSettings,
    /// Splits of live tables: end rows by table.
    pub splits: BTreeMap<String, Vec<Escaped>>,
    /// How many rejects are too many. It decides whether there is a result, not which: it is no part of any comparison or id.
    pub rejects: RejectLimit,
    /// Input bytes of a map task; `None`: by the size of the whole input.
    pub task_bytes: Option<u64>,
}

impl Request {
    /// What of it shapes bytes, wherever the inputs are.
    fn shaping(&self) -> Request {
        let mut request = self.clone();
        request.rejects = RejectLimit::default();
        for input in &mut request.inputs {
            input.pattern.clear();
        }
        request
    }
}

/// One entry of the job's inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputRequest {
    /// A file, folder or glob, as the job has it.
    pub pattern: String,
    /// Data type of its records.
    pub data_type: String,
    /// How it is read.
    pub format: Format,
}

/// How files are made. Sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputSettings {
    /// Codec of the RFiles.
    pub codec: String,
    /// Its level; `None`: the codec's default.
    pub level: Option<i32>,
    /// Container version: 3 for Accumulo 2 to 4, 1 for 1.8 to 1.10.
    pub bcfile: u32,
    /// Raw bytes of a data block.
    pub block_size: u64,
    /// Bytes of an index block.
    pub index_block_size: u64,
    /// Published bytes of a tablet, where no splits are given.
    pub tablet_size: u64,
    /// A file closes at a tablet's end once it has so many bytes …
    pub min_file: u64,
    /// … or spans so many tablets; inside a tablet it closes only …
    pub max_tablets_per_file: u32,
    /// … when it has so many bytes.
    pub max_file: u64,
    /// Which iterators the settings files name.
    pub iterators: IteratorFlavour,
}

impl Default for OutputSettings {
    fn default() -> Self {
        OutputSettings {
            codec: "gz".into(),
            level: None,
            bcfile: 3,
            block_size: 102_400,
            index_block_size: 131_072,
            tablet_size: 1 << 30,
            min_file: 64 << 20,
            max_tablets_per_file: 100,
            max_file: 16 << 30,
            iterators: IteratorFlavour::Native,
        }
    }
}

impl OutputSettings {
    /// The writer's options. The names are checked when the settings are read.
    #[must_use]
    pub fn writer(&self) -> WriterOptions {
        WriterOptions {
            codec: Codec::parse(&self.codec).unwrap_or(Codec::Gz),
            level: self.level,
            container: if self.bcfile == 1 {
                Container::BcFile1
            } else {
                Container::BcFile3
            },
            block_size: self.block_size as usize,
            index_block_size: self.index_block_size as usize,
            digest: true,
        }
    }
}

/// An input with what planning found out about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedInput {
    /// The file.
    pub file: InputFile,
    /// xxh3-128 of its bytes as stored, hexadecimal.
    pub xxh3: String,
    /// Its records, where they were counted.
    pub records: Option<u64>,
}

/// A table's tablets and how they are shared out to merge tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablePlan {
    /// Name of the table.
    pub name: String,
    /// End rows of all tablets but the last, ascending.
    pub ends: Vec<Escaped>,
    /// Merge tasks: first and last tablet of each.
    pub merges: Vec<(usize, usize)>,
}

impl TablePlan {
    /// The cuts between merge tasks.
    #[must_use]
    pub fn partitions(&self) -> Partitions {
        let lasts = self.merges.iter().map(|&(_, last)| last);
        Partitions {
            ends: lasts
                .filter_map(|last| self.ends.get(last))
                .map(|end| end.0.clone())
                .collect(),
        }
    }
}

/// The immutable description of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`FORMAT`].
    pub format: u32,
    /// Versions that shape bytes.
    pub versions: BTreeMap<String, String>,
    /// What was asked for.
    pub request: Request,
    /// The job's one clock value: as asked for, else the moment of planning.
    pub now: i64,
    /// Inputs in order.
    pub inputs: Vec<PlannedInput>,
    /// Slices of the inputs, in order.
    pub slices: Vec<Slice>,
    /// Map tasks: first slice and the one after the last.
    pub map_tasks: Vec<(usize, usize)>,
    /// Tables in the layout's order.
    pub tables: Vec<TablePlan>,
}

impl Plan {
    /// The run id: SHA-256 over the plan without paths and modification times. The content of every input is in it by its digest, so the same
    /// job on the same bytes has the same id wherever and whenever it runs.
    #[must_use]
    pub fn run_id(&self) -> Digest {
        let mut plan = self.clone();
        for input in &mut plan.inputs {
            input.file.display = input
                .file
                .path
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default();
            input.file.path.clear();
            input.file.modified_nanos = 0;
        }
        plan.request = plan.request.shaping();
        Digest(digest(&plan))
    }

    /// The id of what was asked for and of the inputs' content: equal for plans that differ in a `now` that nobody gave.
    #[must_use]
    pub fn request_id(request: &Request, inputs: &[PlannedInput]) -> Digest {
        let names = inputs.iter().map(|input| {
            (
                input
                    .file
                    .path
                    .file_name()
                    .map(|name| name.to_string_lossy()),
                &input.xxh3,
            )
        });
        Digest(digest(&(request.shaping(), names.collect::<Vec<_>>())))
    }

    /// The merge task number `task` of all tables: table index and its tablets.
    #[must_use]
    pub fn merge_task(&self, task: usize) -> Option<MergeTask> {
        let mut before = 0;
        for (table, plan) in self.tables.iter().enumerate() {
            if let Some(&(first_tablet, last_tablet)) = plan.merges.get(task - before) {
                return Some(MergeTask {
                    table,
                    partition: task - before,
                    first_tablet,
                    last_tablet,
                });
            }
            before += plan.merges.len();
        }
        None
    }

    /// How many merge tasks there are.
    #[must_use]
    pub fn merge_tasks(&self) -> usize {
        self.tables.iter().map(|table| table.merges.len()).sum()
    }
}

/// What a merge task merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeTask {
    /// Index of the table.
    pub table: usize,
    /// Index among the table's merge tasks.
    pub partition: usize,
    /// First tablet.
    pub first_tablet: usize,
    /// Last tablet.
    pub last_tablet: usize,
}

fn digest(value: &impl Serialize) -> [u8; 32] {
    // Plain data with string keys always serialises; struct fields keep their order.
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    Sha256::digest(&bytes).into()
}

/// The first setting in which two requests differ, as `path: one is A, the other B`; a `now` that either leaves open does not count.
#[must_use]
pub fn difference(ours: &Request, theirs: &Request) -> Option<String> {
    let to_value = |request: &Request| {
        let limit = RejectLimit::default();
        let request = Request {
            rejects: limit,
            ..request.clone()
        };
        serde_json::to_value(request).unwrap_or_default()
    };
    let (mut ours, mut theirs) = (to_value(ours), to_value(theirs));
    if ours["now"].is_null() || theirs["now"].is_null() {
        ours["now"] = serde_json::Value::Null;
        theirs["now"] = serde_json::Value::Null;
    }
    first_difference("", &ours, &theirs)
}

fn first_difference(
    path: &str,
    ours: &serde_json::Value,
    theirs: &serde_json::Value,
) -> Option<String> {
    use serde_json::Value::{Array, Null, Object};
    let below = |key: &str| {
        if path.is_empty() {
            key.to_owned()
        } else {
            format!("{path}.{key}")
        }
    };
    match (ours, theirs) {
        (Object(a), Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            keys.into_iter().find_map(|key| {
                first_difference(
                    &below(key),
                    a.get(key).unwrap_or(&Null),
                    b.get(key).unwrap_or(&Null),
                )
            })
        }
        (Array(a), Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(index, (a, b))| first_difference(&below(&index.to_string()), a, b)),
        _ if ours == theirs => None,
        _ => Some(format!("{path}: {theirs} there, {ours} here")),
    }
}

/// Versions that shape bytes: Shardmill's own and those of the codec crates it is built with.
#[must_use]
pub fn versions() -> BTreeMap<String, String> {
    // The codec versions are pinned in the workspace's Cargo.toml; a test compares this list with it.
    let codecs = [
        ("libdeflater", "1.26.1"),
        ("zstd", "0.14.3"),
        ("snap", "1.1.2"),
        ("lz4_flex", "0.14.0"),
    ];
    let own = ("shardmill", env!("CARGO_PKG_VERSION"));
    codecs
        .into_iter()
        .chain([own])
        .map(|(name, version)| (name.to_owned(), version.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codec_versions_are_those_that_are_pinned() {
        let manifest =
            std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml")).unwrap();
        for (name, version) in versions()
            .into_iter()
            .filter(|(name, _)| name != "shardmill")
        {
            let line = manifest
                .lines()
                .find(|line| line.starts_with(&format!("{name} = ")))
                .unwrap();
            assert!(
                line.contains(&format!("\"={version}\"")),
                "{line} is not pinned to {version}"
            );
        }
    }
}
