//! Reads cells in key order: down the index of each group, and across groups.

use shardmill_schemas::key::Key;

use super::block::BlockCursor;
use super::codec::BlockDecompressor;
use super::container::Region;
use super::error::{Fault, RFileError};
use super::index::IndexBlock;
use super::input::Input;
use super::reader::{GroupMeta, RFileReader};

/// What all groups of a scan share: the codec's context and the buffers of compressed and index blocks.
pub(crate) struct Loader<'r> {
    reader: &'r RFileReader,
    decompressor: BlockDecompressor,
    packed: Vec<u8>,
    raw: Vec<u8>,
}

impl<'r> Loader<'r> {
    /// A loader for the data and index blocks of a file.
    pub(crate) fn new(reader: &'r RFileReader) -> Result<Loader<'r>, RFileError> {
        Ok(Loader {
            reader,
            decompressor: BlockDecompressor::new(reader.codec).map_err(|f| reader.corrupt(0, f))?,
            packed: Vec::new(),
            raw: Vec::new(),
        })
    }

    fn data_block(&mut self, region: &Region, out: &mut Vec<u8>) -> Result<(), RFileError> {
        self.reader
            .read_block(&mut self.decompressor, region, &mut self.packed, out)
    }

    fn index_block(&mut self, region: &Region, level: u32) -> Result<IndexBlock, RFileError> {
        self.reader.read_block(
            &mut self.decompressor,
            region,
            &mut self.packed,
            &mut self.raw,
        )?;
        let mut input = Input::new(&self.raw, 0);
        let block = IndexBlock::read(&mut input).and_then(|block| input.end().map(|()| block));
        let block = block.map_err(|f| self.reader.corrupt(region.offset, f))?;
        // Without entries a walk would not advance; with another level it might never end.
        if block.level != level || block.count() == 0 {
            let what = "an index block is empty or of the wrong level";
            return Err(self.reader.corrupt(region.offset, Fault::new(0, what)));
        }
        Ok(block)
    }
}

/// An index block on the way from the root to a data block.
struct Step {
    block: IndexBlock,
    /// The next entry to visit.
    next: usize,
    region: Region,
}

/// Walks the level-0 entries of one group in order.
pub(crate) struct IndexWalk<'r> {
    group: &'r GroupMeta,
    steps: Vec<Step>,
    seen: u64,
    /// Whether the walk began with the first block, so that its end tells the count.
    whole: bool,
}

/// What a step of the walk found.
pub(crate) enum Found {
    /// A data block with its number of cells.
    Data { cells: i32, region: Region },
    /// An index block below the root.
    Index { level: u32, region: Region },
    /// The end of the group.
    End,
}

impl<'r> IndexWalk<'r> {
    /// A walk from the first block of the group.
    pub(crate) fn new(reader: &RFileReader, group: &'r GroupMeta) -> IndexWalk<'r> {
        let mut walk = IndexWalk {
            group,
            steps: Vec::new(),
            seen: 0,
            whole: true,
        };
        walk.restart(reader);
        walk
    }

    fn restart(&mut self, reader: &RFileReader) {
        self.steps.clear();
        self.steps.push(Step {
            block: self.group.root.clone(),
            next: 0,
            region: Region {
                offset: reader.index_at,
                ..Region::default()
            },
        });
        self.seen = 0;
    }

    /// Goes one step on, into index blocks before the data blocks below them.
    pub(crate) fn step(&mut self, loader: &mut Loader<'_>) -> Result<Found, RFileError> {
        loop {
            let Some(top) = self.steps.last_mut() else {
                return Ok(Found::End);
            };
            if top.next == top.block.count() {
                self.steps.pop();
                if self.steps.is_empty() {
                    self.check_count(loader.reader, self.whole && self.seen != self.group.blocks)?;
                }
                continue;
            }
            let entry = top.block.entry(top.next);
            let entry = entry.map_err(|f| loader.reader.corrupt(top.region.offset, f))?;
            let (cells, region, level) = (entry.cells, entry.region, top.block.level);
            top.next += 1;
            let Some(level) = level.checked_sub(1) else {
                self.seen += 1;
                self.check_count(loader.reader, self.seen > self.group.blocks)?;
                return Ok(Found::Data { cells, region });
            };
            let block = loader.index_block(&region, level)?;
            self.steps.push(Step {
                block,
                next: 0,
                region,
            });
            return Ok(Found::Index { level, region });
        }
    }

    /// The key of the level-0 entry that [`IndexWalk::step`] gave last.
    pub(crate) fn data_key(&self) -> Option<Key<'_>> {
        let top = self.steps.last()?;
        let entry = top.block.entry(top.next.checked_sub(1)?).ok()?;
        Some(entry.key)
    }

    /// Moves to the first data block that may hold a row of at least `row`.
    fn seek(&mut self, loader: &mut Loader<'_>, row: &[u8]) -> Result<(), RFileError> {
        self.restart(loader.reader);
        self.whole = false;
        while let Some(top) = self.steps.last_mut() {
            let corrupt = |f| loader.reader.corrupt(top.region.offset, f);
            top.next = top.block.first_at_row(row).map_err(corrupt)?;
            if top.block.level == 0 || top.next == top.block.count() {
                break;
            }
            // An index block, whose level is above 0, is loaded and pushed by this step.
            self.step(loader)?;
        }
        Ok(())
    }

