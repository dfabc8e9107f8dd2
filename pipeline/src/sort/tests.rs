//! Buffer, spill, runs and merge against a sorted map, over budgets, fan-ins and partitions.

use super::buffer::{Mark, SortBuffer};
use super::merge::{Merge, merge_partition};
use super::run::{Run, RunError, RunWriter};
use super::spill::{Partitions, spill};
use proptest::prelude::*;
use shardmill_schemas::cell::{Cell, TableId};
use shardmill_schemas::combine::{CombineError, Combiner, Folder, Grouping, Input};
use shardmill_schemas::key::{Key, KeyBuf};
use shardmill_schemas::layout::{CombinerRule, Duplicates, Families, TableSpec};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

type Owned = (KeyBuf, Vec<u8>);

/// Sums one-byte values over all versions; the partial state is a u64, unlike the published decimal text.
#[derive(Debug)]
struct Count;

#[derive(Default)]
struct CountFolder(u64);

impl Combiner for Count {
    fn name(&self) -> &'static str {
        "count"
    }

    fn grouping(&self) -> Grouping {
        Grouping::Versions
    }

    fn folder(&self) -> Box<dyn Folder> {
        Box::<CountFolder>::default()
    }
}

impl Folder for CountFolder {
    fn add(&mut self, _key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        let bad = || CombineError {
            combiner: "count",
            reason: "length".into(),
        };
        self.0 += match input {
            Input::Value(bytes) => bytes.iter().map(|&byte| u64::from(byte)).sum(),
            Input::Partial(bytes) => u64::from_le_bytes(bytes.try_into().map_err(|_| bad())?),
        };
        Ok(())
    }

    fn partial(&mut self, state: &mut Vec<u8>) {
        state.extend_from_slice(&std::mem::take(&mut self.0).to_le_bytes());
    }

    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8])) {
        emit(first, std::mem::take(&mut self.0).to_string().as_bytes());
    }
}

fn spec(duplicates: Duplicates) -> TableSpec {
    let rule = CombinerRule {
        families: Families::Named(vec![b"n".to_vec()]),
        combiner: Arc::new(Count),
    };
    TableSpec {
        combiners: vec![rule],
        duplicates,
        ..TableSpec::plain("t")
    }
}

/// What the engine must make of `cells`, by the definition.
fn expected(cells: &[Owned], duplicates: Duplicates) -> Vec<Owned> {
    let mut sorted = cells.to_vec();
    sorted.sort_by(|a, b| a.0.as_key().cmp(&b.0.as_key()).then_with(|| b.1.cmp(&a.1)));
    let mut sums: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let counted = |key: &Key<'_>| key.family == b"n" && !key.deleted;
    let columns = |key: &Key<'_>| {
        [
            key.row,
            b"\xff\xfe",
            key.qualifier,
            b"\xff\xfe",
            key.visibility,
        ]
        .concat()
    };
    for (key, value) in sorted.iter().filter(|cell| counted(&cell.0.as_key())) {
        *sums.entry(columns(&key.as_key())).or_default() +=
            value.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    }
    let mut result: Vec<Owned> = Vec::new();
    for (key, value) in sorted {
        let view = key.as_key();
        if counted(&view) {
            if let Some(sum) = sums.remove(&columns(&view)) {
                result.push((key, sum.to_string().into_bytes()));
            }
        } else if (duplicates == Duplicates::Keep && !view.deleted)
            || result.last().is_none_or(|last| last.0 != key)
        {
            result.push((key, value));
        }
    }
    result
}

