use crate::read::fixture::{Fixture, Seen, fields};
use shardmill_schemas::record::Record;

use crate::read::{Fault, ReadError, Step, open};

/// Code, record, line, offset, length; then the fault's own line, column, offset and field.
type Told<'a> = (
    (&'a str, u64, u64, u64, u64),
    (u64, u32, u64, Option<&'a str>),
);

fn told(fault: &Fault) -> Told<'_> {
    let position = fault.position;
    let (offset, length) = (position.offset, position.length);
    (
        (fault.code, position.record, position.line, offset, length),
        (
            fault.line,
            fault.column.unwrap_or_default(),
            fault.at,
            fault.field.as_deref(),
        ),
    )
}

/// The rejects of `content` in columns `A` and `B` under a header row; every other record is clean and the raw bytes tile the input.
fn rejects(content: &[u8]) -> Vec<Seen> {
    let fixture = Fixture::new(content);
    let seen = fixture.whole();
    let tiles: Vec<u8> = seen.iter().flat_map(|seen| seen.raw.clone()).collect();
    assert!(content.ends_with(&tiles));
    for (ordinal, seen) in (0..).zip(&seen) {
        let (start, length) = (seen.position.offset as usize, seen.position.length as usize);
        assert_eq!(seen.position.record, ordinal);
        assert_eq!(seen.raw, content[start..start + length]);
    }
    seen.into_iter()
        .filter(|seen| seen.fault.is_some())
        .collect()
}

#[track_caller]
fn assert_reject(content: &[u8], raw: &[u8], expected: Told<'_>, message: &str) {
    let rejects = rejects(content);
    assert_eq!(rejects.len(), 1, "{rejects:#?}");
    let fault = rejects[0].fault.as_ref().unwrap();
    assert_eq!(told(fault), expected);
    assert_eq!(rejects[0].raw, raw);
    assert!(fault.message.contains(message), "{}", fault.message);
}

fn texts(content: &[u8]) -> Vec<Vec<Option<String>>> {
    let seen = Fixture::new(content).whole();
    seen.into_iter().map(|seen| seen.fields).collect()
}

fn header_error(fixture: &Fixture) -> ReadError {
    fixture.scan(100).unwrap_err()
}

#[test]
fn quotes_line_ends_and_a_byte_order_mark() {
    let content =
        b"\xef\xbb\xbfA,B\r\n1,\"x, \"\"y\"\"\"\r\n\"two\nlines\r\n\",\n\"\",\"\"\"\"\n\r,a\rb\r";
    let seen = Fixture::new(content).whole();
    let got: Vec<_> = seen.iter().map(|seen| seen.fields.clone()).collect();
    assert_eq!(
        got,
        [
            fields(&["1", "x, \"y\""]),
            fields(&["two\nlines\r\n", ""]),
            fields(&["", "\""]),
            // A CR alone is data, also at the very end.
            fields(&["\r", "a\rb\r"]),
        ]
    );
    let places: Vec<_> = seen
        .iter()
        .map(|seen| {
            (
                seen.position.line,
                seen.position.offset,
                seen.position.length,
            )
        })
        .collect();
    assert_eq!(places, [(2, 8, 14), (3, 22, 15), (6, 37, 8), (7, 45, 6)]);
}

#[test]
fn a_byte_order_mark_is_only_one_at_the_start_of_the_file() {
    assert_eq!(
        texts(b"A,B\n\xef\xbb\xbf1,2\n"),
        [fields(&["\u{feff}1", "2"])]
    );
}

#[test]
fn a_null_token_is_null_only_without_quotes() {
    let fixture = Fixture::new(b"A,B\n\\N,\"\\N\"\n,\"\"\n\\N,x\n");
    let fixture = fixture.options(|options| options.null = Some("\\N".into()));
    let got: Vec<_> = fixture
        .whole()
        .into_iter()
        .map(|seen| seen.fields)
        .collect();
    let null = |text: &str| vec![None, Some(text.to_owned())];
    assert_eq!(got, [null("\\N"), fields(&["", ""]), null("x")]);

    let fixture = Fixture::new(b"A,B\n,\"\"\n").options(|options| options.null = Some("".into()));
    assert_eq!(fixture.whole()[0].fields, null(""));
}

