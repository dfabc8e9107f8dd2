//! Cells as `scan` prints them.

use super::Out;
use super::pretty::Pretty;
use crate::args::Format;
use serde::Serialize;
use shardmill_pipeline::escape::escape;
use shardmill_pipeline::view::TableView;
use shardmill_schemas::key::Key;
use std::io::{self, Write as _};

/// Prints cells in one of the formats.
pub(crate) struct CellPrinter {
    out: Out,
    format: Format,
    pretty: Pretty,
}

/// A cell in JSON. Byte fields are escaped as in TSV.
#[derive(Serialize)]
struct CellObject<'a> {
    table: &'a str,
    row: String,
    family: String,
    qualifier: String,
    visibility: String,
    timestamp: i64,
    deleted: bool,
    value: String,
}

impl CellPrinter {
    pub(crate) fn new(out: Out, format: Format) -> Self {
        CellPrinter {
            out,
            format,
            pretty: Pretty::default(),
        }
    }

    /// Begins a table.
    pub(crate) fn table(&mut self, table: &TableView) -> io::Result<()> {
        match self.format {
            Format::Pretty => self.pretty.table(&table.name, &mut self.out),
            Format::Tsv | Format::Json => Ok(()),
        }
    }

    pub(crate) fn cell(
        &mut self,
        table: &TableView,
        key: &Key<'_>,
        value: &[u8],
    ) -> io::Result<()> {
        let [row, family, qualifier, visibility] =
            [key.row, key.family, key.qualifier, key.visibility].map(escape);
        match self.format {
            Format::Pretty => {
                let value = table.describe(key, value).unwrap_or_else(|| escape(value));
                self.pretty.cell(key, value, &mut self.out)
            }
            Format::Tsv => writeln!(
                self.out,
                "{}\t{row}\t{family}\t{qualifier}\t{visibility}\t{}\t{}\t{}",
                table.name,
                key.timestamp,
                u8::from(key.deleted),
                escape(value)
            ),
            Format::Json => {
                let object = CellObject {
                    table: &table.name,
                    row,
                    family,
                    qualifier,
                    visibility,
                    timestamp: key.timestamp,
                    deleted: key.deleted,
                    value: escape(value),
                };
                serde_json::to_writer(&mut self.out, &object)?;
                self.out.write_all(b"\n")
            }
        }
    }

    /// Prints what was held back.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.pretty.flush(&mut self.out)?;
        self.out.flush()
    }
}
