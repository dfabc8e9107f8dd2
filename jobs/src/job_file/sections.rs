//! The sections of a job file, as they are written. The layout reads its own.

use serde::Deserialize;
use shardmill_pipeline::load::IteratorFlavour;
use shardmill_pipeline::read::{CsvOptions, Format};
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sections {
    pub(super) now: Option<Spanned<Moment>>,
    pub(super) input: Vec<Spanned<InputSection>>,
    #[serde(default)]
    pub(super) output: OutputSection,
    #[serde(default)]
    pub(super) limits: LimitsSection,
    #[serde(default)]
    pub(super) run: RunSection,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Moment {
    Millis(i64),
    Text(String),
    Date(toml::value::Datetime),
}

/// `[[input]]`: files and how they are read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InputSection {
    /// Files, folders or globs, relative to the job file.
    pub(super) files: Vec<String>,
    #[serde(default, rename = "type")]
    pub(super) data_type: String,
    #[serde(default = "csv")]
    pub(super) format: String,
    pub(super) separator: Option<char>,
    pub(super) header: Option<Vec<String>>,
    #[serde(default)]
    pub(super) skip_header: bool,
    pub(super) null: Option<String>,
}

impl InputSection {
    pub(super) fn format(&self) -> Format {
        Format::Csv(self.csv())
    }

    pub(super) fn csv(&self) -> CsvOptions {
        let default = CsvOptions::default();
        CsvOptions {
            separator: self.separator.unwrap_or(default.separator),
            header: self.header.clone(),
            skip_header: self.skip_header,
            null: self.null.clone(),
        }
    }
}

fn csv() -> String {
    "csv".into()
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutputSection {
    pub(super) codec: Option<Spanned<String>>,
    pub(super) level: Option<Spanned<i32>>,
    pub(super) bcfile: Option<Spanned<u32>>,
    pub(super) block_size: Option<Spanned<Size>>,
    pub(super) index_block_size: Option<Spanned<Size>>,
    pub(super) iterators: Option<IteratorFlavour>,
    pub(super) tablet_size: Option<Spanned<Size>>,
    pub(super) min_file: Option<Spanned<Size>>,
    pub(super) max_file: Option<Spanned<Size>>,
    pub(super) max_tablets_per_file: Option<u32>,
    /// Files with the splits of live tables, relative to the job file.
    #[serde(default)]
    pub(super) splits: BTreeMap<String, Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsSection {
    pub(super) task_size: Option<Spanned<Size>>,
    pub(super) max_rejects: Option<Spanned<Size>>,
    pub(super) max_record: Option<Spanned<Size>>,
}

/// `[run]`: what the process may use and where it works. It does not change the result.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSection {
    pub(super) threads: Option<usize>,
    pub(super) memory: Option<Size>,
    /// Folder of the result, relative to where the program runs.
    pub(crate) out: Option<PathBuf>,
    /// Folder of the runs.
    pub(crate) work_dir: Option<PathBuf>,
}

/// A number, or a number with a unit.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Size {
    Number(u64),
    Text(String),
}

impl Size {
    pub(super) fn text(&self) -> String {
        match self {
            Size::Number(number) => number.to_string(),
            Size::Text(text) => text.clone(),
        }
    }
}
