//! The sort buffer: one arena for all cells of a map task and one list of bounds per table.
//!
//! A cell in the arena is a header of lengths and timestamp, then row, family, qualifier, visibility and value back to back:
//!
//! ```text
//! row u32 │ family u32 │ qualifier u32 │ visibility u32 │ value u32 │ timestamp i64 │ deleted u8 │ bytes …      (native byte order)
//! ```
//!
//! The arena is reserved at its full budget once, so it never moves and no cell costs an allocation.

use super::order::{self, Bound};
use shardmill_schemas::cell::{Cell, TableId};
use shardmill_schemas::combine::Input;
use shardmill_schemas::key::Key;

/// Bytes of a header in the arena.
pub(super) const HEADER: usize = 5 * 4 + 8 + 1;

/// Cells of all tables, unsorted until [`SortBuffer::sorted`].
#[derive(Debug)]
pub struct SortBuffer {
    arena: Vec<u8>,
    bounds: Vec<Vec<Bound>>,
    cells: usize,
    budget: usize,
}

/// A place in the buffer to which it can be cut back: where a record began.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    arena: usize,
    bounds: Vec<usize>,
    cells: usize,
}

impl Mark {
    /// The start of a buffer of so many tables.
    #[must_use]
    pub fn start(tables: usize) -> Self {
        Mark {
            bounds: vec![0; tables],
            ..Mark::default()
        }
    }
}

/// Cells that were taken out of a buffer.
#[derive(Debug)]
pub struct Tail {
    arena: Vec<u8>,
    bounds: Vec<Vec<Bound>>,
    start: usize,
}

impl SortBuffer {
    /// A buffer for so many tables that holds `budget` bytes of cells and bounds, at most 4 GiB of cells.
    #[must_use]
    pub fn new(tables: usize, budget: usize) -> Self {
        let budget = budget.min(u32::MAX as usize);
        SortBuffer {
            arena: Vec::with_capacity(budget),
            bounds: vec![Vec::new(); tables],
            cells: 0,
            budget,
        }
    }

    /// Whether `cell` can be put without outgrowing the budget. An empty buffer takes any cell.
    #[must_use]
    pub fn has_room(&self, cell: &Cell<'_>) -> bool {
        let size = HEADER
            + size(cell.row)
            + size(cell.family)
            + size(cell.qualifier)
            + cell.visibility.len()
            + cell.value.len();
        self.cells == 0
            || self.arena.len() + size + (self.cells + 1) * size_of::<Bound>() <= self.budget
    }

    /// Appends a copy of `cell`.
    ///
    /// # Errors
    /// A component that is longer than 4 GiB: the cell is not taken.
    pub fn put(&mut self, table: TableId, cell: &Cell<'_>) -> Result<(), CellTooLarge> {
        let [row, family, qualifier] = [cell.row, cell.family, cell.qualifier].map(size);
        let at = u32::try_from(self.arena.len()).map_err(|_| CellTooLarge)?;
        for length in [
            row,
            family,
            qualifier,
            cell.visibility.len(),
            cell.value.len(),
        ] {
            self.arena.extend_from_slice(
                &u32::try_from(length)
                    .map_err(|_| CellTooLarge)?
                    .to_ne_bytes(),
            );
        }
        self.arena.extend_from_slice(&cell.timestamp.to_ne_bytes());
        self.arena.push(u8::from(cell.deleted));
        for component in [cell.row, cell.family, cell.qualifier] {
            for piece in component {
                self.arena.extend_from_slice(piece);
            }
        }
        self.arena.extend_from_slice(cell.visibility);
        self.arena.extend_from_slice(cell.value);
        self.bounds[table.0 as usize].push(Bound::new(at));
        self.cells += 1;
        Ok(())
    }

