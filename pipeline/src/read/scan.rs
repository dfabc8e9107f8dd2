//! The pass that plans an input: cuts at record starts, counts records and picks a sample, with the reader's own record boundaries.

use shardmill_schemas::record::{Position, Record};

use super::{ReadError, Scanned, Slice, Step};

/// At most so many records of an input are sampled.
const SAMPLES: u64 = 2_000;
/// So many decompressed bytes of an input that cannot be cut are looked at.
const BEGINNING: u64 = 4 << 20;

/// A reader that can find the next record without making fields of it.
pub(super) trait Boundaries {
    /// Whether reading can begin at any record.
    fn can_be_cut(&self) -> bool;

    /// Offset behind the last record, or of the first one at the beginning.
    fn offset(&self) -> u64;

    /// Goes to the next record, clean or not.
    fn advance(&mut self) -> Result<Option<Position>, ReadError>;

    /// Makes the fields of the record that [`advance`](Self::advance) found.
    fn parse(&mut self, record: &mut Record) -> Step;
}

/// Walks an input whose reader stands at its first record.
pub(super) fn pass(
    reader: &mut impl Boundaries,
    input: usize,
    size: u64,
    slice_bytes: u64,
    sample: &mut dyn FnMut(&Record),
) -> Result<Scanned, ReadError> {
    let can_be_cut = reader.can_be_cut();
    let slice_bytes = slice_bytes.max(1);
    let stride = if can_be_cut { size } else { BEGINNING } / SAMPLES + 1;
    let mut record = Record::default();
    let mut slices: Vec<Slice> = Vec::new();
    let (mut next_cut, mut next_sample) = (0, 0);
    let (mut records, mut ended) = (0, true);
    while let Some(position) = reader.advance()? {
        if position.offset >= next_cut {
            slices.push(Slice {
                input,
                start: position.offset,
                end: u64::MAX,
                first_record: position.record,
                first_line: position.line,
            });
            next_cut = if can_be_cut {
                after(position.offset, slice_bytes)
            } else {
                u64::MAX
            };
        }
        // A rejected record leaves its place in the sample to the next clean one.
        if position.offset >= next_sample && reader.parse(&mut record) == Step::Record {
            sample(&record);
            next_sample = after(position.offset, stride);
        }
        records += 1;
        if !can_be_cut && reader.offset() >= BEGINNING {
            ended = false;
            break;
        }
    }
    let end = reader.offset();
    if can_be_cut {
        let starts: Vec<u64> = slices.iter().skip(1).map(|slice| slice.start).collect();
        for (slice, end) in slices.iter_mut().zip(starts.into_iter().chain([end])) {
            slice.end = end;
        }
    }
    Ok(Scanned {
        slices,
        records: ended.then_some(records),
        bytes: ended.then_some(end),
    })
}

/// The first multiple of `step` behind `offset`.
fn after(offset: u64, step: u64) -> u64 {
    (offset / step + 1).saturating_mul(step)
}
