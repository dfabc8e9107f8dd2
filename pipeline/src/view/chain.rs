//! The iterators of a table, one behind the other.

use crate::load::manifest;
use shardmill_schemas::iterators::{self, Deletes, Emit, ScanError, ScanIterator};
use shardmill_schemas::key::Key;

/// What the cells of a table go through.
pub(super) struct Chain(Vec<Box<dyn ScanIterator>>);

impl Chain {
    /// Delete markers are applied first, then the iterators by priority, those that can be; `None`: nothing is applied.
    pub(super) fn of(settings: Option<&[manifest::Iterator]>) -> Chain {
        let Some(settings) = settings else {
            return Chain(Vec::new());
        };
        let mut steps: Vec<Box<dyn ScanIterator>> = vec![Box::<Deletes>::default()];
        let known = settings.iter();
        steps.extend(known.filter_map(|it| iterators::build(&it.class, &it.options).ok()));
        Chain(steps)
    }

    /// Takes the next cell.
    pub(super) fn put(
        &mut self,
        key: &Key<'_>,
        value: &[u8],
        sink: &mut Emit<'_>,
    ) -> Result<(), ScanError> {
        feed(&mut self.0, key, value, sink)
    }

    /// Lets go of what the iterators hold: each one's rest goes through those behind it before they end.
    pub(super) fn finish(&mut self, sink: &mut Emit<'_>) -> Result<(), ScanError> {
        let mut steps = self.0.as_mut_slice();
        while let Some((first, rest)) = steps.split_first_mut() {
            first.finish(&mut |key, value| feed(rest, key, value, sink))?;
            steps = rest;
        }
        Ok(())
    }
}

fn feed(
    steps: &mut [Box<dyn ScanIterator>],
    key: &Key<'_>,
    value: &[u8],
    sink: &mut Emit<'_>,
) -> Result<(), ScanError> {
    match steps.split_first_mut() {
        Some((first, rest)) => {
            first.put(key, value, &mut |key, value| feed(rest, key, value, sink))
        }
        None => sink(key, value),
    }
}
