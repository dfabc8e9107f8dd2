//! Do the counts of the manifest add up?

use super::error::{VerifyRunError, damaged};
use crate::load::manifest::{Input, MANIFEST, Manifest, Table};

type Count<T> = (&'static str, u64, fn(&T) -> u64);

/// Records of each input, totals over inputs, tables and files. Whether files have what the manifest says is another question.
pub(super) fn check(manifest: &Manifest) -> Result<(), VerifyRunError> {
    for input in &manifest.inputs {
        let records = &input.records;
        let ends = [
            records.written,
            records.rejected,
            records.filtered,
            records.deduplicated,
        ];
        if sum(ends) != Some(records.read) {
            let what = format!(
                "input {:?}: read {} is not written {} + rejected {} + filtered {} + deduplicated {}",
                input.file,
                records.read,
                records.written,
                records.rejected,
                records.filtered,
                records.deduplicated
            );
            return Err(damaged(MANIFEST, what));
        }
    }
    let totals = &manifest.totals;
    let records: [Count<Input>; 5] = [
        ("records read", totals.records.read, |i| i.records.read),
        ("records written", totals.records.written, |i| {
            i.records.written
        }),
        ("records rejected", totals.records.rejected, |i| {
            i.records.rejected
        }),
        ("records filtered", totals.records.filtered, |i| {
            i.records.filtered
        }),
        ("records deduplicated", totals.records.deduplicated, |i| {
            i.records.deduplicated
        }),
    ];
    equal("all inputs", &manifest.inputs, &records)?;
    let tables: [Count<Table>; 4] = [
        ("files", totals.files, |t| t.files.len() as u64),
        ("entries", totals.entries, |t| t.entries),
        ("deletes", totals.deletes, |t| t.deletes),
        ("bytes", totals.bytes, |t| t.bytes),
    ];
    equal("all tables", &manifest.tables, &tables)?;
    for table in &manifest.tables {
        let of = format!("table {}", table.name);
        equal(
            &of,
            &table.files,
            &[
                ("entries", table.entries, |file| file.entries),
                ("deletes", table.deletes, |file| file.deletes),
                ("bytes", table.bytes, |file| file.bytes),
            ],
        )?;
    }
    Ok(())
}

fn equal<T>(of: &str, parts: &[T], counts: &[Count<T>]) -> Result<(), VerifyRunError> {
    for (name, total, count) in counts {
        if sum(parts.iter().map(count)) != Some(*total) {
            let what = format!("the {name} of {of} are {total}, which is not the sum of the parts");
            return Err(damaged(MANIFEST, what));
        }
    }
    Ok(())
}

/// `None` past 2⁶⁴: such counts are no counts.
fn sum(counts: impl IntoIterator<Item = u64>) -> Option<u64> {
    counts.into_iter().try_fold(0, u64::checked_add)
}
