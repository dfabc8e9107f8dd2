//! DataWave's values that are merged: term weights, date bits and edges, against the output of its own aggregators.

use crate::datawave::{hex, rows, unhex};
use crate::golden::{golden, read, unescape};
use shardmill_schemas::combine::{Combiner, Input};
use shardmill_schemas::key::Key;
use shardmill_schemas::layouts::datawave::{
    DateBitsCombiner, EdgeValueCombiner, TermWeightCombiner, date_bits, edge_value,
    term_weight::TermWeight,
};

fn key<'a>(family: &'a [u8], qualifier: &'a [u8], timestamp: i64) -> Key<'a> {
    Key {
        row: b"",
        family,
        qualifier,
        visibility: b"",
        timestamp,
        deleted: false,
    }
}

fn inputs(column: &str) -> Vec<Vec<u8>> {
    column.split(',').map(unhex).collect()
}

/// Folds each value into a state of its own, then the states, last one first.
fn combined(combiner: &dyn Combiner, cells: &[(Key<'_>, Vec<u8>)]) -> Vec<u8> {
    let mut folder = combiner.folder();
    let mut states = Vec::new();
    for (key, value) in cells {
        folder.add(key, Input::Value(value)).unwrap();
        let mut state = Vec::new();
        folder.partial(&mut state);
        states.push((key, state));
    }
    for (key, state) in states.iter().rev() {
        folder.add(key, Input::Partial(state)).unwrap();
    }
    let mut found = Vec::new();
    folder.finish(&cells[0].0, &mut |_, value| found = value.to_vec());
    found
}

#[test]
fn term_weights() {
    let mut differing = 0;
    rows("termweight-merge", |columns| {
        let inputs = inputs(columns[0]);
        let mut weight = TermWeight::default();
        for input in &inputs {
            weight.add(input).unwrap();
        }
        let mut found = Vec::new();
        weight.write(&mut found);
        assert_eq!(hex(&found), columns[1], "{columns:?}");
        let cells: Vec<_> = inputs
            .into_iter()
            .map(|it| (key(b"tf", b"", 0), it))
            .collect();
        let free = combined(&TermWeightCombiner, &cells);
        differing += usize::from(free != found);
        true
    });
    println!(
        "termweight-merge: {differing} rows in which the order decides between skips or scores"
    );
}

#[test]
fn date_bits_united() {
    rows("bitset-or", |columns| {
        let inputs = inputs(columns[0]);
        let mut found = Vec::new();
        for input in &inputs {
            date_bits::unite(&mut found, input);
        }
        assert_eq!(hex(&found), columns[1], "{columns:?}");
        let cells: Vec<_> = inputs
            .into_iter()
            .map(|it| (key(b"LOADED", b"", 0), it))
            .collect();
        assert_eq!(combined(&DateBitsCombiner, &cells), found);
        let mut bits = Vec::new();
        for shard in columns[2].trim_matches(['{', '}']).split(", ") {
            if let Ok(shard) = shard.parse() {
                let mut bit = Vec::new();
                date_bits::write_shard(shard, &mut bit);
                date_bits::unite(&mut bits, &bit);
            }
        }
        assert_eq!(bits, found);
        true
    });
}

#[test]
fn edge_values() {
    rows("edgevalue-merge", |columns| {
        let (family, qualifier) = (columns[1].as_bytes(), columns[2].as_bytes());
        let inputs = inputs(columns[3]);
        let mut found = Vec::new();
        let values = inputs.iter().map(Vec::as_slice);
        edge_value::reduce(values, family, qualifier, &mut found).unwrap();
        assert_eq!(hex(&found), columns[4], "{columns:?}");
        // The engine's combiner takes the order given for that of timestamps.
        let timestamps = (0..).map(|index: i64| -index);
        let cells: Vec<_> = timestamps
            .zip(inputs)
            .map(|(timestamp, it)| (key(family, qualifier, timestamp), it))
            .collect();
        assert_eq!(combined(&EdgeValueCombiner, &cells), found);
        true
    });
}

/// Columns and visibility, then timestamps and values, of the cells of a table and family in a golden file.
type Groups = std::collections::BTreeMap<[Vec<u8>; 4], Vec<(i64, Vec<u8>)>>;

fn groups(path: &std::path::Path, table: &str, family: &str) -> Groups {
    let mut found = Groups::new();
    for line in read(path).lines() {
        let columns: Vec<&str> = line.split('\t').collect();
        let &[name, row, cf, cq, visibility, timestamp, "0", value] = columns.as_slice() else {
            continue;
        };
        if name == table && (family.is_empty() || cf == family) {
            let key = [row, cf, cq, visibility].map(unescape);
            let cell = (timestamp.parse().unwrap(), unescape(value));
            found.entry(key).or_default().push(cell);
        }
    }
    found
}

/// What the mappers of the golden cases wrote, combined by ours, is what DataWave's own iterators made of it.
#[test]
fn cases_combined() {
    let combiners: [(&str, &str, &dyn Combiner); 3] = [
        ("edge", "", &EdgeValueCombiner),
        ("shard", "tf", &TermWeightCombiner),
        ("dateIndex", "", &DateBitsCombiner),
    ];
    for case in ["cars", "edges", "mycsv", "tvmaze", "people"] {
        let files = ["expected.premerge.tsv.gz", "expected.tsv.gz"];
        let [Some(mapped), Some(merged)] =
            files.map(|file| golden(&format!("datawave/{case}/{file}")))
        else {
            continue;
        };
        for (table, family, combiner) in combiners {
            let expected = groups(&merged, table, family);
            let (mut cells, mut several) = (0, 0);
            for (columns, mut values) in groups(&mapped, table, family) {
                values.sort_unstable_by(|one, other| other.cmp(one));
                let [row, family, qualifier, visibility] = &columns;
                let key = |timestamp| Key {
                    row,
                    visibility,
                    ..key(family, qualifier, timestamp)
                };
                let newest = values[0].0;
                cells += 1;
                several += usize::from(values.len() > 1);
                let inputs: Vec<_> = values
                    .iter()
                    .map(|cell| (key(cell.0), cell.1.clone()))
                    .collect();
                let found = combined(combiner, &inputs);
                let expected = &expected[&columns];
                assert_eq!(
                    [(newest, hex(&found))].as_slice(),
                    expected
                        .iter()
                        .map(|cell| (cell.0, hex(&cell.1)))
                        .collect::<Vec<_>>(),
                    "{case} {columns:?}"
                );
            }
            println!(
                "{case} {table} {family}: {cells} cells compared, {several} of several values"
            );
            assert_eq!(cells, expected.len(), "{case} {table}");
        }
    }
}
