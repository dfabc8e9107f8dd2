use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, SystemTime};

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::collection::vec;
use proptest::prelude::*;
use shardmill_schemas::record::Record;

use super::fixture::{Fixture, Seen, fields};
use super::{ReadLimits, open, scan};

fn garbage() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop::sample::select(b"aaa,,\"\"\"\n\n\r\xff\0".to_vec());
    vec(byte, 0..28)
}

/// What must hold for the steps of any input: they tile it, and each range holds the raw bytes.
fn check_tiles(content: &[u8], start: usize, limit: usize, seen: &[Seen]) {
    let mut offset = start;
    let mut line = 1 + content[..start]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count() as u64;
    for (ordinal, seen) in (0..).zip(seen) {
        let position = seen.position;
        assert_eq!((position.record, position.line), (ordinal, line));
        assert_eq!(position.offset, offset as u64);
        let range = &content[offset..offset + position.length as usize];
        assert_eq!(seen.raw, range[..range.len().min(limit)]);
        assert!(seen.fault.is_some() || range.len() <= limit);
        offset += range.len();
        line += range.iter().filter(|byte| **byte == b'\n').count() as u64;
    }
    assert_eq!(offset, content.len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn slices_of_any_size_give_what_the_whole_gives(
        garbage in garbage(),
        head in prop::sample::select(vec![&b""[..], b"\xef\xbb\xbf", b"A,B\n", b"\xef\xbb\xbf\"A\n\",B\r\n"]),
        limit in prop::sample::select(vec![1, 2, 3, 5, 8, 1000]),
        buffer in 1usize..12,
    ) {
        let content = [head, &garbage[..]].concat();
        let mut fixture = Fixture::new(&content);
        fixture.limits.buffer_bytes = buffer;
        let header = head.len() > 3;
        let limit = if header { limit.max(9) } else { limit };
        fixture = fixture.record_limit(limit);
        if !header {
            fixture = fixture.columns(&["A", "B"]);
        }
        let mark = content.starts_with(b"\xef\xbb\xbf");
        let start = if header { head.len() } else if mark { 3 } else { 0 };
        let whole = fixture.whole();
        check_tiles(&content, start, limit, &whole);
        let mut roomy = Fixture::new(&content).record_limit(limit);
        roomy.input.format = fixture.input.format.clone();
        roomy.limits.buffer_bytes = 4096;
        prop_assert_eq!(&roomy.whole(), &whole);
        for size in 0..content.len() as u64 {
            let scanned = fixture.scan(size).unwrap();
            prop_assert_eq!(scanned.records, Some(whole.len() as u64));
            prop_assert_eq!(scanned.bytes, Some(content.len() as u64));
            prop_assert_eq!(&fixture.read(size).unwrap(), &whole);
        }
    }

    #[test]
    fn well_formed_records_give_the_fields_that_were_written(
        rows in vec((vec(("[a,\"\n\ré]{0,5}", any::<bool>()), 3), any::<bool>()), 1..12),
        end in any::<bool>(),
        slice in 1u64..200,
    ) {
        let mut content = String::from("A,B,C\n");
        let mut expected = Vec::new();
        for (row, crlf) in &rows {
            for (column, (text, quoted)) in row.iter().enumerate() {
                content += if column > 0 { "," } else { "" };
                if *quoted || text.contains([',', '"', '\n', '\r']) {
                    content += &format!("\"{}\"", text.replace('"', "\"\""));
                } else {
                    content += text;
                }
            }
            content += if *crlf { "\r\n" } else { "\n" };
            expected.push(row.iter().map(|(text, _)| Some(text.clone())).collect::<Vec<_>>());
        }
        if !end {
            content.truncate(content.trim_end_matches(['\r', '\n']).len());
        }
        let seen = Fixture::new(content.as_bytes()).read(slice).unwrap();
        let got: Vec<_> = seen.into_iter().map(|seen| seen.fields).collect();
        prop_assert_eq!(&got, &expected);
        prop_assert_eq!(&csv_core_fields(&content)[1..], expected);
    }
}

/// The fields as the csv crate's own parser sees them.
fn csv_core_fields(content: &str) -> Vec<Vec<Option<String>>> {
    use csv_core::{ReadFieldResult, ReaderBuilder, Terminator};
    let mut reader = ReaderBuilder::new()
        .terminator(Terminator::Any(b'\n'))
        .build();
    // It has no line ends that are LF or CRLF, but where CR is data; so those outside of quotes are made LF.
    let mut quoted = false;
    let mut input = String::new();
    for (at, character) in content.char_indices() {
        quoted ^= character == '"';
        if quoted || !content[at..].starts_with("\r\n") {
            input.push(character);
        }
    }
    let mut rest = input.as_bytes();
    let (mut rows, mut row) = (Vec::new(), Vec::new());
    let mut output = [0; 4096];
    let mut length = 0;
    loop {
        let (result, read, written) = reader.read_field(rest, &mut output[length..]);
        rest = &rest[read..];
        length += written;
        match result {
            ReadFieldResult::InputEmpty => assert_eq!(rest.len(), 0),
            ReadFieldResult::OutputFull => panic!("a long field"),
            ReadFieldResult::Field { record_end } => {
                row.push(Some(String::from_utf8(output[..length].to_vec()).unwrap()));
                length = 0;
                if record_end {
                    rows.push(std::mem::take(&mut row));
                }
            }
            ReadFieldResult::End => return rows,
        }
    }
}

fn member(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn gzip_members_are_one_input_in_one_slice_whatever_its_name() {
    // The first member ends in the middle of a record.
    let content = [member(b"A,B\n1,\"x"), member(b"\ny\"\n3,"), member(b"4\n")].concat();
    for name in ["in.csv", "in.gz", "in"] {
        let fixture = Fixture::named(name, &content);
        let scanned = fixture.scan(1).unwrap();
        assert_eq!(scanned.slices.len(), 1);
        assert_eq!(
            (scanned.slices[0].start, scanned.slices[0].end),
            (4, u64::MAX)
        );
        assert_eq!((scanned.records, scanned.bytes), (Some(2), Some(16)));
        let seen = fixture.whole();
        assert_eq!(seen[0].fields, fields(&["1", "x\ny"]));
        assert_eq!(seen[1].fields, fields(&["3", "4"]));
        assert_eq!((seen[1].position.offset, seen[1].position.line), (12, 4));
    }
    // A name alone makes no gzip file.
    assert_eq!(Fixture::named("in.csv.gz", b"A\n1\n").whole().len(), 1);
}

#[test]
fn of_a_large_gzip_file_planning_reads_the_beginning() {
    let content = [
        b"A,B\n".to_vec(),
        b"0123456789,0123456789\n".repeat(500_000),
    ]
    .concat();
    let mut packed = member(&content);
    packed.truncate(packed.len() - 4);
    let mut fixture = Fixture::named("in.gz", &packed);
    fixture.limits = ReadLimits::default();
    let mut samples = 0;
    let scanned = scan(&fixture.input, 3, 1 << 20, &fixture.limits, &mut |_| {
        samples += 1
    })
    .unwrap();
    assert_eq!((scanned.records, scanned.bytes), (None, None));
    assert_eq!((scanned.slices.len(), scanned.slices[0].input), (1, 3));
    assert!((1_900..=2_001).contains(&samples), "{samples}");

    let mut reader = open(&fixture.input, &scanned.slices[0], &fixture.limits).unwrap();
    let mut record = Record::default();
    let mut last = 0;
    let error = loop {
        match reader.next(&mut record) {
            Ok(_) => assert!(last <= reader.consumed()),
            Err(error) => break error,
        }
        last = reader.consumed();
    };
    assert!(last > packed.len() as u64 / 2 && last <= packed.len() as u64);
    assert_eq!(record.position().record, 499_999);
    assert_eq!(error.code(), "gzip-truncated");
    let message = error.to_string();
    let place = format!(
        "data/in.csv: truncated gzip data at byte {} (byte {} of",
        packed.len(),
        content.len()
    );
    assert!(message.starts_with(&place), "{message}");
}

#[test]
fn a_gzip_file_cut_anywhere_or_damaged_anywhere_is_an_error_or_harmless() {
    let first = member(b"A,B\n1,2\n3,4\n");
    let packed = [&first[..], &member(b"5,6\n7,8\n")].concat();
    let whole = Fixture::named("in.csv.gz", &packed).whole();
    assert_eq!(whole.len(), 4);
    for length in 0..packed.len() {
        let fixture = Fixture::named("in.csv.gz", &packed[..length]).columns(&["A", "B"]);
        let result = fixture.read(10);
        if length == first.len() {
            // Nothing tells that a member is missing.
            assert_eq!(result.unwrap().len(), 3);
        } else {
            let error = result.unwrap_err();
            assert_eq!(error.code(), "gzip-truncated", "{length}: {error}");
        }
    }
    for at in 2..packed.len() {
        for bit in 0..8 {
            let mut damaged = packed.clone();
            damaged[at] ^= 1 << bit;
            match Fixture::named("in.csv.gz", &damaged).read(10) {
                // Time, system and the like stand in the header and change no content.
                Ok(seen) => assert_eq!(seen, whole, "{at}"),
                Err(error) => {
                    // The decoder gives out what it has before it comes to the checksum.
                    let code = error.code();
                    assert!(
                        code.starts_with("gzip-") || code == "header",
                        "{at}: {error}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_line_without_end_takes_no_more_memory_than_the_limit() {
    let limits = ReadLimits {
        max_record_bytes: 1 << 20,
        buffer_bytes: 1 << 16,
    };
    let mut content = b"A,B\n".to_vec();
    content.resize(64 << 20, b'x');
    for (name, content) in [("in.csv", content.clone()), ("in.gz", member(&content))] {
        let mut fixture = Fixture::named(name, &content);
        fixture.limits = limits;
        let scanned = fixture.scan(1 << 20).unwrap();
        assert_eq!(scanned.slices.len(), 1);
        let seen = fixture.slice(&scanned.slices[0]).unwrap();
        assert_eq!((seen.len(), seen[0].raw.len()), (1, 1 << 20));
        let fault = seen[0].fault.as_ref().unwrap();
        assert_eq!(fault.code, "record-too-long");
        assert_eq!(
            (fault.position.length, fault.at),
            ((64 << 20) - 4, 4 + (1 << 20))
        );

        let mut window = super::window::Window::new(
            super::source::Source::open(&fixture.input).unwrap(),
            &limits,
        );
        while window.bytes().len() <= limits.max_record_bytes {
            window.more().unwrap();
        }
        window.take_long_line(limits.max_record_bytes).unwrap();
        assert!(window.capacity() <= limits.max_record_bytes + limits.buffer_bytes);
    }
}

#[test]
fn the_sample_is_even_clean_and_always_the_same() {
    let mut content = b"A,B\n".to_vec();
    for number in 0..50_000 {
        let bad = if number % 3 == 0 { ",surplus" } else { "" };
        content.extend(format!("{number},value{bad}\n").bytes());
    }
    let fixture = Fixture::new(&content);
    let sample = |slice_bytes| {
        let mut offsets = Vec::new();
        let take = &mut |record: &Record| {
            assert_eq!(record.len(), 2);
            assert_eq!(record.origin().path, "data/in.csv");
            assert_eq!(record.origin().file_name, "in.csv");
            offsets.push(record.position().offset);
        };
        scan(&fixture.input, 0, slice_bytes, &fixture.limits, take).unwrap();
        offsets
    };
    let offsets = sample(1000);
    assert_eq!(offsets, sample(u64::MAX));
    assert!(
        (1_900..=2_000).contains(&offsets.len()),
        "{}",
        offsets.len()
    );
    let widest = offsets
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .max()
        .unwrap();
    assert!(widest < 3 * content.len() as u64 / 2_000);
}

#[test]
fn slices_are_cut_near_their_size_and_progress_adds_up() {
    let content = [b"A,B\n".to_vec(), b"12345,67890\n".repeat(10_000)].concat();
    let fixture = Fixture::new(&content);
    let scanned = fixture.scan(1000).unwrap();
    let mut next = 4;
    let mut consumed = 0;
    for slice in &scanned.slices {
        assert_eq!(slice.start, next);
        assert!(slice.end - slice.start <= 1000 + 12);
        assert_eq!(slice.first_record, (slice.start - 4) / 12);
        assert_eq!(slice.first_line, 2 + slice.first_record);
        next = slice.end;
        let mut reader = open(&fixture.input, slice, &fixture.limits).unwrap();
        let mut record = Record::default();
        while reader.next(&mut record).unwrap() != super::Step::End {}
        consumed += reader.consumed();
    }
    assert_eq!(
        (next, consumed),
        (content.len() as u64, content.len() as u64 - 4)
    );
}

#[test]
fn a_file_that_is_gone_closed_or_changed_is_named() {
    let fixture = Fixture::new(b"A,B\n1,2\n3,4\n");
    let slice = fixture.scan(100).unwrap().slices.remove(0);
    let path = fixture.folder.path().join("in.csv");
    let code = || {
        let error = fixture.slice(&slice).unwrap_err();
        assert!(error.to_string().starts_with("data/in.csv: "));
        assert_eq!(fixture.scan(100).unwrap_err().code(), error.code());
        error.code()
    };
    File::open(&path)
        .unwrap()
        .set_modified(SystemTime::now() + Duration::from_secs(9))
        .unwrap();
    assert_eq!(code(), "input-changed");
    fs::write(&path, "A,B\n1,2\n").unwrap();
    assert_eq!(code(), "input-changed");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if File::open(&path).is_err() {
        assert_eq!(code(), "input-permission");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(code(), "input-missing");
}

#[test]
fn a_file_that_shrinks_or_grows_while_it_is_read() {
    let content = [b"A,B\n".to_vec(), b"12345,67890\n".repeat(100)].concat();
    let fixture = Fixture::new(&content);
    let slice = fixture.scan(u64::MAX).unwrap().slices.remove(0);
    let path = fixture.folder.path().join("in.csv");
    let mut record = Record::default();

    let mut reader = open(&fixture.input, &slice, &fixture.limits).unwrap();
    let mut file = File::options().append(true).open(&path).unwrap();
    file.write_all(b"1,2\n").unwrap();
    let mut records = 0;
    while reader.next(&mut record).unwrap() == super::Step::Record {
        records += 1;
    }
    assert_eq!(records, 100);

    fs::write(&path, &content).unwrap();
    let mut fixture = fixture;
    fixture.input.modified_nanos = super::fixture::describe(&path).modified_nanos;
    let mut reader = open(&fixture.input, &slice, &fixture.limits).unwrap();
    file.set_len(600).unwrap();
    let error = loop {
        match reader.next(&mut record) {
            Ok(step) => assert_eq!(step, super::Step::Record),
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), "input-changed");
}
