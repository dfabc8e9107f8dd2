//! What goes wrong around the records: configuration, inputs, outputs, signals. One clear message each, and nothing foreign is touched.

use crate::rejects::{JOB, Place, last_line};
use crate::support::shardmill;
use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const GOOD: &[u8] = b"ID,SEEN,VIS,NAME\n1,2024-01-01T00:00:00Z,A,Ann\n";
const BAD: &[u8] = b"ID,SEEN,VIS,NAME\n1,2024-01-01T00:00:00Z,A,Ann\n2\n";

/// Runs into this error and leaves no output.
#[track_caller]
fn fails(place: &Place, args: &[&str], code: i32, message: &str) {
    let (stderr, exit) = place.ingest(&[&["--out", "out"], args].concat());
    assert_eq!(exit, code, "{stderr}");
    assert!(stderr.contains(message), "{message:?} is not in: {stderr}");
    let first = stderr.lines().find(|line| line.starts_with("error: "));
    assert!(first.is_some(), "{stderr}");
    assert!(last_line(&stderr).starts_with("FAILED: "), "{stderr}");
    assert!(
        last_line(&stderr).contains("shardmill ingest job.toml --out out"),
        "{stderr}"
    );
    assert!(!place.path("out").exists());
}

#[test]
fn an_input_that_is_missing_or_broken() {
    let place = Place::new(GOOD);
    fails(
        &place,
        &["--input", "none.csv"],
        5,
        "none.csv\" matches no file",
    );
    fs::remove_file(place.path("in.csv")).unwrap();
    fails(&place, &[], 5, "input \"in.csv\" matches no file");
    place.write("in.csv", b"");
    fails(
        &place,
        &[],
        5,
        "in.csv: the file is empty: it has no header row",
    );
    place.write("in.csv", b"ID,SEEN,,NAME\n");
    fails(
        &place,
        &[],
        5,
        "in.csv: line 1: header: column 3 has no name",
    );

    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(GOOD).unwrap();
    let packed = encoder.finish().unwrap();
    for length in [0, 1, 12, packed.len() / 2, packed.len() - 1] {
        place.write("in.csv.gz", &packed[..length]);
        let message = "in.csv.gz: truncated gzip data at byte ";
        fails(&place, &["--input", "in.csv.gz"], 5, message);
        let _ = fs::remove_dir_all(place.path("out.work"));
    }
    place.write("in.csv.gz", &packed);
    assert_eq!(place.ingest(&["--out", "out", "--input", "in.csv.gz"]).1, 0);
}

#[test]
fn a_job_file_that_is_wrong_is_told_with_line_and_key() {
    let place = Place::new(GOOD);
    let head = "layout = \"cells\"\n";
    for (job, message) in [
        (JOB.replace("NAME\"", "NAME"), "job.toml:16: "),
        (
            JOB.replace("[cells]", "colour = 1\n[cells]"),
            "job.toml:7: unknown field `colour`",
        ),
        (
            JOB.replace("row =", "rows ="),
            "job.toml:14: unknown field `rows`",
        ),
        (
            JOB.replace("cells\"\nnow", "sells\"\nnow"),
            "job.toml:1: layout: there is no layout \"sells\"",
        ),
        (
            JOB.replace(head, ""),
            "job.toml: layout is missing; the layouts are ",
        ),
        (
            JOB.replace("2024-01-31T00:00:00Z", "noon"),
            "job.toml:2: now: \"noon\" is neither",
        ),
        (
            JOB.to_owned() + "[manual]\n",
            "job.toml:19: manual: this section belongs to the layout \"manual\"",
        ),
        (
            JOB.to_owned() + "[output]\ncodec = \"rar\"\n",
            "job.toml:20: output.codec: there is no codec \"rar\"",
        ),
        (
            JOB.to_owned() + "[output]\nbcfile = 1\ncodec = \"snappy\"\n",
            "job.toml:20: output.bcfile: container version 1 takes only the codecs none and gz",
        ),
        (
            JOB.to_owned() + "[output]\nlevel = 99\n",
            "job.toml:20: output.level: codec gz has no level 99",
        ),
        (
            JOB.to_owned() + "[limits]\nmax_rejects = \"few\"\n",
            "job.toml:20: limits.max_rejects: \"few\"",
        ),
        (
            JOB.replace("VIS\"", "VIS|\""),
            "job.toml:18: cells.tables.0.cells.0.visibility: ",
        ),
    ] {
        place.write("job.toml", job.as_bytes());
        fails(&place, &[], 78, message);
        assert!(!place.path("out.work").exists(), "{message}");
    }
    fs::remove_file(place.path("job.toml")).unwrap();
    fails(&place, &[], 78, "job.toml: No such file");
    place.write("job.toml", b"layout = \"\xff\"\n");
    fails(&place, &[], 78, "job.toml: ");
}

