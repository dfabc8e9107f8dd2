//! Each iterator on the versions of a few cells.

use super::*;

type Cells = Vec<(String, i64, String)>;

/// Puts cells `family:qualifier`, timestamp, deleted, value of one row through an iterator.
pub(crate) fn run(
    iterator: &mut dyn ScanIterator,
    cells: &[(&str, i64, bool, &[u8])],
) -> Result<Cells, ScanError> {
    let mut shown = Vec::new();
    let mut emit = |key: &Key<'_>, value: &[u8]| {
        let column = [key.family, key.qualifier].join(&b':');
        shown.push((
            column.escape_ascii().to_string(),
            key.timestamp,
            value.escape_ascii().to_string(),
        ));
        Ok(())
    };
    for (column, timestamp, deleted, value) in cells {
        let (family, qualifier) = column.split_once(':').unwrap();
        let key = Key {
            row: b"r",
            family: family.as_bytes(),
            qualifier: qualifier.as_bytes(),
            visibility: b"",
            timestamp: *timestamp,
            deleted: *deleted,
        };
        iterator.put(&key, value, &mut emit)?;
    }
    iterator.finish(&mut emit)?;
    Ok(shown)
}

pub(crate) fn options(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()))
        .collect()
}

fn shown(cells: &[(&str, i64, &str)]) -> Cells {
    cells
        .iter()
        .map(|(column, timestamp, value)| ((*column).into(), *timestamp, (*value).into()))
        .collect()
}

#[test]
fn deletes_hide_what_is_not_newer() {
    let cells: [(&str, i64, bool, &[u8]); 8] = [
        ("a:", 9, false, b"newer"),
        ("a:", 8, true, b""),
        ("a:", 8, false, b"same"),
        ("a:", 7, true, b""),
        ("a:", 7, false, b"older"),
        ("a:b", 1, false, b"other"),
        ("b:", 5, true, b""),
        ("c:", 4, false, b"kept"),
    ];
    assert_eq!(
        run(&mut Deletes::default(), &cells).unwrap(),
        shown(&[("a:", 9, "newer"), ("a:b", 1, "other"), ("c:", 4, "kept")])
    );
}

#[test]
fn versions_are_counted_for_each_cell() {
    let cells: [(&str, i64, bool, &[u8]); 5] = [
        ("a:", 9, false, b"1"),
        ("a:", 9, false, b"2"),
        ("a:", 7, false, b"3"),
        ("b:", 9, false, b"4"),
        ("b:", 1, false, b"5"),
    ];
    let build = |max: &str| {
        build(
            IteratorSetting::VERSIONING,
            &options(&[("maxVersions", max)]),
        )
    };
    assert_eq!(
        run(&mut *build("2").unwrap(), &cells).unwrap(),
        shown(&[
            ("a:", 9, "1"),
            ("a:", 9, "2"),
            ("b:", 9, "4"),
            ("b:", 1, "5")
        ])
    );
    assert_eq!(
        run(&mut *build("1").unwrap(), &cells).unwrap(),
        shown(&[("a:", 9, "1"), ("b:", 9, "4")])
    );
    assert!(build("0").is_err() && build("x").is_err());
}

const SUM: &str = "org.apache.accumulo.core.iterators.user.SummingCombiner";

#[test]
fn combiners_fold_the_versions_of_their_columns() {
    let cells: [(&str, i64, bool, &[u8]); 6] = [
        ("a b:", 9, false, b"1"),
        ("a b:", 8, false, b"41"),
        ("a b:x", 7, false, b"007"),
        ("b:q", 6, false, b"2"),
        ("b:q", 5, false, b"3"),
        ("b:r", 4, false, b"no number"),
    ];
    let fold = |class: &str, columns: &str| {
        let options = options(&[("type", "STRING"), ("columns", columns)]);
        run(&mut *build(class, &options).unwrap(), &cells).unwrap()
    };
    assert_eq!(
        fold(SUM, "a%20b,b:q"),
        shown(&[
            ("a b:", 9, "42"),
            ("a b:x", 7, "7"),
            ("b:q", 6, "5"),
            ("b:r", 4, "no number")
        ])
    );
    let smallest = fold(&SUM.replace("Summing", "Min"), "b:q");
    assert_eq!(smallest[3], ("b:q".into(), 6, "2".into()));
    let greatest = fold(&SUM.replace("Summing", "Max"), "b:q");
    assert_eq!(greatest[3], ("b:q".into(), 6, "3".into()));
    let all = options(&[("type", "STRING"), ("all", "true")]);
    let error = run(&mut *build(SUM, &all).unwrap(), &cells).unwrap_err();
    assert!(error.to_string().starts_with("sum cannot read"), "{error}");
}

#[test]
fn lossy_combiners_skip_what_is_no_number() {
    let cells: [(&str, i64, bool, &[u8]); 3] = [
        ("a:", 9, false, b"12"),
        ("a:", 8, false, b"\x05"),
        ("b:", 8, false, b"no"),
    ];
    let options = options(&[("type", "VARLEN"), ("all", "true"), ("lossy", "true")]);
    let mut sum = build(SUM, &options).unwrap();
    assert_eq!(
        run(&mut *sum, &cells).unwrap(),
        shown(&[("a:", 9, "\\x05"), ("b:", 8, "\\x00")])
    );
    let key = Key {
        row: b"",
        family: b"a",
        qualifier: b"",
        visibility: b"",
        timestamp: 0,
        deleted: false,
    };
    assert_eq!(sum.describe(&key, &[0x8f, 0x80]).as_deref(), Some("128"));
    assert_eq!(sum.describe(&key, b"12"), None);
}

#[test]
fn what_cannot_be_applied_says_why() {
    for (class, pairs, part) in [
        ("a.B", &[][..], "class is not known"),
        (SUM, &[("all", "true")], "its type is \"\""),
        (SUM, &[("type", "VARLEN")], "neither columns nor all"),
        (
            SUM,
            &[("type", "VARLEN"), ("columns", "a%2")],
            "cannot be read",
        ),
        (
            SUM,
            &[("type", "VARLEN"), ("columns", "a:b:c")],
            "cannot be read",
        ),
    ] {
        let reason = build(class, &options(pairs)).err().unwrap();
        assert!(reason.contains(part), "{reason}");
    }
}

#[test]
fn classes_are_registered_once() {
    let mut classes: Vec<&str> = ITERATORS.iter().map(|def| def.class).collect();
    classes.sort_unstable();
    assert!(classes.windows(2).all(|pair| pair[0] != pair[1]));
    for fold in Fold::ALL {
        assert!(classes.contains(&fold.class()));
    }
}
