//! The RFiles of a run: do they hold what the manifest says, inside the ranges that it says?

use super::CheckFile;
use super::error::{VerifyRunError, damaged, unreadable};
use super::listing::Listing;
use crate::escape::{escape, key_text};
use crate::load::manifest::{File, MANIFEST, Manifest, Table};
use crate::verify::rfile::VerifiedFile;
use rayon::prelude::*;
use shardmill_schemas::key::Key;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Splits ascending, files in order without overlap, each inside its tablets.
pub(super) fn check_ranges(table: &Table) -> Result<(), VerifyRunError> {
    let fail = |what: String| Err(damaged(MANIFEST, format!("table {}: {what}", table.name)));
    if let Some(pair) = table.splits.windows(2).find(|pair| pair[0] >= pair[1]) {
        return fail(format!("split {} is not after {}", pair[1], pair[0]));
    }
    if table.splits.first().is_some_and(|row| row.0.is_empty()) {
        return fail("an empty row cannot be a split".into());
    }
    for file in &table.files {
        let (first, last) = (file.first_key.as_key(), file.last_key.as_key());
        if first > last
            || file.first_tablet > file.last_tablet
            || file.last_tablet > table.splits.len()
        {
            return fail(format!(
                "file {}: its keys or tablets are in no order",
                file.name
            ));
        }
        // The tablet of a row is the number of splits before it: a row that equals a split is in the tablet that the split ends.
        let tablet = |key: Key<'_>| {
            table
                .splits
                .partition_point(|split| split.0.as_slice() < key.row)
        };
        for key in [first, last] {
            if !(file.first_tablet..=file.last_tablet).contains(&tablet(key)) {
                let row = escape(key.row);
                return fail(format!(
                    "file {}: row {row} is outside of its tablets",
                    file.name
                ));
            }
        }
    }
    for pair in table.files.windows(2) {
        if pair[0].last_key.as_key() >= pair[1].first_key.as_key() {
            return fail(format!(
                "files {} and {} overlap or are out of order",
                pair[0].name, pair[1].name
            ));
        }
    }
    Ok(())
}

/// Reads every RFile, all tables at once. The digests of the folder have been checked.
pub(super) fn check_contents(
    run: &Path,
    manifest: &Manifest,
    listing: &Listing,
    check_file: &CheckFile<'_>,
) -> Result<(), VerifyRunError> {
    let tables = manifest.tables.iter();
    let files: Vec<(&Table, &File)> = tables
        .flat_map(|table| table.files.iter().map(move |file| (table, file)))
        .collect();
    let checked: Vec<_> = files
        .par_iter()
        .map(|(table, file)| check_one(run, table, file, listing, check_file))
        .collect();
    checked.into_iter().collect()
}

fn check_one(
    run: &Path,
    table: &Table,
    file: &File,
    listing: &Listing,
    check_file: &CheckFile<'_>,
) -> Result<(), VerifyRunError> {
    let path = &format!("tables/{}/{}", table.name, file.name);
    let full = run.join(path);
    let length = std::fs::metadata(&full).map_err(unreadable(path))?.len();
    let fail = |what: String| Err(damaged(path, what));
    if length != file.bytes {
        return fail(format!(
            "it has {length} bytes, the manifest says {}",
            file.bytes
        ));
    }
    let found = check_file(&full)?;
    if listing
        .files
        .get(path)
        .is_none_or(|digest| digest.0 != found.sha256)
    {
        return fail("it changed while it was read".into());
    }
    check_groups(path, table, &found)?;
    let (Some(first), Some(last)) = (&found.first_key, &found.last_key) else {
        return fail("it holds no entry, and an import would map it to no tablet".into());
    };
    for (name, found, said) in [
        ("entries", found.entries, file.entries),
        ("deletes", found.deletes, file.deletes),
    ] {
        if found != said {
            return fail(format!("it has {found} {name}, the manifest says {said}"));
        }
    }
    for (name, found, said) in [
        ("first", first, &file.first_key),
        ("last", last, &file.last_key),
    ] {
        if found.as_key() != said.as_key() {
            let (found, said) = (key_text(&found.as_key()), key_text(&said.as_key()));
            return fail(format!(
                "its {name} key is {found}, the manifest says {said}"
            ));
        }
    }
    Ok(())
}

/// A family in another group than the table's would be found, but read with cells that scans of it are to be spared.
fn check_groups(path: &str, table: &Table, found: &VerifiedFile) -> Result<(), VerifyRunError> {
    let said = table.locality_groups.iter().map(|group| {
        let families = group.families.iter().map(|family| family.0.clone());
        (group.name.clone(), families.collect())
    });
    let said: BTreeMap<String, BTreeSet<Vec<u8>>> = said.collect();
    if found.groups == said {
        return Ok(());
    }
    let what = format!(
        "its locality groups are {}, the manifest says {}",
        groups_text(&found.groups),
        groups_text(&said)
    );
    Err(damaged(path, what))
}

fn groups_text(groups: &BTreeMap<String, BTreeSet<Vec<u8>>>) -> String {
    let group = |(name, families): (&String, &BTreeSet<Vec<u8>>)| {
        let families: Vec<String> = families.iter().map(|family| escape(family)).collect();
        format!("{name} ({})", families.join(", "))
    };
    let groups: Vec<String> = groups.iter().map(group).collect();
    if groups.is_empty() {
        "none".to_owned()
    } else {
        groups.join(", ")
    }
}
