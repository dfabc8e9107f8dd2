//! Golden cases through the whole engine: CSV in, RFiles out, cells read back and compared one by one.

use super::support::{folder, golden, run, shardmill};
use flate2::read::GzDecoder;
use serde_json::Value;
use shardmill_pipeline::escape::unescape;
use shardmill_pipeline::verify::rfile::verify_file;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// Table, row, family, qualifier, visibility, timestamp, deleted.
type Key = (String, Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>, i64, bool);
type Cells = BTreeMap<Key, Vec<Vec<u8>>>;

/// All cells of a published run, read by the verifier's own decoder.
fn published(run: &Path) -> Cells {
    let mut cells = Cells::new();
    for table in fs::read_dir(run.join("tables")).unwrap() {
        let table = table.unwrap();
        let name = table.file_name().into_string().unwrap();
        for file in fs::read_dir(table.path()).unwrap() {
            let path = file.unwrap().path();
            verify_file(&path, &|_| true, &mut |key, value| {
                let columns =
                    [key.row, key.family, key.qualifier, key.visibility].map(<[u8]>::to_vec);
                let [row, family, qualifier, visibility] = columns;
                let key = (
                    name.clone(),
                    row,
                    family,
                    qualifier,
                    visibility,
                    key.timestamp,
                    key.deleted,
                );
                cells.entry(key).or_default().push(value.to_vec());
            })
            .unwrap();
        }
    }
    cells.values_mut().for_each(|values| values.sort());
    cells
}

