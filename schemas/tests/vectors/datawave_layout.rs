//! DataWave's shard and index tables: golden cases cell by cell, and the rules of the configuration one by one.

use crate::golden;
use shardmill_schemas::cell::{Cell, CellSink, TableId};
use shardmill_schemas::combine::Input;
use shardmill_schemas::key::{Key, KeyBuf};
use shardmill_schemas::layout::{self, JobFacts, Layout, Reject};
use shardmill_schemas::layouts::datawave::uid_list::UidList;
use shardmill_schemas::record::{Origin, Position, Record, Schema};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The twin of the case's `config.xml`, as far as these tables go.
const CARS: &str = r#"
num_shards = 10
tables = { shard = "shard", index = "shardIndex", reverse_index = "shardReverseIndex" }

[types.cars]
id_field = "ID"
date_field = "SOLD"
date_formats = ["yyyy-MM-dd'T'HH:mm:ss'Z'"]
marking = "PUBLIC"
default_type = "LcNoDiacriticsType"
index = ["MAKE", "MODEL", "YEAR"]
reverse_index = ["MODEL"]

[types.cars.fields]
YEAR = { types = ["NumberType"] }
PRICE = { types = ["NumberType"] }
LISTED = { types = ["DateType"], failure_policy = "leave" }
"#;
const PEOPLE: &str = r#"
num_shards = 5
tables = { shard = "shard", index = "shardIndex", reverse_index = "shardReverseIndex" }

[types.people]
id_field = "ID"
date_field = "SEEN"
date_formats = ["yyyy-MM-dd'T'HH:mm:ss'Z'", "yyyy-MM-dd HH:mm:ss", "yyyy/MM/dd", "yyyyMMddHHmmss"]
default_type = "LcNoDiacriticsType"
marking = "PUBLIC"
visibility_field = "VIS"
multi_valued = ["ALIAS", "EMAILS:EMAIL"]
index = ["NAME", "ALIAS", "EMAIL", "CITY", "AGE", "BALANCE", "SCORE", "BORN", "STATUS"]
reverse_index = ["NAME", "EMAIL"]
normalized = ["NICK"]
drop = ["SECRET"]
aliases = { HOMETOWN = "CITY" }
failure_policy = "leave"

[types.people.fields]
BALANCE = { types = ["NumberType"], marking = "FIN", failure_policy = "drop" }
EMAILS = { marking = "A&B" }
AGE = { types = ["NumberType"] }
SCORE = { types = ["NumberType"], failure_policy = "fail" }
BORN = { types = ["DateType"] }
LASTLOGIN = { types = ["DateType"] }
"#;
pub(crate) const NOW: i64 = 1_700_000_000_000;
/// The tables of these tests are the first three.
const REVERSE_INDEX: u16 = 2;

fn configured(section: &str) -> Result<Arc<dyn Layout>, String> {
    let def = layout::find("datawave").unwrap();
    let table: toml::Table = section.parse().unwrap();
    let text = toml::Value::Table(table).to_string();
    let section = toml::de::ValueDeserializer::parse(&text).map_err(|error| error.to_string())?;
    let config = (def.configure)(section).map_err(|error| error.to_string())?;
    (def.build)(&config, JobFacts { now: NOW }).map_err(|errors| {
        let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
        texts.join("\n")
    })
}

fn origin() -> Arc<Origin> {
    Arc::new(Origin {
        path: "in/input.csv".into(),
        file_name: "input.csv".into(),
        data_type: "cars".into(),
    })
}

/// Table, row, family, qualifier, visibility, timestamp.
pub(crate) type CellKey = (u16, Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>, i64);

/// Keys in order, with every value that was put for them.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) cells: BTreeMap<CellKey, Vec<Vec<u8>>>,
}

impl CellSink for Collected {
    fn put(&mut self, table: TableId, cell: &Cell<'_>) {
        let key = (
            table.0,
            cell.row.concat(),
            cell.family.concat(),
            cell.qualifier.concat(),
            cell.visibility.to_vec(),
            cell.timestamp,
        );
        self.cells.entry(key).or_default().push(cell.value.to_vec());
    }
}

