//! Is a published run whole, and is what it says to the loader true?
//!
//! Accumulo opens no file that comes with a load plan, so this is the last look before data is taken. Everything is computed again: from
//! the files their digests, keys and counts, from splits and keys the plans. None of it uses the code that wrote the run.

mod error;
mod listing;
mod plans;
mod rfiles;
mod settings;
mod sums;

pub use error::VerifyRunError;

use super::rfile::{VerifiedFile, VerifyError, verify_file};
use crate::load::manifest::{MANIFEST, Manifest, Table};
use crate::load::{check_table_name, read_manifest, rfile_name};
use error::{damaged, read_text, unreadable};
use listing::Listing;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

/// The check of one RFile in itself.
type CheckFile<'a> = dyn Fn(&Path) -> Result<VerifiedFile, VerifyError> + Sync + 'a;

/// What stands in `load/` for the run as a whole.
const RUN_SIDECARS: [&str; 3] = ["load.jsh", "load.shell", "run.properties"];
/// What stands in `load/` for each table, after its name.
const TABLE_SIDECARS: [&str; 5] = [
    ".plan.json",
    ".file-plan.json",
    ".splits",
    ".properties",
    ".count",
];

/// Checks the published run in folder `run`: every file in itself, and all of them against one another. `visibility` says whether a column
/// visibility parses. Files are read by the threads of the current rayon pool; of several faults the one that is reported does not
/// depend on them.
///
/// # Errors
/// The first fault, with the file that has it.
pub fn verify_run(
    run: &Path,
    visibility: &(dyn Fn(&[u8]) -> bool + Sync),
) -> Result<Manifest, VerifyRunError> {
    verify_run_with(run, &|path| verify_file(path, visibility, &mut |_, _| ()))
}

fn verify_run_with(run: &Path, check_file: &CheckFile<'_>) -> Result<Manifest, VerifyRunError> {
    let listing = Listing::read(run)?;
    listing.check_digests(run)?;
    let manifest = read_manifest(run)?;
    check_names(&manifest)?;
    check_members(&manifest, &listing)?;
    sums::check(&manifest)?;
    check_run_properties(run, &manifest)?;
    for table in &manifest.tables {
        rfiles::check_ranges(table)?;
        plans::check(run, table)?;
        settings::check(run, table, manifest.iterators)?;
        check_count(run, table)?;
    }
    check_rejects(run, &manifest, &listing)?;
    rfiles::check_contents(run, &manifest, &listing, check_file)?;
    Ok(manifest)
}

fn check_names(manifest: &Manifest) -> Result<(), VerifyRunError> {
    let mut tables = BTreeSet::new();
    for table in &manifest.tables {
        check_table_name(&table.name).map_err(|error| damaged(MANIFEST, error.to_string()))?;
        if !tables.insert(&table.name) {
            return Err(damaged(
                MANIFEST,
                format!("it has table {} twice", table.name),
            ));
        }
        let mut files = BTreeSet::new();
        for file in &table.files {
            if !rfile_name(&file.name) || !files.insert(&file.name) {
                let what = format!(
                    "table {}: file {:?} is listed twice or no RFile",
                    table.name, file.name
                );
                return Err(damaged(MANIFEST, what));
            }
        }
    }
    Ok(())
}

/// Whether the folder holds exactly what the manifest speaks of.
fn check_members(manifest: &Manifest, listing: &Listing) -> Result<(), VerifyRunError> {
    let mut expected: BTreeMap<String, Option<&crate::load::manifest::File>> = BTreeMap::new();
    let mut folders = BTreeSet::from(["load".to_owned(), "rejects".into(), "tables".into()]);
    expected.insert(MANIFEST.to_owned(), None);
    for name in RUN_SIDECARS {
        expected.insert(format!("load/{name}"), None);
    }
    for table in &manifest.tables {
        let name = &table.name;
        folders.insert(format!("tables/{name}"));
        for suffix in TABLE_SIDECARS {
            expected.insert(format!("load/{name}{suffix}"), None);
        }
        for file in &table.files {
            expected.insert(format!("tables/{name}/{}", file.name), Some(file));
        }
    }
    for (path, digest) in &listing.files {
        match expected.remove(path) {
            Some(Some(file)) if file.sha256 != *digest => {
                return Err(damaged(
                    path,
                    "manifest.json and manifest.sha256 have different digests of it",
                ));
            }
            Some(_) => {}
            None if is_reject(path) => {}
            None => {
                return Err(damaged(
                    path,
                    "the manifest does not know it: it is no part of the run",
                ));
            }
        }
    }
    if let Some((path, _)) = expected.first_key_value() {
        return Err(damaged(path, "the manifest needs it, but it is missing"));
    }
    match listing.folders.difference(&folders).next() {
        Some(path) => Err(damaged(path, "this folder is no part of a run")),
        None => Ok(()),
    }
}

fn is_reject(path: &str) -> bool {
    path.strip_prefix("rejects/")
        .is_some_and(|name| !name.contains('/') && name.ends_with(".jsonl"))
}

/// Every rejected record is one line of the rejects.
fn check_rejects(run: &Path, manifest: &Manifest, listing: &Listing) -> Result<(), VerifyRunError> {
    let mut lines = 0;
    for path in listing.files.keys().filter(|path| is_reject(path)) {
        lines += count_lines(&run.join(path)).map_err(unreadable(path))?;
    }
    let rejected = manifest.totals.records.rejected;
    if lines == rejected {
        return Ok(());
    }
    let what =
        format!("its files have {lines} lines, the manifest says {rejected} rejected records");
    Err(damaged("rejects", what))
}

/// Lines of a file, read piece by piece; an unfinished one counts.
fn count_lines(path: &Path) -> io::Result<u64> {
    let mut file = BufReader::with_capacity(1 << 18, File::open(path)?);
    let (mut lines, mut ended) = (0, true);
    loop {
        let piece = file.fill_buf()?;
        let Some(&last) = piece.last() else {
            return Ok(lines + u64::from(!ended));
        };
        lines += memchr::memchr_iter(b'\n', piece).count() as u64;
        ended = last == b'\n';
        let read = piece.len();
        file.consume(read);
    }
}

fn check_run_properties(run: &Path, manifest: &Manifest) -> Result<(), VerifyRunError> {
    let path = "load/run.properties";
    let text = read_text(run, path)?;
    let lines: Vec<&str> = text.lines().collect();
    let tables: Vec<&str> = manifest.tables.iter().map(|t| t.name.as_str()).collect();
    let run_id = format!("runId={}", manifest.run_id);
    let tables = format!("tables={}", tables.join(","));
    if lines == [run_id, tables] {
        Ok(())
    } else {
        Err(damaged(
            path,
            "it names another run or other tables than the manifest",
        ))
    }
}

fn check_count(run: &Path, table: &Table) -> Result<(), VerifyRunError> {
    let path = format!("load/{}.count", table.name);
    let text = read_text(run, &path)?;
    if text.trim_end().parse() == Ok(table.entries) {
        Ok(())
    } else {
        let what = format!(
            "it says {:?}, the manifest {} entries",
            text.trim_end(),
            table.entries
        );
        Err(damaged(&path, what))
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod rfile_tests;
