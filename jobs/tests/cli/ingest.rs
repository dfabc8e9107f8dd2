//! The same plan and inputs give the same bytes, whatever the process may use and however often it dies.

use super::support::{folder, run, shardmill, workspace};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Names and digests of all files below a folder: equal for equal published runs.
pub(crate) fn digests(run: &Path) -> Vec<(String, String)> {
    fn walk(root: &Path, folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path
                    .strip_prefix(root)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                let hex = Sha256::digest(fs::read(&path).unwrap()).iter().fold(
                    String::new(),
                    |mut text, byte| {
                        write!(text, "{byte:02x}").unwrap();
                        text
                    },
                );
                found.push((name, hex));
            }
        }
    }
    let mut found = Vec::new();
    walk(run, run, &mut found);
    found.sort();
    found
}

/// Sales with repeated, skewed and unique values; every 500th has a date that is none. Deterministic.
pub(crate) fn sales(records: u64) -> String {
    let mut csv = String::from("ID,SOLD,MAKE,MODEL,YEAR,NOTE\n");
    let mut state = 7_u64;
    for record in 0..records {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (a, b) = (state >> 33, state >> 45);
        let day = if record % 500 == 499 {
            "never".into()
        } else {
            format!("2024-03-{:02}T{:02}:00:00Z", 1 + a % 9, b % 24)
        };
        let model = if a % 5 == 0 {
            "Mustang".into()
        } else {
            format!("Model {}", b % 700)
        };
        writeln!(
            csv,
            "id-{record},{day},Make{},{model},{},\"note {a}\nof {b}\"",
            a % 12,
            1950 + b % 70
        )
        .unwrap();
    }
    csv
}

const DATAWAVE: &str = r#"
[datawave]
num_shards = 3
[datawave.types.sales]
id_field = "ID"
date_field = "SOLD"
date_formats = ["yyyy-MM-dd'T'HH:mm:ss'Z'"]
marking = "PUBLIC"
index = ["MAKE", "MODEL", "YEAR", "ID"]
reverse_index = ["MODEL"]
default_type = "lc_no_diacritics"
fields = { YEAR = { types = ["number"] } }
"#;

const MANUAL: &str = r#"
[manual]
design = "typed-secondary-index"
table = "sales"
id = "ID"
[[manual.indexes]]
table = "sales_by_year"
row = "lexicoder"
type = "long"
fields = ["YEAR"]
[[manual.indexes]]
table = "sales_by_word"
row = "token"
fields = ["NOTE"]
"#;

const CELLS: &str = r#"
[[cells.tables]]
name = "totals"
combine = { sales = "sum(VARLEN)", years = "sum(STRING)", last = "max(FIXEDLEN)" }
locality_groups = { years = ["years"] }
[[cells.tables.cells]]
row = "MAKE | '/' | MODEL"
family = "'sales'"
value = "'1'"
[[cells.tables.cells]]
row = "MAKE"
family = "'years'"
qualifier = "YEAR"
value = "YEAR"
[[cells.tables.cells]]
row = "MAKE"
family = "'last'"
value = "YEAR"
"#;

/// Writes input and job file; the job's path.
pub(crate) fn job(folder: &Path, layout: &str, section: &str, records: u64) -> std::path::PathBuf {
    fs::write(folder.join("sales.csv"), sales(records)).unwrap();
    let job = folder.join(format!("{layout}.toml"));
    let text = format!(
        "layout = \"{layout}\"\nnow = 1700000000000\n[[input]]\nfiles = [\"sales.csv\"]\ntype = \"sales\"\n{section}"
    );
    fs::write(&job, text).unwrap();
    job
}

fn ingest(job: &Path, out: &Path, more: &[&str]) -> Vec<(String, String)> {
    let (_, stderr, code) = run(shardmill()
        .arg("ingest")
        .arg(job)
        .arg("--out")
        .arg(out)
        .args(["--rejects-ok", "--max-rejects", "1%"])
        .args(more));
    assert_eq!(code, 0, "{more:?}: {stderr}");
    digests(out)
}

