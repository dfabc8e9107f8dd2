//! Every kind of damage is refused, by a message that names the file.

use super::*;
use crate::load::manifest::DIGESTS;
use crate::load::tests::{facts, file, key, put, table};
use crate::load::{IteratorFlavour, TableResult, write_sidecars};
use crate::verify::rfile::Check;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::PathBuf;

/// A stand-in for the check of an RFile: the file holds one row a line, each with the columns of `key`.
fn check_rows(path: &Path) -> Result<VerifiedFile, VerifyError> {
    let bytes = fs::read(path).unwrap();
    let rows: Vec<&[u8]> = bytes
        .split_inclusive(|&b| b == b'\n')
        .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
        .collect();
    if !rows.is_sorted() {
        return Err(VerifyError::Refused {
            check: Check::Order,
            path: path.display().to_string(),
            offset: 0,
            what: "rows out of order",
        });
    }
    let bound = |row: Option<&&[u8]>| row.map(|row| key(row).to_buf());
    Ok(VerifiedFile {
        entries: rows.len() as u64,
        deletes: 0,
        first_key: bound(rows.first()),
        last_key: bound(rows.last()),
        groups: [("g".to_owned(), [b"f\\".to_vec(), b"a,\x00".to_vec()].into())].into(),
        file_bytes: bytes.len() as u64,
        sha256: Sha256::digest(&bytes).into(),
        has_digest: false,
    })
}

fn verify(run: &Path) -> Result<Manifest, VerifyRunError> {
    verify_run_with(run, &check_rows)
}

/// A published run in a folder that is removed with it.
struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    fn new() -> Run {
        Run::of(&mut tables(), IteratorFlavour::Native)
    }

    fn of(tables: &mut [TableResult], flavour: IteratorFlavour) -> Run {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for table in tables.iter_mut() {
            for index in 0..table.files.len() {
                let file = &table.files[index];
                let (first, last) = (file.first_key.as_key().row, file.last_key.as_key().row);
                let bytes = [first, b"\n", last, b"\n"].concat();
                put(root, table, index, &bytes);
            }
        }
        fs::create_dir_all(root.join("rejects")).unwrap();
        fs::write(root.join("rejects/cars.jsonl"), "{}\n").unwrap();
        write_sidecars(root, &facts(), tables, flavour).unwrap();
        Run { folder }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(path)).unwrap();
        assert!(text.contains(from), "{path} has no {from:?}: {text}");
        fs::write(self.path(path), text.replacen(from, to, 1)).unwrap();
    }

    fn seal(&self) {
        seal(self.folder.path());
    }

    #[track_caller]
    fn refused(&self, path: &str, part: &str) {
        let message = verify(self.folder.path()).unwrap_err().to_string();
        assert!(
            message.contains(path) && message.contains(part),
            "wanted {path:?} and {part:?} in: {message}"
        );
    }
}

/// Makes the list of digests agree with the folder, as somebody who edits a run on purpose would.
pub(super) fn seal(run: &Path) {
    let list = fs::read_to_string(run.join(DIGESTS)).unwrap();
    let line = |line: &str| {
        let path = &line[66..];
        let digest = Sha256::digest(fs::read(run.join(path)).unwrap());
        format!("{}  {path}\n", crate::load::Digest(digest.into()))
    };
    let list: String = list.lines().map(line).collect();
    fs::write(run.join(DIGESTS), list).unwrap();
}

fn tables() -> Vec<TableResult> {
    vec![
        table(
            "ns.t",
            &[b"g", b"m\xff", b"q"],
            vec![
                file("0.rf", 0, 0, b"a", b"g"),
                file("1.rf", 1, 2, b"g\0", b"m\xff\0"),
                file("2.rf", 3, 3, b"x", b"z\xfb\xff\xfe"),
            ],
        ),
        table("empty", &[], vec![]),
        table("one", &[], vec![file("0.rf", 0, 0, b"", b"b")]),
    ]
}

