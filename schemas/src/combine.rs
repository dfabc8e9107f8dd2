//! Combiners: how the cells of one group become one.
//!
//! A combiner runs wherever cells of a group meet: in the sort buffer, when runs are merged, and at last in Accumulo's own iterators. Its
//! result must not depend on where that happens, so what a spill carries is a private *partial state*, never the published value, and
//! merging partial states is associative and commutative. [`Folder::finish`] runs on every group once, on single values too.

use crate::key::Key;
use std::fmt;

/// Which neighbours in key order belong to one group.
#[derive(Clone, Copy)]
pub enum Grouping {
    /// Equal keys, timestamp and delete flag included.
    Exact,
    /// Equal row, family, qualifier and visibility: all versions of a cell, as Accumulo's combiners see them.
    Versions,
    /// A rule of the layout's own on two neighbouring keys. It must hold for a contiguous stretch of the key order.
    Own(fn(&Key<'_>, &Key<'_>) -> bool),
}

impl Grouping {
    /// Whether `next` belongs to the group of `first`. Delete markers are never combined with anything.
    #[must_use]
    pub fn same(self, first: &Key<'_>, next: &Key<'_>) -> bool {
        if first.deleted || next.deleted {
            return false;
        }
        match self {
            Grouping::Exact => first.timestamp == next.timestamp && first.same_columns(next),
            Grouping::Versions => first.same_columns(next),
            Grouping::Own(rule) => rule(first, next),
        }
    }
}

impl fmt::Debug for Grouping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Grouping::Exact => "Exact",
            Grouping::Versions => "Versions",
            Grouping::Own(_) => "Own",
        })
    }
}

/// What a cell of a group brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// A value as the layout put it.
    Value(&'a [u8]),
    /// A partial state that [`Folder::partial`] wrote.
    Partial(&'a [u8]),
}

/// A value or a partial state that a combiner cannot read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{combiner}: {reason}")]
pub struct CombineError {
    /// Name of the combiner.
    pub combiner: &'static str,
    /// What is wrong with the bytes.
    pub reason: String,
}

/// A rule that folds the cells of one group. It is shared by all threads; the state of a group lives in its folders.
pub trait Combiner: Send + Sync + fmt::Debug {
    /// What `inspect` and errors call it.
    fn name(&self) -> &'static str;
    /// Which cells it folds together.
    fn grouping(&self) -> Grouping;
    /// A folder with an empty group; one serves many groups, one after another.
    fn folder(&self) -> Box<dyn Folder>;
}

/// The state of one group. `add` is called once or more, then either `partial` or `finish`, which leave the folder empty for the next group.
pub trait Folder {
    /// Folds one more cell into the group. Inputs come in key order within one run; the result may not depend on it.
    ///
    /// # Errors
    /// The input is no value or partial state of this combiner.
    fn add(&mut self, key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError>;

    /// Appends the partial state of the group to `state`: everything that `finish` will need, in a bounded number of bytes.
    fn partial(&mut self, state: &mut Vec<u8>);

    /// Emits the combined cells, none or more, in key order and with the columns of `first`, the first key of the group (the newest).
    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8]));
}
