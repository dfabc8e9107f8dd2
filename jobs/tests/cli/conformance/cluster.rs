//! One Accumulo instance takes published runs and files of every codec, and shows the cells that it should.

use super::cells::{Lines, distinct, groups};
use super::files::{lines_of, write_ours};
use super::jobs::{self, base64_rows, cells_of};
use super::peer;
use super::view::{self, Rule, assert_shows};
use crate::support;
use shardmill_pipeline::load::plan::{Destination, LoadPlan, RangeType};
use shardmill_pipeline::load::settings::encode_families;
use shardmill_pipeline::rfile::{Codec, Container};
use shardmill_schemas::encode::long_values::LongEncoding;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// The commands for the cluster, and where its scans go.
struct Script {
    work: PathBuf,
    text: String,
}

impl Script {
    fn line(&mut self, command: impl AsRef<str>) {
        writeln!(self.text, "{}", command.as_ref()).unwrap();
    }

    /// Scans tables; each stage has files of its own.
    fn scan(&mut self, stage: &str, tables: &[&str]) {
        for table in tables {
            let to = self.scanned(stage, table);
            self.line(format!("scan {table} {}", to.display()));
        }
    }

    fn scanned(&self, stage: &str, table: &str) -> PathBuf {
        self.work.join(format!("{stage}-{table}.tsv"))
    }

    /// What a stage's scan of a table shows is what its runs hold, seen through its iterators.
    fn assert_scan(&self, stage: &str, table: &str, runs: &[&Path], rule: fn(&str, &[u8]) -> Rule) {
        let lines = lines_of(&self.scanned(stage, table));
        let cells = cells_of(runs, table).into_iter();
        assert_shows(lines, table, cells, |family| rule(table, family));
    }
}

/// Runs of all layouts.
struct Runs {
    orders: [PathBuf; 2],
    amounts: [i64; 2],
    hosts: PathBuf,
    cars: PathBuf,
    samples: [PathBuf; 2],
}

impl Runs {
    fn make(folder: &Path) -> Runs {
        let (first, amount) = jobs::orders(folder, 1);
        let (second, other) = jobs::orders(folder, 2);
        Runs {
            orders: [first, second],
            amounts: [amount, amount + other],
            hosts: jobs::hosts(folder),
            cars: jobs::cars(folder),
            samples: ["cars", "hosts"].map(|name| jobs::sample(folder, name)),
        }
    }
}

#[test]
fn an_instance_takes_our_runs_and_shows_their_cells() {
    if !peer::available() {
        return;
    }
    let folder = support::folder();
    let runs = Runs::make(folder.path());
    write_generated(folder.path());
    let mut script = Script {
        work: folder.path().to_path_buf(),
        text: String::new(),
    };
    let visible = [
        &runs.orders[0],
        &runs.cars,
        &runs.samples[0],
        &folder.path().join("generated"),
    ];
    for run in visible {
        script.line(format!("auths {}", run.display()));
    }
    load_orders(&mut script, &runs);
    load_hosts(&mut script, &runs.hosts);
    script.line(format!("shell {}", runs.cars.display()));
    script.scan("shell", &jobs::CARS_TABLES);
    load_samples(&mut script, &runs.samples);
    import_generated(&mut script);

    let log = peer::cluster(folder.path(), &script.text);
    eprintln!("{log}");
    check_log(&log, &runs);
    check_runs(&script, &runs);
    check_generated(&script);
}

/// A load, the same once more, a second run into the same tables, and a compaction of both.
fn load_orders(script: &mut Script, runs: &Runs) {
    let [first, second] = &runs.orders;
    script.line(format!("jshell {}", first.display()));
    script.scan("first", &jobs::ORDERS_TABLES);
    script.line(format!("jshell {}", first.display()));
    script.line(format!("jshell {}", second.display()));
    script.scan("both", &jobs::ORDERS_TABLES);
    for table in jobs::ORDERS_TABLES {
        script.line(format!("compact {table}"));
    }
    script.scan("compacted", &jobs::ORDERS_TABLES);
}