#[test]
fn settings_of_an_input_that_cannot_be_meant() {
    let place = Place::new(GOOD);
    for (job, message) in [
        (
            JOB.replace("\n[cells]", "skip_header = true\n[cells]"),
            "job.toml:6: input.0.skip_header: there are no column names without header = [",
        ),
        (
            JOB.replace("\n[cells]", "separator = \"é\"\n[cells]"),
            "job.toml:6: input.0.separator: ",
        ),
        (
            JOB.replace("\n[cells]", "header = [\"A\", \"A\"]\n[cells]"),
            "job.toml:6: input.0.header: column 2 has the name of column 1",
        ),
        (
            JOB.replace("\n[cells]", "format = \"xls\"\n[cells]"),
            "job.toml:6: input.0.format: there is no format \"xls\"; ",
        ),
    ] {
        place.write("job.toml", job.as_bytes());
        fails(&place, &[], 78, message);
    }
}

#[test]
fn a_command_line_that_cannot_work() {
    let place = Place::new(GOOD);
    fails(
        &place,
        &["--codec", "rar"],
        78,
        "--codec: there is no codec \"rar\"; the codecs are ",
    );
    let old = ["--bcfile", "1", "--codec", "snappy"];
    fails(
        &place,
        &old,
        78,
        "--bcfile: container version 1 takes only the codecs none and gz",
    );
    fails(
        &place,
        &["--bcfile", "2"],
        78,
        "--bcfile: the container versions are 3",
    );
    fails(&place, &["--memory", "23M"], 78, "24 MiB");
    fails(&place, &["--memory", "lots"], 78, "\"lots\" is no size");
    fails(&place, &["--threads", "0"], 78, "--threads: at least one");
    fails(
        &place,
        &["--splits", "people"],
        78,
        "--splits people: write TABLE=FILE",
    );
    fails(&place, &["--splits", "people=none.txt"], 78, "none.txt");
    let (stderr, code) = place.ingest(&[]);
    assert_eq!(code, 78, "{stderr}");
    assert!(stderr.contains("give --out DIR"), "{stderr}");
    let (stderr, code) = place.ingest(&["--outt", "x"]);
    assert_eq!(code, 2, "{stderr}");
}

