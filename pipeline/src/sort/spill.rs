//! Spilling: what is in the sort buffer becomes sorted, combined segments of a run.

use super::buffer::SortBuffer;
use super::fold::{Fold, FoldError, Mode};
use super::run::{RunError, RunWriter};
use shardmill_schemas::cell::TableId;
use shardmill_schemas::key::Key;
use shardmill_schemas::layout::TableSpec;

/// The rows at which a table is cut for merging: partition `i` holds the rows after `ends[i - 1]` up to and with `ends[i]`, as tablets do;
/// the last one is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partitions {
    /// Ascending end rows.
    pub ends: Vec<Vec<u8>>,
}

impl Partitions {
    /// The partition of a row.
    #[must_use]
    pub fn of(&self, row: &[u8]) -> usize {
        self.ends.partition_point(|end| end.as_slice() < row)
    }

    /// Whether partition `index` ends before `row`.
    fn is_past(&self, index: usize, row: &[u8]) -> bool {
        self.ends.get(index).is_some_and(|end| end.as_slice() < row)
    }
}

/// Sorts the buffer table by table, combines equal groups to partial states, writes one segment per partition that has cells, and empties
/// the buffer. Returns how many cells were written.
///
/// # Errors
/// The run cannot be written, or a combiner refuses what its layout put.
pub fn spill(
    buffer: &mut SortBuffer,
    tables: &[TableSpec],
    partitions: &[Partitions],
    run: &mut RunWriter,
) -> Result<u64, FoldError<RunError>> {
    let mut written = 0;
    for (index, (spec, cuts)) in tables.iter().zip(partitions).enumerate() {
        let mut fold = Fold::new(spec, Mode::Partial);
        let mut open = None;
        let mut emit = |key: &Key<'_>, input: shardmill_schemas::combine::Input<'_>| {
            let partition = match open {
                Some(partition) if !cuts.is_past(partition, key.row) => partition,
                _ => {
                    let partition = cuts.of(key.row);
                    run.begin(index as u16, partition as u32)?;
                    partition
                }
            };
            open = Some(partition);
            written += 1;
            run.append(key, input)
        };
        buffer.sorted(TableId(index as u16), |key, input| {
            fold.push(key, input, &mut emit)
        })?;
        fold.end(&mut emit)?;
    }
    buffer.clear();
    Ok(written)
}
