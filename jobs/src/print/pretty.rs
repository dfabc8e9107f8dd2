//! Cells for people: a headline a table, a line a cell, columns below one another.
//!
//! Cells come as a stream, so a few are held back to see how wide they are; columns only grow, and a field that is very long pushes its
//! own line aside instead of all others.

use super::moment;
use shardmill_pipeline::escape::escape;
use shardmill_schemas::key::Key;
use std::io::{self, Write};

/// Cells that are held back.
const HELD: usize = 64;
/// Bytes of values that are held back.
const HELD_BYTES: usize = 1 << 20;
/// No column grows beyond this.
const WIDEST: usize = 48;
const COLUMNS: usize = 5;
const HEADINGS: [&str; COLUMNS] = ["row", "family", "qualifier", "visibility", "timestamp"];

#[derive(Debug, Default)]
pub(super) struct Pretty {
    widths: [usize; COLUMNS],
    held: Vec<([String; COLUMNS], String)>,
    held_bytes: usize,
    /// The table whose headline is due with its first cell.
    table: Option<String>,
    /// Whether a table came before.
    again: bool,
}

impl Pretty {
    pub(super) fn table(&mut self, name: &str, out: &mut impl Write) -> io::Result<()> {
        self.flush(out)?;
        self.widths = HEADINGS.map(str::len);
        self.table = Some(name.to_owned());
        Ok(())
    }

    pub(super) fn cell(
        &mut self,
        key: &Key<'_>,
        value: String,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut time = key.timestamp.to_string();
        if let Some(moment) = moment(key.timestamp) {
            time = format!("{time} {moment}");
        }
        let fields = [
            escape(key.row),
            escape(key.family),
            escape(key.qualifier),
            escape(key.visibility),
            time,
        ];
        let value = if key.deleted {
            format!("DELETED {value}").trim_end().to_owned()
        } else {
            value
        };
        self.held_bytes += value.len() + fields.iter().map(String::len).sum::<usize>();
        self.held.push((fields, value));
        if self.held.len() >= HELD || self.held_bytes >= HELD_BYTES {
            self.flush(out)?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self, out: &mut impl Write) -> io::Result<()> {
        if self.held.is_empty() {
            return Ok(());
        }
        for (fields, _) in &self.held {
            for (width, field) in self.widths.iter_mut().zip(fields) {
                *width = (*width).max(field.len().min(WIDEST));
            }
        }
        if let Some(table) = self.table.take() {
            let gap = if self.again { "\n" } else { "" };
            self.again = true;
            writeln!(out, "{gap}table {table}")?;
            self.line(&HEADINGS, "value", out)?;
        }
        for (fields, value) in &self.held {
            self.line(fields, value, out)?;
        }
        self.held.clear();
        self.held_bytes = 0;
        Ok(())
    }

    fn line(
        &self,
        fields: &[impl AsRef<str>; COLUMNS],
        value: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut line = String::new();
        for (field, width) in fields.iter().zip(self.widths) {
            line.push_str(&format!("  {:width$}", field.as_ref()));
        }
        line.push_str("  ");
        line.push_str(value);
        writeln!(out, "{}", line.trim_end())
    }
}