/// Cells through buffer, spills of `budget` bytes, runs and merge of `fan_in`.
fn engine(
    cells: &[Owned],
    spec: &TableSpec,
    budget: usize,
    fan_in: usize,
    cuts: &Partitions,
) -> Vec<Owned> {
    let folder = tempfile::tempdir().unwrap();
    let (specs, cuts) = (std::slice::from_ref(spec), std::slice::from_ref(cuts));
    let mut run = RunWriter::create(&folder.path().join("map.run")).unwrap();
    let mut buffer = SortBuffer::new(1, budget);
    for (key, value) in cells {
        let key = key.as_key();
        let (row, family, qualifier) = (
            [&key.row[..key.row.len() / 2], &key.row[key.row.len() / 2..]],
            [key.family],
            [key.qualifier],
        );
        let cell = Cell {
            row: &row,
            family: &family,
            qualifier: &qualifier,
            visibility: key.visibility,
            timestamp: key.timestamp,
            deleted: key.deleted,
            value,
        };
        if !buffer.has_room(&cell) {
            spill(&mut buffer, specs, cuts, &mut run).unwrap();
        }
        buffer.put(TableId(0), &cell).unwrap();
    }
    spill(&mut buffer, specs, cuts, &mut run).unwrap();
    run.finish().unwrap();
    let run = Run::open(&folder.path().join("map.run")).unwrap();
    let mut result = Vec::new();
    for partition in 0..=cuts[0].ends.len() as u32 {
        let of_partition = run
            .segments
            .iter()
            .filter(|segment| segment.partition == partition);
        let inputs: Vec<_> = of_partition
            .map(|segment| (Arc::clone(&run), segment.clone()))
            .collect();
        merge_partition::<RunError>(
            spec,
            inputs,
            fan_in,
            &folder.path().join("scratch"),
            &AtomicU64::new(0),
            &mut |key, input| {
                let Input::Value(value) = input else {
                    panic!("an unfinished cell came out")
                };
                assert_eq!(cuts[0].of(key.row), partition as usize);
                result.push((key.to_buf(), value.to_vec()));
                Ok(())
            },
        )
        .unwrap();
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "scratch runs stay behind"
    );
    result
}

fn strings() -> impl Strategy<Value = Vec<u8>> {
    // Few symbols and shared prefixes around the length of a word, so that groups are alike for long and end at every offset.
    let tail =
        proptest::collection::vec(prop_oneof![Just(0), Just(1), Just(b'a'), Just(0xff)], 0..4);
    (
        prop_oneof![
            Just(0usize),
            Just(1),
            Just(6),
            Just(7),
            Just(8),
            Just(14),
            Just(30)
        ],
        tail,
    )
        .prop_map(|(prefix, tail)| [vec![b'a'; prefix], tail].concat())
}

fn cells() -> impl Strategy<Value = Vec<Owned>> {
    let family = prop_oneof![Just(b"n".to_vec()), Just(b"m".to_vec()), strings()];
    let timestamp = prop_oneof![Just(i64::MIN), Just(-1), Just(0), Just(1), Just(i64::MAX)];
    let value = proptest::collection::vec(0u8..4, 0..10);
    let cell = (
        strings(),
        family,
        strings(),
        prop_oneof![Just(b"".to_vec()), Just(b"A".to_vec())],
        timestamp,
        proptest::bool::weighted(0.1),
        value,
    );
    let owned = cell.prop_map(
        |(row, family, qualifier, visibility, timestamp, deleted, value)| {
            let key = Key {
                row: &row,
                family: &family,
                qualifier: &qualifier,
                visibility: &visibility,
                timestamp,
                deleted,
            };
            (key.to_buf(), value)
        },
    );
    // A cell may repeat, also many times.
    proptest::collection::vec(
        (owned, prop_oneof![4 => Just(1usize), 1 => Just(20)]),
        0..60,
    )
    .prop_map(|groups| {
        groups
            .into_iter()
            .flat_map(|(cell, times)| std::iter::repeat_n(cell, times))
            .collect()
    })
}

