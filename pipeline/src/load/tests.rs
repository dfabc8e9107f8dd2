//! Values that the tests of the loader share, and the tests of the staged folder.

use super::manifest::{FileSettings, Input, Records};
use super::*;
use sha2::{Digest as _, Sha256};
use shardmill_schemas::key::Key;
use shardmill_schemas::layout::LocalityGroup;
use std::fs;
use std::path::Path;

pub(crate) fn key(row: &[u8]) -> Key<'_> {
    Key {
        row,
        family: b"f\\",
        qualifier: b"q\x00",
        visibility: b"A&B",
        timestamp: -7,
        deleted: false,
    }
}

pub(crate) fn file(
    name: &str,
    first_tablet: usize,
    last_tablet: usize,
    first: &[u8],
    last: &[u8],
) -> FileResult {
    FileResult {
        name: name.to_owned(),
        first_tablet,
        last_tablet,
        entries: 2,
        deletes: 0,
        bytes: 0,
        first_key: key(first).to_buf(),
        last_key: key(last).to_buf(),
        sha256: [0; 32],
    }
}

pub(crate) fn table(name: &str, splits: &[&[u8]], files: Vec<FileResult>) -> TableResult {
    TableResult {
        spec: TableSpec {
            locality_groups: vec![LocalityGroup {
                name: "g".into(),
                families: vec![b"f\\".to_vec(), b"a,\x00".to_vec()],
            }],
            properties: vec![("table.file.max".into(), "20".into())],
            ..TableSpec::plain(name)
        },
        splits: splits.iter().map(|row| row.to_vec()).collect(),
        files,
    }
}

pub(crate) fn facts() -> RunFacts {
    RunFacts {
        run_id: [0xab; 32],
        request_id: [0xcd; 32],
        versions: [("shardmill".to_owned(), "0.1.0".to_owned())].into(),
        layout: "cells".into(),
        now: 1_700_000_000_000,
        files: FileSettings {
            codec: "gz".into(),
            level: Some(1),
            bcfile: 3,
            block_size: 102_400,
            index_block_size: 131_072,
        },
        inputs: vec![Input {
            file: "cars.csv".into(),
            data_type: "car".into(),
            bytes: Some(99),
            records: Records {
                read: 10,
                written: 6,
                rejected: 1,
                filtered: 2,
                deduplicated: 1,
            },
        }],
    }
}

/// Puts the bytes of a file in place and fills in what follows from them.
pub(crate) fn put(root: &Path, table: &mut TableResult, index: usize, bytes: &[u8]) {
    let folder = root.join("tables").join(&table.spec.name);
    fs::create_dir_all(&folder).unwrap();
    let file = &mut table.files[index];
    fs::write(folder.join(&file.name), bytes).unwrap();
    file.bytes = bytes.len() as u64;
    file.sha256 = Sha256::digest(bytes).into();
}

/// A staged folder with stand-ins for RFiles, and its tables.
fn staged(root: &Path) -> Vec<TableResult> {
    let mut table = table(
        "ns.t",
        &[b"g", b"m\xff"],
        vec![
            file("0.rf", 0, 0, b"a", b"g"),
            file("1.rf", 1, 2, b"h\\", b"z"),
        ],
    );
    put(root, &mut table, 0, b"zero");
    put(root, &mut table, 1, b"one");
    fs::create_dir_all(root.join("rejects")).unwrap();
    fs::write(root.join("rejects/cars.jsonl"), b"{}\n").unwrap();
    vec![table, self::table("empty", &[], vec![])]
}

fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn a_run_gets_all_its_sidecars() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let tables = staged(root);
    write_sidecars(root, &facts(), &tables, IteratorFlavour::Native).unwrap();
    let first = read(root, manifest::DIGESTS);
    // The same again, as after a crash: the same bytes.
    write_sidecars(root, &facts(), &tables, IteratorFlavour::Native).unwrap();
    assert_eq!(read(root, manifest::DIGESTS), first);

    let paths: Vec<&str> = first.lines().map(|line| &line[66..]).collect();
    let expected = [
        "load/empty.count",
        "load/empty.file-plan.json",
        "load/empty.plan.json",
        "load/empty.properties",
        "load/empty.splits",
        "load/load.jsh",
        "load/load.shell",
        "load/ns.t.count",
        "load/ns.t.file-plan.json",
        "load/ns.t.plan.json",
        "load/ns.t.properties",
        "load/ns.t.splits",
        "load/run.properties",
        "manifest.json",
        "rejects/cars.jsonl",
        "tables/ns.t/0.rf",
        "tables/ns.t/1.rf",
    ];
    assert_eq!(paths, expected);
    let id = "ab".repeat(32);
    assert_eq!(
        read(root, "load/run.properties"),
        format!("runId={id}\ntables=ns.t,empty\n")
    );
    assert_eq!(read(root, "load/ns.t.splits"), "Zw==\nbf8=\n");
    assert_eq!(read(root, "load/ns.t.count"), "4\n");
    assert_eq!(read(root, "load/empty.plan.json"), r#"{"destinations":[]}"#);
    assert_eq!(read(root, "load/load.jsh"), script::LOAD_JSH);
}

#[test]
fn sha256sum_takes_the_list() {
    let root = tempfile::tempdir().unwrap();
    write_sidecars(
        root.path(),
        &facts(),
        &staged(root.path()),
        IteratorFlavour::Plain,
    )
    .unwrap();
    let check = || {
        std::process::Command::new("sha256sum")
            .args(["--check", "--strict", "--quiet", manifest::DIGESTS])
            .current_dir(root.path())
            .output()
    };
    // No such program on this system: nothing to compare with.
    let Ok(output) = check() else { return };
    assert!(output.status.success(), "{output:?}");
    fs::write(root.path().join("tables/ns.t/0.rf"), b"zerO").unwrap();
    assert!(!check().unwrap().status.success());
}