impl Collected {
    /// The columns of the golden files, combined as the tables say.
    fn finished(&self, layout: &dyn Layout) -> BTreeSet<Vec<String>> {
        let mut lines = BTreeSet::new();
        for ((table, row, family, qualifier, visibility, timestamp), values) in &self.cells {
            if *table > REVERSE_INDEX {
                continue;
            }
            let table = &layout.tables()[usize::from(*table)];
            let mut key = KeyBuf::default();
            key.set(&Key {
                row,
                family,
                qualifier,
                visibility,
                timestamp: *timestamp,
                deleted: false,
            });
            let mut emit = |_: &Key<'_>, value: &[u8]| {
                lines.insert(line(&table.name, &key.as_key(), value));
            };
            match table.combiner(family) {
                None => emit(&key.as_key(), values.iter().max().unwrap()),
                Some(combiner) => {
                    let mut folder = combiner.folder();
                    for value in values {
                        folder.add(&key.as_key(), Input::Value(value)).unwrap();
                    }
                    folder.finish(&key.as_key(), &mut emit);
                }
            }
        }
        lines
    }
}

/// Table and key as text; a list of UIDs as its count and its sorted UIDs.
fn line(table: &str, key: &Key<'_>, value: &[u8]) -> Vec<String> {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let value = if table == "shard" {
        text(value)
    } else {
        let list = UidList::parse(value).unwrap();
        let uids: BTreeSet<String> = list.uids.iter().map(|uid| text(uid)).collect();
        format!(
            "{} {} {uids:?} {}",
            list.ignore,
            list.count,
            list.removed.len()
        )
    };
    vec![
        table.into(),
        text(key.row),
        text(key.family),
        text(key.qualifier),
        text(key.visibility),
        key.timestamp.to_string(),
        value,
    ]
}

/// Calls `each` with every row of a CSV text.
fn csv_rows(text: &str, mut each: impl FnMut(usize, &[String])) {
    let mut reader = csv_core::Reader::new();
    let (mut out, mut ends) = (vec![0; text.len() + 1], vec![0; 64]);
    let mut input = text.as_bytes();
    for record in 0.. {
        let (result, read, _, fields) = reader.read_record(input, &mut out, &mut ends);
        input = &input[read..];
        match result {
            csv_core::ReadRecordResult::Record => {}
            csv_core::ReadRecordResult::InputEmpty => {
                // The text has ended; the reader wants to be told so.
                continue;
            }
            csv_core::ReadRecordResult::End => return,
            other => panic!("{other:?}"),
        }
        let bounds = std::iter::once(0)
            .chain(ends.iter().copied())
            .zip(&ends[..fields]);
        let row: Vec<String> = bounds
            .map(|(start, &end)| String::from_utf8(out[start..end].to_vec()).unwrap())
            .collect();
        each(record, &row);
    }
}

/// Expands one record given as `NAME=value` parts.
fn expand(layout: &dyn Layout, parts: &[(&str, &str)]) -> Result<Collected, Reject> {
    let names = parts.iter().map(|&(name, _)| name.into()).collect();
    let mut record = Record::new(origin(), Arc::new(Schema { names }));
    record.begin(Position::default());
    for (column, &(_, value)) in parts.iter().enumerate() {
        record.push(column, Some(value));
    }
    let mut cells = Collected::default();
    let outcome = layout.worker().expand(&record, &mut cells);
    if let Err(reject) = outcome {
        assert!(
            cells.cells.is_empty(),
            "nothing is put for a record that is rejected"
        );
        return Err(reject);
    }
    Ok(cells)
}