#[test]
fn a_whole_run_is_taken_in_both_flavours() {
    for flavour in [IteratorFlavour::Native, IteratorFlavour::Plain] {
        let mut tables = tables();
        let run = Run::of(&mut tables, flavour);
        let manifest = verify(run.folder.path()).unwrap();
        assert_eq!(manifest, Manifest::of(&facts(), &tables, flavour));
    }
}

#[test]
fn every_flipped_truncated_and_missing_file_is_refused() {
    let run = Run::new();
    let list = fs::read_to_string(run.path(DIGESTS)).unwrap();
    let paths: Vec<&str> = list.lines().map(|line| &line[66..]).collect();
    assert!(paths.len() > 20);
    for path in paths {
        let whole = fs::read(run.path(path)).unwrap();
        if !whole.is_empty() {
            let mut flipped = whole.clone();
            flipped[whole.len() / 2] ^= 1;
            fs::write(run.path(path), flipped).unwrap();
            run.refused(path, "was changed");
            fs::write(run.path(path), &whole[..whole.len() - 1]).unwrap();
            run.refused(path, "was changed");
        }
        fs::remove_file(run.path(path)).unwrap();
        run.refused(path, "missing");
        fs::write(run.path(path), whole).unwrap();
    }
    verify(run.folder.path()).unwrap();
}

#[test]
fn extra_files_links_folders_and_odd_names_are_refused() {
    for path in [
        "x",
        "load/x.splits",
        "tables/ns.t/3.rf",
        "tables/ns.t/.0.rf.crc",
        "rejects/a b.jsonl",
        "tables/ns.t/loadmap.json",
    ] {
        let run = Run::new();
        fs::write(run.path(path), "x").unwrap();
        run.refused(path, "added");
    }
    for path in ["x", "tables/other", "load/x"] {
        let run = Run::new();
        fs::create_dir(run.path(path)).unwrap();
        run.refused(path, "no part of a run");
    }
    let run = Run::new();
    fs::create_dir_all(run.path("tables/ns.t/sub/sub")).unwrap();
    run.refused("tables/ns.t/sub", "no part of a run");
}

#[cfg(unix)]
#[test]
fn a_link_is_no_file() {
    let run = Run::new();
    let elsewhere = run.path("tables/one/0.rf");
    fs::remove_file(run.path("tables/ns.t/0.rf")).unwrap();
    std::os::unix::fs::symlink(elsewhere, run.path("tables/ns.t/0.rf")).unwrap();
    run.refused("tables/ns.t/0.rf", "link");
}

#[test]
fn a_damaged_list_of_digests_is_refused() {
    let run = Run::new();
    let list = fs::read_to_string(run.path(DIGESTS)).unwrap();
    let lines: Vec<&str> = list.lines().collect();
    let swapped = [&lines[1..2], &lines[..1], &lines[2..]].concat().join("\n") + "\n";
    for (text, part) in [
        (list[..list.len() - 1].to_owned(), "cut short"),
        (list.replacen("  ", " *", 1), "two spaces"),
        (
            list.replacen("  load", "  ../load", 1),
            "cannot be in a run",
        ),
        (list.replacen("  load", "  /load", 1), "cannot be in a run"),
        (format!("{list}{}\n", lines[0]), "not in order"),
        (swapped, "not in order"),
        (format!("{}{list}", "A"), "two spaces"),
    ] {
        fs::write(run.path(DIGESTS), text).unwrap();
        run.refused(DIGESTS, part);
    }
    fs::write(run.path(DIGESTS), lines[1..].join("\n") + "\n").unwrap();
    run.refused("load/empty.count", "added");
    fs::remove_file(run.path(DIGESTS)).unwrap();
    run.refused(DIGESTS, "no published run");
}

#[test]
fn swapped_files_are_refused() {
    let run = Run::new();
    let (a, b, spare) = (
        run.path("tables/ns.t/0.rf"),
        run.path("tables/ns.t/1.rf"),
        run.path("spare"),
    );
    fs::rename(&a, &spare).unwrap();
    fs::rename(&b, &a).unwrap();
    fs::rename(&spare, &b).unwrap();
    run.refused("tables/ns.t/0.rf", "was changed");
    run.seal();
    run.refused("tables/ns.t/0.rf", "different digests");
}

