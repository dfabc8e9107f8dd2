//! Index blocks of a group: each must say truly what stands below it, before it and after it.

use shardmill_schemas::key::{Key, KeyBuf};

use super::cells::GroupCheck;
use super::layout::Layout;
use super::parse::{Place, Rest};
use super::{Check, Finding, refuse};

/// More levels than any file needs; bounds the recursion.
const MAX_LEVEL: i64 = 16;

/// An index block as it stands in the file.
pub(super) struct IndexNode {
    level: i64,
    /// Level-0 entries of the group before this block.
    before: i64,
    /// Whether more blocks follow on this level.
    more: bool,
    count: usize,
    entries: Vec<u8>,
}

/// An entry of an index block.
struct Entry<'a> {
    key: Key<'a>,
    cells: i64,
    place: Place,
}

impl IndexNode {
    /// Reads a block, whose table of entry starts must describe entries that follow each other without gaps.
    pub(super) fn read(rest: &mut Rest<'_>) -> Option<IndexNode> {
        let (level, before, more) = (rest.fixed(4)?, rest.fixed(4)?, rest.flag()?);
        let count = rest.count()?;
        let mut starts = Rest(rest.bytes(count.checked_mul(4)?)?);
        let entries = rest.counted()?;
        let mut tail = Rest(entries);
        while !starts.is_empty() {
            let start = starts.count()?;
            (start == entries.len() - tail.0.len()).then_some(())?;
            read_entry(&mut tail)?;
        }
        let fits = tail.is_empty() && (0..=MAX_LEVEL).contains(&level);
        fits.then(|| IndexNode {
            level,
            before,
            more,
            count,
            entries: entries.to_vec(),
        })
    }

    /// Number of entries.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

fn read_entry<'a>(rest: &mut Rest<'a>) -> Option<Entry<'a>> {
    Some(Entry {
        key: rest.key()?,
        cells: rest.fixed(4)?,
        place: rest.place()?,
    })
}

/// A walk over the whole index of a group, down to its cells.
pub(super) struct Walk<'w, 'f, 'c, 't> {
    layout: &'w mut Layout<'f>,
    cells: &'w mut GroupCheck<'c, 't>,
    data: Vec<u8>,
    /// Data blocks passed.
    pub(super) blocks: u64,
}

impl<'w, 'f, 'c, 't> Walk<'w, 'f, 'c, 't> {
    /// A walk of one group.
    pub(super) fn new(
        layout: &'w mut Layout<'f>,
        cells: &'w mut GroupCheck<'c, 't>,
    ) -> Walk<'w, 'f, 'c, 't> {
        Walk {
            layout,
            cells,
            data: Vec::new(),
            blocks: 0,
        }
    }

    /// Walks the index below `root`, which stands in the meta block at `offset`.
    pub(super) fn run(&mut self, root: &IndexNode, offset: u64) -> Result<(), Finding> {
        self.node(root, offset, true)
    }

    /// Checks a block and all below it; `last` says that no block follows on its level.
    fn node(&mut self, node: &IndexNode, offset: u64, last: bool) -> Result<(), Finding> {
        if node.before != self.blocks as i64 || node.more == last {
            let what = "an index block has a false position";
            return refuse(Check::Index, offset, what);
        }
        let mut rest = Rest(&node.entries);
        for i in 0..node.count {
            let Some(entry) = read_entry(&mut rest) else {
                return refuse(Check::Index, offset, "an index block is malformed");
            };
            let last = last && i + 1 == node.count;
            if node.level == 0 {
                self.data_block(&entry, offset, last)?;
            } else {
                self.child(&entry, node.level - 1, offset, last)?;
            }
        }
        Ok(())
    }

    fn child(
        &mut self,
        entry: &Entry<'_>,
        level: i64,
        offset: u64,
        last: bool,
    ) -> Result<(), Finding> {
        let place = entry.place;
        let mut content = Vec::new();
        self.layout.block(place, &mut content)?;
        let mut rest = Rest(&content);
        let node = IndexNode::read(&mut rest).filter(|_| rest.is_empty());
        drop(content);
        match node {
            Some(node) if node.level == level && node.count > 0 && entry.cells == 0 => {
                if last_key(&node).as_ref().map(KeyBuf::as_key) != Some(entry.key) {
                    let what = "an index entry has another key than the block it refers to";
                    return refuse(Check::Index, offset, what);
                }
                self.node(&node, place.offset, last)
            }
            _ => refuse(
                Check::Index,
                place.offset,
                "an index block is malformed, empty or of the wrong level",
            ),
        }
    }

    fn data_block(&mut self, entry: &Entry<'_>, offset: u64, last: bool) -> Result<(), Finding> {
        if entry.cells < 1 {
            return refuse(Check::Index, offset, "an index entry promises no cells");
        }
        self.layout.block(entry.place, &mut self.data)?;
        self.blocks += 1;
        let at = entry.place.offset;
        self.cells.block(&self.data, entry.cells, at)?;
        self.cells.index_key(&entry.key, last, at)
    }
}

/// The key of a block's last entry.
fn last_key(node: &IndexNode) -> Option<KeyBuf> {
    let mut rest = Rest(&node.entries);
    let mut last = None;
    while let Some(entry) = read_entry(&mut rest) {
        last = Some(entry.key);
    }
    last.map(|key| key.to_buf())
}
