//! The value of a term frequency entry (`tf`): `TermWeight.Info`, a protobuf (proto2), and how such values become one.
//!
//! ```text
//! termOffset        repeated uint32  3   18 varint   where the term stands, one per occurrence (not packed)
//! prevSkips         repeated uint32  4   20 varint   how many tokens before it were skipped; ingest writes none
//! score             repeated uint32  5   28 varint   how sure a source is of it; ingest writes none
//! zeroOffsetMatch   optional bool    6   30 01       ingest writes none, each combining does: false if an occurrence came with false
//! ```
//!
//! DataWave's `TextIndexAggregator` makes a sorted set of the occurrences. It keeps the first of two at one place, with its skips, its
//! score and the zero offset match of its value, so where inputs differ in them the order decides; [`TermWeightCombiner`] keeps the
//! greater ones instead (false counting as greater). Values of ingest have none of the three.

use super::protobuf::{read_repeated, read_varint, skip, write_varint};
use crate::combine::{CombineError, Combiner, Folder, Grouping, Input};
use crate::key::Key;

const NAME: &str = "term-weight";

/// Appends one occurrence at `offset`, in tokens: a value is the occurrences of a term in a field, one behind another.
pub fn write_offset(offset: u32, out: &mut Vec<u8>) {
    out.push(0x18);
    write_varint(u64::from(offset), out);
}

/// One occurrence. The derived order is that of the set: by the first place that counts as its own, then by its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Occurrence {
    /// The offset less the skips before it, as Java's 32-bit numbers have it.
    low: i32,
    offset: i32,
    /// Whether its value said that a zero offset does not match.
    mismatch: bool,
    skips: Option<u32>,
    score: Option<u32>,
}

impl Occurrence {
    fn new(offset: u32, mismatch: bool, skips: Option<u32>, score: Option<u32>) -> Occurrence {
        let offset = offset.cast_signed();
        let low = offset.wrapping_sub(skips.unwrap_or(0).cast_signed());
        Occurrence {
            low,
            offset,
            mismatch,
            skips,
            score,
        }
    }

    fn place(&self) -> (i32, i32) {
        (self.low, self.offset)
    }
}

/// The occurrences of a term, as a set.
#[derive(Debug, Default)]
pub struct TermWeight {
    /// In order, each place once.
    occurrences: Vec<Occurrence>,
    offsets: Vec<u32>,
    skips: Vec<u32>,
    scores: Vec<u32>,
}

/// What happens to a second occurrence at the same place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tie {
    First,
    Greater,
}

impl TermWeight {
    /// Adds a value as DataWave does, the order of calls deciding between two that differ in skips or score only. `None`: the bytes are no
    /// `TermWeight.Info`; then nothing is added.
    #[must_use]
    pub fn add(&mut self, value: &[u8]) -> Option<()> {
        self.add_value(value, Tie::First)
    }

    fn add_value(&mut self, value: &[u8], tie: Tie) -> Option<()> {
        for list in [&mut self.offsets, &mut self.skips, &mut self.scores] {
            list.clear();
        }
        let mut mismatch = false;
        let mut input = value;
        while !input.is_empty() {
            let tag = read_varint(&mut input)?;
            let list = match tag >> 3 {
                3 => &mut self.offsets,
                4 => &mut self.skips,
                5 => &mut self.scores,
                6 if tag & 7 == 0 => {
                    mismatch = read_varint(&mut input)? == 0;
                    continue;
                }
                _ => {
                    skip(tag, &mut input)?;
                    continue;
                }
            };
            read_repeated(tag, &mut input, |number| list.push(number as u32))?;
        }
        // Skips and scores count only where each occurrence has one.
        let count = self.offsets.len();
        for at in 0..count {
            let of = |list: &[u32]| list.get(at).copied().filter(|_| list.len() == count);
            let (skips, score) = (of(&self.skips), of(&self.scores));
            let one = Occurrence::new(self.offsets[at], mismatch, skips, score);
            self.insert(one, tie);
        }
        Some(())
    }

    fn insert(&mut self, one: Occurrence, tie: Tie) {
        // Offsets of a value mostly ascend.
        if self
            .occurrences
            .last()
            .is_none_or(|last| last.place() < one.place())
        {
            self.occurrences.push(one);
            return;
        }
        let found = self
            .occurrences
            .binary_search_by_key(&one.place(), Occurrence::place);
        match found {
            Ok(at) if tie == Tie::Greater => {
                let kept = &mut self.occurrences[at];
                *kept = one.max(*kept);
            }
            Ok(_) => {}
            Err(at) => self.occurrences.insert(at, one),
        }
    }

    /// Appends the value of the set; the empty set has no bytes.
    pub fn write(&self, out: &mut Vec<u8>) {
        if self.occurrences.is_empty() {
            return;
        }
        for one in &self.occurrences {
            write_offset(one.offset.cast_unsigned(), out);
        }
        let mut rest = |tag: u8, number: fn(&Occurrence) -> Option<u32>| {
            for number in self.occurrences.iter().filter_map(number) {
                out.push(tag);
                write_varint(u64::from(number), out);
            }
        };
        rest(0x20, |one| one.skips);
        rest(0x28, |one| one.score);
        let mismatch = self.occurrences.iter().any(|one| one.mismatch);
        out.extend([0x30, u8::from(!mismatch)]);
    }

