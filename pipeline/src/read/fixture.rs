//! Inputs for tests, and what their readers see.

use std::fs;
use std::path::Path;

use shardmill_schemas::record::{Position, Record};
use tempfile::TempDir;

use super::source::modified_nanos;
use super::{
    CsvOptions, Fault, Format, InputFile, ReadError, ReadLimits, Scanned, Slice, Step, open, scan,
};

/// What a reader gave out at one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) position: Position,
    pub(super) fields: Vec<Option<String>>,
    pub(super) fault: Option<Fault>,
    pub(super) raw: Vec<u8>,
}

/// A file in a folder of its own, as a plan describes it.
pub(super) struct Fixture {
    pub(super) folder: TempDir,
    pub(super) input: InputFile,
    pub(super) limits: ReadLimits,
}

impl Fixture {
    pub(super) fn new(content: &[u8]) -> Self {
        Self::named("in.csv", content)
    }

    pub(super) fn named(name: &str, content: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        let input = describe(&path);
        let limits = ReadLimits {
            max_record_bytes: 1 << 20,
            buffer_bytes: 64,
        };
        Fixture {
            folder,
            input,
            limits,
        }
    }

    pub(super) fn options(mut self, change: impl FnOnce(&mut CsvOptions)) -> Self {
        let mut format = &mut self.input.format;
        while let Format::Rejects(kept) = format {
            format = kept;
        }
        if let Format::Csv(options) = format {
            change(options);
        }
        self
    }

    /// Column names from the job.
    pub(super) fn columns(self, names: &[&str]) -> Self {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        self.options(|options| options.header = Some(names))
    }

    pub(super) fn record_limit(mut self, bytes: usize) -> Self {
        self.limits.max_record_bytes = bytes;
        self
    }

    pub(super) fn scan(&self, slice_bytes: u64) -> Result<Scanned, ReadError> {
        scan(&self.input, 0, slice_bytes, &self.limits, &mut |_| ())
    }

    pub(super) fn slice(&self, slice: &Slice) -> Result<Vec<Seen>, ReadError> {
        let mut reader = open(&self.input, slice, &self.limits)?;
        let mut record = Record::default();
        let mut seen = Vec::new();
        loop {
            let (position, fields, fault) = match reader.next(&mut record)? {
                Step::End => return Ok(seen),
                Step::Reject(fault) => (fault.position, Vec::new(), Some(fault)),
                Step::Record => {
                    let fields = record.fields().map(|field| field.value.map(str::to_owned));
                    (record.position(), fields.collect(), None)
                }
            };
            seen.push(Seen {
                position,
                fields,
                fault,
                raw: reader.raw().to_owned(),
            });
        }
    }

    /// All steps, read in slices of about this size.
    pub(super) fn read(&self, slice_bytes: u64) -> Result<Vec<Seen>, ReadError> {
        let mut seen = Vec::new();
        for slice in self.scan(slice_bytes)?.slices {
            seen.extend(self.slice(&slice)?);
        }
        Ok(seen)
    }

    pub(super) fn whole(&self) -> Vec<Seen> {
        self.read(u64::MAX).unwrap()
    }
}

pub(super) fn describe(path: &Path) -> InputFile {
    let metadata = fs::metadata(path).unwrap();
    InputFile {
        path: path.to_owned(),
        display: "data/in.csv".to_owned(),
        size: metadata.len(),
        modified_nanos: modified_nanos(&metadata),
        data_type: "cars".to_owned(),
        format: Format::Csv(CsvOptions::default()),
    }
}

/// These texts as the fields of a record.
pub(super) fn fields(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|text| Some((*text).to_owned())).collect()
}