/// The cells of a CSV file and how many of its records were rejected. Columns past the header are `NAME=value`.
pub(crate) fn expand_file(
    layout: &dyn Layout,
    path: &Path,
    data_type: &str,
    header: &str,
) -> (Collected, usize) {
    let (mut cells, mut worker) = (Collected::default(), layout.worker());
    let mut names: Vec<String> = header.split(',').map(Into::into).collect();
    let columns = names.len();
    let origin = Arc::new(Origin {
        data_type: data_type.into(),
        file_name: path.file_name().unwrap().to_str().unwrap().into(),
        ..(*origin()).clone()
    });
    let mut record = Record::new(origin, Arc::default());
    let mut text = std::fs::read(path).unwrap();
    // The small reader above knows a record by its line end.
    text.push(b'\n');
    let mut rejected = 0;
    csv_rows(&String::from_utf8_lossy(&text), |ordinal, row| {
        let mut fields: Vec<(usize, String)> = Vec::new();
        for (column, value) in row.iter().enumerate() {
            // DataWave's word for a line end inside a value.
            let value = &value.replace("\\~n~", "\n");
            if column < columns {
                fields.push((column, value.clone()));
            } else if let Some((name, value)) = value.split_once('=') {
                let known = names.iter().position(|known| known == name);
                fields.push((known.unwrap_or(names.len()), value.into()));
                if known.is_none() {
                    names.push(name.into());
                }
            }
        }
        record.begin(Position {
            record: ordinal as u64,
            ..Position::default()
        });
        record.set_schema(Arc::new(Schema {
            names: names.clone(),
        }));
        for (column, value) in fields {
            record.push(column, Some(&value));
        }
        // Tasks of a few records each: what a worker accumulates may not depend on them.
        if ordinal % 5 == 0 {
            worker.flush(&mut cells);
            worker = layout.worker();
        }
        // The reader refuses rows with too few columns.
        if row.len() < columns {
            rejected += 1;
        } else if let Err(reject) = worker.expand(&record, &mut cells) {
            println!("record {ordinal}: {reject}");
            rejected += 1;
        }
    });
    worker.flush(&mut cells);
    (cells, rejected)
}

/// A golden case: where it is, its configuration, and what of it is compared.
struct Case {
    folder: &'static str,
    data_type: &'static str,
    header: &'static str,
    section: &'static str,
    /// The field that is tokenised; what tokens make is left out.
    token_field: &'static str,
    /// Whether a cell of this field and line counts.
    keep: fn(field: &str, line: &[String]) -> bool,
    rejected: usize,
}

impl Case {
    /// Expands the input and compares the cells, all of which the two sides must have. Columns past the header are `NAME=value`.
    fn compare(&self) {
        let Some(folder) = golden::golden(&format!("datawave/{}", self.folder)) else {
            return;
        };
        let layout = configured(self.section).unwrap();
        let input = folder.join("input.csv");
        let (cells, rejected) = expand_file(layout.as_ref(), &input, self.data_type, self.header);
        assert_eq!(rejected, self.rejected);
        let expected = self.kept(expected(&folder, layout.as_ref(), self.token_field));
        let found = self.kept(cells.finished(layout.as_ref()));
        println!("{}: {} cells compared", self.folder, expected.len());
        let missing: Vec<_> = expected.difference(&found).collect();
        let extra: Vec<_> = found.difference(&expected).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "missing: {missing:#?}\nextra: {extra:#?}"
        );
        assert!(expected.len() > 200);
    }

    fn kept(&self, lines: BTreeSet<Vec<String>>) -> BTreeSet<Vec<String>> {
        let field = |line: &[String]| {
            let family = line[2].strip_prefix("fi\\x00").unwrap_or(&line[2]);
            let name = if family.contains("\\x00") {
                &line[3]
            } else {
                family
            };
            name.split("\\x00").next().unwrap_or_default().to_owned()
        };
        let keep = |line: &Vec<String>| (self.keep)(&field(line), line);
        lines.into_iter().filter(keep).collect()
    }
}

/// The cells of a golden case in the tables of `layout`, without what tokens make.
fn expected(folder: &Path, layout: &dyn Layout, token_field: &str) -> BTreeSet<Vec<String>> {
    let token_fi = format!("fi\0{token_field}");
    let mut expected = BTreeSet::new();
    for golden_line in golden::read(&folder.join("expected.tsv.gz")).lines() {
        let columns: Vec<Vec<u8>> = golden_line.split('\t').map(golden::unescape).collect();
        let [
            table,
            row,
            family,
            qualifier,
            visibility,
            timestamp,
            deleted,
            value,
        ] = columns.as_slice()
        else {
            panic!("eight columns are needed: {golden_line}");
        };
        let token = family == b"tf"
            || family == token_field.as_bytes()
            || family == token_fi.as_bytes()
            || qualifier.starts_with(b"TERM_COUNT\0");
        let table = std::str::from_utf8(table).unwrap();
        if token || !layout.tables()[..3].iter().any(|spec| spec.name == table) {
            continue;
        }
        let timestamp = std::str::from_utf8(timestamp).unwrap().parse().unwrap();
        let key = Key {
            row,
            family,
            qualifier,
            visibility,
            timestamp,
            deleted: deleted == b"1",
        };
        expected.insert(line(table, &key, value));
    }
    expected
}