    /// Makes the set empty.
    pub fn clear(&mut self) {
        self.occurrences.clear();
    }

    /// Per occurrence twice the offset, plus one where a zero offset does not match, the skips plus one (0: none) and the score plus one.
    fn write_state(&self, state: &mut Vec<u8>) {
        for one in &self.occurrences {
            let offset = u64::from(one.offset.cast_unsigned());
            write_varint(offset << 1 | u64::from(one.mismatch), state);
            for number in [one.skips, one.score] {
                write_varint(number.map_or(0, |number| u64::from(number) + 1), state);
            }
        }
    }

    fn add_state(&mut self, mut input: &[u8]) -> Option<()> {
        while !input.is_empty() {
            let head = read_varint(&mut input)?;
            let mut optional = || {
                let number = read_varint(&mut input)?.checked_sub(1);
                number.map_or(Some(None), |number| u32::try_from(number).ok().map(Some))
            };
            let (skips, score) = (optional()?, optional()?);
            let offset = u32::try_from(head >> 1).ok()?;
            self.insert(
                Occurrence::new(offset, head & 1 != 0, skips, score),
                Tie::Greater,
            );
        }
        Some(())
    }
}

/// Unites the occurrences of a term in one field of one event. The result does not depend on the order of its inputs.
#[derive(Clone, Copy, Debug)]
pub struct TermWeightCombiner;

impl Combiner for TermWeightCombiner {
    fn name(&self) -> &'static str {
        NAME
    }

    fn grouping(&self) -> Grouping {
        Grouping::Versions
    }

    fn folder(&self) -> Box<dyn Folder> {
        Box::new(WeightFolder::default())
    }
}

#[derive(Default)]
struct WeightFolder {
    weight: TermWeight,
    value: Vec<u8>,
}

impl Folder for WeightFolder {
    fn add(&mut self, _key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        let (added, reason) = match input {
            Input::Value(value) => (
                self.weight.add_value(value, Tie::Greater),
                "the value is no TermWeight.Info",
            ),
            Input::Partial(state) => (
                self.weight.add_state(state),
                "the partial state is cut short",
            ),
        };
        added.ok_or_else(|| CombineError {
            combiner: NAME,
            reason: reason.into(),
        })
    }

    fn partial(&mut self, state: &mut Vec<u8>) {
        self.weight.write_state(state);
        self.weight.clear();
    }

    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8])) {
        self.value.clear();
        self.weight.write(&mut self.value);
        emit(first, &self.value);
        self.weight.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::combiner_trees::{cells, finished, random_trees_agree};
    use super::*;
    use proptest::prelude::*;

    /// A value with offsets, and with skips and scores that may or may not be as many.
    fn value() -> impl Strategy<Value = Vec<u8>> {
        let numbers = |most| prop::collection::vec(0u32..6, 0..most);
        (numbers(6), numbers(3), numbers(3), any::<Option<bool>>()).prop_map(
            |(offsets, skips, scores, zero)| {
                let mut bytes = Vec::new();
                for (tag, list) in [(0x18, offsets), (0x20, skips), (0x28, scores)] {
                    for number in list {
                        bytes.push(tag);
                        write_varint(u64::from(number), &mut bytes);
                    }
                }
                bytes.extend(zero.into_iter().flat_map(|zero| [0x30, u8::from(zero)]));
                bytes
            },
        )
    }

    proptest! {
        #[test]
        fn any_tree_of_merges_gives_the_same(
            values in cells(value()),
            cuts in prop::collection::vec(any::<u32>(), 16),
        ) {
            random_trees_agree(&TermWeightCombiner, b"tf", &values, &cuts);
        }
    }

    #[test]
    fn one_value_is_completed() {
        let mut value = Vec::new();
        write_offset(1, &mut value);
        write_offset(11, &mut value);
        assert_eq!(value, [0x18, 0x01, 0x18, 0x0b]);
        let cells = finished(&TermWeightCombiner, b"tf", &[(5, false, value)]);
        assert_eq!(cells, [(5, vec![0x18, 0x01, 0x18, 0x0b, 0x30, 0x01])]);
    }

    #[test]
    fn what_cannot_be_read_is_an_error() {
        let key = crate::key::Key {
            row: b"",
            family: b"tf",
            qualifier: b"",
            visibility: b"",
            timestamp: 0,
            deleted: false,
        };
        let mut folder = TermWeightCombiner.folder();
        for bad in [&[0x18][..], &[0x1d, 0, 0, 0, 0], &[0x00, 0x01]] {
            assert!(folder.add(&key, Input::Value(bad)).is_err(), "{bad:?}");
        }
        for bad in [&[2][..], &[2, 1], &[2, 1, 0x80]] {
            assert!(folder.add(&key, Input::Partial(bad)).is_err(), "{bad:?}");
        }
    }
}