#[test]
fn any_ascii_separator() {
    for separator in [';', '\t', '|', '\'', '\u{1}', ' '] {
        let content = format!("A{separator}B\n1,5{separator}\"x{separator}\"\n");
        let fixture = Fixture::new(content.as_bytes());
        let fixture = fixture.options(|options| options.separator = separator);
        let expected = fields(&["1,5", &format!("x{separator}")]);
        assert_eq!(fixture.whole()[0].fields, expected);
    }
    for separator in ['"', '\n', '\r', '\0', 'é', '→'] {
        let fixture = Fixture::new(b"A\n").options(|options| options.separator = separator);
        assert_eq!(header_error(&fixture).code(), "input-options");
    }
}

#[test]
fn names_from_the_job_replace_the_header_row_or_stand_for_it() {
    let fixture = Fixture::new(b"1,2\n3,4\n").columns(&["A", "B"]);
    assert_eq!(fixture.whole().len(), 2);
    let fixture = fixture.options(|options| options.skip_header = true);
    let seen = fixture.whole();
    assert_eq!(seen.len(), 1);
    let position = seen[0].position;
    assert_eq!((position.record, position.line, position.offset), (0, 2, 4));
    // The row that is passed over may be anything.
    let fixture = Fixture::new(b"\"open\n3,4\n").columns(&["A", "B"]);
    let fixture = fixture.options(|options| options.skip_header = true);
    assert_eq!(fixture.whole()[0].fields, fields(&["3", "4"]));
    let empty = Fixture::new(b"").columns(&["A", "B"]);
    assert_eq!(empty.whole(), []);
    assert_eq!(empty.scan(10).unwrap().records, Some(0));

    let fixture = Fixture::new(b"").options(|options| options.skip_header = true);
    assert_eq!(header_error(&fixture).code(), "input-options");
}

#[test]
fn a_header_that_is_missing_or_has_no_usable_names_is_an_error_with_its_place() {
    for empty in [&b""[..], b"\xef\xbb\xbf"] {
        let error = header_error(&Fixture::new(empty));
        assert_eq!(error.code(), "empty-file");
        assert!(error.to_string().starts_with("data/in.csv: "));
    }
    let cases: [(&[u8], &str); 8] = [
        (
            b"A,B,A\n",
            "line 1: header: column 3 has the name of column 1, \"A\"",
        ),
        (b"A,,B\n", "line 1: header: column 2 has no name"),
        (b"\"\"\n", "line 1: header: column 1 has no name"),
        (b"\n1\n", "line 1: header: character 1: the line is empty"),
        (
            b"A,B\xff\n",
            "line 1: header: character 4: byte 0xff is not valid UTF-8",
        ),
        (b"A,B\0\n", "line 1: header: character 4: a NUL"),
        (
            b"A,\"B\n",
            "line 1: header: character 3: the quote that opens here",
        ),
        (b"\"A\nB\",\xc3\n", "line 2: header: character 4: byte 0xc3"),
    ];
    for (content, expected) in cases {
        let error = header_error(&Fixture::new(content));
        let message = error.to_string();
        assert_eq!(error.code(), "header");
        assert!(
            message.starts_with("data/in.csv: ") && message.contains(expected),
            "{message}"
        );
    }
    let fixture = Fixture::new(b"1,2\n").columns(&["A", "A"]);
    assert_eq!(header_error(&fixture).code(), "input-options");
    let wide = Fixture::new(",".repeat(70_000).as_bytes());
    assert!(
        header_error(&wide)
            .to_string()
            .contains("more than 65536 columns")
    );
}