#[test]
fn bytes_do_not_depend_on_threads_memory_or_fan_in() {
    for (layout, section) in [("datawave", DATAWAVE), ("manual", MANUAL), ("cells", CELLS)] {
        let folder = folder();
        let job = job(folder.path(), layout, section, 30_000);
        let settings = [
            "--task-size",
            "200K",
            "--tablet-size",
            "150K",
            "--min-file",
            "100K",
        ];
        let mut first = None;
        for (threads, memory, fan_in) in [
            ("2", "1GiB", "64"),
            ("1", "24MiB", "2"),
            ("64", "32MiB", "3"),
            ("7", "256MiB", "64"),
        ] {
            let out = folder.path().join(format!("{threads}-{memory}"));
            let limits = ["--threads", threads, "--memory", memory, "--fan-in", fan_in];
            let digests = ingest(&job, &out, &[&settings[..], &limits[..]].concat());
            let files = digests
                .iter()
                .filter(|(name, _)| name.ends_with(".rf"))
                .count();
            // Sums are few: one file holds them.
            assert!(
                files >= if layout == "cells" { 1 } else { 3 },
                "{layout}: {digests:?}"
            );
            assert_eq!(
                first.get_or_insert(digests.clone()),
                &digests,
                "{layout}: {threads} threads, {memory}"
            );
        }
        // Other task sizes are another plan, with other ids, but the same tables.
        let tables = |digests: &[(String, String)]| {
            digests
                .iter()
                .filter(|(name, _)| name.starts_with("tables/"))
                .cloned()
                .collect::<Vec<_>>()
        };
        let whole = ingest(
            &job,
            &folder.path().join("whole"),
            &[
                "--tablet-size",
                "150K",
                "--min-file",
                "100K",
                "--task-size",
                "1GiB",
            ],
        );
        assert_eq!(
            tables(&whole),
            tables(&first.unwrap()),
            "{layout}: one map task"
        );
    }
}

#[test]
fn single_phases_make_the_same_run() {
    let folder = folder();
    let job = job(folder.path(), "datawave", DATAWAVE, 3_000);
    let settings = ["--task-size", "50K"];
    let whole = ingest(&job, &folder.path().join("whole"), &settings);
    let work = folder.path().join("work");
    let step = |args: &[&str], word: &str| {
        let (stdout, stderr, code) = run(shardmill().args(args));
        assert_eq!(code, 0, "{args:?}: {stderr}");
        let last = stderr.lines().last().unwrap_or_default().to_owned();
        assert!(last.starts_with(word), "{args:?}: {last:?}");
        stdout
    };
    let (job, dir, out) = (
        job.to_str().unwrap(),
        work.to_str().unwrap(),
        folder.path().join("out"),
    );
    step(
        &[&["plan", job, "--work-dir", dir], &settings[..]].concat(),
        "INCOMPLETE",
    );
    step(&["map", dir, "--task", "2"], "INCOMPLETE");
    let (_, stderr, code) = run(shardmill().args(["merge", dir]));
    assert_eq!(code, 78, "{stderr}");
    assert!(stderr.contains("map task 0 is not done"), "{stderr}");
    step(&["map", dir, "--task", "0-1"], "INCOMPLETE");
    step(&["map", dir], "INCOMPLETE");
    step(&["merge", dir], "COMPLETE (not published)");
    let status = step(&["status", dir, "--json"], "");
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(
        (&status["map"]["done"], &status["status"]),
        (&status["map"]["tasks"], &"COMPLETE (not published)".into())
    );
    let (_, stderr, code) = run(shardmill().args(["publish", dir, "--out", out.to_str().unwrap()]));
    assert_eq!(code, 3, "{stderr}");
    assert_eq!(digests(&out), whole);
}

/// Starts an ingest and kills it without warning once `ready` says so; `false` when it was done before.
fn kill_when(job: &Path, out: &Path, more: &[&str], ready: impl Fn(&Path) -> bool) -> bool {
    let work = out.with_file_name(format!(
        "{}.work",
        out.file_name().unwrap().to_str().unwrap()
    ));
    let mut child = Command::new(env!("CARGO_BIN_EXE_shardmill"))
        .current_dir(workspace())
        .arg("ingest")
        .arg(job)
        .arg("--out")
        .arg(out)
        .args(more)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(120);
    while !ready(&work) {
        assert!(Instant::now() < deadline, "nothing to kill came up");
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, |entries| entries.count())
}

