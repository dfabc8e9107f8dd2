//! The newest version of a cell.

use crate::combine::{CombineError, Combiner, Folder, Grouping, Input};
use crate::key::Key;

/// Keeps the version with the newest timestamp; of two with the same timestamp, the one with the greater value bytes. On the cluster the
/// versioning iterator does the same, except that it leaves the choice between equal keys to chance.
#[derive(Clone, Copy, Debug)]
pub struct Latest;

impl Combiner for Latest {
    fn name(&self) -> &'static str {
        "latest"
    }

    fn grouping(&self) -> Grouping {
        Grouping::Versions
    }

    fn folder(&self) -> Box<dyn Folder> {
        Box::new(LatestFolder::default())
    }
}

#[derive(Default)]
struct LatestFolder {
    timestamp: Option<i64>,
    value: Vec<u8>,
}

impl Folder for LatestFolder {
    fn add(&mut self, key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        let (timestamp, value) = match input {
            Input::Value(value) => (key.timestamp, value),
            // The key of a partial state need not be that of the cell it holds, so the state has the timestamp in it.
            Input::Partial(state) => state
                .split_first_chunk()
                .map(|(timestamp, value)| (i64::from_be_bytes(*timestamp), value))
                .ok_or_else(|| CombineError {
                    combiner: "latest",
                    reason: format!("a partial state of {} bytes", state.len()),
                })?,
        };
        if self
            .timestamp
            .is_none_or(|newest| (newest, self.value.as_slice()) < (timestamp, value))
        {
            self.timestamp = Some(timestamp);
            self.value.clear();
            self.value.extend_from_slice(value);
        }
        Ok(())
    }

    fn partial(&mut self, state: &mut Vec<u8>) {
        if let Some(timestamp) = self.timestamp.take() {
            state.extend_from_slice(&timestamp.to_be_bytes());
            state.extend_from_slice(&self.value);
        }
    }

    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8])) {
        if let Some(timestamp) = self.timestamp.take() {
            let key = Key {
                timestamp,
                ..*first
            };
            emit(&key, &self.value);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A key of the one group that these tests combine.
    pub(in crate::combiners) fn key_at(timestamp: i64) -> Key<'static> {
        Key {
            row: b"r",
            family: b"f",
            qualifier: b"q",
            visibility: b"A",
            timestamp,
            deleted: false,
        }
    }

    fn finished(folder: &mut dyn Folder, parts: &[(i64, bool, Vec<u8>)]) -> Vec<(i64, Vec<u8>)> {
        add_all(folder, parts);
        let newest = parts.iter().map(|part| part.0).max().unwrap();
        let mut cells = Vec::new();
        folder.finish(&key_at(newest), &mut |key, value| {
            cells.push((key.timestamp, value.to_vec()));
        });
        cells
    }

    fn add_all(folder: &mut dyn Folder, parts: &[(i64, bool, Vec<u8>)]) {
        for (timestamp, partial, bytes) in parts {
            let input = if *partial {
                Input::Partial(bytes)
            } else {
                Input::Value(bytes)
            };
            folder.add(&key_at(*timestamp), input).unwrap();
        }
    }

    /// Folds the cells at once, and again in random stretches and orders with a partial state spilled after each: all must be equal.
    pub(in crate::combiners) fn random_trees_agree(
        combiner: &dyn Combiner,
        cells: &[(i64, Vec<u8>)],
        cuts: &[u32],
    ) {
        let mut parts: Vec<_> = cells
            .iter()
            .map(|(timestamp, value)| (*timestamp, false, value.clone()))
            .collect();
        let mut folder = combiner.folder();
        let expected = finished(folder.as_mut(), &parts);
        for cut in cuts {
            // Takes up to seven neighbours somewhere, perhaps turned round, and puts their partial state somewhere else.
            let start = *cut as usize % parts.len();
            let length = 1 + (*cut >> 8) as usize % (parts.len() - start).min(7);
            let mut taken: Vec<_> = parts.drain(start..start + length).collect();
            if cut >> 30 == 1 {
                taken.reverse();
            }
            add_all(folder.as_mut(), &taken);
            let mut state = Vec::new();
            folder.partial(&mut state);
            let newest = taken.iter().map(|part| part.0).max().unwrap();
            let place = (*cut >> 16) as usize % (parts.len() + 1);
            parts.insert(place, (newest, true, state));
            assert_eq!(finished(folder.as_mut(), &parts), expected);
        }
    }

    proptest! {
        #[test]
        fn any_tree_of_merges_gives_the_same(
            cells in proptest::collection::vec((-3_i64..3, proptest::collection::vec(any::<u8>(), 0..3)), 1..24),
            cuts in proptest::collection::vec(any::<u32>(), 32),
        ) {
            random_trees_agree(&Latest, &cells, &cuts);
        }
    }

    #[test]
    fn newest_wins_and_then_the_greater_value() {
        let parts = [(5, b"b"), (5, b"c"), (4, b"z"), (5, b"a")]
            .map(|(timestamp, value)| (timestamp, false, value.to_vec()));
        assert_eq!(
            finished(Latest.folder().as_mut(), &parts),
            [(5, b"c".to_vec())]
        );
    }
}
