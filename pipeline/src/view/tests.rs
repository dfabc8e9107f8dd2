//! Streams over several files, prefixes, and what a lone file is called.

use super::*;
use crate::load::tests::{facts, key, table};
use crate::load::{FileResult, write_sidecars};
use crate::rfile::{FileSummary, RFileWriter, WriterOptions};
use shardmill_schemas::layout::IteratorSetting;
use std::fs;

/// Publishes one table `t` of one version a row, whose files hold these rows.
fn publish(run: &Path, files: &[&[&[u8]]]) {
    let folder = run.join("tables/t");
    fs::create_dir_all(&folder).unwrap();
    let mut result = table("t", &[], vec![]);
    result.spec.locality_groups.clear();
    result.spec.iterators = vec![IteratorSetting::versioning(1)];
    for (number, rows) in files.iter().enumerate() {
        let name = format!("{number}.rf");
        let summary = write(&folder.join(&name), rows);
        result.files.push(FileResult {
            name,
            first_tablet: 0,
            last_tablet: 0,
            entries: summary.entries,
            deletes: summary.deletes,
            bytes: summary.file_bytes,
            first_key: summary.first_key.unwrap(),
            last_key: summary.last_key.unwrap(),
            sha256: summary.sha256,
        });
    }
    write_sidecars(run, &facts(), &[result], IteratorFlavour::Native).unwrap();
}

fn write(path: &Path, rows: &[&[u8]]) -> FileSummary {
    let sink = fs::File::create(path).unwrap();
    let mut writer = RFileWriter::new(sink, &WriterOptions::default(), &[]).unwrap();
    for row in rows {
        writer.append(&key(row), b"v").unwrap();
    }
    writer.finish().unwrap()
}

fn rows(view: &TableView, prefix: &[u8]) -> Result<Vec<Vec<u8>>, ViewError> {
    let mut rows = Vec::new();
    let end = view.cells::<ViewError>(prefix, &mut |key, _| {
        rows.push(key.row.to_vec());
        Ok(ControlFlow::Continue(()))
    })?;
    assert!(end.is_continue());
    Ok(rows)
}

#[test]
fn files_follow_one_another_and_a_cell_may_go_on_in_the_next() {
    let run = tempfile::tempdir().unwrap();
    publish(run.path(), &[&[b"a", b"ab", b"b"], &[b"ba", b"c\xff"]]);
    // No run holds a cell in two files, but several loads of a table may.
    write(&run.path().join("tables/t/1.rf"), &[b"b", b"ba", b"c\xff"]);
    let raw = Options {
        raw: true,
        ..Options::default()
    };
    let raw = open(run.path(), &raw).unwrap();
    assert_eq!(rows(&raw[0], b"").unwrap().len(), 6);
    let shown = open(run.path(), &Options::default()).unwrap();
    assert_eq!(shown[0].name, "t");
    assert_eq!(
        rows(&shown[0], b"").unwrap(),
        [&b"a"[..], b"ab", b"b", b"ba", b"c\xff"]
    );
    for (prefix, expected) in [
        (&b"a"[..], &[&b"a"[..], b"ab"][..]),
        (b"b", &[b"b", b"ba"]),
        (b"c\xff", &[b"c\xff"]),
        (b"aa", &[]),
        (b"d", &[]),
    ] {
        assert_eq!(rows(&shown[0], prefix).unwrap(), expected, "{prefix:?}");
    }
    // A file that cannot hold the prefix is not opened.
    fs::remove_file(run.path().join("tables/t/1.rf")).unwrap();
    assert_eq!(rows(&shown[0], b"a").unwrap().len(), 2);
    let error = rows(&shown[0], b"b").unwrap_err().to_string();
    assert!(error.contains("tables/t/1.rf at byte 0"), "{error}");
}

#[test]
fn files_out_of_order_are_an_error() {
    let run = tempfile::tempdir().unwrap();
    publish(run.path(), &[&[b"a", b"m"], &[b"n", b"z"]]);
    write(&run.path().join("tables/t/1.rf"), &[b"l", b"z"]);
    let views = open(run.path(), &Options::default()).unwrap();
    let error = rows(&views[0], b"").unwrap_err().to_string();
    assert!(
        error.starts_with("VIEW_ORDER: ") && error.contains("1.rf"),
        "{error}"
    );
}

#[test]
fn the_one_who_looks_may_stop() {
    let run = tempfile::tempdir().unwrap();
    publish(run.path(), &[&[b"a", b"b"]]);
    let views = open(run.path(), &Options::default()).unwrap();
    let mut seen = 0;
    let end = views[0].cells::<ViewError>(b"", &mut |_, _| {
        seen += 1;
        Ok(ControlFlow::Break(()))
    });
    assert!(end.unwrap().is_break());
    assert_eq!(seen, 1);
}

#[test]
fn tables_are_asked_for_by_name_and_files_named_by_their_folder() {
    let run = tempfile::tempdir().unwrap();
    publish(run.path(), &[&[b"a"]]);
    let named = |name: &str| Options {
        table: Some(name.into()),
        raw: false,
    };
    let error = open(run.path(), &named("u")).err().unwrap().to_string();
    assert!(error.contains("no table \"u\"; it has t"), "{error}");
    let file = run.path().join("tables/t/0.rf");
    assert_eq!(open(&file, &Options::default()).unwrap()[0].name, "t");
    assert_eq!(open(&file, &named("u")).unwrap()[0].name, "u");
    let none = open(&run.path().join("load"), &Options::default());
    assert!(matches!(none, Err(ViewError::Manifest(_))));
}
