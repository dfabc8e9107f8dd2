//! Looking at results: `scan`, `inspect` and `verify` on runs that the program made and on files written for the purpose.

use super::support::{folder, run, shardmill};
use shardmill_pipeline::load::manifest::{FileSettings, Input, Records};
use shardmill_pipeline::load::{
    FileResult, IteratorFlavour, RunFacts, TableResult, write_sidecars,
};
use shardmill_pipeline::rfile::{Codec, FileSummary, LocalityGroup, RFileWriter, WriterOptions};
use shardmill_schemas::key::Key;
use shardmill_schemas::layout::{IteratorSetting, TableSpec};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Row, `family:qualifier`, timestamp, deleted, value.
type Cell<'a> = (&'a str, &'a str, i64, bool, &'a [u8]);

fn write(
    path: &Path,
    options: &WriterOptions,
    groups: &[LocalityGroup],
    cells: &[Cell<'_>],
) -> FileSummary {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let file = fs::File::create(path).unwrap();
    let mut writer = RFileWriter::new(file, options, groups).unwrap();
    for (row, column, timestamp, deleted, value) in cells {
        let (family, qualifier) = column.split_once(':').unwrap();
        let key = Key {
            row: row.as_bytes(),
            family: family.as_bytes(),
            qualifier: qualifier.as_bytes(),
            visibility: b"A&B",
            timestamp: *timestamp,
            deleted: *deleted,
        };
        writer.append(&key, value).unwrap();
    }
    writer.finish().unwrap()
}

/// Publishes a run by hand: each table one file.
fn publish(root: &Path, tables: &[(TableSpec, &[Cell<'_>])], flavour: IteratorFlavour) {
    let mut results = Vec::new();
    for (spec, cells) in tables {
        let path = root.join("tables").join(&spec.name).join("0.rf");
        let summary = write(&path, &WriterOptions::default(), &[], cells);
        results.push(TableResult {
            spec: spec.clone(),
            splits: Vec::new(),
            files: vec![FileResult {
                name: "0.rf".into(),
                first_tablet: 0,
                last_tablet: 0,
                entries: summary.entries,
                deletes: summary.deletes,
                bytes: summary.file_bytes,
                first_key: summary.first_key.unwrap(),
                last_key: summary.last_key.unwrap(),
                sha256: summary.sha256,
            }],
        });
    }
    let facts = RunFacts {
        run_id: [1; 32],
        request_id: [2; 32],
        versions: [("shardmill".to_owned(), "0.1.0".to_owned())].into(),
        layout: "cells".into(),
        now: 0,
        files: FileSettings {
            codec: "gz".into(),
            level: Some(1),
            bcfile: 3,
            block_size: 102_400,
            index_block_size: 131_072,
        },
        inputs: vec![Input {
            file: "in.csv".into(),
            data_type: String::new(),
            bytes: None,
            records: Records {
                read: 1,
                written: 1,
                ..Records::default()
            },
        }],
    };
    fs::create_dir_all(root.join("rejects")).unwrap();
    write_sidecars(root, &facts, &results, flavour).unwrap();
}

fn iterator(priority: u32, class: &str, options: &[(&str, &str)]) -> IteratorSetting {
    IteratorSetting {
        name: format!("it{priority}"),
        priority,
        class: class.into(),
        options: options
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect(),
    }
}

/// The run of the documentation: two tables by templates, one of them with sums.
fn orders(root: &Path) -> PathBuf {
    let csv = "customer,ts,product,amount\n\
        acme,2024-01-02T03:04:05Z,widget,7\n\
        acme,2024-01-02T03:04:06Z,widget,300\n\
        zoë,2024-02-01T00:00:00Z,tab\tbed\\x,1\n\
        bad,never,x,1\n";
    let job = r#"
layout = "cells"
now = 1700000000000
[[input]]
files = ["orders.csv"]
[[cells.tables]]
name = "orders"
combine = { total = "sum(VARLEN)" }
[[cells.tables.cells]]
row = "customer"
family = "'total'"
qualifier = "product"
timestamp = "ts"
value = "amount"
[[cells.tables]]
name = "fields"
[[cells.tables.cells]]
row = "customer"
family = "field"
value = "value"
for_each = ["amount"]
"#;
    fs::write(root.join("orders.csv"), csv).unwrap();
    fs::write(root.join("orders.toml"), job).unwrap();
    let out = root.join("out");
    let (_, stderr, code) = run(shardmill()
        .arg("ingest")
        .arg(root.join("orders.toml"))
        .arg("--out")
        .arg(&out));
    assert_eq!(code, 3, "{stderr}");
    out
}

/// What `scan` prints on a path.
fn scan(path: &Path, args: &[&str]) -> String {
    let (stdout, stderr, code) = run(shardmill().arg("scan").arg(path).args(args));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    stdout
}

#[test]
fn a_run_is_shown_in_three_formats() {
    let root = folder();
    let out = orders(root.path());
    let tsv = "fields\tacme\tamount\t\t\t1700000000000\t0\t7\n\
        fields\tzo\\xc3\\xab\tamount\t\t\t1700000000000\t0\t1\n\
        orders\tacme\ttotal\twidget\t\t1704164646000\t0\t\\x8e\\x013\n\
        orders\tzo\\xc3\\xab\ttotal\ttab\\x09bed\\\\x\t\t1706745600000\t0\t\\x01\n";
    assert_eq!(scan(&out, &["--format", "tsv"]), tsv);
    let lines: Vec<&str> = tsv.split_inclusive('\n').collect();
    let some = |args: &[&str]| scan(&out, &[&["--format", "tsv"], args].concat());
    assert_eq!(some(&["--table", "orders"]), lines[2..].concat());
    assert_eq!(
        some(&["--prefix", "zo\\xc3"]),
        [lines[1], lines[3]].concat()
    );
    assert_eq!(some(&["--prefix", "b"]), "");
    assert_eq!(some(&["--limit", "3"]), lines[..3].concat());
    assert_eq!(some(&["--limit", "0"]), "");
    let json = scan(
        &out,
        &["--format", "json", "--table", "orders", "--prefix", "zo"],
    );
    assert_eq!(
        json,
        r#"{"table":"orders","row":"zo\\xc3\\xab","family":"total","qualifier":"tab\\x09bed\\\\x","visibility":"","timestamp":1706745600000,"deleted":false,"value":"\\x01"}"#
            .to_owned() + "\n"
    );
    let pretty = scan(&out, &["--table", "orders"]);
    assert_eq!(
        pretty,
        "table orders\n\
         \x20 row         family  qualifier      visibility  timestamp                           value\n\
         \x20 acme        total   widget                     1704164646000 2024-01-02T03:04:06Z  307\n\
         \x20 zo\\xc3\\xab  total   tab\\x09bed\\\\x              1706745600000 2024-02-01T00:00:00Z  1\n"
    );
    // A lone file bears the name of its folder; values are read by what its run says of them.
    let file = out.join("tables/orders/00000-000.rf");
    assert_eq!(scan(&file, &[]), pretty);
    assert_eq!(scan(&file, &["--format", "tsv"]), lines[2..].concat());
    let named = scan(&file, &["--format", "tsv", "--table", "t", "--limit", "1"]);
    assert_eq!(named, lines[2].replacen("orders", "t", 1));
}

#[test]
fn usage_errors_name_what_is_there() {
    let root = folder();
    let out = orders(root.path());
    let (_, stderr, code) = run(shardmill().arg("scan").arg(&out).args(["--table", "x"]));
    assert_eq!(code, 2);
    assert!(
        stderr.contains("no table \"x\"; it has orders, fields"),
        "{stderr}"
    );
    let (_, stderr, code) = run(shardmill().arg("scan").arg(&out).args(["--prefix", "a\\n"]));
    assert_eq!(code, 2);
    assert!(stderr.contains("byte 1 of the escaped text"), "{stderr}");
}

/// Publishes a table with a sum, one with UID lists, and one with an iterator that nobody knows.
fn publish_combined(root: &Path, flavour: IteratorFlavour) {
    let accumulo = "org.apache.accumulo.core.iterators.user";
    let mut sums = TableSpec::plain("sums");
    let sum = format!("{accumulo}.SummingCombiner");
    sums.iterators
        .push(iterator(10, &sum, &[("type", "STRING"), ("columns", "n")]));
    let sum_cells: [Cell; 6] = [
        ("r", "n:a", 9, false, b"1"),
        ("r", "n:a", 8, false, b"41"),
        ("r", "n:a", 7, true, b""),
        ("r", "n:a", 7, false, b"100"),
        ("r", "v:a", 9, false, b"new"),
        ("r", "v:a", 8, false, b"old"),
    ];
    let mut lists = TableSpec::plain("index");
    let lists_of = "datawave.ingest.table.aggregator.GlobalIndexUidAggregator";
    let total = "datawave.iterators.TotalAggregatingIterator";
    lists
        .iterators
        .push(iterator(19, total, &[("*", lists_of)]));
    lists.plain_iterators = vec![IteratorSetting::versioning(2)];
    let list_cells: [Cell; 4] = [
        ("t", "F:1", 9, false, b"\x08\0\x10\x01\x1a\x01u"),
        ("t", "F:1", 8, false, b"\x08\0\x10\x01\x1a\x01v"),
        ("t", "F:2", 8, false, b"\x08\0\x10\0\x22\x01u"),
        ("t", "F:3", 8, false, b"\x08\x01\x10\x15"),
    ];
    let mut odd = TableSpec::plain("odd");
    odd.iterators.push(iterator(5, "a.Filter", &[]));
    let odd_cells: [Cell; 1] = [("r", "f:", i64::MAX, false, b"")];
    let tables = [
        (sums, &sum_cells[..]),
        (lists, &list_cells),
        (odd, &odd_cells),
    ];
    publish(root, &tables, flavour);
}

#[test]
fn the_view_applies_deletes_versions_and_combiners() {
    let root = folder();
    publish_combined(root.path(), IteratorFlavour::Native);
    let (native, note, code) = run(shardmill()
        .arg("scan")
        .arg(root.path())
        .args(["--format", "tsv"]));
    assert_eq!(code, 0);
    assert_eq!(
        note,
        "note: table odd is shown without its iterator it5 (a.Filter): its class is not known here\n"
    );
    assert_eq!(
        native,
        "index\tt\tF\t1\tA&B\t9\t0\t\\x08\\x00\\x10\\x02\\x1a\\x01u\\x1a\\x01v\n\
         index\tt\tF\t3\tA&B\t8\t0\t\\x08\\x01\\x10\\x15\n\
         odd\tr\tf\t\tA&B\t9223372036854775807\t0\t\n\
         sums\tr\tn\ta\tA&B\t9\t0\t42\n\
         sums\tr\tv\ta\tA&B\t9\t0\tnew\n"
    );
    let pretty = scan(root.path(), &["--table", "index"]);
    assert!(
        pretty.contains("Z  Uid.List ignore=false count=2 uids=[u, v]\n"),
        "{pretty}"
    );
    assert!(
        pretty.contains("Z  Uid.List ignore=true count=21\n"),
        "{pretty}"
    );
    let raw = scan(root.path(), &["--raw", "--format", "tsv"]);
    assert_eq!(raw.lines().count(), 11);
    assert!(raw.contains("sums\tr\tn\ta\tA&B\t7\t1\t\n"), "{raw}");
    let pretty = scan(root.path(), &["--raw", "--table", "sums"]);
    assert!(
        pretty.contains("1970-01-01T00:00:00.007Z  DELETED\n"),
        "{pretty}"
    );

    let plain = folder();
    publish_combined(plain.path(), IteratorFlavour::Plain);
    let plain = scan(plain.path(), &["--format", "tsv", "--table", "index"]);
    assert_eq!(plain.lines().count(), 4, "{plain}");
}

#[test]
fn a_value_that_no_scan_could_read_is_an_error_with_its_place() {
    let root = folder();
    let mut sums = TableSpec::plain("sums");
    let sum = "org.apache.accumulo.core.iterators.user.SummingCombiner";
    sums.iterators
        .push(iterator(10, sum, &[("type", "STRING"), ("all", "true")]));
    let cells: [Cell; 2] = [("a", "n:", 1, false, b"1"), ("b", "n:", 1, false, b"x")];
    publish(root.path(), &[(sums, &cells)], IteratorFlavour::Native);
    let (stdout, stderr, code) = run(shardmill()
        .arg("scan")
        .arg(root.path())
        .args(["--format", "tsv"]));
    assert_eq!(code, 5);
    assert_eq!(stdout, "sums\ta\tn\t\tA&B\t1\t0\t1\n");
    for part in [
        "VIEW_VALUE: ",
        "tables/sums/0.rf at byte ",
        "b n: [A&B] 1",
        "sum cannot read",
    ] {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
}

/// Three index levels, two groups of families besides the default one, deletes.
fn large(path: &Path) -> FileSummary {
    let options = WriterOptions {
        codec: Codec::None,
        block_size: 96,
        index_block_size: 512,
        digest: false,
        ..WriterOptions::default()
    };
    let group = |name: &str, family: &str| LocalityGroup {
        name: name.into(),
        families: vec![family.into()],
    };
    let rows: Vec<String> = (0..6000).map(|row| format!("row{row:06}")).collect();
    let mut cells: Vec<Cell<'_>> = Vec::new();
    for row in &rows {
        cells.push((row, "a:", 5, false, b"value"));
        cells.push((row, "b:q", 5, true, b""));
        cells.push((row, "c:q", 5, false, b"v"));
    }
    write(
        path,
        &options,
        &[group("one", "a"), group("two", "b")],
        &cells,
    )
}

#[test]
fn inspect_shows_a_file_with_three_levels() {
    let root = folder();
    let path = root.path().join("t/large.rf");
    let summary = large(&path);
    assert_eq!((summary.index_levels, summary.entries), (3, 18_000));
    let (text, _, code) = run(shardmill().arg("inspect").arg(&path));
    assert_eq!(code, 0);
    for part in [
        "RFile 8 in BCFile 3, codec none, ",
        "  digest      none\n",
        "  entries     18,000 in data blocks: ",
        "  first       row000000 a: [A&B] 5\n",
        "  last        row005999 c:q [A&B] 5\n",
        "  group one\n    families  a (6000)\n    data      6,000 entries, blocks: ",
        "  group two\n    families  b (6000)\n",
        "  group (default)\n    families  c (6000)\n",
        "    index     level 2, blocks: 1, ",
        "    first     row000000 b:q [A&B] 5 deleted\n",
        "  meta blocks\n    BCFile.index ",
    ] {
        assert!(text.contains(part), "{part:?} in\n{text}");
    }
    let (json, _, _) = run(shardmill().arg("inspect").arg(&path).arg("--json"));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        value["groups"][1]["index_levels"].as_array().unwrap().len(),
        3
    );
    assert_eq!(value["groups"][1]["first_key"]["deleted"], true);
    assert_eq!(value["entries"], 18_000);

    let out = orders(root.path());
    let (text, _, code) = run(shardmill().arg("inspect").arg(&out));
    assert_eq!(code, 0);
    assert!(
        text.contains("\ntable orders: 2 cells (0 deletes), "),
        "{text}"
    );
    assert!(text.contains("4 read: 3 written, 1 rejected"), "{text}");
    let (_, stderr, code) = run(shardmill().arg("inspect").arg(root.path().join("none.rf")));
    assert_eq!(code, 5);
    assert!(stderr.contains("none.rf at byte 0"), "{stderr}");
}

#[test]
fn a_reader_that_has_enough_ends_the_scan_quietly() {
    let root = folder();
    let path = root.path().join("t/large.rf");
    large(&path);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_shardmill"))
        .arg("scan")
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut pipe = BufReader::new(child.stdout.take().unwrap());
    pipe.read_line(&mut line).unwrap();
    drop(pipe);
    assert_eq!(line, "table t\n");
    let end = child.wait_with_output().unwrap();
    assert_eq!(
        (end.status.code(), end.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn a_corrupt_or_missing_file_is_named() {
    let root = folder();
    let path = root.path().join("t/large.rf");
    large(&path);
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    let (_, stderr, code) = run(shardmill().arg("scan").arg(&path));
    assert_eq!(code, 5);
    assert!(
        stderr.contains("RFILE_CORRUPT: ") && stderr.contains("large.rf at byte "),
        "{stderr}"
    );
    let (_, _, code) = run(shardmill().arg("verify").arg(&path));
    assert_eq!(code, 6);
    // A length in the middle of the data: what is before it is shown, and then the place.
    let mut damaged = whole;
    let at = damaged.len() / 4;
    damaged[at..at + 64].fill(0xff);
    fs::write(&path, damaged).unwrap();
    let (stdout, stderr, code) = run(shardmill().arg("scan").arg(&path));
    assert_eq!(code, 5, "{stderr}");
    assert!(
        stdout.lines().count() > 100 && stderr.contains("large.rf at byte "),
        "{stderr}"
    );
    for command in ["scan", "inspect", "verify"] {
        let (_, stderr, code) = run(shardmill().arg(command).arg(root.path().join("none")));
        assert_eq!(code, 5, "{command}");
        assert!(stderr.contains("none at byte 0"), "{stderr}");
    }
    let (_, stderr, code) = run(shardmill().arg("scan").arg(root.path()));
    assert_eq!(code, 5);
    assert!(stderr.contains("MANIFEST_READ: "), "{stderr}");
}

#[test]
fn verify_takes_a_whole_run_and_refuses_a_damaged_one() {
    let root = folder();
    let out = orders(root.path());
    let verify = |path: &Path| run(shardmill().arg("verify").arg(path));
    let (text, stderr, code) = verify(&out);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(
        text.ends_with("4 records read: 3 written, 1 rejected, 0 filtered, 0 deduplicated\n"),
        "{text}"
    );
    assert!(
        text.contains("\nOK: 2 tables, 2 files, 4 cells (0 deletes), "),
        "{text}"
    );
    let (json, _, _) = run(shardmill().arg("verify").arg(&out).arg("--json"));
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&value["result"], &value["totals"]["entries"]),
        (&"ok".into(), &4.into())
    );

    let file = out.join("tables/orders/00000-000.rf");
    let (text, _, code) = verify(&file);
    assert_eq!(code, 0);
    assert!(
        text.contains("agrees with every byte") && text.contains("\nOK: 2 cells"),
        "{text}"
    );

    let whole = fs::read(&file).unwrap();
    let refused = |path: &Path, part: &str| {
        let (stdout, stderr, code) = verify(path);
        assert_eq!((code, stdout.as_str()), (6, ""), "{stderr}");
        assert!(
            stderr.starts_with("error: ") && stderr.contains(part),
            "{stderr}"
        );
        assert_eq!(stderr.lines().count(), 2, "{stderr}");
        assert!(stderr.contains("\nFAILED: refused"), "{stderr}");
    };
    let mut flipped = whole.clone();
    flipped[40] ^= 4;
    fs::write(&file, flipped).unwrap();
    refused(&out, "tables/orders/00000-000.rf: its sha256 is");
    refused(&file, "VERIFY_DIGEST: ");
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    refused(&out, "was changed");
    fs::remove_file(&file).unwrap();
    refused(&out, "it is missing");
    fs::write(&file, &whole).unwrap();
    let added = out.join("tables/orders/more.rf");
    fs::write(&added, &whole).unwrap();
    refused(
        &out,
        "tables/orders/more.rf: manifest.sha256 does not list it",
    );
    fs::remove_file(added).unwrap();
    assert_eq!(verify(&out).2, 0);
    refused(&out.join("load"), "manifest.sha256: it is missing");
}
