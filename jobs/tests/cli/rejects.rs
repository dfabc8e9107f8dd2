//! Bad records: each is named with its place, kept whole, and costs nothing but itself.

use crate::support::{folder, run, shardmill};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// People by id; the fields name each of the things that can be wrong with a value.
pub(crate) const JOB: &str = r#"layout = "cells"
now = "2024-01-31T00:00:00Z"

[[input]]
files = ["in.csv"]

[cells]
required = ["ID"]

[[cells.tables]]
name = "people"

[[cells.tables.cells]]
row = "ID"
family = "'name'"
value = "NAME"
timestamp = "SEEN"
visibility = "VIS"
"#;

/// A folder with a job and its input.
pub(crate) struct Place {
    pub(crate) folder: TempDir,
}

impl Place {
    pub(crate) fn new(content: &[u8]) -> Self {
        let place = Place { folder: folder() };
        place.write("job.toml", JOB.as_bytes());
        place.write("in.csv", content);
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: &[u8]) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// `shardmill ingest job.toml ARGS`, run in the folder: stderr and the exit code.
    pub(crate) fn ingest(&self, args: &[&str]) -> (String, i32) {
        let mut command = shardmill();
        command.current_dir(self.folder.path());
        let (stdout, stderr, code) = run(command.args(["ingest", "job.toml"]).args(args));
        assert_eq!(stdout, "", "what is no result belongs on stderr");
        (stderr, code)
    }

    /// Everything in the folder, by name.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        collect(self.folder.path(), self.folder.path(), &mut files);
        files.sort();
        files
    }

    fn rejects(&self, name: &str) -> Vec<Value> {
        let text = self.read(name);
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }
}

fn collect(top: &Path, folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(top, &path, files);
        } else {
            let name = path.strip_prefix(top).unwrap().display().to_string();
            files.push((name, fs::read(path).unwrap()));
        }
    }
}

pub(crate) fn last_line(stderr: &str) -> &str {
    stderr.lines().last().unwrap_or_default()
}

const WHEN: &str = "2024-01-01T00:00:00Z";

/// Good records before, between and behind those that are bad in each of the ways there are.
fn mixed() -> Vec<u8> {
    let mut content = b"ID,SEEN,VIS,NAME\n".to_vec();
    let rows: [&[u8]; 11] = [
        b"1,T,A,Ann\n",
        b"2,T,A\n",
        b"3,T,A,Cy,surplus\r\n",
        b"\n",
        b"5,soon,A,Eve\n",
        b"6,T,A,Fa\xff\n",
        b"7,T,A,\"Gus\n",
        b"8,T,A&|B,\"Hal\nthe second\"\n",
        b",T,A,Ida\n",
        b"10,T,\"A|B\",\"Jo\n\"\"Jo\"\"\"\n",
        b"11,T,A,Kim",
    ];
    for row in rows {
        let mut fields = row.splitn(3, |byte| *byte == b',');
        let (first, second) = (fields.next().unwrap(), fields.next());
        content.extend(first);
        if let Some(second) = second {
            content.push(b',');
            content.extend(if second == b"T" {
                WHEN.as_bytes()
            } else {
                second
            });
        }
        if let Some(rest) = fields.next() {
            content.push(b',');
            content.extend(rest);
        }
    }
    content
}