#[test]
fn the_wrong_number_of_fields() {
    assert_reject(
        b"A,B\n1,2\n3\n4,5\n",
        b"3\n",
        (("field-count", 1, 3, 8, 2), (3, 2, 9, Some("B"))),
        "1 fields where the header has 2",
    );
    assert_reject(
        b"A,B\n\xc3\xa9,\"x\n,\",3,4\r\n",
        b"\xc3\xa9,\"x\n,\",3,4\r\n",
        (("field-count", 0, 2, 4, 14), (3, 4, 13, None)),
        "4 fields where the header has 2",
    );
}

#[test]
fn blank_lines() {
    for (blank, length) in [(&b"\n"[..], 1), (b"\r\n", 2)] {
        let content = [b"A,B\n1,2\n", blank, b"3,4\n"].concat();
        assert_reject(
            &content,
            blank,
            (("blank-line", 1, 3, 8, length), (3, 1, 8, Some("A"))),
            "empty",
        );
    }
    // Where there is but one column, an empty field needs its quotes.
    let seen = Fixture::new(b"A\n\"\"\n\n").whole();
    assert_eq!(seen[0].fields, fields(&[""]));
    assert_eq!(
        seen[1].fault.as_ref().map(|fault| fault.code),
        Some("blank-line")
    );
}

#[test]
fn bytes_that_are_no_text() {
    assert_reject(
        b"A,B\n1,2\n\xc3\xa9\xc3\xa9,z\xff\n5,6\n",
        b"\xc3\xa9\xc3\xa9,z\xff\n",
        (("invalid-utf8", 1, 3, 8, 8), (3, 5, 14, Some("B"))),
        "0xff",
    );
    // A character cut off at the end of a record does not reach into the next one.
    assert_reject(
        b"A,B\n1,\"a\n\xe2\x82\"\n5,6\n",
        b"1,\"a\n\xe2\x82\"\n",
        (("invalid-utf8", 0, 2, 4, 9), (3, 1, 9, Some("B"))),
        "0xe2",
    );
    assert_reject(
        b"A,B\n1,\0\n5,6\n",
        b"1,\0\n",
        (("nul-byte", 0, 2, 4, 4), (2, 3, 6, Some("B"))),
        "NUL",
    );
}

#[test]
fn quotes_that_break_the_rules_cost_their_first_line_alone() {
    assert_reject(
        b"A,B\n1,2\nx,y\"z\n5,6\n",
        b"x,y\"z\n",
        (("stray-quote", 1, 3, 8, 6), (3, 4, 11, Some("B"))),
        "unquoted field",
    );
    assert_reject(
        b"A,B\n\"x\"y,z\n5,6\n",
        b"\"x\"y,z\n",
        (("quote-junk", 0, 2, 4, 7), (2, 4, 7, Some("A"))),
        "closing quote",
    );
    assert_reject(
        b"A,B\n1,2\nx,\"y\n5,6\n7,8\n",
        b"x,\"y\n",
        (("unterminated-quote", 1, 3, 8, 5), (3, 3, 10, Some("B"))),
        "not closed before the end of the input",
    );
    // A CR alone ends no record, so it is text behind the quote.
    assert_reject(
        b"A,B\n1,\"y\"\r",
        b"1,\"y\"\r",
        (("quote-junk", 0, 2, 4, 6), (2, 6, 9, Some("B"))),
        "closing quote",
    );
    // The fault may be lines behind the line that it costs; what follows is read by itself.
    let rejects = rejects(b"A,B\n1,\"x\n2,3\n4,y\"z\n5,6\n");
    let got: Vec<_> = rejects
        .iter()
        .map(|seen| told(seen.fault.as_ref().unwrap()))
        .collect();
    assert_eq!(
        got,
        [
            (("quote-junk", 0, 2, 4, 5), (4, 5, 17, Some("B"))),
            (("stray-quote", 2, 4, 13, 6), (4, 4, 16, Some("B"))),
        ]
    );
    assert_eq!(rejects[0].raw, b"1,\"x\n");
}

