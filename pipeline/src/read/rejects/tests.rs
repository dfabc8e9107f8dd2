use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use shardmill_schemas::record::Record;

use crate::read::fixture::{Fixture, Seen, fields};
use crate::read::{CsvOptions, Format, Pattern, Step, open, resolve};
use crate::rejects::Rejected;

/// What a run over `fixture` would write into its rejects file.
fn rejects_of(fixture: &Fixture) -> String {
    let slices = fixture.scan(u64::MAX).unwrap().slices;
    let mut lines = String::new();
    for slice in slices {
        let mut reader = open(&fixture.input, &slice, &fixture.limits).unwrap();
        let mut record = Record::default();
        loop {
            match reader.next(&mut record).unwrap() {
                Step::End => break,
                Step::Record => {}
                Step::Reject(fault) => {
                    let raw = reader.raw();
                    let rejected = Rejected::of_fault("data/in.csv", "cars", &fault, raw)
                        .with_columns(reader.header());
                    lines += &serde_json::to_string(&rejected).unwrap();
                    lines.push('\n');
                }
            }
        }
    }
    lines
}

/// The file as a job finds it whose input is CSV.
fn fed_back(content: &[u8]) -> Fixture {
    let mut fixture = Fixture::named("rejects.jsonl", content);
    let pattern = Pattern {
        path: "rejects.jsonl".into(),
        data_type: "cars".into(),
        format: Format::Csv(CsvOptions::default()),
    };
    fixture.input = resolve(fixture.folder.path(), &[pattern])
        .unwrap()
        .remove(0);
    fixture
}

fn is_recognised(content: &[u8]) -> bool {
    matches!(fed_back(content).input.format, Format::Rejects(_))
}

fn line(raw: &[u8], changes: Value) -> String {
    let mut line = json!({
        "file": "in.csv", "code": "field-count", "length": raw.len(), "columns": ["A", "B"],
        "raw_base64": STANDARD.encode(raw), "raw": String::from_utf8_lossy(raw),
    });
    for (key, value) in changes.as_object().unwrap() {
        line[key] = value.clone();
    }
    format!("{line}\n")
}

/// The fields of one line, or the code of its reject.
fn one(line: &str) -> Result<Vec<Option<String>>, (&'static str, String)> {
    let seen = fed_back(line.as_bytes()).whole();
    assert_eq!(seen.len(), 1);
    match &seen[0].fault {
        None => Ok(seen[0].fields.clone()),
        Some(fault) => Err((fault.code, fault.message.clone())),
    }
}

fn codes(seen: &[Seen]) -> Vec<&'static str> {
    let faults = seen.iter().filter_map(|seen| seen.fault.as_ref());
    faults.map(|fault| fault.code).collect()
}

const BAD: &[u8] = b"A,B\n1,2,3\n4\n5,\"x\ny\",6\n7,8\n\n9,\xff\n\"open,1\n";

#[test]
fn every_reject_comes_back_for_the_same_reason() {
    let first = Fixture::new(BAD);
    let text = rejects_of(&first);
    let back = fed_back(text.as_bytes());
    let seen = back.whole();
    let reasons = [
        "field-count",
        "field-count",
        "field-count",
        "blank-line",
        "invalid-utf8",
        "unterminated-quote",
    ];
    assert_eq!(codes(&seen), reasons);
    let mut offset = 0;
    for ((number, line), seen) in (0..).zip(text.split_inclusive('\n')).zip(&seen) {
        let fault = seen.fault.as_ref().unwrap();
        assert_eq!(seen.raw, line.as_bytes());
        assert_eq!(
            (fault.position.record, fault.position.line),
            (number, number + 1)
        );
        assert_eq!(
            (fault.position.offset, fault.at, fault.line),
            (offset, offset, number + 1)
        );
        assert_eq!(fault.position.length, line.len() as u64);
        offset += line.len() as u64;
    }
    let told = |at: usize| {
        let fault = seen[at].fault.as_ref().unwrap();
        (fault.message.as_str(), fault.field.as_deref())
    };
    assert_eq!(
        told(0),
        (
            "3 fields where the header has 2 (character 5 of the kept record)",
            None
        )
    );
    assert_eq!(told(1).1, Some("B"));
    assert!(
        told(2)
            .0
            .ends_with("(line 2, character 4 of the kept record)")
    );
}

#[test]
fn rejects_that_are_rejected_again_can_be_fed_back_again() {
    let once = rejects_of(&Fixture::new(BAD));
    let twice = rejects_of(&fed_back(once.as_bytes()));
    let thrice = fed_back(rejects_of(&fed_back(twice.as_bytes())).as_bytes());
    assert_eq!(
        codes(&thrice.whole()),
        codes(&fed_back(once.as_bytes()).whole())
    );
    let names = ["A", "B", "C"].map(str::to_owned).to_vec();
    let seen = thrice
        .options(|options| options.header = Some(names))
        .whole();
    assert_eq!(seen[0].fields, fields(&["1", "2", "3"]));
    assert_eq!(seen[2].fields, fields(&["5", "x\ny", "6"]));
}

