//! Our load plans say what Accumulo computes from the same files and splits.

use super::jobs::{self, files_of};
use super::peer;
use crate::support;
use shardmill_pipeline::load::LoadPlan;
use shardmill_pipeline::load::plan::{Destination, RangeType};
use std::fs;
use std::path::Path;

/// The plans that Accumulo makes of the files of some tables, all in one process: those with TABLE ranges, then those with FILE ranges,
/// each in the order of `tables` and of the files' names.
fn theirs(tables: &[(&Path, &str)]) -> Vec<LoadPlan> {
    let mut args = vec!["plan".to_owned()];
    let files = |run: &Path, table: &str| {
        let files = files_of(run, table).into_iter();
        files.map(|file| file.display().to_string())
    };
    for (run, table) in tables {
        args.extend(files(run, table));
        let list = run.join(format!("load/{table}.splits"));
        args.extend(["--splits".into(), list.display().to_string()]);
    }
    args.extend(tables.iter().flat_map(|(run, table)| files(run, table)));
    let plans = peer::run(&args);
    plans
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn ours(run: &Path, table: &str, name: &str) -> LoadPlan {
    let text = fs::read_to_string(run.join(format!("load/{table}.{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// From the first of a file's tablets to its last: Accumulo names each tablet that has a cell, we name them all at once.
fn hull(plan: &LoadPlan) -> Destination {
    let rank = |row: &Option<Vec<u8>>| (row.is_none(), row.clone());
    // No start is before all rows, no end behind them.
    let starts = plan.destinations.iter().map(|one| one.start_row.clone());
    let ends = plan.destinations.iter().map(|one| one.end_row.clone());
    Destination {
        file_name: plan.destinations[0].file_name.clone(),
        start_row: starts.min().unwrap(),
        end_row: ends.max_by_key(rank).unwrap(),
        range_type: plan.destinations[0].range_type,
    }
}

/// Our plan, in the order of the files' names.
fn by_name(mut plan: LoadPlan) -> Vec<Destination> {
    plan.destinations
        .sort_by(|a, b| a.file_name.cmp(&b.file_name));
    plan.destinations
}

#[test]
fn our_load_plans_are_those_that_accumulo_computes() {
    if !peer::available() {
        return;
    }
    let folder = support::folder();
    let (orders, _) = jobs::orders(folder.path(), 1);
    let (hosts, cars) = (jobs::hosts(folder.path()), jobs::cars(folder.path()));
    let of = |run, tables: &[&'static str]| -> Vec<(&Path, &str)> {
        tables.iter().map(|table| (run, *table)).collect()
    };
    let tables = [
        of(&orders, &jobs::ORDERS_TABLES),
        of(&hosts, &jobs::HOSTS_TABLES),
        of(&cars, &jobs::CARS_TABLES),
    ]
    .concat();
    let mut plans = theirs(&tables).into_iter();
    let (mut files, mut wide) = (0, 0);
    for (run, table) in &tables {
        let ours = by_name(ours(run, table, "plan"));
        let theirs: Vec<LoadPlan> = plans.by_ref().take(ours.len()).collect();
        files += ours.len();
        wide += theirs
            .iter()
            .filter(|plan| plan.destinations.len() > 1)
            .count();
        let hulls: Vec<Destination> = theirs.iter().map(hull).collect();
        assert_eq!(ours, hulls, "{table}");
        assert!(ours.iter().all(|one| one.range_type == RangeType::Table));
    }
    assert!(wide > 0, "no file spans tablets");
    assert!(files > 2 * tables.len(), "{files} files in all");
    for (run, table) in &tables {
        let ours = by_name(ours(run, table, "file-plan"));
        let theirs = plans.by_ref().take(ours.len());
        let ranges: Vec<Destination> = theirs.flat_map(|plan| plan.destinations).collect();
        assert_eq!(ours, ranges, "{table}");
    }
    assert!(plans.next().is_none());
}