#[test]
fn each_bad_record_is_named_with_its_place_and_kept_whole() {
    let content = mixed();
    let place = Place::new(&content);
    let (stderr, code) = place.ingest(&["--out", "out"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(
        last_line(&stderr).starts_with("PUBLISHED: out, "),
        "{stderr}"
    );
    let rejects = place.rejects("out/rejects/rejects.jsonl");
    let told: Vec<_> = rejects
        .iter()
        .map(|reject| {
            let number = |key: &str| reject[key].as_u64().unwrap_or_default();
            let text = |key: &str| reject[key].as_str().unwrap_or_default();
            (
                text("code"),
                number("record"),
                number("line"),
                number("column"),
                text("field"),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("field-count", 2, 3, 25, "NAME"),
            ("field-count", 3, 4, 29, ""),
            ("blank-line", 4, 5, 1, "ID"),
            ("bad-date", 5, 6, 3, "SEEN"),
            ("invalid-utf8", 6, 7, 28, "NAME"),
            // The quote seems to close where the next one opens: the fault is there, the reject is its first line alone.
            ("quote-junk", 7, 9, 30, "NAME"),
            ("bad-visibility", 8, 9, 24, "VIS"),
            ("missing-field", 9, 11, 1, "ID"),
        ]
    );
    for reject in &rejects {
        let number = |key: &str| reject[key].as_u64().unwrap() as usize;
        let (offset, length) = (number("offset"), number("length"));
        let raw = STANDARD
            .decode(reject["raw_base64"].as_str().unwrap())
            .unwrap();
        assert_eq!(raw, content[offset..offset + length]);
        assert_eq!(reject["raw"], *String::from_utf8_lossy(&raw));
        assert!(
            (offset..=offset + length).contains(&number("at")) || reject["code"] == "quote-junk"
        );
        assert_eq!(reject["file"], "in.csv");
        assert_eq!(
            reject["columns"],
            serde_json::json!(["ID", "SEEN", "VIS", "NAME"])
        );
    }
    assert!(stderr.contains("in.csv:3:25 (record 2, byte "), "{stderr}");
    assert!(
        stderr.contains("3 fields where the header has 4"),
        "{stderr}"
    );
    assert!(stderr.contains("and 3 more"), "{stderr}");
    let counts = serde_json::json!({
        "read": 11, "written": 3, "rejected": 8, "filtered": 0, "deduplicated": 0
    });
    let manifest = place.json("out/manifest.json");
    assert_eq!(manifest["totals"]["records"], counts);
    assert_eq!(manifest["inputs"][0]["records"], counts);
    assert_eq!(
        place.json("out.work/summary.json")["totals"]["records"],
        counts
    );
}

#[test]
fn an_open_quote_costs_its_line_alone() {
    let place = Place::new(
        format!("ID,SEEN,VIS,NAME\n1,{WHEN},A,\"Ann\n2,{WHEN},A,Bo\n3,{WHEN},A,Cy\n").as_bytes(),
    );
    let (stderr, code) = place.ingest(&["--out", "out"]);
    assert_eq!(code, 3, "{stderr}");
    let rejects = place.rejects("out/rejects/rejects.jsonl");
    assert_eq!(rejects.len(), 1);
    assert_eq!(rejects[0]["code"], "unterminated-quote");
    assert_eq!(rejects[0]["raw"], format!("1,{WHEN},A,\"Ann\n"));
    assert_eq!(
        place.json("out/manifest.json")["totals"]["records"]["written"],
        2
    );
}

#[test]
fn rejects_mended_and_fed_back_complete_the_load() {
    let place = Place::new(&mixed());
    assert_eq!(place.ingest(&["--out", "out"]).1, 3);
    let mended = place
        .read("out/rejects/rejects.jsonl")
        .replace(
            "2,2024-01-01T00:00:00Z,A\\n\"}",
            "2,2024-01-01T00:00:00Z,A,Bo\"}",
        )
        .replace(",A,Cy,surplus\\r\\n", ",A,Cy")
        .replace("5,soon,", "5,2024-01-05T00:00:00Z,")
        .replace("Fa\u{fffd}", "Fay")
        .replace("\\\"Gus\\n", "Gus")
        .replace("A&|B", "A");
    let mended: Vec<_> = mended
        .lines()
        .filter(|line| !line.contains("blank-line") && !line.contains("missing-field"))
        .collect();
    place.write("mended.jsonl", mended.join("\n").as_bytes());
    let (stderr, code) = place.ingest(&["--out", "rest", "--input", "mended.jsonl"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stderr.contains("mended.jsonl is a rejects file"),
        "{stderr}"
    );
    let totals = &place.json("rest/manifest.json")["totals"];
    assert_eq!(
        (&totals["records"]["written"], &totals["entries"]),
        (&6.into(), &6.into())
    );
}

#[test]
fn rejects_fed_back_as_they_are_tell_the_same_faults_at_their_new_place() {
    let place = Place::new(&mixed());
    assert_eq!(place.ingest(&["--out", "out"]).1, 3);
    let input = "out/rejects/rejects.jsonl";
    let (stderr, code) = place.ingest(&["--out", "again", "--input", input]);
    assert_eq!(code, 3, "{stderr}");
    let codes = |name: &str| {
        let rejects = place.rejects(name).into_iter();
        rejects
            .map(|reject| reject["code"].clone())
            .collect::<Vec<_>>()
    };
    let mut expected = codes(input);
    // Standing alone the open quote meets no other.
    expected[5] = "unterminated-quote".into();
    assert_eq!(codes("again/rejects/rejects.jsonl"), expected);
    let text = fs::read(place.path(input)).unwrap();
    for (number, reject) in (1..).zip(place.rejects("again/rejects/rejects.jsonl")) {
        let at = |key: &str| reject[key].as_u64().unwrap() as usize;
        assert_eq!((at("record"), at("line")), (number, number));
        let raw = STANDARD
            .decode(reject["raw_base64"].as_str().unwrap())
            .unwrap();
        assert_eq!(raw, text[at("offset")..at("offset") + at("length")]);
    }
}

/// `good` good records and `bad` ones.
fn rows(good: usize, bad: usize) -> Vec<u8> {
    let mut content = String::from("ID,SEEN,VIS,NAME\n");
    for number in 0..good.max(bad) {
        if number < good {
            content += &format!("{number},{WHEN},A,Ann\n");
        }
        if number < bad {
            content += &format!("bad{number}\n");
        }
    }
    content.into_bytes()
}

#[test]
fn the_limit_on_rejects_is_a_number_or_a_share_and_is_meant() {
    let place = Place::new(&rows(90, 10));
    for (limit, within) in [
        ("0", false),
        ("9", false),
        ("10", true),
        ("9.99%", false),
        ("10%", true),
        ("100%", true),
    ] {
        let (stderr, code) = place.ingest(&["--out", "out", "--max-rejects", limit]);
        if within {
            assert_eq!(code, 3, "{limit}: {stderr}");
            fs::remove_dir_all(place.path("out")).unwrap();
            fs::remove_dir_all(place.path("out.work")).unwrap();
            continue;
        }
        // The work folder stays, and the next limit goes on in it.
        assert_eq!(code, 4, "{limit}: {stderr}");
        assert!(!place.path("out").exists());
        assert!(stderr.contains("10 of 100 records rejected"), "{stderr}");
        assert!(stderr.contains("kept in out.work/rejects"), "{stderr}");
        assert!(stderr.contains("in.csv:3:5 (record 2, byte "), "{stderr}");
        let last = last_line(&stderr);
        assert!(last.starts_with("FAILED: "), "{last}");
        assert!(last.contains("raise --max-rejects"), "{last}");
        assert!(last.ends_with(&format!("--max-rejects {limit}")), "{last}");
        assert_eq!(place.json("out.work/summary.json")["result"], "FAILED");
        let kept = fs::read_dir(place.path("out.work/rejects")).unwrap();
        for file in kept {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            assert_eq!(text.lines().count(), 10);
            assert!(text.ends_with('\n'));
        }
    }
    let (stderr, code) = place.ingest(&["--out", "ok", "--rejects-ok"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(last_line(&stderr).starts_with("PUBLISHED: ok"), "{stderr}");
    assert!(place.path("ok/rejects/rejects.jsonl").exists());
    let (stderr, code) = place.ingest(&["--out", "new", "--max-rejects", "few"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(
        stderr.contains("'few' for '--max-rejects <N|P%>'"),
        "{stderr}"
    );
}

#[test]
fn by_default_a_hundred_rejects_are_taken_and_no_more() {
    let place = Place::new(&rows(1, 100));
    assert_eq!(place.ingest(&["--out", "out"]).1, 3);
    let place = Place::new(&rows(1, 101));
    assert_eq!(place.ingest(&["--out", "out"]).1, 4);
    assert!(!place.path("out").exists());
}