#[test]
fn a_record_longer_than_the_limit_is_rejected_with_its_exact_range() {
    // With its line end each of these has one byte more than the limit, or just as many.
    let content = b"A,B\n12,4567\n12,45678\n1,\"4\n6\"\n1,\"4\n67\"\n12,4567";
    for buffer in [1, 2, 7, 100] {
        let mut fixture = Fixture::new(content).record_limit(8);
        fixture.limits.buffer_bytes = buffer;
        let seen = fixture.whole();
        let raw: Vec<_> = seen.iter().map(|seen| seen.raw.as_slice()).collect();
        assert_eq!(
            raw,
            [
                &b"12,4567\n"[..],
                b"12,45678",
                b"1,\"4\n6\"\n",
                b"1,\"4\n",
                b"67\"\n",
                b"12,4567"
            ]
        );
        let long = seen[1].fault.as_ref().unwrap();
        assert_eq!(
            told(long),
            (("record-too-long", 1, 3, 12, 9), (3, 9, 20, Some("B")))
        );
        let message = &long.message;
        assert!(
            message.contains("limit of 8 bytes; of the 9 bytes of its line the first 8 are kept"),
            "{message}"
        );
        let quoted = seen[3].fault.as_ref().unwrap();
        assert_eq!(quoted.code, "record-too-long");
        assert_eq!((quoted.position.length, quoted.position.line), (5, 6));
        assert_eq!(seen[4].fault.as_ref().unwrap().code, "stray-quote");
        assert_eq!(seen[5].fields, fields(&["12", "4567"]));
    }
    let fixture = Fixture::new(b"A,B\n1,\"45678901\n2,3\n").record_limit(10);
    let seen = fixture.whole();
    let open = seen[0].fault.as_ref().unwrap();
    assert_eq!(
        told(open),
        (("unterminated-quote", 0, 2, 4, 12), (2, 3, 6, Some("B")))
    );
    assert!(open.message.contains("within the record limit of 10 bytes"));
    assert_eq!(seen[0].raw, b"1,\"4567890");
    assert_eq!(seen[1].fields, fields(&["2", "3"]));
}

#[test]
fn many_quotes_that_never_close_take_linear_time() {
    let line = b"a,\"b\"\"c\n";
    let far = b"x,y\n".repeat(200_000);
    let content = [b"A,B\n", &line.repeat(200_000)[..], &far].concat();
    let started = std::time::Instant::now();
    let rejects = Fixture::new(&content).record_limit(1 << 30).whole();
    let count = rejects.iter().filter(|seen| seen.fault.is_some()).count();
    assert_eq!(count, 200_000);
    assert!(started.elapsed().as_secs() < 20);
}

#[test]
fn fields_are_located_by_line_character_and_offset() {
    let content = b"A,B,C\n\xc3\xa9,\"x\n\"\"y\",z\r\n1,,\n";
    let fixture = Fixture::new(content);
    let slice = fixture.scan(100).unwrap().slices.remove(0);
    let mut reader = open(&fixture.input, &slice, &fixture.limits).unwrap();
    let mut record = Record::default();
    let mut located = |columns: &[usize]| {
        assert_eq!(reader.next(&mut record).unwrap(), Step::Record);
        let places = columns.iter().map(|column| reader.locate(*column));
        places.collect::<Vec<_>>()
    };
    assert_eq!(
        located(&[0, 1, 2, 3]),
        [Some((2, 1, 6)), Some((2, 3, 9)), Some((3, 6, 17)), None]
    );
    assert_eq!(
        located(&[0, 1, 2]),
        [Some((4, 1, 20)), Some((4, 3, 22)), Some((4, 4, 23))]
    );
}
