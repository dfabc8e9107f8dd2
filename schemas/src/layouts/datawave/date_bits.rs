//! The value of a date index entry: the shard numbers of a day as a bit set, and how such sets become one.
//!
//! The bytes are those of `java.util.BitSet.toByteArray`: bit `n` is bit `n % 8` (from the lowest) of byte `n / 8`, and no zero bytes at
//! the end: {0} is `01`, {8} is `00 01`, the empty set is empty. DataWave's `DateIndexDateAggregator` unites sets; order plays no part.

use crate::combine::{CombineError, Combiner, Folder, Grouping, Input};
use crate::key::Key;

/// Appends the set that holds `shard` alone; a shard number takes `shard / 8 + 1` bytes.
pub fn write_shard(shard: u32, out: &mut Vec<u8>) {
    out.resize(out.len() + shard as usize / 8, 0);
    out.push(1 << (shard % 8));
}

/// Adds the members of `other` to `bits`. Zero bytes at the end of `other` do not count.
pub fn unite(bits: &mut Vec<u8>, other: &[u8]) {
    let used = other
        .iter()
        .rposition(|&byte| byte != 0)
        .map_or(0, |last| last + 1);
    if bits.len() < used {
        bits.resize(used, 0);
    }
    for (byte, more) in bits.iter_mut().zip(&other[..used]) {
        *byte |= more;
    }
}

/// Unites the bit sets of equal columns.
#[derive(Clone, Copy, Debug)]
pub struct DateBitsCombiner;

impl Combiner for DateBitsCombiner {
    fn name(&self) -> &'static str {
        "date-bits"
    }

    fn grouping(&self) -> Grouping {
        Grouping::Versions
    }

    fn folder(&self) -> Box<dyn Folder> {
        Box::new(BitsFolder::default())
    }
}

#[derive(Default)]
struct BitsFolder {
    bits: Vec<u8>,
}

impl Folder for BitsFolder {
    fn add(&mut self, _key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        // A partial state is a bit set, too.
        let (Input::Value(bytes) | Input::Partial(bytes)) = input;
        unite(&mut self.bits, bytes);
        Ok(())
    }

    fn partial(&mut self, state: &mut Vec<u8>) {
        state.append(&mut self.bits);
    }

    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8])) {
        emit(first, &self.bits);
        self.bits.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::combiner_trees::{cells, random_trees_agree};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_are_those_of_a_bit_set() {
        for (shard, expected) in [
            (0, &[1][..]),
            (7, &[0x80]),
            (8, &[0, 1]),
            (10, &[0, 4]),
            (63, &[0, 0, 0, 0, 0, 0, 0, 0x80]),
        ] {
            let mut bits = Vec::new();
            write_shard(shard, &mut bits);
            assert_eq!(bits, expected, "{shard}");
        }
        let mut bits = Vec::new();
        write_shard(3, &mut bits);
        unite(&mut bits, &[0, 4, 0, 0]);
        assert_eq!(bits, [0x08, 0x04]);
    }

    proptest! {
        #[test]
        fn any_tree_of_merges_gives_the_same(
            values in cells(prop::collection::vec(any::<u8>(), 0..5)),
            cuts in prop::collection::vec(any::<u32>(), 16),
        ) {
            random_trees_agree(&DateBitsCombiner, b"LOADED", &values, &cuts);
        }
    }
}
