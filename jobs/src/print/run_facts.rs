//! What a published run says of itself, for `inspect`.

use super::moment;
use crate::sizes;
use serde_json::json;
use shardmill_pipeline::load::IteratorFlavour;
use shardmill_pipeline::load::manifest::{Manifest, Table};
use std::fmt::Write as _;

// Writing to a string cannot fail.
macro_rules! line {
    ($text:expr, $($part:tt)*) => { let _ = writeln!($text, $($part)*); };
}

/// The manifest for people: a table for each table, a line for each of its files.
pub(crate) fn text(path: &str, manifest: &Manifest) -> String {
    let mut text = String::new();
    line!(text, "{path}");
    line!(text, "  run       {}", manifest.run_id);
    let now = moment(manifest.now).map_or_else(String::new, |now| format!(" ({now})"));
    line!(
        text,
        "  layout    {}, now {}{now}",
        manifest.layout,
        manifest.now
    );
    let files = &manifest.files;
    let level = files
        .level
        .map_or_else(String::new, |level| format!(" level {level}"));
    line!(
        text,
        "  files     codec {}{level}, BCFile {}, blocks of {}, index blocks of {}",
        files.codec,
        files.bcfile,
        sizes::show(files.block_size),
        sizes::show(files.index_block_size)
    );
    let (totals, records) = (&manifest.totals, &manifest.totals.records);
    line!(
        text,
        "  records   {} read: {} written, {} rejected, {} filtered, {} deduplicated",
        sizes::count(records.read),
        sizes::count(records.written),
        sizes::count(records.rejected),
        sizes::count(records.filtered),
        sizes::count(records.deduplicated)
    );
    line!(
        text,
        "  totals    {} cells ({} deletes), {} files, {}",
        sizes::count(totals.entries),
        sizes::count(totals.deletes),
        sizes::count(totals.files),
        sizes::show(totals.bytes)
    );
    for one in &manifest.tables {
        table(&mut text, one, manifest.iterators);
    }
    text
}

fn table(text: &mut String, table: &Table, flavour: IteratorFlavour) {
    line!(
        text,
        "\ntable {}: {} cells ({} deletes), {}, {} tablets",
        table.name,
        sizes::count(table.entries),
        sizes::count(table.deletes),
        sizes::show(table.bytes),
        sizes::count(table.splits.len() as u64 + 1)
    );
    let iterators = match flavour {
        IteratorFlavour::Native => &table.native_iterators,
        IteratorFlavour::Plain => &table.plain_iterators,
    };
    for iterator in iterators {
        let options: Vec<String> = iterator
            .options
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        line!(
            text,
            "  iterator  {} {} {} {}",
            iterator.priority,
            iterator.name,
            iterator.class,
            options.join(" ")
        );
    }
    for group in &table.locality_groups {
        let families: Vec<String> = group.families.iter().map(ToString::to_string).collect();
        line!(text, "  group     {}: {}", group.name, families.join(", "));
    }
    if table.files.is_empty() {
        return;
    }
    let width = table.files.iter().map(|file| file.name.len()).max();
    let width = width.unwrap_or(0).max("file".len());
    line!(
        text,
        "  {:width$} {:>14} {:>10} {:>11}  rows",
        "file",
        "cells",
        "size",
        "tablets"
    );
    for file in &table.files {
        line!(
            text,
            "  {:width$} {:>14} {:>10} {:>11}  {} to {}",
            file.name,
            sizes::count(file.entries),
            sizes::show(file.bytes),
            format!("{}-{}", file.first_tablet, file.last_tablet),
            file.first_key.row,
            file.last_key.row
        );
    }
}

/// The manifest as an object in one line, beside its path.
pub(crate) fn json(path: &str, manifest: &Manifest) -> String {
    format!("{}\n", json!({ "path": path, "manifest": manifest }))
}
