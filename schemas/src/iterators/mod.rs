//! What a table's iterators do to its cells when it is scanned, and the registry of iterator classes.
//!
//! Accumulo puts a table's cells through its iterators on every scan, nearest to the data the one with the lowest priority. The cells of a
//! run are combined already, so most iterators find nothing left to do; they still have to be asked, because a run may hold several
//! versions of a cell, delete markers, and values that show as nothing.
//!
//! | class | what is done here |
//! |---|---|
//! | (Accumulo itself, below all iterators: [`Deletes`]) | a delete marker hides the versions of its cell that are not newer; markers never show |
//! | `VersioningIterator` | the newest `maxVersions` versions of a cell stay |
//! | `SummingCombiner`, `MinCombiner`, `MaxCombiner` | the versions of a cell in `columns` (or `all`) become one under the newest timestamp; `type` STRING, VARLEN or FIXEDLEN; `lossy` skips values that are no number |
//! | `datawave.iterators.TotalAggregatingIterator`, `PropogatingIterator` | with an aggregator of UID lists, the lists of all versions are merged and removals applied for good: a list with no UID and no positive count disappears. `TextIndexAggregator` and `DateIndexDateAggregator` leave cells as they are: a run holds one version of theirs |
//! | any other | nothing; whoever shows the cells has to say so |
//!
//! To add one: something that implements [`ScanIterator`], and a line in [`ITERATORS`].

mod columns;
mod combining;
mod deletes;
mod versioning;

pub use columns::{Column, Columns};
pub use deletes::Deletes;

use crate::combiners::Fold;
use crate::key::Key;
use crate::layout::IteratorSetting;
use crate::layouts::datawave;

/// Takes the cells that an iterator lets through.
pub type Emit<'a> = dyn FnMut(&Key<'_>, &[u8]) -> Result<(), ScanError> + 'a;

/// Options of an iterator, as its table sets them.
pub type Options = [(String, String)];

/// An iterator in the scan of one table.
pub trait ScanIterator {
    /// Takes the next cell in key order and emits those that are complete with it, in key order.
    ///
    /// # Errors
    /// The cell's value is none that the iterator can read, or whatever `emit` gives.
    fn put(&mut self, key: &Key<'_>, value: &[u8], emit: &mut Emit<'_>) -> Result<(), ScanError>;

    /// Emits what is left at the end of the table.
    ///
    /// # Errors
    /// Whatever `emit` gives.
    fn finish(&mut self, emit: &mut Emit<'_>) -> Result<(), ScanError>;

    /// The value for people, where the iterator's configuration tells how to read it.
    fn describe(&self, _key: &Key<'_>, _value: &[u8]) -> Option<String> {
        None
    }
}

/// Why a scan ends early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanError {
    /// A value that the iterator cannot read: a scan of the loaded table would fail here too.
    #[error("{iterator} cannot read the value: {reason}")]
    Value {
        /// Its short name.
        iterator: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Whoever takes the cells wants no more.
    #[error("stopped")]
    Stopped,
}

/// What [`IteratorDef::build`] gives: the iterator, or why it cannot be applied here.
pub type Built = Result<Box<dyn ScanIterator>, String>;

/// A member of the registry.
#[derive(Clone, Copy, Debug)]
pub struct IteratorDef {
    /// Java class.
    pub class: &'static str,
    /// Makes it from its options.
    pub build: fn(&Options) -> Built,
}

/// All classes that are known here.
pub static ITERATORS: &[IteratorDef] = &[
    IteratorDef {
        class: IteratorSetting::VERSIONING,
        build: versioning::build,
    },
    IteratorDef {
        class: "org.apache.accumulo.core.iterators.user.SummingCombiner",
        build: |options| combining::build(Fold::Sum, options),
    },
    IteratorDef {
        class: "org.apache.accumulo.core.iterators.user.MinCombiner",
        build: |options| combining::build(Fold::Min, options),
    },
    IteratorDef {
        class: "org.apache.accumulo.core.iterators.user.MaxCombiner",
        build: |options| combining::build(Fold::Max, options),
    },
    IteratorDef {
        class: "datawave.iterators.TotalAggregatingIterator",
        build: datawave::scan_iterator,
    },
    IteratorDef {
        class: "datawave.iterators.PropogatingIterator",
        build: datawave::scan_iterator,
    },
];

/// Makes the iterator of this class.
///
/// # Errors
/// Why it cannot be applied: the class is unknown, or its options are.
pub fn build(class: &str, options: &Options) -> Built {
    match ITERATORS.iter().find(|def| def.class == class) {
        Some(def) => (def.build)(options),
        None => Err("its class is not known here".into()),
    }
}

/// The value of an option.
fn option<'a>(options: &'a Options, name: &str) -> Option<&'a str> {
    let found = options.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str())
}

/// Whether an option is `true`, as Java's `Boolean.parseBoolean` has it.
fn flag(options: &Options, name: &str) -> bool {
    option(options, name).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

#[cfg(test)]
pub(crate) mod tests;
