//! DataWave's golden cases from their own configuration, table by table and cell by cell.

use crate::datawave_layout::{Collected, NOW, expand_file};
use crate::golden;
use shardmill_schemas::combine::{Folder, Input};
use shardmill_schemas::key::{Key, KeyBuf};
use shardmill_schemas::layout::{self, JobFacts, Layout};
use shardmill_schemas::layouts::datawave::config::model::{Policy, Resolved};
use shardmill_schemas::layouts::datawave::config::problem::{NamedBytes, Wanted};
use shardmill_schemas::layouts::datawave::config::resolve::{Options, resolve};
use shardmill_schemas::layouts::datawave::uid_list::UidList;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// The one tokenised field that has several values, with what stands before it.
const SEVERAL_VALUES: &[u8] = b"\0PARAGRAPH_CHECKSUM_SHA_1";

/// Every cell as a line, by table.
type Lines = BTreeMap<String, BTreeSet<String>>;

/// The layout of a case with the header and the name of its only type.
fn configured(folder: &Path, adapt: fn(&mut Resolved)) -> (Arc<dyn Layout>, String, String) {
    let load = |path: &Path| {
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        let name = path.display().to_string();
        Ok::<_, String>(NamedBytes { name, bytes })
    };
    let mut include = |wanted: Wanted<'_>| {
        let folder = Path::new(wanted.named_by).parent().unwrap();
        load(&folder.join(wanted.path))
    };
    let file = load(&folder.join("config.xml")).unwrap();
    let mut resolved = resolve(&[file], &mut include, &Options::default()).unwrap();
    adapt(&mut resolved.config);
    // Edges and error tables are compared by themselves; the layout refuses to be asked for them.
    resolved.config.job.errors = None;
    for settings in resolved.config.types.values_mut() {
        settings.edges = None;
        if let Some(job) = &mut settings.job {
            job.errors = None;
        }
    }
    let (name, settings) = resolved.config.types.first_key_value().unwrap();
    let header = settings.reader.as_ref().unwrap().header.as_ref().unwrap();
    let (name, header) = (name.clone(), header.join(","));
    let config = serde_json::to_value(&resolved.config).unwrap();
    let def = layout::find("datawave").unwrap();
    let layout = (def.build)(&config, JobFacts { now: NOW });
    (
        layout.unwrap_or_else(|faults| panic!("{faults:#?}")),
        name,
        header,
    )
}

fn line(table: &str, key: &Key<'_>, value: &[u8]) -> String {
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let columns = [key.row, key.family, key.qualifier, key.visibility].map(text);
    let value = match table {
        // Lists of UIDs are sets.
        "shardIndex" | "shardReverseIndex" => {
            let list = UidList::parse(value).unwrap();
            let uids: BTreeSet<String> = list.uids.iter().map(|uid| text(uid)).collect();
            format!("{} {} {uids:?}", list.ignore, list.count)
        }
        // Which value of a field comes first is a hash order in DataWave, so positions in fields with several are no contract.
        "shard" if key.family == b"tf" && key.qualifier.ends_with(SEVERAL_VALUES) => "loose".into(),
        _ => text(value),
    };
    format!("{} | {} | {value}", columns.join(" | "), key.timestamp)
}

/// The first key of a group, its table, and what folds the group.
type Open = (KeyBuf, u16, Option<Box<dyn Folder>>);

/// What a scan shows of the cells: combined as the tables say, then the newest version.
fn scanned(layout: &dyn Layout, cells: &Collected) -> Lines {
    let mut lines = Lines::new();
    let mut open: Option<Open> = None;
    let finish = |open: Option<Open>, lines: &mut Lines| {
        let Some((key, table, Some(mut folder))) = open else {
            return;
        };
        let name = &layout.tables()[usize::from(table)].name;
        folder.finish(&key.as_key(), &mut |key, value| {
            let lines = lines.entry(name.clone()).or_default();
            lines.insert(line(name, key, value));
        });
    };
    // Newest first, as a table has them.
    let mut sorted: Vec<_> = cells.cells.iter().collect();
    sorted.sort_by(|(a, _), (b, _)| {
        let columns = |key: &crate::datawave_layout::CellKey| {
            (
                key.0,
                key.1.clone(),
                key.2.clone(),
                key.3.clone(),
                key.4.clone(),
            )
        };
        (columns(a), -i128::from(a.5)).cmp(&(columns(b), -i128::from(b.5)))
    });
    for ((table, row, family, qualifier, visibility, timestamp), values) in sorted {
        let spec = &layout.tables()[usize::from(*table)];
        let key = Key {
            row,
            family,
            qualifier,
            visibility,
            timestamp: *timestamp,
            deleted: false,
        };
        let combiner = spec.combiner(family);
        let goes_on = open.as_ref().is_some_and(|(first, of, folder)| {
            let grouping = combiner.filter(|_| folder.is_some());
            let same = |first: &Key<'_>| match grouping {
                Some(combiner) => combiner.grouping().same(first, &key),
                None => first.same_columns(&key),
            };
            of == table && same(&first.as_key())
        });
        if !goes_on {
            finish(open.take(), &mut lines);
            let mut first = KeyBuf::default();
            first.set(&key);
            if combiner.is_none() {
                let lines = lines.entry(spec.name.clone()).or_default();
                lines.insert(line(&spec.name, &key, values.iter().max().unwrap()));
            }
            open = Some((first, *table, combiner.map(|combiner| combiner.folder())));
        }
        if let Some((_, _, Some(folder))) = &mut open {
            for value in values {
                folder.add(&key, Input::Value(value)).unwrap();
            }
        }
    }
    finish(open, &mut lines);
    lines
}