/// Into live tables that have the splits the run was cut at, and into one whose tablets were merged and cut elsewhere since.
fn load_hosts(script: &mut Script, run: &Path) {
    for (table, splits) in jobs::hosts_splits() {
        script.line(format!("createtable {table}"));
        script.line(format!(
            "addsplits {table} {}",
            base64_rows(&splits).join(" ")
        ));
    }
    script.line(format!("jshell {}", run.display()));
    script.scan("live", &jobs::HOSTS_TABLES);
    script.line("droptable hosts");
    script.line("createtable hosts");
    let [(_, splits), _] = jobs::hosts_splits();
    script.line(format!(
        "addsplits hosts {}",
        base64_rows(&splits).join(" ")
    ));
    script.line("merge hosts");
    let others = base64_rows(&["host-33", "host-66"]).join(" ");
    script.line(format!("addsplits hosts {others}"));
    script.line("env SHARDMILL_ADD_SPLITS=0");
    script.line(format!("accumulo-jshell {}", run.display()));
    script.line("env SHARDMILL_ADD_SPLITS");
    script.scan("merged", &["hosts"]);
}

/// The samples as the README has them; one of their tables has the name of one that was loaded before.
fn load_samples(script: &mut Script, runs: &[PathBuf]) {
    script.line("droptable hosts");
    for run in runs {
        script.line(format!("jshell {}", run.display()));
        for table in jobs::tables_of(run) {
            script.scan("sample", &[&table]);
        }
    }
}

/// The command `scan` has no instance to ask and is held to the same cells as one.
#[test]
fn our_scan_of_a_run_shows_what_an_instance_shows() {
    let folder = support::folder();
    let runs = Runs::make(folder.path());
    let [first, second] = &runs.orders;
    let plain = [&runs.hosts, &runs.cars, &runs.samples[0], &runs.samples[1]];
    let plain = plain.map(|run| (run, view::plain_rule as fn(&str, &[u8]) -> Rule));
    let orders = [first, second].map(|run| (run, jobs::orders_rule as fn(&str, &[u8]) -> Rule));
    for (run, rule) in plain.into_iter().chain(orders) {
        for table in jobs::tables_of(run) {
            let mut command = support::shardmill();
            command.arg("scan").arg(run);
            let (shown, messages, code) =
                support::run(command.args(["--table", &table, "--format", "tsv"]));
            assert_eq!(code, 0, "{messages}");
            let lines = Lines::new(format!("scan of {table}"), shown.as_bytes());
            let cells = cells_of(&[run], &table).into_iter();
            assert_shows(lines, &table, cells, |family| rule(&table, family));
        }
    }
}

/// What the loader said it did.
fn check_log(log: &str, runs: &Runs) {
    let [first, second] = &runs.orders;
    let loaded = [first, second, &runs.hosts];
    for run in loaded.into_iter().chain(&runs.samples) {
        for table in jobs::tables_of(run) {
            let files = jobs::files_of(run, &table).len();
            let count = fs::read_to_string(run.join(format!("load/{table}.count"))).unwrap();
            let entries = count.trim();
            let told = format!("loaded {table}: {files} files, {entries} entries, plan TABLE");
            assert!(log.contains(&told), "no {told:?} in\n{log}");
        }
    }
    for table in jobs::ORDERS_TABLES {
        let told = format!("skipped {table}: this run was loaded before");
        assert_eq!(log.matches(&told).count(), 1, "{told}\n{log}");
    }
    for table in &jobs::HOSTS_TABLES[1..] {
        assert!(log.contains(&format!("skipped {table}: ")), "{log}");
    }
    assert_eq!(log.matches("plan FILE").count(), 1, "{log}");
    assert!(!log.contains("DIFFERS"), "{log}");
}

