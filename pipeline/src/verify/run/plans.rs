//! Are the load plans and the splits true, and will Accumulo accept them?

use super::error::{VerifyRunError, damaged, read_text};
use crate::load::manifest::{File, Table};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use serde::Deserialize;
use std::path::Path;

/// Exactly the keys of Accumulo's JSON: it refuses one too many or too few.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanText {
    destinations: Vec<DestinationText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DestinationText {
    #[serde(rename = "fileName")]
    file_name: String,
    #[serde(rename = "startRow", deserialize_with = "present")]
    start_row: Option<String>,
    #[serde(rename = "endRow", deserialize_with = "present")]
    end_row: Option<String>,
    #[serde(rename = "rangeType")]
    range_type: String,
}

/// A key that may be null but not absent.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Option::deserialize(deserializer)
}

/// What a plan must say of a file: its rows, `None` for an open end.
type Rows<'a> = (Option<&'a [u8]>, Option<&'a [u8]>);

pub(super) fn check(run: &Path, table: &Table) -> Result<(), VerifyRunError> {
    check_splits(run, table)?;
    check_plan(run, table, ".plan.json", "TABLE", table_rows)?;
    check_plan(run, table, ".file-plan.json", "FILE", file_rows)
}

fn check_splits(run: &Path, table: &Table) -> Result<(), VerifyRunError> {
    let path = format!("load/{}.splits", table.name);
    let text = read_text(run, &path)?;
    let mut rows = table.splits.iter();
    for (index, line) in text.lines().enumerate() {
        let fail = |what: &str| damaged(&path, format!("line {}: {what}", index + 1));
        let row = STANDARD
            .decode(line)
            .map_err(|_| fail("this is no Base64"))?;
        if rows.next().is_none_or(|split| split.0 != row) {
            return Err(fail("the manifest has another split, or none"));
        }
    }
    match rows.len() {
        0 => Ok(()),
        left => Err(damaged(
            &path,
            format!("the last {left} splits of the manifest are missing"),
        )),
    }
}

fn check_plan(
    run: &Path,
    table: &Table,
    suffix: &str,
    range_type: &str,
    rows: for<'a> fn(&'a Table, &'a File) -> Rows<'a>,
) -> Result<(), VerifyRunError> {
    let path = format!("load/{}{suffix}", table.name);
    let text = read_text(run, &path)?;
    let plan: PlanText = serde_json::from_str(&text)
        .map_err(|error| damaged(&path, format!("Accumulo would refuse it: {error}")))?;
    if plan.destinations.len() != table.files.len() {
        let (named, there) = (plan.destinations.len(), table.files.len());
        return Err(damaged(
            &path,
            format!("it names {named} files, the table has {there}"),
        ));
    }
    for (destination, file) in plan.destinations.iter().zip(&table.files) {
        let fail = |what: &str| damaged(&path, format!("{}: {what}", destination.file_name));
        if destination.file_name != file.name {
            return Err(fail(&format!("{} is due here", file.name)));
        }
        if destination.range_type != range_type {
            return Err(fail(&format!("its range is not of type {range_type}")));
        }
        let start = decode(destination.start_row.as_deref())
            .ok_or_else(|| fail("startRow is no Base64 of the URL alphabet"))?;
        let end = decode(destination.end_row.as_deref())
            .ok_or_else(|| fail("endRow is no Base64 of the URL alphabet"))?;
        if (start.as_deref(), end.as_deref()) != rows(table, file) {
            return Err(fail(
                "its rows are not those that splits and keys of the manifest give",
            ));
        }
    }
    Ok(())
}

fn decode(text: Option<&str>) -> Option<Option<Vec<u8>>> {
    text.map(|text| URL_SAFE.decode(text).ok())
        .map_or(Some(None), |row| row.map(Some))
}

/// The tablets from the first to the last of the file; the ranges themselves have been checked against the keys.
fn table_rows<'a>(table: &'a Table, file: &File) -> Rows<'a> {
    let split = |index: usize| table.splits.get(index).map(|row| row.0.as_slice());
    let start = match file.first_tablet {
        0 => None,
        tablet => split(tablet - 1),
    };
    (start, split(file.last_tablet))
}

fn file_rows<'a>(_: &'a Table, file: &'a File) -> Rows<'a> {
    (Some(&file.first_key.row.0), Some(&file.last_key.row.0))
}