#[test]
fn cars_become_datawaves_cells() {
    Case {
        folder: "cars",
        data_type: "cars",
        header: "ID,SOLD,MAKE,MODEL,YEAR,COLOR,DESCRIPTION,REGION,DEALER,LISTED,PRICE",
        section: CARS,
        token_field: "DESCRIPTION",
        keep: |_, _| true,
        rejected: 0,
    }
    .compare();
}

#[test]
fn links_become_datawaves_cells() {
    Case {
        folder: "edges",
        data_type: "links",
        header: "ID,WHEN,ACT,SRC,DST,KIND,A2,A3,SECS,UP,DOWN,VIS",
        section: r#"
            tables = { shard = "shard", index = "shardIndex", reverse_index = "shardReverseIndex" }
            [types.links]
            id_field = "ID"
            date_field = "WHEN"
            date_formats = ["yyyy-MM-dd'T'HH:mm:ss'Z'"]
            default_type = "datawave.data.type.LcNoDiacriticsType"
            marking = "A&B"
            visibility_field = "VIS"
            multi_valued = ["DST"]
            index = ["SRC", "DST"]
            reverse_index = ["DST"]
            [types.links.fields]
            SRC = { marking = "A" }
            SECS = { types = ["NoOpType"] }
        "#,
        token_field: "-",
        keep: |_, _| true,
        rejected: 0,
    }
    .compare();
}

/// The fields of the case whose types there are; its index has lists past their limit. Three records depend on how DataWave's reader takes a
/// line: blanks before the id, a carriage return at the end, a quote inside a value.
#[test]
fn people_become_datawaves_cells() {
    Case {
        folder: "people",
        data_type: "people",
        header: "ID,SEEN,NAME,ALIAS,EMAILS,CITY,AGE,BALANCE,SCORE,BORN,LASTLOGIN,IP,MAC,HEXID,ACCT,LAT,LON,NOTES,BIO,TAGS,STATUS,VIS",
        section: PEOPLE,
        token_field: "-",
        keep: |field, line| {
            let fields = "ID SEEN NAME ALIAS EMAIL CITY AGE BALANCE SCORE BORN LASTLOGIN BIO STATUS VIS NICK LOAD_DATE ORIG_FILE";
            let readers = ["-m50i10.-4icm47", "-uw2dmb.-okeka5", "-4flcuv.-kw7f1c"];
            let other = readers.iter().any(|uid| line.iter().any(|part| part.contains(uid)));
            // The list of active people in this shard is past its limit with two of those records.
            let mixed = line[1] == "active" && line[3].starts_with("20240228_2");
            fields.split(' ').any(|known| known == field) && !other && !mixed
        },
        rejected: 8,
    }
    .compare();
}

#[test]
fn records_that_cannot_be_taken_say_why() {
    let section = CARS.replace("marking =", "visibility_field = \"MARKS\"\nmarking =");
    let layout = configured(&section).unwrap();
    let reject = |parts: &[(&str, &str)]| expand(layout.as_ref(), parts).err().unwrap();
    let date = ("SOLD", "2024-01-01T10:15:00Z");
    for (parts, code, message) in [
        (
            &[date, ("ID", " ")][..],
            "missing-id",
            "field \"ID\": the record has no id",
        ),
        (
            &[("ID", "1")][..],
            "missing-date",
            "field \"SOLD\": the record has no date",
        ),
        (
            &[("ID", "1"), ("SOLD", "soon")][..],
            "bad-date",
            "field \"SOLD\": no date in any of the formats: \"soon\"",
        ),
        (
            &[("ID", "1"), date, ("YEAR", "MCM")][..],
            "bad-value",
            "field \"YEAR\": not a number: \"MCM\"",
        ),
        (
            &[("ID", "1"), date, ("PRICE", "1e30")][..],
            "bad-value",
            "field \"PRICE\": number out of range (its magnitude must be from 1e-26 to below 1e26): \"1e30\"",
        ),
    ] {
        let found = reject(parts);
        assert_eq!((found.code, found.to_string().as_str()), (code, message));
    }
    let found = reject(&[("ID", "1"), date, ("MARKS", "A&&B")]);
    assert_eq!(
        (found.code, found.field.as_deref()),
        ("bad-visibility", Some("MARKS"))
    );
    assert!(found.message.contains("A&&B"), "{found}");
}

