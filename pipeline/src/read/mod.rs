//! Inputs to records: the seam between file formats and everything after them.
//!
//! A format is one file here and one line in each of [`Format`], [`open`] and [`scan`]. A plan cuts every input into slices with [`scan`]; a
//! map task reads each slice with [`open`]. Both walk an input with the same code, so they cannot disagree on where a record begins.

mod csv;
mod error;
#[cfg(test)]
mod fixture;
mod input;
mod rejects;
mod scan;
mod source;
#[cfg(test)]
mod tests;
mod window;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shardmill_schemas::record::{Origin, Position, Record};

pub use csv::CsvOptions;
pub use error::ReadError;
pub use input::{Pattern, resolve};

/// One input of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its name in plans, messages and records: the path as the job has it.
    pub display: String,
    /// Its size in bytes, as stored.
    pub size: u64,
    /// When it was last modified, in nanoseconds since 1970.
    pub modified_nanos: i128,
    /// The name of the data type that the job gives to its records.
    pub data_type: String,
    /// How it is read.
    pub format: Format,
}

impl InputFile {
    /// Looks whether the file is still the one that was planned.
    ///
    /// # Errors
    ///
    /// When it is gone, or has another size or modification time.
    pub fn check(&self) -> Result<(), ReadError> {
        source::check(self)
    }

    fn origin(&self) -> Arc<Origin> {
        let name = self.path.file_name().map(|name| name.to_string_lossy());
        Arc::new(Origin {
            path: self.display.clone(),
            file_name: name.unwrap_or_default().into_owned(),
            data_type: self.data_type.clone(),
        })
    }
}

/// A file format with its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Separated values, RFC 4180.
    Csv(CsvOptions),
    /// Rejects fed back, kept from records of this format; [`resolve`] tells such a file by its content.
    Rejects(Box<Format>),
}

impl Format {
    /// What makes records of bytes that stand alone.
    fn single(&self, input: &InputFile) -> Result<Box<dyn rejects::Single>, ReadError> {
        match self {
            Format::Csv(options) => Ok(Box::new(csv::single(input, options)?)),
            Format::Rejects(kept) => kept.single(input),
        }
    }
}

/// A part of an input that one reader reads: the records that start in `start..end`. Offsets are those of the decompressed bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slice {
    /// Which input of the plan.
    pub input: usize,
    /// Offset of its first record.
    pub start: u64,
    /// Offset after its last record; `u64::MAX` where the slice goes to the end of an input of unknown length.
    pub end: u64,
    /// Ordinal of its first record in the input, from 0.
    pub first_record: u64,
    /// Line on which its first record starts, from 1.
    pub first_line: u64,
}

/// What bounds a reader's memory: its buffer begins with `buffer_bytes` and ends at `max_record_bytes + buffer_bytes`. The record limit decides
/// what is a record, so it belongs to the plan; the other changes no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReadLimits {
    /// The longest record, in bytes with its line end; a longer one is rejected.
    pub max_record_bytes: usize,
    /// How much is read at once, in bytes.
    pub buffer_bytes: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        ReadLimits {
            max_record_bytes: 16 << 20,
            buffer_bytes: 1 << 20,
        }
    }
}

/// Reads the records of a slice, one after the other.
pub trait RecordReader: Send {
    /// Fills `record` with the next record. The record may be new or from any reader; it gets the origin and the schema of this one. After a
    /// [`Step::Reject`] its content means nothing.
    ///
    /// # Errors
    ///
    /// When the input cannot be read further; the reader is of no use after that.
    fn next(&mut self, record: &mut Record) -> Result<Step, ReadError>;

    /// The bytes of the record last returned or rejected, with its line end; whole, unless it is rejected and longer than the record limit.
    fn raw(&self) -> &[u8];

    /// Where the field of this column begins in the record last returned: line and character, both from 1, and offset. `None` where the
    /// format has no such place, or the record no such field.
    fn locate(&self, _column: usize) -> Option<(u64, u32, u64)> {
        None
    }

    /// The column names that stand in the file itself, apart from the records: a reject is read again only with them.
    fn header(&self) -> Option<&[String]> {
        None
    }

    /// How many bytes of the slice are behind the reader, as stored in the file: progress adds them up.
    fn consumed(&self) -> u64;
}

/// What a reader came upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A record.
    Record,
    /// Something that is no record; reading goes on behind it.
    Reject(Fault),
    /// The end of the slice.
    End,
}

/// Why and where a record is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The rejected bytes; their range is exact also where [`RecordReader::raw`] holds only a part of them.
    pub position: Position,
    /// A stable name of the reason.
    pub code: &'static str,
    /// The line of the fault itself, from 1. It may lie behind the rejected bytes: a quote that does not close is rejected with its first line.
    pub line: u64,
    /// The character in that line, from 1.
    pub column: Option<u32>,
    /// The name of the field in which it is.
    pub field: Option<String>,
    /// The offset of the fault itself.
    pub at: u64,
    /// The reason in words.
    pub message: String,
}

/// What one pass over an input found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scanned {
    /// The slices, in order; none where there is no record.
    pub slices: Vec<Slice>,
    /// How many records there are, rejects included; `None` where the pass did not go to the end.
    pub records: Option<u64>,
    /// How many bytes there are when decompressed; `None` where the pass did not go to the end.
    pub bytes: Option<u64>,
}

/// Opens a slice of the input that is number `index` of the plan.
///
/// # Errors
///
/// When the file is missing, unreadable, no longer the planned one, or has no usable header.
pub fn open(
    input: &InputFile,
    slice: &Slice,
    limits: &ReadLimits,
) -> Result<Box<dyn RecordReader>, ReadError> {
    match &input.format {
        Format::Csv(options) => Ok(Box::new(csv::open(input, options, slice, limits)?)),
        Format::Rejects(kept) => {
            let single = kept.single(input)?;
            Ok(Box::new(rejects::open(input, single, slice, limits)?))
        }
    }
}

/// Walks an input once: cuts it into slices at the record starts next to the multiples of `slice_bytes`, and gives `sample` up to 2,000 of its
/// clean records, spread evenly over it by offset and always the same. A compressed input is one slice, of which only the beginning is read.
///
/// # Errors
///
/// As [`open`]; and when the input cannot be read to its end.
pub fn scan(
    input: &InputFile,
    index: usize,
    slice_bytes: u64,
    limits: &ReadLimits,
    sample: &mut dyn FnMut(&Record),
) -> Result<Scanned, ReadError> {
    match &input.format {
        Format::Csv(options) => {
            let mut reader = csv::begin(input, options, limits)?;
            scan::pass(&mut reader, index, input.size, slice_bytes, sample)
        }
        Format::Rejects(kept) => {
            let mut reader = rejects::begin(input, kept.single(input)?, limits)?;
            scan::pass(&mut reader, index, input.size, slice_bytes, sample)
        }
    }
}
