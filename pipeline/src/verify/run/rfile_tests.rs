//! A run of real RFiles: what the writer, the sidecars and the check say of each other.

use super::*;
use crate::load::tests::{facts, key, table};
use crate::load::{FileResult, IteratorFlavour, TableResult, write_sidecars};
use crate::rfile::{LocalityGroup, RFileReader, RFileWriter, WriterOptions};
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
    verify_run_with(run, &|path| {
        let reader = RFileReader::open(path).map_err(|e| e.to_string())?;
        let mut scan = reader.scan().map_err(|e| e.to_string())?;
        let (mut entries, mut first, mut last) = (0, None, None);
        while let Some((key, _)) = scan.next().map_err(|e| e.to_string())? {
            entries += 1;
            first.get_or_insert(key.to_buf());
            last = Some(key.to_buf());
        }
        use sha2::Digest as _;
        let sha256 = sha2::Sha256::digest(fs::read(path).unwrap()).into();
        Ok(CheckedFile {
            entries,
            deletes: 0,
            bounds: first.zip(last),
            sha256,
        })
    })
}