/// What an event leaves in the shard table and the indexes, as short lines.
fn lines(layout: &dyn Layout, parts: &[(&str, &str)]) -> Vec<String> {
    let cells = expand(layout, parts).unwrap();
    let all = cells.cells.keys().filter(|key| key.0 <= REVERSE_INDEX).map(
        |(table, row, family, qualifier, visibility, _)| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace('\0', "~");
            let (row, family, qualifier) = (text(row), text(family), text(qualifier));
            let visibility = text(visibility);
            match (table, family.strip_prefix("fi~")) {
                (0, None) => format!("e {qualifier} [{visibility}]"),
                (0, Some(field)) => format!(
                    "fi {field} {} [{visibility}]",
                    qualifier.split('~').next().unwrap()
                ),
                (1, _) => format!("i {row} {family} [{visibility}]"),
                (_, _) => format!("r {row} {family} [{visibility}]"),
            }
        },
    );
    all.filter(|line| !line.starts_with("e ID") && !line.starts_with("e SOLD"))
        .collect()
}

const EVENT: [(&str, &str); 2] = [("ID", "1"), ("SOLD", "2024-01-01T10:15:00Z")];

#[test]
fn policies_lists_markings_and_names() {
    let section = r#"
        [types.cars]
        id_field = "id"
        date_field = "sold"
        date_formats = ["yyyy"]
        visibility_field = "marks"
        marking = "B&A"
        index = ["N*", "S", "FAILED_NORMALIZATION_FIELD"]
        reverse_index_except = ["N*", "ID", "SOLD", "MARKS", "LOAD_DATE", "FAILED_*", "GONE"]
        index_only = ["S"]
        drop = ["GONE"]
        aliases = { "old name" = "S" }
        load_date = false
        orig_file = false
        [types.cars.fields]
        NLEAVE = { types = ["number"], failure_policy = "leave", marking = "C" }
        NDROP = { types = ["number"], failure_policy = "drop" }
        N2 = { types = ["number", "NoOpType"] }
    "#;
    let layout = configured(section).unwrap();
    let found = |more: &[(&str, &str)]| {
        let mut parts = EVENT.to_vec();
        parts.extend_from_slice(more);
        lines(layout.as_ref(), &parts)
    };
    assert_eq!(
        found(&[("NLEAVE", "x"), ("marks", "(R)")]),
        [
            "e FAILED_NORMALIZATION_FIELD~NLEAVE [R]",
            "e MARKS~(R) [A&B]",
            "e NLEAVE~x [C]",
            "fi FAILED_NORMALIZATION_FIELD NLEAVE [R]",
            "fi NLEAVE x [C]",
            "i NLEAVE FAILED_NORMALIZATION_FIELD [R]",
            "i x NLEAVE [C]"
        ]
    );
    assert_eq!(
        found(&[("NDROP", "x")]),
        [
            "e FAILED_NORMALIZATION_FIELD~NDROP [A&B]",
            "e NDROP~x [A&B]",
            "fi FAILED_NORMALIZATION_FIELD NDROP [A&B]",
            "i NDROP FAILED_NORMALIZATION_FIELD [A&B]"
        ]
    );
    assert_eq!(
        found(&[("N2", "10")]),
        [
            "e N2~10 [A&B]",
            "fi N2 +bE1 [A&B]",
            "fi N2 10 [A&B]",
            "i +bE1 N2 [A&B]",
            "i 10 N2 [A&B]"
        ]
    );
    // Index-only has no event column; the new name counts everywhere; a dropped field leaves nothing.
    assert_eq!(
        found(&[("Old-Name", "añ"), ("gone", "1"), ("empty", "")]),
        ["fi S añ [A&B]", "i añ S [A&B]", "r ña S [A&B]"]
    );
    // A group is part of the name in the event alone, and the same value counts once.
    assert_eq!(
        found(&[("n.a.0", "v"), ("n.b.1", "v"), ("n.b.1", "v")]),
        [
            "e N.A.0~v [A&B]",
            "e N.B.1~v [A&B]",
            "fi N v [A&B]",
            "i v N [A&B]"
        ]
    );
}