#[test]
fn an_edited_plan_is_refused_even_with_a_new_digest() {
    for (from, to, part) in [
        (r#""endRow":"Zw==""#, r#""endRow":"Zg==""#, "its rows"),
        (r#""startRow":null"#, r#""startRow":"""#, "its rows"),
        (r#""startRow":null,"#, "", "Accumulo would refuse"),
        (
            r#""rangeType""#,
            r#""x":1,"rangeType""#,
            "Accumulo would refuse",
        ),
        ("TABLE", "FILE", "not of type"),
        ("0.rf", "9.rf", "is due here"),
        ("Zw==", "Zw", "URL alphabet"),
        ("Zw==", "Z+==", "URL alphabet"),
        ("]}", "]}]", "Accumulo would refuse"),
    ] {
        let run = Run::new();
        run.edit("load/ns.t.plan.json", from, to);
        run.seal();
        run.refused("load/ns.t.plan.json", part);
    }
    let run = Run::new();
    run.edit(
        "load/ns.t.file-plan.json",
        r#""startRow":"YQ==""#,
        r#""startRow":"Yg==""#,
    );
    run.seal();
    run.refused("load/ns.t.file-plan.json", "its rows");
    let run = Run::new();
    fs::copy(
        run.path("load/empty.plan.json"),
        run.path("load/one.plan.json"),
    )
    .unwrap();
    run.seal();
    run.refused("load/one.plan.json", "names 0 files, the table has 1");
}

#[test]
fn edited_sidecars_are_refused_even_with_a_new_digest() {
    for (path, from, to, part) in [
        ("load/ns.t.splits", "Zw==\n", "", "line 1"),
        ("load/ns.t.splits", "Zw==", "Zw", "Base64"),
        ("load/ns.t.splits", "cQ==\n", "", "last 1 splits"),
        ("load/ns.t.splits", "cQ==\n", "cQ==\neg==\n", "line 4"),
        ("load/ns.t.count", "6", "7", "6 entries"),
        (
            "load/ns.t.properties",
            "scan.vers=20",
            "scan.vers=21",
            "table.iterator.scan.vers",
        ),
        (
            "load/ns.t.properties",
            "maxVersions=1",
            "maxVersions=2",
            "maxVersions",
        ),
        ("load/ns.t.properties", "f\\\\", "f", "families"),
        ("load/ns.t.properties", "enabled=g", "enabled=h", "enabled"),
        (
            "load/ns.t.properties",
            "table.file.max=20\n",
            "",
            "is missing",
        ),
        (
            "load/ns.t.properties",
            "table.file.max=20\n",
            "table.file.max=20\ntable.x=1\n",
            "does not know table.x",
        ),
        (
            "load/ns.t.properties",
            "table.file.max=20",
            "table.file.max",
            "no key=value",
        ),
        ("load/run.properties", "ns.t,", "", "other tables"),
        ("load/run.properties", "abab", "abac", "another run"),
    ] {
        let run = Run::new();
        run.edit(path, from, to);
        run.seal();
        run.refused(path, part);
    }
}

#[test]
fn an_edited_manifest_is_refused_even_with_a_new_digest() {
    for (from, to, part) in [
        (
            "\"read\": 10",
            "\"read\": 11",
            "input \"cars.csv\": read 11",
        ),
        (
            "\"written\": 6",
            "\"written\": 18446744073709551615",
            "cars.csv",
        ),
        (
            "\"entries\": 8",
            "\"entries\": 9",
            "the entries of all tables are 9",
        ),
        ("\"files\": 4", "\"files\": 5", "the files of all tables"),
        ("\"entries\": 6", "\"entries\": 5", "the entries"),
        ("\"name\": \"ns.t\"", "\"name\": \"n-s.t\"", "n-s.t"),
        ("\"name\": \"empty\"", "\"name\": \"ns.t\"", "twice"),
        ("\"name\": \"1.rf\"", "\"name\": \"0.rf\"", "twice"),
        ("\"name\": \"1.rf\"", "\"name\": \"../1.rf\"", "no RFile"),
        ("\"g\",\n        \"m", "\"n\",\n        \"m", "is not after"),
        (
            "\"first_tablet\": 1",
            "\"first_tablet\": 2",
            "outside of its tablets",
        ),
        ("\"last_tablet\": 2", "\"last_tablet\": 9", "in no order"),
        ("\"row\": \"a\"", "\"row\": \"h\"", "in no order"),
        ("\"row\": \"x\"", "\"row\": \"h\"", "outside of its tablets"),
        (
            "\"format\": 1",
            "\"format\": 1, \"extra\": 1",
            "unknown field",
        ),
    ] {
        let run = Run::new();
        run.edit("manifest.json", from, to);
        run.seal();
        run.refused("manifest.json", part);
    }
}

#[test]
fn a_file_that_differs_from_its_entry_is_refused() {
    // One row more, with the digests of both lists renewed: only reading it tells.
    let old = Sha256::digest("\nb\n");
    for (bytes, part) in [
        ("\na\nb\n", "has 3 entries, the manifest says 2"),
        ("\nc\n", "its last key is c"),
        ("a\nb\n", "its first key is a"),
        ("b\na\n", "rows out of order"),
        ("", "holds no entry"),
    ] {
        let run = Run::new();
        fs::write(run.path("tables/one/0.rf"), bytes).unwrap();
        let hex = |digest: &[u8]| crate::load::Digest(digest.try_into().unwrap()).to_string();
        run.edit("manifest.json", &hex(&old), &hex(&Sha256::digest(bytes)));
        let length = |from: &str, to: String| run.edit("manifest.json", from, &to);
        if bytes.len() != 3 {
            run.seal();
            run.refused("tables/one/0.rf", "bytes, the manifest says 3");
            let total = total_bytes(&run) - 3 + bytes.len() as u64;
            length(
                &format!("\"bytes\": {}", total_bytes(&run)),
                format!("\"bytes\": {total}"),
            );
            let text = fs::read_to_string(run.path("manifest.json")).unwrap();
            let text = text.replace("\"bytes\": 3,", &format!("\"bytes\": {},", bytes.len()));
            fs::write(run.path("manifest.json"), text).unwrap();
        }
        run.seal();
        run.refused("tables/one/0.rf", part);
    }
}

fn total_bytes(run: &Run) -> u64 {
    read_manifest(run.folder.path()).unwrap().totals.bytes
}

#[test]
fn files_that_overlap_are_refused() {
    let run = Run::new();
    // 1.rf and 2.rf trade places in the manifest's order by their first keys; the tablets still hold.
    run.edit(
        "manifest.json",
        "\"row\": \"m\\\\xff\\\\x00\"",
        "\"row\": \"q\"",
    );
    run.edit(
        "manifest.json",
        "\"first_tablet\": 3",
        "\"first_tablet\": 2",
    );
    run.edit("manifest.json", "\"row\": \"x\"", "\"row\": \"p\"");
    run.seal();
    run.refused("manifest.json", "files 1.rf and 2.rf overlap");
}

#[test]
fn rejects_are_counted_and_groups_compared() {
    let run = Run::new();
    fs::write(run.path("rejects/cars.jsonl"), "{}\n{}").unwrap();
    run.seal();
    run.refused("rejects", "have 2 lines, the manifest says 1 rejected");
    fs::write(run.path("rejects/cars.jsonl"), "").unwrap();
    run.seal();
    run.refused("rejects", "have 0 lines");

    let mut tables = tables();
    for table in &mut tables {
        table.spec.locality_groups.clear();
    }
    let run = Run::of(&mut tables, IteratorFlavour::Native);
    run.refused(
        "tables/ns.t/0.rf",
        r"locality groups are g (a,\x00, f\\), the manifest says none",
    );
}
