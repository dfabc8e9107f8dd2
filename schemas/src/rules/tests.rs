//! Rules on records: cells, defaults, rejects, and the faults of a configuration.

use super::RuleSet;
use super::config::Config;
use crate::cell::{Cell, CellSink, TableId};
use crate::layout::{ConfigError, Duplicates, Families, JobFacts, Layout, Outcome, Reject};
use crate::record::{Origin, Position, Record, Schema};
use std::sync::Arc;

const FACTS: JobFacts = JobFacts { now: 99 };

/// Cells as text: `table row family:qualifier [visibility] timestamp value`.
#[derive(Default)]
struct Lines(Vec<String>);

impl CellSink for Lines {
    fn put(&mut self, table: TableId, cell: &Cell<'_>) {
        let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
        self.0.push(format!(
            "{} {} {}:{} [{}] {} {}",
            table.0,
            text(&cell.row.concat()),
            text(&cell.family.concat()),
            text(&cell.qualifier.concat()),
            text(cell.visibility),
            cell.timestamp,
            text(cell.value),
        ));
    }
}

fn config(text: &str) -> Config {
    toml::from_str(text).unwrap()
}

fn build(text: &str) -> RuleSet {
    RuleSet::build(&config(text), FACTS).unwrap()
}

fn faults(text: &str) -> Vec<ConfigError> {
    RuleSet::build(&config(text), FACTS).unwrap_err()
}

