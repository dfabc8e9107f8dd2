//! DataWave's identifiers, values and normalizers against the output of its own classes.

use crate::golden;
use shardmill_schemas::combine::{Combiner, Input};
use shardmill_schemas::encode::vlong::{read_vlong, write_vlong};
use shardmill_schemas::java_string::hash_code;
use shardmill_schemas::key::Key;
use shardmill_schemas::layouts::datawave::UidListCombiner;
use shardmill_schemas::layouts::datawave::shard_id::partition;
use shardmill_schemas::layouts::datawave::uid;
use shardmill_schemas::layouts::datawave::uid_list::{Aggregator, UidList, reduce};
use shardmill_schemas::normalize;

pub(crate) fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Calls `row` with the columns of every line but the first, and prints for how many it says that they were compared.
pub(crate) fn rows(file: &str, mut row: impl FnMut(&[&str]) -> bool) -> usize {
    let Some(path) = golden::golden(&format!("datawave/vectors/{file}.tsv.gz")) else {
        return 0;
    };
    let mut compared = 0;
    for line in golden::read(&path).lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        compared += usize::from(row(&columns));
    }
    println!("{file}: {compared} rows compared");
    assert!(compared > 0, "{file}");
    compared
}

#[test]
fn uids_and_partitions() {
    rows("uid", |columns| {
        let &[input, time, extra, uid, base, hash, by10, by31, by131] = columns else {
            panic!("nine columns are needed: {columns:?}");
        };
        let time = (time != "-").then(|| time.parse().unwrap());
        let mut found = String::new();
        uid::write_base(&unhex(input), time, &mut found);
        assert_eq!(found, base, "{columns:?}");
        assert_eq!(hash_code(base).to_string(), hash);
        for (shards, expected) in [(10, by10), (31, by31), (131, by131)] {
            assert_eq!(partition(base, shards).to_string(), expected);
        }
        if let Ok(text) = String::from_utf8(unhex(input)) {
            let extras = if extra == "-" {
                vec![]
            } else {
                extra.split('/').collect()
            };
            let parts: Vec<&str> = std::iter::once(text.as_str()).chain(extras).collect();
            let mut found = String::new();
            let sharded = uid::write_uid(&parts.join(uid::ATTACHMENT), time, &mut found);
            assert_eq!((found.as_str(), &found[..sharded]), (uid, base));
        }
        true
    });
}

#[test]
fn vlongs() {
    rows("vlong", |columns| {
        let &[values, sum, encoded_sum, encoded] = columns else {
            panic!("four columns are needed: {columns:?}");
        };
        let all = values.split(',').chain([sum]);
        let bytes = encoded.split(',').chain([encoded_sum]);
        for (value, expected) in all.zip(bytes) {
            let value: i64 = value.parse().unwrap();
            let mut found = Vec::new();
            write_vlong(value, &mut found);
            assert_eq!(hex(&found), expected, "{value}");
            assert_eq!(read_vlong(&found), Some((value, found.len())));
        }
        true
    });
}

#[test]
fn uid_lists_merged_in_the_order_given() {
    rows("uidlist-merge", |columns| {
        let &[aggregator, propagate, inputs, emitted, expected, ..] = columns else {
            panic!("five columns are needed: {columns:?}");
        };
        let aggregator = match aggregator {
            "GlobalIndexUidAggregator" => Aggregator::GlobalIndex,
            "KeepCountOnlyUidAggregator" => Aggregator::KeepCountOnly,
            "KeepCountOnlyNoUidAggregator" => Aggregator::KeepCountOnlyNoUid,
            other => panic!("unknown aggregator {other}"),
        };
        let inputs: Vec<Vec<u8>> = inputs.split(',').map(unhex).collect();
        let found = reduce(
            inputs.iter().map(Vec::as_slice),
            aggregator,
            propagate == "1",
        );
        let expected = unhex(expected);
        let sorted = |bytes| {
            let mut list = UidList::parse(bytes).unwrap();
            list.uids.sort_unstable();
            list.removed.sort_unstable();
            list
        };
        assert_eq!(
            sorted(&found.value).clone(),
            sorted(&expected),
            "{columns:?}"
        );
        assert_eq!(found.value.len(), expected.len());
        assert_eq!(found.emitted, emitted == "1", "{columns:?}");
        true
    });
}

/// The rows whose inputs are what a mapper writes (one UID each) and count-only values: the engine's combiner must give what DataWave's
/// fold gives in the canonical order, the values by their bytes descending.
#[test]
fn uid_lists_combined_in_any_order() {
    let key = Key {
        row: b"",
        family: b"",
        qualifier: b"",
        visibility: b"",
        timestamp: 0,
        deleted: false,
    };
    let mut folder = UidListCombiner.folder();
    rows("uidlist-merge", |columns| {
        let inputs: Vec<Vec<u8>> = columns[2].split(',').map(unhex).collect();
        let single = |bytes: &Vec<u8>| {
            let list = UidList::parse(bytes).unwrap();
            list.removed.is_empty()
                && (list.uids.len() == 1 || (list.ignore && list.uids.is_empty()))
        };
        if columns[0] != "GlobalIndexUidAggregator" || columns[1] != "1" {
            return false;
        }
        // Lists of several UIDs are split into what mappers would have written for them.
        let mut values = Vec::new();
        for input in &inputs {
            let Some(list) = UidList::parse(input) else {
                continue;
            };
            let parts = list.uids.iter().map(|&uid| UidList {
                ignore: false,
                count: 1,
                uids: vec![uid],
                removed: vec![],
            });
            for part in parts {
                let mut bytes = Vec::new();
                part.write(&mut bytes);
                values.push(bytes);
            }
            // Negative counts are of deletes.
            if list.ignore && list.count >= 0 {
                values.push(input.clone());
            }
        }
        values.retain(single);
        if values.is_empty() {
            return false;
        }
        for value in &values {
            folder.add(&key, Input::Value(value)).unwrap();
        }
        let mut found = Vec::new();
        folder.finish(&key, &mut |_, value| found = value.to_vec());
        values.sort_unstable_by(|one, other| other.cmp(one));
        let expected = reduce(
            values.iter().map(Vec::as_slice),
            Aggregator::GlobalIndex,
            true,
        );
        assert_eq!(hex(&found), hex(&expected.value), "{columns:?}");
        true
    });
}

#[test]
fn normalized_values() {
    let mut wrong = Vec::new();
    rows("normalize", |columns| {
        let (class, input, result) = (columns[0], columns[1], columns[2]);
        let Some(def) = normalize::find(&format!("datawave.data.type.{class}")) else {
            return false;
        };
        let input = String::from_utf8(golden::unescape(input)).unwrap();
        let (mut buffer, mut found) = (String::new(), Vec::new());
        let outcome = def
            .normalizer
            .normalize(&input, &mut buffer, &mut |text| found.push(text.to_owned()));
        let expected = match result {
            "OK" => Some(
                columns[3..]
                    .iter()
                    .map(|text| String::from_utf8(golden::unescape(text)).unwrap())
                    .collect(),
            ),
            _ => None,
        };
        let found = outcome.ok().map(|()| found);
        if found != expected {
            wrong.push(format!("{class} {input:?}: {found:?}, not {expected:?}"));
        }
        true
    });
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}