#[test]
fn a_killed_job_goes_on_and_ends_in_the_same_bytes() {
    let folder = folder();
    let job = job(folder.path(), "datawave", DATAWAVE, 20_000);
    let more = [
        "--task-size",
        "100K",
        "--tablet-size",
        "100K",
        "--min-file",
        "50K",
        "--threads",
        "2",
        "--memory",
        "32MiB",
    ];
    let whole = ingest(&job, &folder.path().join("whole"), &more);
    let more = [&more[..], &["--max-rejects", "1%"]].concat();
    let mut killed = [0; 2];
    for round in 0..6 {
        let out = folder.path().join(format!("round-{round}"));
        // In the middle of map: a run is being written and some are committed; in the middle of merge: likewise.
        if kill_when(&job, &out, &more, |work| {
            count(&work.join("map")) > round && count(&work.join("runs")) > round + 1
        }) {
            killed[0] += 1;
        }
        if kill_when(&job, &out, &more, |work| {
            count(&work.join("merge")) > round % 2
                || count(&work.join("out/tables/datawave.shard")) > 0
        }) {
            killed[1] += 1;
        }
        assert_eq!(
            ingest(&job, &out, &more[..more.len() - 2]),
            whole,
            "round {round}"
        );
    }
    assert!(
        killed.iter().all(|&times| times > 0),
        "never killed in time: {killed:?}"
    );
}

#[test]
fn another_configuration_or_a_changed_input_is_not_mixed_in() {
    let folder = folder();
    let job = job(folder.path(), "datawave", DATAWAVE, 2_000);
    let work = folder.path().join("w");
    let dir = work.to_str().unwrap();
    let plan = |more: &[&str]| {
        run(shardmill()
            .arg("plan")
            .arg(&job)
            .args(["--work-dir", dir])
            .args(more))
    };
    assert_eq!(plan(&[]).2, 0);
    assert_eq!(plan(&[]).2, 0, "the same plan again is fine");
    let (_, stderr, code) = plan(&["--level", "6"]);
    assert_eq!(code, 78, "{stderr}");
    assert!(
        stderr.contains("output.level: null there, 6 here"),
        "{stderr}"
    );
    let mut csv = sales(2_000);
    csv.push_str("id-x,2024-03-01T00:00:00Z,a,b,1,c\n");
    fs::write(folder.path().join("sales.csv"), csv).unwrap();
    let (_, stderr, code) = run(shardmill().args(["map", dir]));
    assert_eq!(code, 5, "{stderr}");
    assert!(
        stderr.contains("sales.csv") && stderr.contains("changed since"),
        "{stderr}"
    );
}

