//! Our load plans say what Accumulo computes from the same files and splits.

use super::jobs::{self, files_of};
use super::peer;
use crate::support;
use shardmill_pipeline::load::LoadPlan;
use shardmill_pipeline::load::plan::{Destination, RangeType};
use std::fs;
use std::path::Path;

/// Accumulo's plans of a table's files, one for each, in the order of their names.
fn theirs(run: &Path, table: &str, splits: bool) -> Vec<LoadPlan> {
    let mut args = vec!["plan".to_owned()];
    args.extend(
        files_of(run, table)
            .iter()
            .map(|file| file.display().to_string()),
    );
    if splits {
        let list = run.join(format!("load/{table}.splits"));
        args.extend(["--splits".into(), list.display().to_string()]);
    }
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

/// How many files of a run go to more than one tablet.
fn assert_plans(run: &Path, tables: &[&str]) -> usize {
    let mut wide = 0;
    for table in tables {
        let plans = theirs(run, table, true);
        wide += plans
            .iter()
            .filter(|plan| plan.destinations.len() > 1)
            .count();
        let mut hulls: Vec<Destination> = plans.iter().map(hull).collect();
        let mut table_plan = ours(run, table, "plan").destinations;
        let by_name = |a: &Destination, b: &Destination| a.file_name.cmp(&b.file_name);
        table_plan.sort_by(by_name);
        hulls.sort_by(by_name);
        assert_eq!(table_plan, hulls, "{table}");
        assert!(hulls.iter().all(|one| one.range_type == RangeType::Table));

        let mut file_plan = ours(run, table, "file-plan").destinations;
        file_plan.sort_by(by_name);
        let plans = theirs(run, table, false);
        let ranges: Vec<Destination> = plans
            .into_iter()
            .flat_map(|plan| plan.destinations)
            .collect();
        assert_eq!(file_plan, ranges, "{table}");
    }
    wide
}

#[test]
fn our_load_plans_are_those_that_accumulo_computes() {
    if !peer::available() {
        return;
    }
    let folder = support::folder();
    let (orders, _) = jobs::orders(folder.path(), 1);
    assert_plans(&orders, &jobs::ORDERS_TABLES);
    let hosts = jobs::hosts(folder.path());
    let wide = assert_plans(&hosts, &["hosts", "hosts_visits"]);
    assert!(wide > 0, "no file spans tablets");
    assert_plans(&jobs::cars(folder.path()), &jobs::CARS_TABLES[..1]);
}