/// Delete markers between versions of a counted cell are not this engine's case: no layout deletes what it counts.
fn without_deletes_of_counted(cells: &mut Vec<Owned>) {
    cells.retain(|(key, _)| !(key.as_key().deleted && key.as_key().family == b"n"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_result_depends_on_the_cells_alone(mut cells in cells(), cuts in proptest::collection::btree_set(strings(), 0..3), keep in any::<bool>()) {
        without_deletes_of_counted(&mut cells);
        let duplicates = if keep { Duplicates::Keep } else { Duplicates::First };
        let spec = spec(duplicates);
        let expected = expected(&cells, duplicates);
        let cuts = Partitions { ends: cuts.into_iter().collect() };
        for budget in [64, 4 << 10, 1 << 30] {
            for fan_in in [2, 3, 64] {
                prop_assert_eq!(&engine(&cells, &spec, budget.min(1 << 20), fan_in, &cuts), &expected);
            }
        }
        let backwards: Vec<_> = cells.iter().rev().cloned().collect();
        prop_assert_eq!(&engine(&backwards, &spec, 300, 2, &cuts), &expected);
    }
}

#[test]
fn keys_alike_for_kilobytes_sort_without_deep_recursion() {
    let mut buffer = SortBuffer::new(1, 64 << 20);
    let alike = vec![b'x'; 100_000];
    for last in (0..200u8).rev() {
        let row: [&[u8]; 2] = [&alike, &[last]];
        put(&mut buffer, &row, b"");
    }
    let mut last = 0;
    buffer
        .sorted(TableId(0), |key, _| {
            assert_eq!(key.row[100_000], last);
            last = last.wrapping_add(1);
            Ok::<_, ()>(())
        })
        .unwrap();
    assert_eq!(last, 200);
}

fn put(buffer: &mut SortBuffer, row: &[&[u8]], value: &[u8]) {
    let cell = Cell {
        row,
        family: &[],
        qualifier: &[],
        visibility: b"",
        timestamp: 0,
        deleted: false,
        value,
    };
    buffer.put(TableId(0), &cell).unwrap();
}

#[test]
fn a_rollback_leaves_what_stood_before() {
    let mut buffer = SortBuffer::new(1, 1 << 20);
    put(&mut buffer, &[b"kept"], b"1");
    let mut mark = Mark::default();
    buffer.mark(&mut mark);
    put(&mut buffer, &[b"gone"], b"2");
    buffer.rollback(&mark);
    put(&mut buffer, &[b"also kept"], b"3");
    let mut rows = Vec::new();
    buffer
        .sorted(TableId(0), |key, _| {
            rows.push(key.row.to_vec());
            Ok::<_, ()>(())
        })
        .unwrap();
    assert_eq!(rows, [b"also kept".to_vec(), b"kept".to_vec()]);
}

fn small_run(path: &std::path::Path) {
    let mut run = RunWriter::create(path).unwrap();
    for partition in 0..2 {
        run.begin(0, partition).unwrap();
        for index in 0..5u8 {
            let row = [b'r', partition as u8, index];
            let key = Key {
                row: &row,
                family: b"f",
                qualifier: b"q",
                visibility: b"A",
                timestamp: i64::from(index),
                deleted: index == 3,
            };
            run.append(
                &key,
                if index == 4 {
                    Input::Partial(b"state")
                } else {
                    Input::Value(b"value")
                },
            )
            .unwrap();
        }
    }
    run.finish().unwrap();
}

fn read_all(path: &std::path::Path) -> Result<usize, RunError> {
    let run = Run::open(path)?;
    let cursors = run
        .segments
        .iter()
        .map(|segment| run.cursor(segment))
        .collect::<Result<_, _>>()?;
    let mut merge = Merge::new(cursors)?;
    let mut cells = 0;
    while merge.advance()? {
        cells += 1;
    }
    Ok(cells)
}

#[test]
fn a_cut_or_flipped_run_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.run");
    small_run(&path);
    assert_eq!(read_all(&path).unwrap(), 10);
    let bytes = std::fs::read(&path).unwrap();
    let damaged = folder.path().join("b.run");
    for length in 0..bytes.len() {
        std::fs::write(&damaged, &bytes[..length]).unwrap();
        assert!(read_all(&damaged).is_err(), "cut at {length}");
    }
    // The magic at the start is for people; everything that is read is checked.
    for bit in 64..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        std::fs::write(&damaged, &changed).unwrap();
        assert!(read_all(&damaged).is_err(), "bit {bit}");
    }
    assert!(
        matches!(RunWriter::create(&path), Err(RunError::Io { .. })),
        "a run is never overwritten"
    );
}