#[test]
fn a_mended_raw_text_wins_and_a_kept_one_is_taken_to_the_byte() {
    let bytes = b"a\xff,\"b\"\r\n";
    assert_eq!(
        one(&line(b"1,\"x\"\r\n", json!({}))).unwrap(),
        fields(&["1", "x"])
    );
    assert_eq!(
        one(&line(b"1\n", json!({ "raw": "1,2\n" }))).unwrap(),
        fields(&["1", "2"])
    );
    assert_eq!(
        one(&line(b"1\n", json!({ "raw": "1,2" }))).unwrap(),
        fields(&["1", "2"])
    );
    assert_eq!(
        one(&line(bytes, json!({ "raw": "aé,b" }))).unwrap(),
        fields(&["aé", "b"])
    );
    assert_eq!(
        one(&line(
            b"1\n",
            json!({ "raw_base64": null, "raw": "1,\u{fffd}" })
        ))
        .unwrap(),
        fields(&["1", "\u{fffd}"])
    );
    assert_eq!(
        one(&line(b"1,2\n", json!({ "raw": null }))).unwrap(),
        fields(&["1", "2"])
    );
    assert_eq!(
        one("{\"code\":\"\",\"raw\":\"1,2\",\"columns\":[\"A\",\"B\"]}").unwrap(),
        fields(&["1", "2"])
    );

    let code = |line: &str| one(line).unwrap_err().0;
    assert_eq!(code(&line(bytes, json!({}))), "invalid-utf8");
    assert_eq!(
        code(&line(bytes, json!({ "raw": "a\u{fffd},c\n" }))),
        "mended-in-part"
    );
    assert_eq!(code(&line(b"1,2", json!({ "length": 9 }))), "kept-in-part");
    assert_eq!(
        one(&line(b"1,2", json!({ "length": 9, "raw": "1,3" }))).unwrap(),
        fields(&["1", "3"])
    );
    assert_eq!(
        code(&line(b"1,2", json!({ "raw_base64": "&" }))),
        "bad-base64"
    );
    assert_eq!(code(&line(b"1,2\n3,4\n", json!({}))), "several-records");
    assert_eq!(code(&line(b"", json!({}))), "blank-line");
}

#[test]
fn column_names_come_from_the_job_else_from_the_line() {
    let without = line(b"1,2\n", json!({ "columns": null }));
    assert_eq!(one(&without).unwrap_err().0, "no-columns");
    let named = fed_back(without.as_bytes()).columns(&["X", "Y"]);
    assert_eq!(named.whole()[0].fields, fields(&["1", "2"]));
    let doubled = one(&line(b"1,2\n", json!({ "columns": ["A", "A"] }))).unwrap_err();
    assert_eq!(
        doubled,
        (
            "bad-columns",
            "columns: column 2 has the name of column 1, \"A\"".into()
        )
    );

    // Rejects of several files stand in one file, each with its own names; what the job says wins.
    let text = [
        line(b"1,2\n", json!({})),
        line(b"3\n", json!({ "columns": ["C"] })),
        line(b"4,5\n", json!({})),
    ];
    let fixture = fed_back(text.concat().as_bytes());
    let scanned = fixture.scan(u64::MAX).unwrap();
    let mut reader = open(&fixture.input, &scanned.slices[0], &fixture.limits).unwrap();
    let mut record = Record::default();
    let mut names = Vec::new();
    while reader.next(&mut record).unwrap() == Step::Record {
        names.push(
            record
                .fields()
                .map(|field| field.name.to_owned())
                .collect::<String>(),
        );
    }
    assert_eq!(names, ["AB", "C", "AB"]);
    assert_eq!((reader.header(), reader.locate(0)), (None, None));
    assert_eq!(
        fixture.columns(&["X", "Y"]).whole()[1]
            .fault
            .as_ref()
            .unwrap()
            .code,
        "field-count"
    );
}

#[test]
fn lines_that_are_no_rejects_and_those_of_another_type() {
    let mut text = line(b"1,2\n", json!({ "data_type": "cars" }));
    text += "\n  \r\n";
    text += "1,2\n{\"code\":\"x\"}\n";
    text += &line(b"1,2\n", json!({ "data_type": "boats" }));
    let fixture = fed_back(text.as_bytes());
    let seen = fixture.whole();
    assert_eq!(
        codes(&seen),
        ["not-a-reject", "not-a-reject", "other-data-type"]
    );
    let places: Vec<_> = seen
        .iter()
        .map(|seen| (seen.position.record, seen.position.line))
        .collect();
    assert_eq!(places, [(0, 1), (1, 4), (2, 5), (3, 6)]);
    for size in 0..text.len() as u64 {
        assert_eq!(fixture.read(size).unwrap(), seen);
    }
}

#[test]
fn a_file_is_recognised_by_its_first_line() {
    let good = line(b"1,2\n", json!({}));
    assert!(is_recognised(good.as_bytes()));
    assert!(is_recognised(good.trim_end().as_bytes()));
    assert!(is_recognised(format!("\u{feff}{good}A,B\n").as_bytes()));
    let long = vec![b'x'; 1 << 20];
    let reject = Fixture::new(&[b"A,B\n", &long[..], b"\n"].concat()).record_limit(2 << 20);
    assert!(is_recognised(rejects_of(&reject).as_bytes()));
    for other in [
        "",
        "A,B\n1,2\n",
        "{\n",
        "{\"a\":1}\n",
        "{\"code\":\"x\"}\n",
        "{,B\n",
    ] {
        assert!(!is_recognised(other.as_bytes()), "{other}");
    }
    assert!(!is_recognised(format!("A,B\n{good}").as_bytes()));
    assert!(!is_recognised(
        format!("{{{}", "x".repeat(1 << 20)).as_bytes()
    ));
}

#[test]
fn a_line_longer_than_any_reject_is_rejected_with_its_range() {
    let text = [
        line(b"1,2\n", json!({})),
        "x".repeat(200_000) + "\n",
        line(b"3,4\n", json!({})),
    ];
    let content = text.concat();
    let seen = fed_back(content.as_bytes()).record_limit(64).whole();
    assert_eq!(codes(&seen), ["record-too-long"]);
    assert_eq!(seen[1].position.length, 200_001);
    assert_eq!(seen[2].fields, fields(&["3", "4"]));
    assert_eq!(seen[2].position.offset, (text[0].len() + 200_001) as u64);
}
