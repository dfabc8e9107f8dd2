//! The cells of data blocks: their order, their number, their families and visibilities.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use shardmill_schemas::key::{Key, KeyBuf};

use super::parse::Rest;
use super::{Check, Finding, refuse};

/// What is found in all groups together.
pub(super) struct Totals<'t> {
    pub(super) visibility: &'t dyn Fn(&[u8]) -> bool,
    cells: &'t mut dyn FnMut(&Key<'_>, &[u8]),
    pub(super) entries: u64,
    pub(super) deletes: u64,
    pub(super) first: Option<KeyBuf>,
    pub(super) last: Option<KeyBuf>,
    /// The named locality groups.
    pub(super) groups: BTreeMap<String, BTreeSet<Vec<u8>>>,
}

impl<'t> Totals<'t> {
    /// Nothing found yet.
    pub(super) fn new(
        visibility: &'t dyn Fn(&[u8]) -> bool,
        cells: &'t mut dyn FnMut(&Key<'_>, &[u8]),
    ) -> Totals<'t> {
        Totals {
            visibility,
            cells,
            entries: 0,
            deletes: 0,
            first: None,
            last: None,
            groups: BTreeMap::new(),
        }
    }
}

/// A key in a buffer of its own; two of them take turns.
#[derive(Default)]
struct Slot {
    bytes: Vec<u8>,
    ends: [usize; 4],
    timestamp: i64,
    deleted: bool,
}

impl Slot {
    fn field(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.bytes[start..self.ends[i]]
    }

    fn key(&self) -> Key<'_> {
        Key {
            row: self.field(0),
            family: self.field(1),
            qualifier: self.field(2),
            visibility: self.field(3),
            timestamp: self.timestamp,
            deleted: self.deleted,
        }
    }

    /// Sets this key to the next one of a block; `before` is `None` at the start of the block, where nothing may be relative.
    ///
    /// First byte: bits 0 to 3 field unchanged, 4 timestamp unchanged, 5 deleted, 7 a second byte follows.
    /// Second byte: bits 0 to 3 field shares a prefix, 4 timestamp is a difference.
    fn read(&mut self, rest: &mut Rest<'_>, before: Option<&Slot>) -> Option<()> {
        let flags = rest.byte()?;
        let more = if flags >= 0x80 { rest.byte()? } else { 0 };
        if flags & 0x40 != 0 || more & 0xe0 != 0 || (before.is_none() && flags & !0x20 != 0) {
            return None;
        }
        self.bytes.clear();
        for i in 0..4 {
            if flags >> i & 1 == 1 {
                self.bytes.extend_from_slice(before?.field(i));
            } else {
                if more >> i & 1 == 1 {
                    let shared = rest.hadoop_size()?;
                    self.bytes
                        .extend_from_slice(before?.field(i).get(..shared)?);
                }
                let size = rest.hadoop_size()?;
                self.bytes.extend_from_slice(rest.bytes(size)?);
            }
            self.ends[i] = self.bytes.len();
        }
        self.timestamp = match (flags & 0x10 != 0, more & 0x10 != 0) {
            (true, _) => before?.timestamp,
            (false, true) => before?.timestamp.wrapping_add(rest.hadoop()?),
            (false, false) => rest.hadoop()?,
        };
        self.deleted = flags & 0x20 != 0;
        Some(())
    }
}

/// Checks the cells of one group.
pub(super) struct GroupCheck<'c, 't> {
    /// The first key as `RFile.index` has it.
    first: Option<KeyBuf>,
    /// Cells of each family that must still come; `None` when they are not tracked.
    families: Option<HashMap<Vec<u8>, i64>>,
    foreign: Option<&'c HashSet<Vec<u8>>>,
    totals: &'c mut Totals<'t>,
    previous: Slot,
    current: Slot,
    /// Cells of the current family that were not yet taken off `families`.
    run: i64,
    started: bool,
    /// The index key of the block before, if there is one, and whether it was that block's last key.
    bound: Option<(KeyBuf, bool)>,
}

impl<'c, 't> GroupCheck<'c, 't> {
    /// A check with what `RFile.index` says of the group.
    pub(super) fn new(
        first: Option<KeyBuf>,
        families: Option<HashMap<Vec<u8>, i64>>,
        foreign: Option<&'c HashSet<Vec<u8>>>,
        totals: &'c mut Totals<'t>,
    ) -> GroupCheck<'c, 't> {
        GroupCheck {
            first,
            families,
            foreign,
            totals,
            previous: Slot::default(),
            current: Slot::default(),
            run: 0,
            started: false,
            bound: None,
        }
    }