#[test]
fn an_output_that_is_there_is_left_alone() {
    let place = Place::new(GOOD);
    fs::create_dir(place.path("out")).unwrap();
    place.write("out/mine.txt", b"mine");
    let before = place.files();
    let (stderr, code) = place.ingest(&["--out", "out"]);
    assert_eq!(code, 73, "{stderr}");
    assert!(
        stderr.contains("out exists and is not the result of this job"),
        "{stderr}"
    );
    assert_eq!(place.files(), before);

    assert_eq!(place.ingest(&["--out", "done"]).1, 0);
    let before = place.files();
    let (stderr, code) = place.ingest(&["--out", "done"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(
        stderr,
        "PUBLISHED: done holds this result already, nothing to do\n"
    );
    // How many rejects are too many is no part of what a result is.
    assert_eq!(place.ingest(&["--out", "done", "--max-rejects", "7"]).1, 0);
    assert_eq!(place.ingest(&["--out", "done", "--codec", "none"]).1, 73);
    place.write("in.csv", BAD);
    assert_eq!(place.ingest(&["--out", "done"]).1, 73);
    place.write("in.csv", GOOD);
    assert_eq!(place.files(), before);
}

#[test]
fn an_output_that_cannot_be_made() {
    let place = Place::new(GOOD);
    place.write("file", b"mine");
    place.write("taken.work", b"mine");
    let before = place.files();
    for out in ["file", "file/out", "file/a/b", "taken"] {
        let (stderr, code) = place.ingest(&["--out", out]);
        assert_eq!(code, 73, "{out}: {stderr}");
        assert!(last_line(&stderr).starts_with("FAILED: "), "{stderr}");
        assert_eq!(place.files(), before, "{out}");
    }
}

#[test]
fn a_job_in_use_is_left_to_the_process_that_has_it() {
    let place = Place::new(BAD);
    assert_eq!(place.ingest(&["--out", "out", "--max-rejects", "0"]).1, 4);
    let lock = File::options()
        .append(true)
        .open(place.path("out.work/lock"))
        .unwrap();
    lock.lock().unwrap();
    let before = place.files();
    let (stderr, code) = place.ingest(&["--out", "out", "--max-rejects", "0"]);
    assert_eq!(code, 75, "{stderr}");
    assert!(
        stderr.contains("out.work is in use by another process"),
        "{stderr}"
    );
    assert!(
        last_line(&stderr).starts_with("INCOMPLETE: go on with: shardmill ingest"),
        "{stderr}"
    );
    assert_eq!(place.files(), before);
    drop(lock);
    assert_eq!(place.ingest(&["--out", "out"]).1, 3);
}

#[test]
fn a_work_folder_is_resumed_for_its_own_job_and_input_alone() {
    let place = Place::new(BAD);
    assert_eq!(place.ingest(&["--out", "out", "--max-rejects", "0"]).1, 4);
    fails(
        &place,
        &["--codec", "none"],
        78,
        "output.codec: \"gz\" there, \"none\" here",
    );
    place.write("in.csv", GOOD);
    fails(&place, &[], 5, "in.csv: changed since the job was planned");
    let (stderr, _) = place.ingest(&["--out", "out"]);
    assert!(stderr.contains("remove out.work to plan anew"), "{stderr}");
    fs::remove_dir_all(place.path("out.work")).unwrap();
    assert_eq!(place.ingest(&["--out", "out"]).1, 0);
}

#[test]
fn exit_code_last_line_and_summary_agree() {
    for (input, args, code, word) in [
        (GOOD, &[][..], 0, "PUBLISHED"),
        (BAD, &[], 3, "PUBLISHED"),
        (BAD, &["--rejects-ok"], 0, "PUBLISHED"),
        (BAD, &["--max-rejects", "0"], 4, "FAILED"),
        (b"", &[], 5, "FAILED"),
        (GOOD, &["--memory", "1M"], 78, "FAILED"),
        (GOOD, &["--out", "in.csv"], 73, "FAILED"),
    ] {
        let place = Place::new(input);
        let out = if args.contains(&"--out") {
            &[][..]
        } else {
            &["--out", "out"]
        };
        let (stderr, exit) = place.ingest(&[args, out].concat());
        assert_eq!(exit, code, "{args:?}: {stderr}");
        assert!(
            last_line(&stderr).starts_with(&format!("{word}: ")),
            "{stderr}"
        );
        assert_eq!(place.path("out").exists(), word == "PUBLISHED");
        // Where the job never began there is no folder to put a summary in.
        if place.path("out.work").exists() {
            assert_eq!(place.json("out.work/summary.json")["result"], word);
        } else {
            assert!([5, 73, 78].contains(&code));
        }
    }
}

#[test]
fn nothing_is_written_but_in_the_folders_of_the_job() {
    let place = Place::new(BAD);
    for name in ["out.txt", "out.work.old", "plan.json", "rejects"] {
        place.write(name, b"mine");
    }
    let before = place.files();
    for args in [&["--max-rejects", "0"][..], &["--codec", "rar"], &[], &[]] {
        place.ingest(&[&["--out", "out", "--work-dir", "runs"], args].concat());
        let mut files = place.files();
        files.retain(|(name, _)| {
            !["out/", "out.work/", "runs/"]
                .iter()
                .any(|folder| name.starts_with(folder))
        });
        assert_eq!(files, before);
    }
    assert!(place.path("out/manifest.json").exists());
    // Of the work folder the summary stays; the folder for runs may be somebody else's and is left empty.
    let left = fs::read_dir(place.path("out.work")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["summary.json"]);
    assert_eq!(fs::read_dir(place.path("runs")).unwrap().count(), 0);
}

/// Enough records that a signal comes in the middle.
fn many() -> Vec<u8> {
    let mut content = String::from("ID,SEEN,VIS,NAME\n");
    for number in 0..400_000_u64 {
        let id = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        content += &format!("{id},2024-01-01T00:00:00Z,A|B,\"person, {number}\"\n");
        if number % 10_000 == 0 {
            content += "bad\n";
        }
    }
    content.into_bytes()
}

fn published(place: &Place) -> Vec<(String, Vec<u8>)> {
    let mut files = place.files();
    files.retain(|(name, _)| name.starts_with("out/"));
    files
}

#[test]
fn a_signal_stops_a_job_and_the_same_command_finishes_it() {
    let undisturbed = Place::new(&many());
    assert_eq!(undisturbed.ingest(&["--out", "out"]).1, 3);
    let expected = published(&undisturbed);
    for (signal, code, phase) in [
        (Signal::INT, 130, "plan.json"),
        (Signal::TERM, 143, "map/00000.json"),
    ] {
        let place = Place {
            folder: crate::support::folder(),
        };
        for name in ["job.toml", "in.csv"] {
            fs::copy(undisturbed.path(name), place.path(name)).unwrap();
        }
        let mut child = Command::new(shardmill().get_program())
            .args(["ingest", "job.toml", "--out", "out"])
            .current_dir(place.folder.path())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while !place.path("out.work").join(phase).exists() {
            assert!(started.elapsed() < Duration::from_secs(120));
            std::thread::sleep(Duration::from_millis(1));
        }
        kill_process(Pid::from_child(&child), signal).unwrap();
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{stderr}");
        assert_eq!(
            last_line(&stderr),
            "INCOMPLETE: go on with: shardmill ingest job.toml --out out"
        );
        assert!(!place.path("out").exists());
        assert_eq!(place.json("out.work/summary.json")["result"], "INCOMPLETE");
        let (stderr, code) = place.ingest(&["--out", "out"]);
        assert_eq!(code, 3, "{stderr}");
        assert!(
            published(&place) == expected,
            "not the bytes of an undisturbed run"
        );
    }
}
