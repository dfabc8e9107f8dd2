//! Jobs of the three layouts, small and with everything that a loader meets: splits, several files, combiners, groups, namespaces.

use super::cells::{Dice, Owned};
use super::view::Rule;
use crate::support;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use shardmill_pipeline::verify::rfile::verify_file;
use shardmill_schemas::encode::lexicoder::Scalar;
use shardmill_schemas::encode::long_values::LongEncoding;
use shardmill_schemas::visibility;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Makes a run of the job `NAME.toml` in `folder`.
fn ingest(folder: &Path, name: &str, args: &[&str]) -> PathBuf {
    run_job(folder, &format!("{name}.toml"), folder.join(name), args)
}

/// Makes a run of one of the samples, for an Accumulo without DataWave.
pub(super) fn sample(folder: &Path, name: &str) -> PathBuf {
    let job = format!("sample-data/{name}/{name}.toml");
    let out = folder.join(format!("sample-{name}"));
    run_job(&support::workspace(), &job, out, &["--iterators", "plain"])
}

/// Runs a job with `folder` as the current folder and checks the result with our own verification.
fn run_job(folder: &Path, job: &str, out: PathBuf, args: &[&str]) -> PathBuf {
    let mut command = support::shardmill();
    command.current_dir(folder).args(["ingest", job, "--out"]);
    let (_, messages, code) = support::run(command.arg(&out).args(args));
    assert_eq!(code, 0, "{messages}");
    shardmill_pipeline::verify::run::verify_run(&out, &parses).unwrap();
    out
}

fn parses(expression: &[u8]) -> bool {
    visibility::validate(expression).is_ok()
}