#[test]
fn an_event_counts_once_under_a_term() {
    let layout = configured(CARS).unwrap();
    let mut parts = EVENT.to_vec();
    parts.extend([("MAKE", "Ford"), ("MAKE", "FORD"), ("MAKE", "Ford")]);
    let cells = expand(layout.as_ref(), &parts).unwrap();
    let terms: Vec<_> = cells.cells.iter().filter(|(key, _)| key.0 == 1).collect();
    assert_eq!(terms.len(), 1);
    assert_eq!(terms[0].1.len(), 1, "one value for the index key");
    let events = cells
        .cells
        .keys()
        .filter(|key| key.3.starts_with(b"MAKE\0"));
    assert_eq!(events.count(), 2);
}

#[test]
fn an_input_is_of_a_type() {
    let reject = |section: &str| {
        let layout = configured(section).unwrap();
        expand(layout.as_ref(), &EVENT)
            .err()
            .map(|reject| reject.code)
    };
    assert_eq!(reject(CARS), None);
    let other = CARS.replace("types.cars", "types.boats");
    assert_eq!(reject(&other), Some("unknown-type"));
}

#[test]
fn faults_of_the_section_name_their_keys() {
    let fault = |from: &str, to: &str| configured(&CARS.replace(from, to)).err().unwrap();
    assert_eq!(
        fault("num_shards = 10", "num_shards = 0"),
        "num_shards: at least 1 is needed"
    );
    assert!(fault("marking =", "markings =").contains("markings"));
    assert!(
        fault("\"PUBLIC\"", "\"A|B&C\"")
            .starts_with("types.cars.marking: no visibility expression")
    );
    assert!(fault("[\"NumberType\"]", "[\"NumType\"]").starts_with(
        "types.cars.fields.PRICE.types.0: unknown type \"NumType\"; known are no_op,"
    ));
    assert!(
        fault("yyyy-MM", "yyyy-ww")
            .starts_with("types.cars.date_formats.0: pattern letter 'w' is not supported")
    );
    assert_eq!(
        fault("\nindex = [", "\nindex_except = []\nindex = ["),
        "types.cars.index: not together with index_except"
    );
    assert_eq!(
        fault("date_field = \"SOLD\"", ""),
        "types.cars.date_formats: date_field and date_formats go together"
    );
    assert_eq!(
        fault("\"shardIndex\"", "\"shard\""),
        "tables: every table needs a name of its own"
    );
}

#[test]
fn the_sample_job_builds() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sample-data/cars/cars.toml");
    let job: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let section = job["datawave"].as_table().unwrap().to_string();
    let layout = configured(&section).unwrap();
    let names: Vec<&str> = (layout.tables().iter())
        .map(|table| table.name.as_str())
        .collect();
    let expected = [
        "shard",
        "shardIndex",
        "shardReverseIndex",
        "DatawaveMetadata",
    ];
    assert_eq!(names, expected);
}

#[test]
fn settings_that_nothing_follows_are_faults() {
    let section = format!(
        "delete = true\n{}",
        CARS.replace("marking =", "required = [\"MAKE\"]\nmarking =")
    );
    assert_eq!(
        configured(&section).err().unwrap(),
        "delete: not supported\ntypes.cars.required: not supported"
    );
}

#[test]
fn dates_and_tables_that_are_not_wanted() {
    let section = CARS
        .replace("index = \"shardIndex\"", "index = \"\", metadata = \"\"")
        .replace("marking =", "discard_older = 1000\nmarking =");
    let layout = configured(&section).unwrap();
    let names: Vec<&str> = (layout.tables().iter())
        .map(|table| table.name.as_str())
        .collect();
    assert_eq!(names, ["shard", "shardReverseIndex"]);
    // `now` is in 2023.
    assert_eq!(expand(layout.as_ref(), &EVENT).unwrap().cells.len(), 4);
    let old = [("ID", "1"), ("SOLD", "2023-01-01T10:15:00Z")];
    assert!(expand(layout.as_ref(), &old).unwrap().cells.is_empty());
}
