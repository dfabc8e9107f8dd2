use super::*;

fn parse(pattern: &str, text: &str) -> Option<(i64, usize)> {
    DatePattern::compile(pattern, 1_700_000_000_000)
        .unwrap()
        .parse_prefix(text)
}

/// All rows are what JDK 17 answers: pattern, text, milliseconds, characters taken.
#[test]
fn answers_of_java() {
    for (pattern, text, instant, taken) in [
        (
            "yyyy-MM-dd'T'HH:mm:ss'Z'",
            "2024-01-01T10:15:00Z",
            1_704_104_100_000,
            20,
        ),
        ("yyyy-MM-dd", "2024-13-45 rest", 1_739_491_200_000, 10),
        ("yyyy-MM-dd", "2024- 1-1", 1_704_067_200_000, 9),
        ("yyyy-MM-dd", "-5--1-1", -62_330_428_800_000, 7),
        ("yyyyDDD", "2016117x", 1_461_628_800_000, 7),
        ("yyyyMMddHHmmss", "20240229120147", 1_709_208_107_000, 14),
        ("yyyy-MM-dd", "1500-02-29", -14_825_894_400_000, 10),
        (
            "EEE, dd MMM yyyy HH:mm:ss z",
            "Mon, 01 jan 2024 00:00:00 gmt+1:30",
            1_704_061_800_000,
            34,
        ),
        (
            "yyyy-MM-dd'T'HH:mm:ssXX",
            "2024-01-01T00:00:00+0130",
            1_704_061_800_000,
            24,
        ),
        (
            "MM/dd/yyyy hh:mm:ss a",
            "01/01/2024 12:30:00 AM",
            1_704_069_000_000,
            22,
        ),
        (
            "MM/dd/yyyy hh:mm:ss a",
            "01/01/2024 12:30:00 pm",
            1_704_112_200_000,
            22,
        ),
        ("d.M.yy k:mm", "1.1.24 24:00", 1_704_067_200_000, 12),
        (
            "yyyy-MM-dd HH:mm:ssz",
            "1939-02-08 11:21:39CET",
            -974_983_101_000,
            22,
        ),
    ] {
        assert_eq!(
            parse(pattern, text),
            Some((instant, taken)),
            "{pattern} {text}"
        );
    }
}

#[test]
fn what_java_refuses() {
    for (pattern, text) in [
        ("yyyy-MM-dd", "2024/01/01"),
        ("yyyy-MM-dd", ""),
        ("yyyy-MM-dd", "2024-01-"),
        ("yyyyMMdd", "202401"),
        ("yyyy-MM-dd'T'HH:mm:ssXXX", "2024-01-01T00:00:00+0130"),
        ("yyyy-MM-dd HH:mm:ssz", "2024-01-01 00:00:00QQQ"),
        ("MMM d", " Jan 1"),
        ("yyyy", "x"),
    ] {
        assert_eq!(parse(pattern, text), None, "{pattern} {text}");
    }
}

#[test]
fn patterns_that_cannot_be_used_say_why() {
    let error = |pattern| DatePattern::compile(pattern, 0).unwrap_err();
    assert_eq!(error("yyyy-ww"), PatternError::Letter('w'));
    assert_eq!(error("yyyyMMddTHH"), PatternError::Letter('T'));
    assert_eq!(error("yyyy'T"), PatternError::Quote);
    assert_eq!(error("XXXX"), PatternError::Count('X'));
    assert_eq!(error("EEE yyyy"), PatternError::Weekday);
}

#[test]
fn fractions_are_cut_to_milliseconds() {
    let mut scratch = String::new();
    let mut cut = |text| trim_fraction(text, &mut scratch).to_owned();
    assert_eq!(cut("12:00:00.123456789Z"), "12:00:00.123Z");
    assert_eq!(cut("12:00:00.12Z"), "12:00:00.12Z");
    assert_eq!(cut("20240101"), "20240101");
    assert_eq!(cut("no digits"), "no digits");
}

#[test]
fn instants_as_text() {
    let iso = |instant| {
        let mut out = String::new();
        write_iso(instant, &mut out);
        out
    };
    assert_eq!(iso(1_700_000_000_000), "2023-11-14T22:13:20.000Z");
    assert_eq!(iso(-1), "1969-12-31T23:59:59.999Z");
    let mut day = String::new();
    write_day(1_709_208_107_000, &mut day);
    write_day(-1, &mut day);
    assert_eq!(day, "2024022919691231");
}
