//! Records that could not be taken, kept whole: one JSON object a line. [`crate::read`] takes such a file as an input.

use crate::read::Fault;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use shardmill_schemas::layout::Reject;
use shardmill_schemas::record::Record;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// One rejected record. Numbers of records, lines and columns count from 1, offsets from 0; all refer to the decompressed input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rejected {
    /// The input, as the job names it.
    pub file: String,
    /// Data type of the input.
    pub data_type: String,
    /// Which record of the file.
    pub record: u64,
    /// The line of the fault.
    pub line: u64,
    /// The character of that line at which the fault is, where it is known.
    pub column: Option<u32>,
    /// Offset of the fault.
    pub at: u64,
    /// Offset of the record's first byte.
    pub offset: u64,
    /// Length of the record, its line end included.
    pub length: u64,
    /// A stable word for programs.
    pub code: String,
    /// The field at fault, where there is one.
    pub field: Option<String>,
    /// What is wrong, for people.
    pub message: String,
    /// The column names in the header row of the input, where it has one: reading the record again takes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<String>>,
    /// The record's bytes.
    pub raw_base64: String,
    /// The same as text, for people; bytes that are not UTF-8 show as U+FFFD.
    pub raw: String,
}

impl Rejected {
    /// A reject by the reader: the bytes are no record of the format.
    #[must_use]
    pub fn of_fault(file: &str, data_type: &str, fault: &Fault, raw: &[u8]) -> Self {
        Rejected {
            file: file.into(),
            data_type: data_type.into(),
            record: fault.position.record + 1,
            line: fault.line,
            column: fault.column,
            at: fault.at,
            offset: fault.position.offset,
            length: fault.position.length,
            code: fault.code.into(),
            field: fault.field.clone(),
            message: fault.message.clone(),
            columns: None,
            raw_base64: STANDARD.encode(raw),
            raw: String::from_utf8_lossy(raw).into_owned(),
        }
    }

    /// A reject by the layout: the record is well formed, its content is not. `place` is where the field at fault begins: line, column, offset.
    #[must_use]
    pub fn of_record(
        record: &Record,
        reject: &Reject,
        place: Option<(u64, u32, u64)>,
        raw: &[u8],
    ) -> Self {
        let position = record.position();
        let (line, column, at) = place.map_or(
            (position.line, None, position.offset),
            |(line, column, at)| (line, Some(column), at),
        );
        Rejected {
            file: record.origin().path.clone(),
            data_type: record.origin().data_type.clone(),
            record: position.record + 1,
            line,
            column,
            at,
            offset: position.offset,
            length: position.length,
            code: reject.code.into(),
            field: reject.field.clone(),
            message: reject.message.clone(),
            columns: None,
            raw_base64: STANDARD.encode(raw),
            raw: String::from_utf8_lossy(raw).into_owned(),
        }
    }

    /// With the column names that stand in the input itself.
    #[must_use]
    pub fn with_columns(self, names: Option<&[String]>) -> Self {
        Rejected {
            columns: names.map(<[String]>::to_vec),
            ..self
        }
    }

    /// The place and the reason in one line: `cars.csv:12:5 (record 11, byte 803): field "SOLD": no date …`.
    #[must_use]
    pub fn line(&self) -> String {
        let column = self
            .column
            .map(|column| format!(":{column}"))
            .unwrap_or_default();
        let field = self
            .field
            .as_ref()
            .map(|name| format!("field {name:?}: "))
            .unwrap_or_default();
        format!(
            "{}:{}{column} (record {}, byte {}): {field}{} [{}]",
            self.file, self.line, self.record, self.at, self.message, self.code
        )
    }
}

/// Writes the rejects of one map task; the file is made at the first one.
#[derive(Debug)]
pub struct RejectWriter {
    path: PathBuf,
    file: Option<BufWriter<File>>,
    count: u64,
}

impl RejectWriter {
    /// Rejects that will go to `path`.
    #[must_use]
    pub fn new(path: PathBuf) -> Self {
        RejectWriter {
            path,
            file: None,
            count: 0,
        }
    }

    /// Appends one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&mut self, rejected: &Rejected) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(BufWriter::new(File::create(&self.path)?)),
        };
        serde_json::to_writer(&mut *file, rejected)?;
        self.count += 1;
        file.write_all(b"\n")
    }

    /// Completes the file and says where it is and how many it holds; `None` when there are none.
    ///
    /// # Errors
    /// The file cannot be written or synced.
    pub fn finish(self) -> io::Result<Option<(PathBuf, u64)>> {
        let Some(file) = self.file else {
            return Ok(None);
        };
        file.into_inner()
            .map_err(io::IntoInnerError::into_error)?
            .sync_all()?;
        Ok(Some((self.path, self.count)))
    }
}

/// How many rejects a job takes before it gives up: the greatest of what is set.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RejectLimit {
    /// So many records.
    pub count: Option<u64>,
    /// So many of a thousand thousand records read.
    pub per_million: Option<u64>,
}

impl Default for RejectLimit {
    fn default() -> Self {
        RejectLimit {
            count: Some(100),
            per_million: Some(1000),
        }
    }
}

impl RejectLimit {
    /// Reads `N` or `P%`, with up to four digits after the point.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let Some(percent) = text.strip_suffix('%') else {
            return Some(RejectLimit {
                count: Some(text.parse().ok()?),
                per_million: None,
            });
        };
        let (whole, fraction) = percent.split_once('.').unwrap_or((percent, ""));
        if fraction.len() > 4 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let per_million = whole.parse::<u64>().ok()?.checked_mul(10_000)?
            + format!("{fraction:0<4}").parse::<u64>().ok()?;
        (per_million <= 1_000_000).then_some(RejectLimit {
            count: None,
            per_million: Some(per_million),
        })
    }

    /// How many of `read` records may be rejected.
    #[must_use]
    pub fn allowed(&self, read: u64) -> u64 {
        let share = self.per_million.map_or(0, |share| {
            (u128::from(read) * u128::from(share) / 1_000_000) as u64
        });
        self.count.unwrap_or(0).max(share)
    }
}

/// The first rejects of a file, at most `count`.
///
/// # Errors
/// The file cannot be read, or a line is no reject.
pub fn first(path: &Path, count: usize) -> io::Result<Vec<Rejected>> {
    let lines = BufReader::new(File::open(path)?).lines();
    lines
        .take(count)
        .map(|line| serde_json::from_str(&line?).map_err(io::Error::from))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_parse_and_the_greater_counts() {
        assert_eq!(RejectLimit::parse("7").unwrap().allowed(1_000_000), 7);
        assert_eq!(RejectLimit::parse("0").unwrap().allowed(1_000_000), 0);
        assert_eq!(RejectLimit::parse("2.5%").unwrap().allowed(1000), 25);
        assert_eq!(RejectLimit::parse("0.0001%").unwrap().allowed(3_000_000), 3);
        assert_eq!(RejectLimit::parse("100%").unwrap().allowed(9), 9);
        for bad in ["", "%", "x", "-1", "101%", "1.%x", "0.00001%", "1e3"] {
            assert_eq!(RejectLimit::parse(bad), None, "{bad:?}");
        }
        assert_eq!(
            (
                RejectLimit::default().allowed(5000),
                RejectLimit::default().allowed(1_000_000)
            ),
            (100, 1000)
        );
    }
}