#[test]
fn the_manifest_round_trips() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let tables = staged(root);
    write_sidecars(root, &facts(), &tables, IteratorFlavour::Plain).unwrap();
    let manifest = read_manifest(root).unwrap();
    assert_eq!(
        manifest,
        Manifest::of(&facts(), &tables, IteratorFlavour::Plain)
    );
    assert_eq!(manifest.totals.entries, 4);
    assert_eq!(manifest.totals.bytes, 7);
    let text = read(root, manifest::MANIFEST);
    assert_eq!(manifest.to_json(), text);
    // A row of binary bytes, escaped and then written as JSON.
    assert!(
        text.contains(r#""m\\xff""#) && text.contains(r#""row": "h\\\\""#),
        "{text}"
    );
    assert!(!text.contains(root.to_str().unwrap()));

    fs::write(
        root.join("manifest.json"),
        text.replacen("\"format\": 1", "\"format\": 2, \"new\": 0", 1),
    )
    .unwrap();
    assert!(matches!(
        read_manifest(root),
        Err(ManifestError::Format { found: 2, .. })
    ));
    fs::write(
        root.join("manifest.json"),
        text.replacen("\"format\": 1", "\"format\": 1, \"new\": 0", 1),
    )
    .unwrap();
    assert!(matches!(
        read_manifest(root),
        Err(ManifestError::Syntax { .. })
    ));
    assert!(matches!(
        read_manifest(&root.join("load")),
        Err(ManifestError::Read { .. })
    ));
}

#[test]
fn a_folder_with_anything_else_is_refused() {
    for (path, part) in [
        ("load/old.plan.json", "load/old.plan.json"),
        ("tables/ns.t/2.rf", "tables/ns.t/2.rf"),
        ("tables/ns.t/.0.rf.crc", ".0.rf.crc"),
        ("rejects/a b.jsonl", "a b.jsonl"),
        ("notes.txt", "notes.txt"),
    ] {
        let root = tempfile::tempdir().unwrap();
        let tables = staged(root.path());
        fs::create_dir_all(root.path().join("load")).unwrap();
        fs::write(root.path().join(path), b"x").unwrap();
        let error =
            write_sidecars(root.path(), &facts(), &tables, IteratorFlavour::Native).unwrap_err();
        assert_eq!(error.code(), "LOAD_FOLDER");
        assert!(error.to_string().contains(part), "{error}");
        assert!(!root.path().join("manifest.json").exists());
    }
}

#[test]
fn files_that_are_not_there_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let tables = staged(root.path());
    fs::write(root.path().join("tables/ns.t/0.rf"), b"longer").unwrap();
    let error =
        write_sidecars(root.path(), &facts(), &tables, IteratorFlavour::Native).unwrap_err();
    assert!(error.to_string().contains("0.rf: its length"), "{error}");
    fs::remove_file(root.path().join("tables/ns.t/0.rf")).unwrap();
    let error =
        write_sidecars(root.path(), &facts(), &tables, IteratorFlavour::Native).unwrap_err();
    assert!(error.to_string().contains("0.rf: it is missing"), "{error}");
}

#[test]
fn results_that_contradict_themselves_are_refused() {
    let good = || {
        table(
            "t",
            &[b"g", b"m"],
            vec![
                file("0.rf", 0, 0, b"a", b"g"),
                file("1.rf", 1, 2, b"g\0", b"z"),
            ],
        )
    };
    let refused = |change: fn(&mut TableResult), part: &str| {
        let root = tempfile::tempdir().unwrap();
        let mut table = good();
        put(root.path(), &mut table, 0, b"0");
        put(root.path(), &mut table, 1, b"1");
        assert!(
            write_sidecars(
                root.path(),
                &facts(),
                std::slice::from_ref(&table),
                IteratorFlavour::Native
            )
            .is_ok()
        );
        change(&mut table);
        let error =
            write_sidecars(root.path(), &facts(), &[table], IteratorFlavour::Native).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    };
    // A row equal to a split belongs to the tablet that the split ends.
    refused(
        |t| t.files[1].first_key = key(b"g").to_buf(),
        "outside of its range",
    );
    refused(
        |t| t.files[0].last_key = key(b"g\0").to_buf(),
        "outside of its range",
    );
    refused(|t| t.files[1].last_tablet = 3, "does not exist");
    refused(|t| t.files[0].first_tablet = 1, "does not exist");
    refused(|t| t.files[1].last_tablet = 1, "outside of its range");
    refused(|t| t.files.swap(0, 1), "overlap or are out of order");
    refused(|t| t.files[1].name = "0.rf".into(), "listed twice");
    refused(|t| t.files[1].name = "1.map".into(), "no name for an RFile");
    refused(|t| t.files[1].entries = 0, "empty");
    refused(|t| t.splits.swap(0, 1), "out of order");
    refused(|t| t.splits[0].clear(), "empty rows");
    refused(|t| t.spec.name = "a-b".into(), "only the letters");
}

#[test]
fn facts_that_cannot_be_published_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let tables = [table("t", &[], vec![])];
    let mut run = facts();
    run.inputs[0].records.read += 1;
    let error = write_sidecars(root.path(), &run, &tables, IteratorFlavour::Native).unwrap_err();
    assert!(error.to_string().contains("do not add up"), "{error}");
    let mut run = facts();
    run.inputs[0].file = "/home/me/cars.csv".into();
    let error = write_sidecars(root.path(), &run, &tables, IteratorFlavour::Native).unwrap_err();
    assert!(error.to_string().contains("without a folder"), "{error}");
    assert!(write_sidecars(root.path(), &facts(), &[], IteratorFlavour::Native).is_err());
}