    fn check_count(&self, reader: &RFileReader, wrong: bool) -> Result<(), RFileError> {
        if wrong {
            let what = "the index of a group does not hold the number of blocks it claims";
            return Err(reader.corrupt(reader.index_at, Fault::new(0, what)));
        }
        Ok(())
    }
}

/// The cells of one group.
struct GroupCursor<'r> {
    walk: IndexWalk<'r>,
    cells: BlockCursor,
    /// File offset of the current data block.
    offset: u64,
    /// Whether `cells` stands on a cell that was not consumed.
    live: bool,
    /// Whether the next cell is the first of the group.
    at_start: bool,
}

impl GroupCursor<'_> {
    fn advance(&mut self, loader: &mut Loader<'_>) -> Result<(), RFileError> {
        self.live = false;
        while self.cells.left() == 0 {
            match self.walk.step(loader)? {
                Found::Data { cells, region } => {
                    self.offset = region.offset;
                    loader.data_block(&region, &mut self.cells.block)?;
                    self.cells.start(cells);
                }
                Found::Index { .. } => {}
                Found::End => return Ok(()),
            }
        }
        let corrupt = |f| loader.reader.corrupt(self.offset, f);
        self.cells.advance().map_err(corrupt)?;
        if self.at_start {
            self.at_start = false;
            let promised = self.walk.group.first.as_ref().map(|key| key.as_key());
            if promised != Some(self.cells.key()) {
                let what = "the first key of a group is not the one in RFile.index";
                return Err(corrupt(Fault::new(0, what)));
            }
        }
        self.live = true;
        Ok(())
    }

    fn seek(&mut self, loader: &mut Loader<'_>, row: &[u8]) -> Result<(), RFileError> {
        self.walk.seek(loader, row)?;
        self.cells.reset();
        self.at_start = false;
        self.advance(loader)?;
        while self.live && self.cells.key().row < row {
            self.advance(loader)?;
        }
        Ok(())
    }
}

/// A cursor over the cells of all locality groups, merged in key order.
///
/// It checks what it passes: the order, the number of cells and blocks, and each group's first key.
pub struct Scan<'r> {
    loader: Loader<'r>,
    groups: Vec<GroupCursor<'r>>,
    /// The group whose cell was given out last, if any was.
    given: Option<usize>,
    primed: bool,
    broken: bool,
}

impl<'r> Scan<'r> {
    pub(crate) fn new(reader: &'r RFileReader) -> Result<Scan<'r>, RFileError> {
        let groups = reader.groups.iter().map(|group| GroupCursor {
            walk: IndexWalk::new(reader, group),
            cells: BlockCursor::default(),
            offset: 0,
            live: false,
            at_start: true,
        });
        Ok(Scan {
            loader: Loader::new(reader)?,
            groups: groups.collect(),
            given: None,
            primed: false,
            broken: false,
        })
    }

    /// The next cell; key and value are valid until the next call.
    ///
    /// # Errors
    /// [`RFileError::Read`], [`RFileError::Corrupt`]; [`RFileError::Broken`] after an earlier error.
    #[allow(
        clippy::should_implement_trait,
        reason = "the cell borrows from the cursor"
    )]
    pub fn next(&mut self) -> Result<Option<(Key<'_>, &[u8])>, RFileError> {
        self.guard(Scan::advance)?;
        self.given = (0..self.groups.len())
            .filter(|&i| self.groups[i].live)
            .min_by(|&a, &b| {
                let keys = (self.groups[a].cells.key(), self.groups[b].cells.key());
                keys.0.cmp(&keys.1)
            });
        Ok(self.given.map(|i| {
            let cells = &self.groups[i].cells;
            (cells.key(), cells.value())
        }))
    }

    /// File offset of the data block that holds the cell which [`Scan::next`] gave last; 0 before the first one.
    #[must_use]
    pub fn block_offset(&self) -> u64 {
        self.given.map_or(0, |given| self.groups[given].offset)
    }

    /// Moves to the first cell whose row is at least `row`, forwards or backwards; [`Scan::next`] gives it.
    ///
    /// # Errors
    /// As [`Scan::next`].
    pub fn seek_row(&mut self, row: &[u8]) -> Result<(), RFileError> {
        self.guard(|scan| {
            scan.given = None;
            scan.primed = true;
            for group in &mut scan.groups {
                group.seek(&mut scan.loader, row)?;
            }
            Ok(())
        })
    }

    fn advance(&mut self) -> Result<(), RFileError> {
        if !self.primed {
            self.primed = true;
            for group in &mut self.groups {
                group.advance(&mut self.loader)?;
            }
        } else if let Some(given) = self.given {
            self.groups[given].advance(&mut self.loader)?;
        }
        Ok(())
    }

    /// Runs a step unless an earlier one failed: what follows a fault must not look like a shorter file.
    fn guard(
        &mut self,
        step: impl FnOnce(&mut Self) -> Result<(), RFileError>,
    ) -> Result<(), RFileError> {
        if self.broken {
            return Err(RFileError::Broken);
        }
        let done = step(self);
        self.broken = done.is_err();
        done
    }
}