    /// Whether it holds no cell.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells == 0
    }

    /// How many cells it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cells
    }

    /// How many tables it has bounds for.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.bounds.len()
    }

    /// Remembers the end of the buffer in `mark`.
    pub fn mark(&self, mark: &mut Mark) {
        mark.arena = self.arena.len();
        mark.cells = self.cells;
        mark.bounds.clear();
        mark.bounds.extend(self.bounds.iter().map(Vec::len));
    }

    /// Cuts the buffer back to `mark`.
    pub fn rollback(&mut self, mark: &Mark) {
        self.arena.truncate(mark.arena);
        self.cells = mark.cells;
        for (bounds, &length) in self.bounds.iter_mut().zip(&mark.bounds) {
            bounds.truncate(length);
        }
    }

    /// Takes the cells after `mark` out of the buffer.
    pub fn split_off(&mut self, mark: &Mark) -> Tail {
        let tail = |(bounds, &length): (&mut Vec<Bound>, &usize)| bounds.split_off(length);
        let bounds: Vec<_> = self.bounds.iter_mut().zip(&mark.bounds).map(tail).collect();
        let tail = Tail {
            arena: self.arena[mark.arena..].to_vec(),
            bounds,
            start: mark.arena,
        };
        self.rollback(mark);
        tail
    }

    /// Puts back what [`SortBuffer::split_off`] took, after the cells that are there now.
    pub fn append(&mut self, tail: &Tail) {
        let shift = self.arena.len();
        self.arena.extend_from_slice(&tail.arena);
        for (bounds, taken) in self.bounds.iter_mut().zip(&tail.bounds) {
            self.cells += taken.len();
            // Both offsets were below 4 GiB, and the buffer held the cells before.
            bounds.extend(
                taken
                    .iter()
                    .map(|bound| Bound::new((bound.at() - tail.start + shift) as u32)),
            );
        }
    }

    /// Empties the buffer; its memory stays.
    pub fn clear(&mut self) {
        self.arena.clear();
        self.cells = 0;
        self.bounds.iter_mut().for_each(Vec::clear);
        // One giant cell may have made the arena outgrow its budget: that is given back.
        self.arena.shrink_to(self.budget);
    }

    /// Sorts the cells of a table by key, then by value descending, and visits them in that order.
    ///
    /// # Errors
    /// Whatever `visit` returns.
    pub fn sorted<E>(
        &mut self,
        table: TableId,
        mut visit: impl FnMut(&Key<'_>, Input<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bounds = &mut self.bounds[table.0 as usize];
        order::sort(bounds, &self.arena);
        for bound in bounds.iter() {
            let entry = Entry::at(&self.arena, bound.at());
            visit(&entry.key(), Input::Value(entry.value()))?;
        }
        Ok(())
    }
}

/// A component of a cell is longer than 4 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellTooLarge;

fn size(component: &[&[u8]]) -> usize {
    component.iter().map(|piece| piece.len()).sum()
}

/// A cell in the arena, with its header read.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    bytes: &'a [u8],
    /// End offsets of row, family, qualifier, visibility and value in `bytes`.
    ends: [usize; 5],
    pub(super) timestamp: i64,
    pub(super) deleted: bool,
}

impl<'a> Entry<'a> {
    pub(super) fn at(arena: &'a [u8], at: usize) -> Self {
        let (header, bytes) = arena[at..].split_at(HEADER);
        let mut ends = [0; 5];
        let mut end = 0;
        for (slot, length) in ends.iter_mut().zip(header.as_chunks::<4>().0) {
            end += u32::from_ne_bytes(*length) as usize;
            *slot = end;
        }
        let (timestamp, deleted) = header[20..].split_at(8);
        let timestamp = i64::from_ne_bytes(timestamp.try_into().unwrap_or_default());
        Entry {
            bytes,
            ends,
            timestamp,
            deleted: deleted[0] != 0,
        }
    }

    /// Row, family, qualifier, visibility and value by index 0..5.
    pub(super) fn component(&self, index: usize) -> &'a [u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    pub(super) fn key(&self) -> Key<'a> {
        Key {
            row: self.component(0),
            family: self.component(1),
            qualifier: self.component(2),
            visibility: self.component(3),
            timestamp: self.timestamp,
            deleted: self.deleted,
        }
    }

    pub(super) fn value(&self) -> &'a [u8] {
        self.component(4)
    }
}