/// The cells of a golden file.
fn expected(path: &Path) -> Cells {
    let mut text = String::new();
    GzDecoder::new(File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    let mut cells = Cells::new();
    for line in text.lines().filter(|line| !line.starts_with("table\t")) {
        let fields: Vec<&str> = line.split('\t').collect();
        let bytes = |index: usize| unescape(fields[index]).unwrap();
        let key = (
            fields[0].to_owned(),
            bytes(1),
            bytes(2),
            bytes(3),
            bytes(4),
            fields[5].parse().unwrap(),
            fields[6] == "1",
        );
        cells.entry(key).or_default().push(bytes(7));
    }
    cells.values_mut().for_each(|values| values.sort());
    cells
}

/// A UID list with its UIDs sorted: their order in the bytes is a hash order in DataWave.
fn sorted_uids(value: &[u8]) -> Vec<Vec<u8>> {
    // Fields with tag 0x1a hold a UID of one-byte length; what stands before them is IGNORE and COUNT.
    let start = value
        .iter()
        .position(|&byte| byte == 0x1a)
        .unwrap_or(value.len());
    let (head, mut rest) = value.split_at(start);
    let mut parts = Vec::new();
    while let [0x1a, length, tail @ ..] = rest {
        let (uid, after) = tail.split_at(usize::from(*length));
        parts.push(uid.to_vec());
        rest = after;
    }
    assert!(rest.is_empty(), "not a list of short UIDs: {value:?}");
    parts.sort();
    parts.insert(0, head.to_vec());
    parts
}

fn compare(ours: &Cells, golden: &Cells) {
    for key in golden.keys().chain(ours.keys()) {
        let (have, want) = (ours.get(key), golden.get(key));
        if key.0.ends_with("Index") {
            let sets = |cells: Option<&Vec<Vec<u8>>>| {
                cells.map(|values| {
                    values
                        .iter()
                        .map(|value| sorted_uids(value))
                        .collect::<Vec<_>>()
                })
            };
            assert_eq!(sets(have), sets(want), "{key:?}");
        } else {
            assert_eq!(have, want, "{key:?}");
        }
    }
}

#[test]
fn cars_equal_datawaves_own_cells() {
    let (Some(input), Some(golden)) = (
        golden("datawave/cars/input.csv"),
        golden("datawave/cars/expected.tsv.gz"),
    ) else {
        return;
    };
    let folder = folder();
    let job = folder.path().join("cars.toml");
    let section = r#"
        layout = "datawave"
        now = 1700000000000
        [[input]]
        files = ["INPUT"]
        type = "cars"
        header = ["ID", "SOLD", "MAKE", "MODEL", "YEAR", "COLOR", "DESCRIPTION", "REGION", "DEALER", "LISTED", "PRICE"]
        [datawave]
        num_shards = 10
        tables = { shard = "shard", index = "shardIndex", reverse_index = "shardReverseIndex", metadata = "" }
        [datawave.types.cars]
        id_field = "ID"
        date_field = "SOLD"
        date_formats = ["yyyy-MM-dd'T'HH:mm:ss'Z'"]
        marking = "PUBLIC"
        index = ["MAKE", "MODEL", "YEAR"]
        reverse_index = ["MODEL"]
        default_type = "datawave.data.type.LcNoDiacriticsType"
        [datawave.types.cars.fields]
        YEAR = { types = ["datawave.data.type.NumberType"] }
        PRICE = { types = ["datawave.data.type.NumberType"] }
        LISTED = { types = ["datawave.data.type.DateType"], failure_policy = "leave" }
    "#;
    fs::write(&job, section.replace("INPUT", &input.to_string_lossy())).unwrap();
    let out = folder.path().join("out");
    let (_, stderr, code) = run(shardmill().arg("ingest").arg(&job).arg("--out").arg(&out));
    assert_eq!(code, 0, "{stderr}");
    let mut golden = expected(&golden);
    // What this slice makes: no other tables, no term frequencies, no terms of the tokenised DESCRIPTION.
    golden.retain(|(table, _, family, qualifier, ..), _| {
        let tokens = family == b"tf"
            || qualifier.starts_with(b"TERM_COUNT\0")
            || family == b"DESCRIPTION"
            || family == b"fi\0DESCRIPTION";
        ["shard", "shardIndex", "shardReverseIndex"].contains(&table.as_str()) && !tokens
    });
    assert!(golden.len() > 200);
    compare(&published(&out), &golden);
    println!("cars: {} cells equal", golden.len());
}

/// One field of a `graph.jsonl` record as a CSV field: quoted, null as an unquoted token.
fn csv_field(value: &Value) -> String {
    match value.as_str() {
        Some(text) => format!("\"{}\"", text.replace('"', "\"\"")),
        None => "NULL".into(),
    }
}

/// The fields of a `graph.jsonl` record.
fn fields(record: &Value) -> &[Value] {
    record["fields"].as_array().unwrap()
}

/// The records that CSV can carry: it has no visibility of single fields. The others are in the layout's own tests.
fn without_visibilities(records: &[Value]) -> Vec<&Value> {
    let plain = |record: &&Value| {
        record.get("vis").is_none()
            && fields(record)
                .iter()
                .all(|field| field.get("vis").is_none())
    };
    records.iter().filter(plain).collect()
}

fn people_csv(records: &[&Value]) -> String {
    let mut names: Vec<&str> = records
        .iter()
        .flat_map(|record| fields(record))
        .filter_map(|field| field["name"].as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut csv = format!("id,ts,{}\n", names.join(","));
    for record in records {
        let value = |name: &&str| {
            let field = fields(record).iter().find(|field| field["name"] == **name);
            field.map_or("NULL".into(), |field| csv_field(&field["value"]))
        };
        let values: Vec<String> = names.iter().map(value).collect();
        csv.push_str(&format!(
            "{},{},{}\n",
            csv_field(&record["id"]),
            record["ts"],
            values.join(",")
        ));
    }
    csv
}

fn people_job(header: &Value, records: &[&Value]) -> String {
    let typed = |field: &Value| {
        Some((
            field["name"].as_str()?.to_owned(),
            field["type"].as_str()?.to_owned(),
        ))
    };
    let types: BTreeMap<String, String> = records
        .iter()
        .flat_map(|record| fields(record))
        .filter_map(typed)
        .collect();
    let types: Vec<String> = types
        .iter()
        .map(|(name, kind)| format!("{name} = \"{kind}\""))
        .collect();
    let mut job = format!(
        "layout = \"manual\"\nnow = 0\n[[input]]\nfiles = [\"people.csv\"]\nnull = \"NULL\"\n[manual]\ndesign = \"typed-secondary-index\"\n\
         table = {}\nid = \"id\"\ntimestamp = \"ts\"\nexcept = [\"ts\"]\ntypes = {{ {} }}\n",
        header["table"],
        types.join(", ")
    );
    for index in header["indexes"].as_array().unwrap() {
        job.push_str("[[manual.indexes]]\n");
        for (key, value) in index.as_object().unwrap() {
            job.push_str(&format!("{key} = {value}\n"));
        }
    }
    job
}

#[test]
fn the_manuals_index_tables_equal_accumulos_own_cells() {
    let case = "accumulo-manual/typed-secondary-index";
    let (Some(graph), Some(golden)) = (
        golden(&format!("{case}/graph.jsonl")),
        golden(&format!("{case}/expected.tsv.gz")),
    ) else {
        return;
    };
    let text = fs::read_to_string(graph).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (header, records) = lines.split_first().unwrap();
    let records = without_visibilities(records);
    let folder = folder();
    let (job, out) = (folder.path().join("people.toml"), folder.path().join("out"));
    fs::write(folder.path().join("people.csv"), people_csv(&records)).unwrap();
    fs::write(&job, people_job(header, &records)).unwrap();
    let (_, stderr, code) = run(shardmill().arg("ingest").arg(&job).arg("--out").arg(&out));
    assert_eq!(code, 0, "{stderr}");
    // The cells of a record that stays out carry its timestamp, and every record has one of its own.
    let taken: Vec<i64> = records
        .iter()
        .filter_map(|record| record["ts"].as_i64())
        .collect();
    let mut golden = expected(&golden);
    golden.retain(|key, _| taken.contains(&key.5));
    assert!(golden.len() > 300, "{}", golden.len());
    compare(&published(&out), &golden);
    println!("typed-secondary-index: {} cells equal", golden.len());
}