/// The lines of the golden file.
fn expected(folder: &Path) -> Lines {
    let mut lines = Lines::new();
    for golden_line in golden::read(&folder.join("expected.tsv.gz")).lines() {
        let columns: Vec<Vec<u8>> = golden_line.split('\t').map(golden::unescape).collect();
        let table = String::from_utf8(columns[0].clone()).unwrap();
        let key = Key {
            row: &columns[1],
            family: &columns[2],
            qualifier: &columns[3],
            visibility: &columns[4],
            timestamp: std::str::from_utf8(&columns[5]).unwrap().parse().unwrap(),
            deleted: columns[6] == b"1",
        };
        let line = line(&table, &key, &columns[7]);
        lines.entry(table).or_default().insert(line);
    }
    lines
}

/// Compares these tables of a case; of the dictionary all but the edges.
fn compare(case: &str, tables: &[(&str, usize)]) {
    compare_as(case, "input.csv", |_| {}, tables);
}

/// The same for an input of this name, with a configuration that is adapted.
fn compare_as(case: &str, input: &str, adapt: fn(&mut Resolved), tables: &[(&str, usize)]) {
    let Some(folder) = golden::golden(&format!("datawave/{case}")) else {
        return;
    };
    let (layout, data_type, header) = configured(&folder, adapt);
    let input = folder.join(input);
    let (cells, rejected) = expand_file(layout.as_ref(), &input, &data_type, &header);
    assert_eq!(rejected, 0);
    let (expected, found) = (expected(&folder), scanned(layout.as_ref(), &cells));
    let none = BTreeSet::new();
    for &(table, count) in tables {
        let of = |lines: &'_ Lines| -> BTreeSet<String> {
            let lines = lines.get(table).unwrap_or(&none);
            let counts =
                |line: &&String| table != "DatawaveMetadata" || !line.contains(" | edge | ");
            lines.iter().filter(counts).cloned().collect()
        };
        let (expected, found) = (of(&expected), of(&found));
        let loose = expected.iter().filter(|line| line.ends_with("| loose"));
        let (count_all, loose) = (expected.len(), loose.count());
        println!("{case}: {table}: {count_all} cells compared, {loose} of them loosely");
        let missing: Vec<_> = expected.difference(&found).collect();
        let extra: Vec<_> = found.difference(&expected).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "{case}: {table}: missing: {missing:#?}\nextra: {extra:#?}"
        );
        assert_eq!(count_all, count, "{case}: {table}");
    }
}

#[test]
fn cars() {
    compare(
        "cars",
        &[
            ("shard", 352),
            ("shardIndex", 101),
            ("shardReverseIndex", 10),
            ("DatawaveMetadata", 76),
            ("LoadDates", 5),
            ("dateIndex", 10),
        ],
    );
}

#[test]
fn uid_time() {
    compare(
        "uid-time",
        &[
            ("shard", 60),
            ("shardIndex", 13),
            ("shardReverseIndex", 7),
            ("DatawaveMetadata", 26),
            ("LoadDates", 3),
        ],
    );
}

#[test]
fn edges() {
    compare(
        "edges",
        &[
            ("shard", 350),
            ("shardIndex", 36),
            ("shardReverseIndex", 19),
            ("DatawaveMetadata", 95),
            ("LoadDates", 3),
        ],
    );
}

#[test]
fn mycsv() {
    // No value of the case is too long and no field has too many of them.
    let adapt = |config: &mut Resolved| {
        for settings in config.types.values_mut() {
            settings.max_values = None;
            settings.max_length = None;
        }
    };
    compare_as(
        "mycsv",
        "my.csv",
        adapt,
        &[
            ("shard", 770),
            ("shardIndex", 202),
            ("shardReverseIndex", 161),
            ("DatawaveMetadata", 155),
            ("LoadDates", 51),
            ("dateIndex", 6),
        ],
    );
}

/// What tokens and lists make in the case whose texts are the wildest. Three records depend on how DataWave's reader takes a line.
#[test]
fn tokens_of_people() {
    let Some(folder) = golden::golden("datawave/people") else {
        return;
    };
    let adapt = |config: &mut Resolved| {
        config.job.policy = Policy::None;
        for settings in config.types.values_mut() {
            settings.virtual_fields.clear();
            settings.composites.clear();
        }
    };
    let (layout, data_type, header) = configured(&folder, adapt);
    let input = folder.join("input.csv");
    let (cells, _) = expand_file(layout.as_ref(), &input, &data_type, &header);
    let of = |lines: &Lines| -> BTreeSet<String> {
        let ours = |line: &&String| {
            let kinds = ["NOTES_TOKEN", "TERM_COUNT", "fi\\x00TAGS", " | tf | "];
            let others = ["-m50i10.-4icm47", "-uw2dmb.-okeka5", "-4flcuv.-kw7f1c"];
            kinds.iter().any(|kind| line.contains(kind))
                && !others.iter().any(|uid| line.contains(uid))
        };
        lines["shard"].iter().filter(ours).cloned().collect()
    };
    let (expected, found) = (
        of(&expected(&folder)),
        of(&scanned(layout.as_ref(), &cells)),
    );
    println!("people: {} cells of tokens compared", expected.len());
    let missing: Vec<_> = expected.difference(&found).collect();
    let extra: Vec<_> = found.difference(&expected).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "missing: {missing:#?}\nextra: {extra:#?}"
    );
    assert!(expected.len() > 5000);
}
