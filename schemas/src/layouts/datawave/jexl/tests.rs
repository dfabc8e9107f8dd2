use super::*;

fn value(text: &str, group: Option<&str>, part: Option<&str>) -> FieldValue {
    FieldValue {
        value: text.into(),
        group: group.map(Into::into),
        sub_group: part.map(Into::into),
    }
}

fn evaluate(text: &str, fields: &[(&str, Vec<FieldValue>)]) -> Result<Outcome, JexlError> {
    let field = |name: &str| {
        let found = fields.iter().find(|(key, _)| *key == name);
        found.map_or(&[][..], |(_, values)| values)
    };
    Expression::parse(text).unwrap().evaluate(&field)
}

fn holds(text: &str) -> bool {
    let fields = [
        ("TEAM", vec![value("blue", None, None)]),
        (
            "LEVEL",
            vec![value("5", None, None), value("50", None, None)],
        ),
        ("FLAG", vec![value("true", None, None)]),
        ("$1ST", vec![value("x", None, None)]),
    ];
    evaluate(text, &fields).unwrap().holds
}

#[test]
fn operators() {
    for text in [
        "TEAM == 'blue'",
        "TEAM eq \"blue\"",
        "TEAM != 'red'",
        "LEVEL != 5",
        "LEVEL > 10",
        "LEVEL < 10 and LEVEL >= 50",
        "TEAM == 'blue' && LEVEL > 10",
        "TEAM == 'red' || LEVEL == 50",
        "!(TEAM == 'red')",
        "not (TEAM == 'red')",
        "NONE == null",
        "TEAM != null",
        "empty(NONE)",
        "!empty(TEAM)",
        "size(LEVEL) == 2",
        "FLAG == true",
        "$1ST == 'x'",
        "'it\\'s' == \"it's\"",
        "LEVEL > -1",
        "'abc' =~ 'a.c'",
        "'a1' =~ 'a\\d'",
        "TEAM == 'x' || TEAM == 'y' || TEAM == 'blue' && true",
    ] {
        assert!(holds(text), "{text}");
    }
    for text in [
        "TEAM == 'red'",
        "TEAM != 'blue'",
        "NONE == 'x'",
        "NONE > 1",
        "NONE < 1",
        "NONE =~ '.*'",
        "LEVEL > 50",
        "'xabc' =~ 'abc'",
        "TEAM == 'BLUE'",
    ] {
        assert!(!holds(text), "{text}");
    }
}

/// As in the golden edges: `blue` makes no edge for this pattern, because the text before it is the collection's.
#[test]
fn a_pattern_has_the_whole_collection_before_it() {
    assert!(!holds("TEAM =~ 'b.*'"));
    assert!(holds("TEAM !~ 'b.*'"));
    assert!(holds("TEAM =~ '.*blue.*'"));
}

#[test]
fn groups_are_collected() {
    let fields = [(
        "KIND",
        vec![
            value("a", Some("G"), Some("1")),
            value("b", Some("G"), Some("2")),
            value("b", None, None),
        ],
    )];
    let outcome = evaluate("KIND == 'b'", &fields).unwrap();
    let two = [Some("2".to_owned())].into();
    assert!(outcome.holds);
    let expected: Groups = [(Some("G".into()), two), (None, [None].into())].into();
    assert_eq!(outcome.matched, expected);
    assert!(outcome.excluded.is_empty());

    let outcome = evaluate("KIND != 'b'", &fields).unwrap();
    assert!(outcome.holds);
    assert_eq!(
        outcome.left(),
        [(Some("G".to_owned()), [Some("1".to_owned())].into())].into()
    );

    // Both sides of an `or` bring their groups.
    let outcome = evaluate("KIND == 'a' || KIND == 'b'", &fields).unwrap();
    assert_eq!(outcome.matched.get(&Some("G".into())).unwrap().len(), 2);
    let outcome = evaluate("KIND == 'a' && KIND == 'z'", &fields).unwrap();
    assert!(!outcome.holds);
}

#[test]
fn what_is_no_number_cannot_be_ordered() {
    let fields = [("LEVEL", vec![value("high", None, None)])];
    let error = evaluate("LEVEL > 1", &fields).unwrap_err();
    assert_eq!(error, JexlError::NotANumber("high".into()));
}

#[test]
fn faults_name_a_place() {
    for (text, at, part) in [
        ("", 1, "expected"),
        ("TEAM ==", 8, "expected"),
        ("TEAM == 'blue", 9, "not closed"),
        ("(TEAM == 'blue'", 16, ") was expected"),
        ("TEAM = 'blue'", 6, "not supported"),
        ("TEAM == 'a' LEVEL", 13, "an operator"),
        ("f:contains(TEAM)", 2, "not supported"),
        ("contains(TEAM)", 1, "function"),
        ("TEAM =~ TEAM", 9, "as a text"),
        ("TEAM =~ '('", 9, "no regular expression"),
        ("1ST == 'x'", 1, "need a $"),
        ("1.5 > LEVEL", 1, "no whole number"),
    ] {
        match Expression::parse(text) {
            Err(JexlError::Syntax { at: found, message }) => {
                assert_eq!(found, at, "{text}: {message}");
                assert!(message.contains(part), "{text}: {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(Expression::parse(&"(".repeat(10_000)).is_err());
    assert!(Expression::parse(&"!".repeat(10_000)).is_err());
    // Long chains are no deep nesting.
    assert!(Expression::parse(&vec!["A == 'b'"; 40].join(" || ")).is_ok());
}