/// A field: name, value, visibility.
type FieldOf<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn record(fields: &[FieldOf<'_>]) -> Record {
    let names = fields.iter().map(|field| field.0.to_owned()).collect();
    let mut record = Record::new(Arc::new(Origin::default()), Arc::new(Schema { names }));
    record.begin(Position::default());
    for (column, (_, value, visibility)) in fields.iter().enumerate() {
        record.push_marked(column, *value, *visibility);
    }
    record
}

fn expand(set: &RuleSet, record: &Record) -> Result<(Outcome, Vec<String>), Reject> {
    let mut lines = Lines::default();
    let outcome = set.worker().expand(record, &mut lines)?;
    Ok((outcome, lines.0))
}

fn cells(set: &RuleSet, fields: &[FieldOf<'_>]) -> Vec<String> {
    expand(set, &record(fields)).unwrap().1
}

const ENTITY: &str = r#"
    required = ["id"]
    [[tables]]
    name = "t"
    [[tables.cells]]
    row = "id"
    family = "field"
    value = "value"
    for_each = ["*"]
    except = ["id"]
    rename = { account-balance = "balance" }
"#;

#[test]
fn every_other_field_is_a_cell_null_is_none_and_empty_is_empty() {
    let set = build(ENTITY);
    let fields = [
        ("id", Some("u1"), None),
        ("age", Some(""), None),
        ("none", None, None),
        ("account-balance", Some("10.50"), Some("finance")),
    ];
    assert_eq!(
        cells(&set, &fields),
        ["0 u1 age: [] 99 ", "0 u1 balance: [finance] 99 10.50",]
    );
    let mut marked = record(&fields[..2]);
    marked.set_visibility("hr|finance");
    marked.set_timestamp(-7);
    assert_eq!(
        expand(&set, &marked).unwrap(),
        (
            Outcome::Written,
            vec!["0 u1 age: [hr|finance] -7 ".to_owned()]
        )
    );
}

#[test]
fn a_record_without_cells_is_filtered_and_one_without_its_id_rejected() {
    let set = build(ENTITY);
    let only_id = record(&[("id", Some("u1"), None), ("age", None, None)]);
    assert_eq!(expand(&set, &only_id).unwrap(), (Outcome::Filtered, vec![]));
    for (value, what) in [(None, "it is missing"), (Some(""), "it is empty")] {
        let reject = expand(&set, &record(&[("id", value, None)])).unwrap_err();
        assert_eq!(reject, Reject::field("missing-field", "id", what));
    }
    assert!(expand(&set, &record(&[("age", Some("1"), None)])).is_err());
}

#[test]
fn items_fields_and_conditions_multiply() {
    let set = build(
        r#"
        [[tables]]
        name = "t"
        [[tables.cells]]
        row = "tokens(value)"
        family = "field"
        qualifier = "id"
        for_each = ["title", "body"]
        when = "equals(kind,'doc')"
        [[tables.cells]]
        row = "id"
        family = "'tag'"
        qualifier = "lower(each(tags,';'))"
        timestamp = "day"
        visibility = "'A&B'"
        "#,
    );
    let mut fields = [
        ("id", Some("1"), None),
        ("kind", Some("doc"), None),
        ("title", Some("Big, big"), None),
        ("body", Some("the END"), None),
        ("tags", Some("X;;Y"), None),
        ("day", Some("1970-01-02"), None),
    ];
    assert_eq!(
        cells(&set, &fields),
        [
            "0 big title:1 [] 99 ",
            "0 end body:1 [] 99 ",
            "0 the body:1 [] 99 ",
            "0 1 tag:x [A&B] 86400000 ",
            "0 1 tag:y [A&B] 86400000 ",
        ]
    );
    fields[1].1 = Some("mail");
    fields[4].1 = None;
    assert!(cells(&set, &fields).is_empty());
}

const COMBINED: &str = r#"
        [[tables]]
        name = "t"
        versions = 3
        combine = { total = "sum(VARLEN)", seen = "latest", low = "min", other = "sum(VARLEN)", "a b" = "sum" }
        [[tables.cells]]
        row = "'r'"
        family = "field"
        value = "value"
        for_each = ["total", "seen", "low", "plain"]
        [[tables.cells]]
        row = "'r'"
        family = "'other'"
        value = "varlen(total)"
        [[tables.cells]]
        row = "'r'"
        family = "'total'"
        value = "fixedlen(total)"
        when = "wrong"
        "#;

#[test]
fn combined_values_are_encoded_and_checked() {
    let set = build(COMBINED);
    let mut fields = [
        ("total", Some("128"), None),
        ("seen", Some("x"), None),
        ("low", Some("+5"), None),
        ("plain", Some("+5"), None),
        ("wrong", None, None),
    ];
    assert_eq!(
        cells(&set, &fields),
        [
            "0 r total: [] 99 \\x8f\\x80",
            "0 r seen: [] 99 x",
            "0 r low: [] 99 5",
            "0 r plain: [] 99 +5",
            "0 r other: [] 99 \\x8f\\x80",
        ]
    );
    fields[4].1 = Some("");
    let reject = expand(&set, &record(&fields)).unwrap_err();
    assert_eq!(
        (reject.code, reject.field.as_deref()),
        ("bad-varlen", Some("total"))
    );
    fields[0].1 = Some("12x");
    let reject = expand(&set, &record(&fields)).unwrap_err();
    assert_eq!(
        reject.to_string(),
        "field \"total\": not a long: \"12x\": a decimal integer from -9223372036854775808 to 9223372036854775807 is needed"
    );
}

#[test]
fn the_cluster_is_told_what_is_combined() {
    let set = build(COMBINED);
    let iterators: Vec<(&str, u32, &str)> = set.tables()[0]
        .iterators
        .iter()
        .map(|it| {
            (
                it.name.as_str(),
                it.priority,
                it.options[1 % it.options.len()].1.as_str(),
            )
        })
        .collect();
    assert_eq!(
        iterators,
        [
            ("sum", 10, "a%20b"),
            ("min", 11, "low"),
            ("sum_varlen", 12, "other,total"),
            ("vers", 20, "3"),
        ]
    );
}

#[test]
fn table_settings_reach_the_table() {
    let set = build(
        r#"
        [[tables]]
        name = "ns.t"
        versions = 0
        combine = { "*" = "max" }
        locality_groups = { text = ["body", "title"] }
        properties = { "table.bloom.enabled" = "true" }
        [[tables.cells]]
        row = "id"
        "#,
    );
    let table = &set.tables()[0];
    assert_eq!(table.duplicates, Duplicates::Keep);
    assert_eq!(
        table.locality_groups[0].families,
        [b"body".to_vec(), b"title".to_vec()]
    );
    assert_eq!(
        table.properties,
        [("table.bloom.enabled".to_owned(), "true".to_owned())]
    );
    assert_eq!(table.combiners[0].families, Families::All);
    assert_eq!(table.iterators.len(), 1);
    assert_eq!(
        table.iterators[0].options[1],
        ("all".to_owned(), "true".to_owned())
    );
}

#[test]
fn a_cell_is_no_more_visible_than_the_fields_in_it() {
    let set = build(
        r#"
        [[tables]]
        name = "t"
        [[tables.cells]]
        row = "id|a|b"
        "#,
    );
    let line = |a, b, of_record: &str| {
        let mut record = record(&[
            ("id", Some("1"), None),
            ("a", Some(""), a),
            ("b", Some(""), b),
        ]);
        record.set_visibility(of_record);
        expand(&set, &record).map(|made| made.1[0].clone())
    };
    let visibility = |text: &str| Ok(format!("0 1 : [{text}] 99 "));
    assert_eq!(line(None, None, "R"), visibility("R"));
    assert_eq!(line(Some("A"), None, "R"), visibility("A"));
    assert_eq!(line(Some("A"), Some("A"), "R"), visibility("A"));
    assert_eq!(line(Some("A|C"), Some("B"), ""), visibility("(A|C)&B"));
    assert_eq!(line(Some(""), Some("B|C"), ""), visibility("B|C"));
    for (a, b) in [(Some("A)|(B"), Some("C")), (Some("A B"), None)] {
        let reject = line(a, b, "").unwrap_err();
        assert_eq!(reject.code, "bad-visibility");
        assert!(reject.message.contains(a.unwrap()), "{}", reject.message);
    }
}

#[test]
fn bad_values_name_code_field_and_value() {
    let set = build(
        r#"
        [[tables]]
        name = "t"
        [[tables.cells]]
        row = "reverse(uuid(value))"
        for_each = ["u"]
        visibility = "vis"
        timestamp = "ts"
        "#,
    );
    let reject = |u, vis, ts| {
        let fields = [
            ("u", Some(u), None),
            ("vis", vis, None),
            ("ts", Some(ts), None),
        ];
        let reject = expand(&set, &record(&fields)).unwrap_err();
        (reject.code, reject.field.unwrap(), reject.message)
    };
    let good = "1-2-3-4-5";
    let (code, field, message) = reject("no uuid", None, "1");
    assert_eq!((code, field.as_str()), ("bad-uuid", "u"));
    assert!(
        message.starts_with("not a uuid: \"no uuid\": five groups"),
        "{message}"
    );
    let (code, field, message) = reject(good, Some("A&"), "1");
    assert_eq!((code, field.as_str()), ("bad-visibility", "vis"));
    assert_eq!(
        message,
        "not a visibility: \"A&\": a term is missing at byte 2"
    );
    let (code, field, _) = reject(good, None, "soon");
    assert_eq!((code, field.as_str()), ("bad-date", "ts"));
    let (_, _, message) = reject(&"é\u{0}".repeat(1000), None, "1");
    assert!(message.chars().count() < 500, "{message}");
}

#[test]
fn a_longer_schema_is_bound_anew() {
    let set = build(ENTITY);
    let mut worker = set.worker();
    let mut lines = Lines::default();
    worker
        .expand(&record(&[("id", Some("1"), None)]), &mut lines)
        .unwrap();
    let longer = record(&[("x", Some("2"), None), ("id", Some("3"), None)]);
    worker.expand(&longer, &mut lines).unwrap();
    assert_eq!(lines.0, ["0 3 x: [] 99 2"]);
}

#[test]
fn faults_of_the_configuration_name_their_key() {
    let found = faults(
        r#"
        [[tables]]
        name = "no table"
        combine = { a = "avg", "*" = "sum", b = "max" }
        locality_groups = { g = ["x"], h = ["x"], none = [] }
        [[tables.cells]]
        row = "lower("
        qualifier = "tokens(a)|tokens(b)"
        timestamp = "long(a)"
        for_each = ["a"]
        except = ["b"]
        rename = { c = "d" }
        [[tables]]
        name = "no table"
        cells = []
        "#,
    );
    let keys: Vec<&str> = found.iter().map(|fault| fault.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "tables.0.combine.a",
            "tables.0.combine",
            "tables.0.name",
            "tables.0.locality_groups.h",
            "tables.0.locality_groups.none",
            "tables.0.cells.0.except",
            "tables.0.cells.0.rename.c",
            "tables.0.cells.0.row",
            "tables.0.cells.0.qualifier",
            "tables.0.cells.0.timestamp",
            "tables.1.name",
            "tables.1.name",
            "tables.1.cells",
        ]
    );
    assert_eq!(
        found[7].message,
        "at character 7 of \"lower(\": a field, a 'text' or a function is missing"
    );
    assert!(toml::from_str::<Config>("tables = []\nrow = 'x'").is_err());
}
