//! What the tests of this layout's combiners share: any tree of partial states must give the same cells.

use crate::combine::{Combiner, Folder, Input};
use crate::key::Key;
use proptest::prelude::*;

type Cells = Vec<(i64, Vec<u8>)>;

/// Random cells of one group: timestamps of a few days, values of the strategy.
pub(super) fn cells(value: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Cells> {
    prop::collection::vec((-2_i64..2, value), 1..20)
}

fn key_at(family: &[u8], timestamp: i64) -> Key<'_> {
    Key {
        row: b"r",
        family,
        qualifier: b"20240101/x",
        visibility: b"A",
        timestamp,
        deleted: false,
    }
}

fn add_all(folder: &mut dyn Folder, family: &[u8], parts: &[(i64, bool, Vec<u8>)]) {
    for (timestamp, partial, bytes) in parts {
        let input = if *partial {
            Input::Partial(bytes)
        } else {
            Input::Value(bytes)
        };
        folder.add(&key_at(family, *timestamp), input).unwrap();
    }
}

/// The cells that a folder gives for parts of a group.
pub(super) fn finished(
    combiner: &dyn Combiner,
    family: &[u8],
    parts: &[(i64, bool, Vec<u8>)],
) -> Cells {
    let mut folder = combiner.folder();
    add_all(folder.as_mut(), family, parts);
    let newest = parts.iter().map(|part| part.0).max().unwrap();
    let mut cells = Vec::new();
    folder.finish(&key_at(family, newest), &mut |key, value| {
        cells.push((key.timestamp, value.to_vec()));
    });
    cells
}

/// Folds cells at once, and again with the partial states of random stretches in random order spilled and put elsewhere.
pub(super) fn random_trees_agree(
    combiner: &dyn Combiner,
    family: &[u8],
    cells: &[(i64, Vec<u8>)],
    cuts: &[u32],
) {
    let mut parts: Vec<_> = cells
        .iter()
        .map(|(timestamp, value)| (*timestamp, false, value.clone()))
        .collect();
    let expected = finished(combiner, family, &parts);
    let mut folder = combiner.folder();
    for cut in cuts {
        let start = *cut as usize % parts.len();
        let length = 1 + (*cut >> 8) as usize % (parts.len() - start).min(7);
        let mut taken: Vec<_> = parts.drain(start..start + length).collect();
        if cut >> 31 == 1 {
            taken.reverse();
        }
        add_all(folder.as_mut(), family, &taken);
        let mut state = Vec::new();
        folder.partial(&mut state);
        let newest = taken.iter().map(|part| part.0).max().unwrap();
        let place = (*cut >> 16) as usize % (parts.len() + 1);
        parts.insert(place, (newest, true, state));
        assert_eq!(finished(combiner, family, &parts), expected);
    }
}