/// The tables of a run.
pub(super) fn tables_of(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run.join("tables")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

/// The files of a table in a run, in the order of their names.
pub(super) fn files_of(run: &Path, table: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(run.join("tables").join(table)).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// All cells of a table in some runs, in the order of keys.
pub(super) fn cells_of(runs: &[&Path], table: &str) -> Vec<Owned> {
    let mut cells = Vec::new();
    for file in runs.iter().flat_map(|run| files_of(run, table)) {
        let mut take = |key: &shardmill_schemas::key::Key<'_>, value: &[u8]| {
            cells.push((key.to_buf(), value.to_vec()));
        };
        verify_file(file, &parses, &mut take).unwrap();
    }
    cells.sort_by(|a, b| a.0.as_key().cmp(&b.0.as_key()));
    cells
}

/// Rows as the cluster's commands take them.
pub(super) fn base64_rows<R: AsRef<[u8]>>(rows: &[R]) -> Vec<String> {
    rows.iter().map(|row| STANDARD.encode(row)).collect()
}

/// The tables of the orders.
pub(super) const ORDERS_TABLES: [&str; 3] = ["mill.totals", "history", "log"];

/// What the tables' iterators do with the versions of a cell of this family.
pub(super) fn orders_rule(table: &str, family: &[u8]) -> Rule {
    match (table, family) {
        ("mill.totals", b"total") => Rule::Fold(LongEncoding::VarLen, i64::wrapping_add),
        ("mill.totals", b"odd, %=") => Rule::Fold(LongEncoding::Text, i64::wrapping_add),
        ("mill.totals", b"least") => Rule::Fold(LongEncoding::FixedLen, i64::min),
        ("mill.totals", _) => Rule::Versions(1),
        ("history", _) => Rule::Versions(2),
        _ => Rule::Versions(usize::MAX),
    }
}

const ORDERS: &str = r#"
layout = "cells"
now = 1709300000000
[output]
tablet_size = "24KiB"
min_file = 1
max_file = "8KiB"
max_tablets_per_file = 3
[[input]]
files = ["NAME-*.csv"]

[cells]
required = ["customer", "ts"]

[[cells.tables]]
name = "mill.totals"
combine = { total = "sum(VARLEN)", "odd, %=" = "sum", least = "min(FIXEDLEN)", seen = "latest" }
locality_groups = { numbers = ["total", "odd, %="], rest = ["seen"] }
[[cells.tables.cells]]
row = "customer"
family = "'total'"
qualifier = "product"
visibility = "marking"
timestamp = "ts"
value = "amount"
[[cells.tables.cells]]
row = "customer"
family = "'odd, %='"
timestamp = "ts"
value = "'1'"
[[cells.tables.cells]]
row = "customer"
family = "'least'"
qualifier = "product"
timestamp = "ts"
value = "amount"
[[cells.tables.cells]]
row = "customer"
family = "'seen'"
timestamp = "ts"
value = "note"

[[cells.tables]]
name = "history"
versions = 2
[[cells.tables.cells]]
row = "product | '\\0' | customer"
family = "field"
for_each = ["amount", "note"]
value = "value"
visibility = "marking"
timestamp = "ts"

[[cells.tables]]
name = "log"
versions = 0
[[cells.tables.cells]]
row = "reverse(long(amount))"
family = "'order'"
qualifier = "order"
timestamp = "ts"
value = "note"
"#;

/// A run of orders as tables of the user's own, and the sum of all their amounts. Runs of different numbers have no key in common.
pub(super) fn orders(folder: &Path, number: usize) -> (PathBuf, i64) {
    let name = format!("orders{number}");
    let mut dice = Dice(number as u64);
    let mut sum = 0;
    for part in 0..2 {
        let mut csv = String::from("order,customer,product,amount,ts,marking,note\n");
        for record in 0..1200 {
            let amount = dice.below(40_000) as i64 - 15_000;
            let order = (number * 2 + part) * 1200 + record;
            let customer = dice.pick(&["ann", "bob", "c\u{e9}line", "d\\d", "zo\u{eb}"]);
            sum += amount;
            writeln!(
                csv,
                "o-{order},{customer}-{},\"{}\",{amount},{},{},\"note {order}\n, \"\"{}\"\"\"",
                dice.below(40),
                dice.pick(&["apples", "b,ricks", "clocks"]),
                1_709_200_000_000_usize + order * 1000,
                dice.pick(&["", "A", "A&B", "(A|B)&C"]),
                dice.below(1000),
            )
            .unwrap();
        }
        fs::write(folder.join(format!("{name}-{part}.csv")), csv).unwrap();
    }
    let job = ORDERS.replace("NAME", &name);
    fs::write(folder.join(format!("{name}.toml")), job).unwrap();
    (ingest(folder, &name, &[]), sum)
}

/// The tables of the hosts: entities and their indexes.
pub(super) const HOSTS_TABLES: [&str; 4] = ["hosts", "hosts_token", "hosts_visits", "hosts_pair"];

const HOSTS: &str = r#"
layout = "manual"
now = 1709300000000
[output]
codec = "snappy"
block_size = "2KiB"
index_block_size = 600
max_tablets_per_file = 4
min_file = "6KiB"
[[input]]
files = ["hosts.csv"]
null = ""

[manual]
design = "typed-secondary-index"
table = "hosts"
id = "host"
types = { visits = "long" }
[[manual.indexes]]
table = "hosts_token"
row = "token"
fields = ["title"]
[[manual.indexes]]
table = "hosts_visits"
row = "lexicoder"
type = "reverse(long)"
fields = ["visits"]
[[manual.indexes]]
table = "hosts_pair"
row = "pair(field,value)"
fields = ["owner", "visits"]
"#;

/// The splits of the live tables `hosts` and `hosts_visits`: text, and bytes that are none.
pub(super) fn hosts_splits() -> [(&'static str, Vec<Vec<u8>>); 2] {
    let hosts = (1..=9).map(|n| format!("host-{n}").into_bytes()).collect();
    let mut visits: Vec<Vec<u8>> = [9_000, 5_000, 500, 0, -4_000]
        .iter()
        .map(|number: &i64| {
            let mut row = Vec::new();
            let text = number.to_string();
            Scalar::Long.encode(text.as_bytes(), &mut row).unwrap();
            // Reversed, and without the end: a split need not be a row.
            row.iter().map(|byte| !byte).collect()
        })
        .collect();
    visits.sort();
    [("hosts", hosts), ("hosts_visits", visits)]
}

/// A run of hosts by one of the manual's designs, cut at the splits of live tables.
pub(super) fn hosts(folder: &Path) -> PathBuf {
    let mut dice = Dice(3);
    let mut csv = String::from("host,seen,visits,owner,title\n");
    for number in 0..1500 {
        let word = |dice: &mut Dice| dice.pick(&["saffron", "tea", "zephyr", "Code", "na\u{ef}ve"]);
        writeln!(
            csv,
            "host-{number}.example.com,2024-03-{:02}T09:00:00Z,{},{},{} {}",
            1 + number % 28,
            dice.below(20_000) as i64 - 8_000,
            dice.pick(&["", "ann", "bob"]),
            word(&mut dice),
            word(&mut dice),
        )
        .unwrap();
    }
    fs::write(folder.join("hosts.csv"), csv).unwrap();
    fs::write(folder.join("hosts.toml"), HOSTS).unwrap();
    let [(_, hosts), (_, visits)] = hosts_splits();
    let text: Vec<String> = hosts
        .iter()
        .map(|row| String::from_utf8(row.clone()).unwrap())
        .collect();
    fs::write(folder.join("hosts.splits"), text.join("\n")).unwrap();
    fs::write(
        folder.join("visits.splits"),
        base64_rows(&visits).join("\n"),
    )
    .unwrap();
    let splits = [
        "--splits",
        "hosts=text:hosts.splits",
        "--splits",
        "hosts_visits=b64:visits.splits",
    ];
    ingest(folder, "hosts", &splits)
}

/// The tables of the cars.
pub(super) const CARS_TABLES: [&str; 3] = [
    "datawave.shard",
    "datawave.shardIndex",
    "datawave.shardReverseIndex",
];

const CARS: &str = r#"
layout = "datawave"
now = "2024-03-04T02:00:00Z"
[output]
iterators = "plain"
tablet_size = "32KiB"
min_file = "16KiB"
block_size = "4KiB"
[[input]]
files = ["cars.csv"]
type = "cars"

[datawave]
num_shards = 4
tables = { metadata = "" }

[datawave.types.cars]
id_field = "ID"
date_field = "SOLD"
date_formats = ["yyyy-MM-dd'T'HH:mm:ss'Z'"]
marking = "PUBLIC"
index = ["MAKE", "YEAR", "PRICE"]
reverse_index = ["MAKE"]
default_type = "LcNoDiacriticsType"

[datawave.types.cars.fields]
YEAR = { types = ["NumberType"] }
PRICE = { types = ["NumberType"], marking = "PUBLIC&FINANCE" }
"#;

/// A run of cars as DataWave's tables, with iterators that any Accumulo has.
pub(super) fn cars(folder: &Path) -> PathBuf {
    let mut dice = Dice(5);
    let mut csv = String::from("ID,SOLD,MAKE,YEAR,PRICE,COLOR\n");
    for number in 0..700 {
        writeln!(
            csv,
            "sale-{number:04},2024-03-0{}T10:{:02}:00Z,{},{},{},{}",
            1 + dice.below(3),
            dice.below(60),
            dice.pick(&["Ford", "Citro\u{eb}n", "\u{160}koda", "Fiat"]),
            1980 + dice.below(40),
            dice.below(30_000),
            dice.pick(&["Red", "Blue"]),
        )
        .unwrap();
    }
    fs::write(folder.join("cars.csv"), csv).unwrap();
    fs::write(folder.join("cars.toml"), CARS).unwrap();
    // All tables in one file, as DataWave keeps them; the day before and the day after have no cells.
    let splits = (0..=4).flat_map(|day| (0..4).map(move |shard| format!("2024030{day}_{shard}")));
    let lines = splits.map(|row| format!("datawave.shard\t{}\n", STANDARD.encode(row)));
    fs::write(folder.join("all-splits.txt"), lines.collect::<String>()).unwrap();
    let splits = ["--splits", "datawave.shard=all-splits.txt"];
    ingest(folder, "cars", &splits)
}
