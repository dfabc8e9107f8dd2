//! Sum, smallest and greatest of the versions of a cell (`SummingCombiner`, `MinCombiner`, `MaxCombiner`).

use crate::combine::{CombineError, Combiner, Folder, Grouping, Input};
use crate::encode::long_values::LongEncoding;
use crate::key::Key;

/// What is kept of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Their sum, kept within 64 bits at the end.
    Sum,
    /// The smaller one.
    Min,
    /// The greater one.
    Max,
}

impl Fold {
    /// All of them.
    pub const ALL: [Fold; 3] = [Fold::Sum, Fold::Min, Fold::Max];

    /// The name in configurations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Fold::Sum => "sum",
            Fold::Min => "min",
            Fold::Max => "max",
        }
    }

    /// The iterator class that does it on the cluster.
    #[must_use]
    pub fn class(self) -> &'static str {
        match self {
            Fold::Sum => "org.apache.accumulo.core.iterators.user.SummingCombiner",
            Fold::Min => "org.apache.accumulo.core.iterators.user.MinCombiner",
            Fold::Max => "org.apache.accumulo.core.iterators.user.MaxCombiner",
        }
    }

    fn apply(self, a: i128, b: i128) -> i128 {
        match self {
            // 2^64 numbers of 64 bits would be needed to reach the limit.
            Fold::Sum => a.saturating_add(b),
            Fold::Min => a.min(b),
            Fold::Max => a.max(b),
        }
    }
}

/// Folds the numbers in the values of all versions of a cell into one, under the newest timestamp.
///
/// Java's `SummingCombiner` limits the sum to 64 bits after *every* addition (`LongCombiner.safeAdd`). With numbers of both signs near the
/// limits its result depends on the order of the versions and on where a compaction fell: `MAX + 1 - 1` is `MAX - 1` from the left and
/// `MAX` from the right. Here the partial state is the exact sum in 128 bits and the limit is applied once, at the end. Whenever no
/// intermediate sum leaves 64 bits, and whenever all numbers have one sign, that is Java's result; otherwise it is the one that no order
/// can change.
#[derive(Clone, Copy, Debug)]
pub struct LongCombiner {
    fold: Fold,
    encoding: LongEncoding,
}

impl LongCombiner {
    /// A combiner of values in this encoding.
    #[must_use]
    pub fn new(fold: Fold, encoding: LongEncoding) -> LongCombiner {
        LongCombiner { fold, encoding }
    }
}

impl Combiner for LongCombiner {
    fn name(&self) -> &'static str {
        self.fold.name()
    }

    fn grouping(&self) -> Grouping {
        Grouping::Versions
    }

    fn folder(&self) -> Box<dyn Folder> {
        Box::new(LongFolder {
            combiner: *self,
            folded: None,
            value: Vec::new(),
        })
    }
}

struct LongFolder {
    combiner: LongCombiner,
    folded: Option<i128>,
    /// The published value, in a buffer that serves all groups.
    value: Vec<u8>,
}

impl LongFolder {
    fn error(&self, reason: String) -> CombineError {
        CombineError {
            combiner: self.combiner.fold.name(),
            reason,
        }
    }
}

impl Folder for LongFolder {
    fn add(&mut self, _key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        let number = match input {
            Input::Value(bytes) => self
                .combiner
                .encoding
                .decode(bytes)
                .map(i128::from)
                .map_err(|bad| self.error(bad.to_string()))?,
            Input::Partial(bytes) => bytes
                .try_into()
                .map(i128::from_be_bytes)
                .map_err(|_| self.error(format!("a partial state of {} bytes", bytes.len())))?,
        };
        self.folded = Some(match self.folded {
            Some(folded) => self.combiner.fold.apply(folded, number),
            None => number,
        });
        Ok(())
    }

    fn partial(&mut self, state: &mut Vec<u8>) {
        if let Some(folded) = self.folded.take() {
            state.extend_from_slice(&folded.to_be_bytes());
        }
    }

    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8])) {
        let Some(folded) = self.folded.take() else {
            return;
        };
        let limit = if folded < 0 { i64::MIN } else { i64::MAX };
        self.value.clear();
        self.combiner
            .encoding
            .encode(i64::try_from(folded).unwrap_or(limit), &mut self.value);
        emit(first, &self.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::combiners::latest::tests::{key_at, random_trees_agree};
    use proptest::prelude::*;

    fn fold(combiner: LongCombiner, values: &[i64]) -> Vec<u8> {
        let mut folder = combiner.folder();
        for value in values {
            let mut bytes = Vec::new();
            combiner.encoding.encode(*value, &mut bytes);
            folder.add(&key_at(1), Input::Value(&bytes)).unwrap();
        }
        let mut result = Vec::new();
        folder.finish(&key_at(1), &mut |_, value| result.extend_from_slice(value));
        result
    }

    #[test]
    fn sums_stop_at_the_limits_of_64_bits() {
        let sum = LongCombiner::new(Fold::Sum, LongEncoding::Text);
        assert_eq!(fold(sum, &[1, 1, 778]), b"780");
        assert_eq!(fold(sum, &[i64::MAX, 1, 1]), b"9223372036854775807");
        assert_eq!(fold(sum, &[i64::MIN, -1]), b"-9223372036854775808");
        assert_eq!(fold(sum, &[i64::MAX, 1, -1]), b"9223372036854775807");
        let min = LongCombiner::new(Fold::Min, LongEncoding::VarLen);
        assert_eq!(fold(min, &[3, -2, 5]), [0xfe]);
    }

    #[test]
    fn bytes_of_no_number_are_errors() {
        let mut folder = LongCombiner::new(Fold::Max, LongEncoding::FixedLen).folder();
        let error = folder.add(&key_at(1), Input::Value(b"12")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "max: not a FIXEDLEN number: 8 bytes are needed"
        );
        assert!(folder.add(&key_at(1), Input::Partial(b"12")).is_err());
    }

    proptest! {
        #[test]
        fn any_tree_of_merges_gives_the_same(
            values in proptest::collection::vec((any::<i64>(), -3_i64..3, any::<bool>()), 1..24),
            cuts in proptest::collection::vec(any::<u32>(), 32),
        ) {
            for folding in Fold::ALL {
                let combiner = LongCombiner::new(folding, LongEncoding::VarLen);
                let cells: Vec<(i64, Vec<u8>)> = values.iter().map(|&(value, timestamp, small)| {
                    let mut bytes = Vec::new();
                    combiner.encoding.encode(if small { value >> 40 } else { value }, &mut bytes);
                    (timestamp, bytes)
                }).collect();
                random_trees_agree(&combiner, &cells, &cuts);
            }
        }
    }
}