fn check_runs(script: &Script, runs: &Runs) {
    let [first, second] = &runs.orders;
    for table in jobs::ORDERS_TABLES {
        script.assert_scan("first", table, &[first], jobs::orders_rule);
        for stage in ["both", "compacted"] {
            script.assert_scan(stage, table, &[first, second], jobs::orders_rule);
        }
    }
    for table in jobs::HOSTS_TABLES {
        script.assert_scan("live", table, &[&runs.hosts], view::plain_rule);
    }
    script.assert_scan("merged", "hosts", &[&runs.hosts], view::plain_rule);
    for table in jobs::CARS_TABLES {
        script.assert_scan("shell", table, &[&runs.cars], view::plain_rule);
    }
    for run in &runs.samples {
        for table in jobs::tables_of(run) {
            script.assert_scan("sample", &table, &[run], view::plain_rule);
        }
    }
    for (stage, amount) in ["first", "both"].into_iter().zip(runs.amounts) {
        assert_eq!(total(&script.scanned(stage, "mill.totals")), amount);
    }
}

/// The sum of the sums that a scan shows: the amounts of the input, whatever happened to them on the way.
fn total(scan: &Path) -> i64 {
    let text = fs::read_to_string(scan).unwrap();
    let sums = text.lines().filter_map(|line| {
        let column: Vec<&str> = line.split('\t').collect();
        let value = shardmill_pipeline::escape::unescape(column[7]).unwrap();
        (column[2] == "total").then(|| LongEncoding::VarLen.decode(&value).unwrap())
    });
    sums.sum()
}

/// The generated cells in a file of each codec, laid out like the tables of a run.
fn write_generated(folder: &Path) {
    for codec in Codec::ALL {
        let table = folder.join("generated/tables").join(codec.name());
        fs::create_dir_all(&table).unwrap();
        write_ours(
            &table.join("cells.rf"),
            codec,
            Container::BcFile3,
            distinct(),
        );
    }
    let last = distinct().last().unwrap().0.as_key().row.to_vec();
    let plan = LoadPlan {
        destinations: vec![Destination {
            file_name: "cells.rf".into(),
            // The first row is empty, which is not the same as no row.
            start_row: Some(Vec::new()),
            end_row: Some(last),
            range_type: RangeType::File,
        }],
    };
    fs::write(folder.join("generated.plan.json"), plan.to_json()).unwrap();
}

/// A table for each codec, cut inside the file; the first two show one and two versions and are imported without a plan.
fn import_generated(script: &mut Script) {
    let folder = script.work.display().to_string();
    let splits = base64_rows(&[&b"\x20"[..], b"\x7f\xff", b"\xc0\0\0\0"]).join(" ");
    for (number, codec) in Codec::ALL.into_iter().enumerate() {
        let table = codec.name();
        script.line(format!("createtable {table}"));
        let mut plan = format!("{folder}/generated.plan.json");
        if number < 2 {
            plan.clear();
            let key = "table.iterator.scan.vers";
            let class = "org.apache.accumulo.core.iterators.user.VersioningIterator";
            script.line(format!("config {table} {key}=20,{class}"));
            script.line(format!(
                "config {table} {key}.opt.maxVersions={}",
                number + 1
            ));
        }
        for group in groups() {
            let families = encode_families(&group.families);
            script.line(format!(
                "config {table} table.group.{}={families}",
                group.name
            ));
        }
        script.line(format!(
            "config {table} table.groups.enabled=attributes,terms"
        ));
        script.line(format!("addsplits {table} {splits}"));
        script.line(format!(
            "import {table} {folder}/generated/tables/{table} {plan}"
        ));
        script.scan("generated", &[table]);
    }
    // Written again by Accumulo: nothing is lost or changed but what deletes hide.
    script.line("compact zstd");
    script.scan("rewritten", &["zstd"]);
}

fn check_generated(script: &Script) {
    for (number, codec) in Codec::ALL.into_iter().enumerate() {
        let limit = if number < 2 { number + 1 } else { usize::MAX };
        let lines = lines_of(&script.scanned("generated", codec.name()));
        assert_shows(lines, codec.name(), distinct(), |_| Rule::Versions(limit));
    }
    let lines = lines_of(&script.scanned("rewritten", "zstd"));
    assert_shows(lines, "zstd", distinct(), |_| Rule::Versions(usize::MAX));
}