    /// Checks the cells of one block, which stands at `offset`.
    pub(super) fn block(&mut self, block: &[u8], cells: i64, offset: u64) -> Result<(), Finding> {
        let mut rest = Rest(block);
        for i in 0..cells {
            std::mem::swap(&mut self.previous, &mut self.current);
            let before = if i == 0 { None } else { Some(&self.previous) };
            let key = self.current.read(&mut rest, before);
            let Some(value) = key.and_then(|()| rest.counted()) else {
                return refuse(Check::Block, offset, "a cell of a data block is malformed");
            };
            self.cell(value, offset)?;
            if i == 0 {
                self.check_bound(offset)?;
            }
        }
        if !rest.is_empty() {
            let what = "a data block holds more cells than its index says";
            return refuse(Check::Block, offset, what);
        }
        Ok(())
    }

    /// Checks the cell that was just read.
    fn cell(&mut self, value: &[u8], offset: u64) -> Result<(), Finding> {
        let key = self.current.key();
        let before = self.started.then(|| self.previous.key());
        if before.is_some_and(|before| key < before) {
            return refuse(Check::Order, offset, "a key sorts before its predecessor");
        }
        if before.is_none() {
            if self.first.as_ref().map(KeyBuf::as_key) != Some(key) {
                let what = "the first key is not the one in RFile.index";
                return refuse(Check::Groups, offset, what);
            }
            let first = self.totals.first.as_ref();
            if first.is_none_or(|first| key < first.as_key()) {
                self.totals.first = Some(key.to_buf());
            }
        }
        if before.is_none_or(|before| before.visibility != key.visibility)
            && !(self.totals.visibility)(key.visibility)
        {
            return refuse(Check::Visibility, offset, "a visibility does not parse");
        }
        (self.totals.cells)(&key, value);
        self.totals.entries += 1;
        self.totals.deletes += u64::from(key.deleted);
        if before.is_some_and(|before| before.family == key.family) {
            self.run += 1;
        } else {
            self.take_off(offset)?;
            self.run = 1;
        }
        self.started = true;
        Ok(())
    }

    /// Takes the cells of the previous family off its promised count.
    fn take_off(&mut self, offset: u64) -> Result<(), Finding> {
        let family = self.previous.key().family;
        if self.run == 0 {
            return Ok(());
        }
        if self.foreign.is_some_and(|foreign| foreign.contains(family)) {
            let what = "the default group holds a family of a named group";
            return refuse(Check::Families, offset, what);
        }
        let Some(families) = &mut self.families else {
            return Ok(());
        };
        match families.get_mut(family) {
            Some(left) if *left >= self.run => {
                *left -= self.run;
                Ok(())
            }
            _ => refuse(
                Check::Families,
                offset,
                "a family has more cells than RFile.index says",
            ),
        }
    }

    /// The key that was read last.
    fn last(&self) -> Key<'_> {
        self.current.key()
    }

    /// Checks a block's index key against the block, and keeps it for the block that follows.
    ///
    /// Writers may shorten it, but not that of the group's last block, by which Accumulo knows the end of a file.
    pub(super) fn index_key(
        &mut self,
        key: &Key<'_>,
        is_last: bool,
        offset: u64,
    ) -> Result<(), Finding> {
        let order = key.cmp(&self.last());
        if order.is_lt() || (is_last && order.is_ne()) {
            let what = "an index key is smaller than its block's last key, or the last is not true";
            return refuse(Check::Index, offset, what);
        }
        let (mut bound, _) = self.bound.take().unwrap_or_default();
        bound.set(key);
        self.bound = Some((bound, order.is_eq()));
        Ok(())
    }

    /// Checks a block's first key against the index key before: it must be larger, or a duplicate of the key before.
    fn check_bound(&self, offset: u64) -> Result<(), Finding> {
        let Some((bound, was_last)) = &self.bound else {
            return Ok(());
        };
        let order = self.last().cmp(&bound.as_key());
        if order.is_gt() || (order.is_eq() && *was_last) {
            return Ok(());
        }
        let what = "an index key is not smaller than the next block's first key";
        refuse(Check::Index, offset, what)
    }

    /// Checks what must hold at the end of the group, whose description stands at `offset`.
    pub(super) fn finish(mut self, offset: u64) -> Result<(), Finding> {
        std::mem::swap(&mut self.previous, &mut self.current);
        self.take_off(offset)?;
        let left = self.families.iter().flat_map(HashMap::values);
        if left.copied().any(|left| left != 0) {
            let what = "a family has fewer cells than RFile.index says";
            return refuse(Check::Families, offset, what);
        }
        let key = self.previous.key();
        let last = self.totals.last.as_ref();
        if self.started && last.is_none_or(|last| key > last.as_key()) {
            self.totals.last = Some(key.to_buf());
        }
        Ok(())
    }
}