fn peak_memory(out: &Path) -> u64 {
    let summary = fs::read(out.with_extension("work").join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    summary["peak_memory_bytes"].as_u64().unwrap()
}

#[test]
fn memory_stays_within_its_limit() {
    let folder = folder();
    let job = job(folder.path(), "datawave", DATAWAVE, 200_000);
    for threads in ["1", "4"] {
        let out = folder.path().join(format!("threads-{threads}"));
        ingest(
            &job,
            &out,
            &[
                "--memory",
                "32MiB",
                "--threads",
                threads,
                "--task-size",
                "4MiB",
            ],
        );
        let peak = peak_memory(&out);
        assert!(
            peak <= (32 + 64) << 20,
            "{threads} threads: peak of {peak} bytes"
        );
    }
}

#[test]
fn a_record_larger_than_the_sort_buffer_is_taken_or_rejected_whole() {
    let folder = folder();
    // 450,000 different words: more cells than the least sort buffer holds, in one record; the second such record has a year that is none.
    let words = (0..450_000).fold(String::new(), |mut text, word| {
        write!(text, "w{word:06} ").unwrap();
        text
    });
    let csv =
        format!("ID,NOTE,YEAR\na,one two,1\nb,{words},2\nc,three,3\nd,{words},none\ne,four,5\n");
    fs::write(folder.path().join("notes.csv"), csv).unwrap();
    let job = folder.path().join("notes.toml");
    let section = MANUAL.replace("fields = [\"YEAR\"]", "fields = [\"YEAR\"]\n");
    fs::write(
        &job,
        format!("layout = \"manual\"\nnow = 0\n[[input]]\nfiles = [\"notes.csv\"]\n{section}"),
    )
    .unwrap();
    let small = folder.path().join("small");
    let (_, stderr, code) = run(shardmill()
        .arg("ingest")
        .arg(&job)
        .arg("--out")
        .arg(&small)
        .args(["--memory", "24MiB", "--rejects-ok"]));
    assert_eq!(code, 0, "{stderr}");
    let large = folder.path().join("large");
    let (_, stderr, code) = run(shardmill()
        .arg("ingest")
        .arg(&job)
        .arg("--out")
        .arg(&large)
        .args(["--memory", "2GiB", "--rejects-ok"]));
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(digests(&small), digests(&large));
    let rejects = fs::read_to_string(small.join("rejects/rejects.jsonl")).unwrap();
    assert!(
        rejects.lines().count() == 1 && rejects.contains("\"record\":4"),
        "{}",
        &rejects[..300]
    );
    let (words, _, _) = run(shardmill().args([
        "scan",
        small.to_str().unwrap(),
        "--table",
        "sales_by_word",
        "--format",
        "tsv",
    ]));
    // Four words of the small records, and those of the large one that is good; the rejected one has left nothing.
    assert_eq!(words.lines().count(), 450_004);
    assert!(
        words
            .lines()
            .all(|line| line.split('\t').nth(3) != Some("d"))
    );
    assert!(
        peak_memory(&small) <= (24 + 64) << 20,
        "peak of {} bytes",
        peak_memory(&small)
    );
}

#[test]
fn runs_on_another_disk_leave_what_others_have_there() {
    let folder = folder();
    let job = job(folder.path(), "manual", MANUAL, 500);
    let runs = folder.path().join("disk");
    fs::create_dir(&runs).unwrap();
    fs::write(runs.join("foreign.run"), "not ours").unwrap();
    let more = ["--work-dir", runs.to_str().unwrap(), "--task-size", "5K"];
    let out = folder.path().join("out");
    let there = ingest(&job, &out, &more);
    assert_eq!(there, ingest(&job, &folder.path().join("here"), &more[2..]));
    let left: Vec<_> = fs::read_dir(&runs)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["foreign.run"]);
}

#[test]
fn what_dead_tasks_left_is_removed_and_what_is_committed_is_used() {
    let folder = folder();
    let job = job(folder.path(), "manual", MANUAL, 2_000);
    let (job_path, work) = (job.to_str().unwrap(), folder.path().join("out.work"));
    let (_, stderr, code) = run(shardmill().args([
        "plan",
        job_path,
        "--work-dir",
        work.to_str().unwrap(),
        "--task-size",
        "20K",
    ]));
    assert_eq!(code, 0, "{stderr}");
    let (_, stderr, code) = run(shardmill().args(["map", work.to_str().unwrap(), "--task", "1"]));
    assert_eq!(code, 0, "{stderr}");
    let committed = fs::metadata(work.join("map/00001.json"))
        .unwrap()
        .modified()
        .unwrap();
    for orphan in [
        "tmp/merge-0-0-1-1.rf",
        "runs/map-1-1.run",
        "rejects/map-00000-1-1.jsonl",
    ] {
        fs::write(work.join(orphan), "cut").unwrap();
    }
    let child = kill_when(
        &job,
        &folder.path().join("out"),
        &["--task-size", "20K"],
        |work| count(&work.join("map")) > 1 && !work.join("runs/map-1-1.run").exists(),
    );
    if child {
        assert_eq!(
            fs::metadata(work.join("map/00001.json"))
                .unwrap()
                .modified()
                .unwrap(),
            committed
        );
    }
    let whole = ingest(&job, &folder.path().join("whole"), &["--task-size", "20K"]);
    assert_eq!(
        ingest(&job, &folder.path().join("out"), &["--task-size", "20K"]),
        whole
    );
}
