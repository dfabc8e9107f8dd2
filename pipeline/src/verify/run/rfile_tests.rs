//! A run of real RFiles: what the writer, the sidecars and the check say of each other.

use super::*;
use crate::load::tests::{facts, key, table};
use crate::load::{FileResult, IteratorFlavour, TableResult, write_sidecars};
use crate::rfile::{LocalityGroup, RFileWriter, WriterOptions};
use sha2::{Digest as _, Sha256};
use shardmill_schemas::layout::IteratorSetting;
use std::fs;

/// Writes the rows as an RFile, one cell a row and the value `1`, and says what its task would.
fn write(root: &Path, table: &mut TableResult, tablets: (usize, usize), rows: &[&[u8]]) {
    let folder = root.join("tables").join(&table.spec.name);
    fs::create_dir_all(&folder).unwrap();
    let name = format!("{:04}.rf", table.files.len());
    let group = |group: &shardmill_schemas::layout::LocalityGroup| LocalityGroup {
        name: group.name.clone(),
        families: group.families.clone(),
    };
    let groups: Vec<LocalityGroup> = table.spec.locality_groups.iter().map(group).collect();
    let sink = fs::File::create(folder.join(&name)).unwrap();
    let mut writer = RFileWriter::new(sink, &WriterOptions::default(), &groups).unwrap();
    for row in rows {
        let mut cell = key(row);
        cell.visibility = b"";
        writer.append(&cell, b"1").unwrap();
    }
    let summary = writer.finish().unwrap();
    table.files.push(FileResult {
        name,
        first_tablet: tablets.0,
        last_tablet: tablets.1,
        entries: summary.entries,
        deletes: summary.deletes,
        bytes: summary.file_bytes,
        first_key: summary.first_key.unwrap(),
        last_key: summary.last_key.unwrap(),
        sha256: summary.sha256,
    });
}

fn publish(root: &Path) -> Vec<TableResult> {
    let mut plain = table("plain", &[b"b", b"m\x00\xff", b"t"], vec![]);
    write(root, &mut plain, (0, 0), &[b"", b"a", b"b"]);
    write(
        root,
        &mut plain,
        (1, 2),
        &[b"b\0", b"m\x00\xff", b"m\x00\xff\0", b"t"],
    );
    write(root, &mut plain, (3, 3), &[b"t\0", b"\xff\xfe"]);
    let mut sums = table("sums.t", &[], vec![]);
    sums.spec.locality_groups.clear();
    sums.spec.iterators = vec![IteratorSetting {
        name: "sum".into(),
        priority: 10,
        class: "org.apache.accumulo.core.iterators.user.SummingCombiner".into(),
        options: vec![
            ("all".into(), "true".into()),
            ("type".into(), "STRING".into()),
        ],
    }];
    write(root, &mut sums, (0, 0), &[b"a", b"a", b"a", b"z"]);
    let tables = vec![plain, sums, table("empty", &[b"k"], vec![])];
    fs::create_dir_all(root.join("rejects")).unwrap();
    fs::write(root.join("rejects/rejects.jsonl"), "{}\n").unwrap();
    write_sidecars(root, &facts(), &tables, IteratorFlavour::Native).unwrap();
    tables
}

#[test]
fn a_run_of_real_files_is_taken() {
    let run = tempfile::tempdir().unwrap();
    let tables = publish(run.path());
    let manifest = verify(run.path()).unwrap();
    assert_eq!(
        manifest,
        Manifest::of(&facts(), &tables, IteratorFlavour::Native)
    );
    assert_eq!(manifest.totals.entries, 13);
}

fn verify(run: &Path) -> Result<Manifest, VerifyRunError> {
    verify_run(run, &<[u8]>::is_empty)
}

#[test]
fn what_a_real_file_holds_is_compared_with_the_manifest() {
    for (from, to, part) in [
        // 3 of the 9 entries of plain become 4, and every sum with them.
        (
            "\"entries\": 3",
            "\"entries\": 4",
            "it has 3 entries, the manifest says 4",
        ),
        ("\"timestamp\": -7", "\"timestamp\": -6", "its first key is"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path();
        publish(run);
        let edit = |path: &str, from: &str, to: &str| {
            let text = fs::read_to_string(run.join(path)).unwrap();
            assert!(text.contains(from), "{from:?} in {text}");
            fs::write(run.join(path), text.replacen(from, to, 1)).unwrap();
        };
        edit("manifest.json", from, to);
        if from.contains("entries") {
            edit("manifest.json", "\"entries\": 13", "\"entries\": 14");
            edit("manifest.json", "\"entries\": 9", "\"entries\": 10");
            edit("load/plain.count", "9", "10");
        }
        tests::seal(run);
        let error = verify(run).unwrap_err().to_string();
        assert!(
            error.contains("tables/plain/0000.rf") && error.contains(part),
            "{error}"
        );
    }
}

#[test]
fn a_file_that_is_damaged_in_itself_is_refused_whatever_the_lists_say() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path();
    publish(run);
    let path = run.join("tables/plain/0001.rf");
    let mut bytes = fs::read(&path).unwrap();
    let old = crate::load::Digest(Sha256::digest(&bytes).into());
    bytes[20] ^= 1;
    let new = crate::load::Digest(Sha256::digest(&bytes).into());
    fs::write(&path, bytes).unwrap();
    let manifest = fs::read_to_string(run.join(MANIFEST)).unwrap();
    let manifest = manifest.replace(&old.to_string(), &new.to_string());
    fs::write(run.join(MANIFEST), manifest).unwrap();
    tests::seal(run);
    let error = verify(run).unwrap_err();
    assert!(matches!(error, VerifyRunError::RFile(_)), "{error}");
    assert!(
        error.to_string().contains("tables/plain/0001.rf"),
        "{error}"
    );
}

#[test]
fn a_visibility_that_does_not_parse_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path());
    let error = verify_run(folder.path(), &|_| false).unwrap_err();
    assert!(error.to_string().contains(".rf"), "{error}");
}
