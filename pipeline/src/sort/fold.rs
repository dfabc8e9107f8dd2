//! Combining a stream of cells in key order, the same way in the buffer, between runs and at the end.

use shardmill_schemas::combine::{CombineError, Combiner, Folder, Grouping, Input};
use shardmill_schemas::key::{Key, KeyBuf};
use shardmill_schemas::layout::{Duplicates, TableSpec};
use std::sync::Arc;

/// What becomes of a group at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is written to a run and may meet more of its kind: its partial state goes on.
    Partial,
    /// All of it is here: it is finished.
    Final,
}

/// Folds the cells of one table. Cells are pushed in key order (values descending within a key); results are emitted in key order.
pub struct Fold<'t> {
    spec: &'t TableSpec,
    mode: Mode,
    /// One per combiner rule, made when it is first needed.
    folders: Vec<Option<Box<dyn Folder>>>,
    group: Option<Group>,
    first: KeyBuf,
    value: Vec<u8>,
    value_is_partial: bool,
    folded: u64,
}

/// The open group: its first key is in `first`, and its only input, as long as there is one, in `value`.
struct Group {
    rule: Option<usize>,
    grouping: Grouping,
    single: bool,
}

/// What stopped a fold: a combiner that could not read its input, or the error of whoever takes the results.
#[derive(Debug, thiserror::Error)]
pub enum FoldError<E> {
    /// A value or partial state is not what its combiner expects.
    #[error(transparent)]
    Combine(#[from] CombineError),
    /// The taker's own error.
    #[error("{0}")]
    Emit(E),
}

impl<'t> Fold<'t> {
    /// A fold of the cells of this table.
    #[must_use]
    pub fn new(spec: &'t TableSpec, mode: Mode) -> Self {
        Fold {
            spec,
            mode,
            folders: spec.combiners.iter().map(|_| None).collect(),
            group: None,
            first: KeyBuf::default(),
            value: Vec::new(),
            value_is_partial: false,
            folded: 0,
        }
    }

    /// How many cells went into another one.
    #[must_use]
    pub fn folded(&self) -> u64 {
        self.folded
    }

    /// Takes the next cell; emits the group before it when it begins a new one.
    ///
    /// # Errors
    /// The input cannot be combined, or `emit` failed.
    pub fn push<E>(
        &mut self,
        key: &Key<'_>,
        input: Input<'_>,
        emit: &mut dyn FnMut(&Key<'_>, Input<'_>) -> Result<(), E>,
    ) -> Result<(), FoldError<E>> {
        let joins = match &self.group {
            // Equal delete markers are one, whatever the table does with values.
            Some(_) if key.deleted => self.first.as_key() == *key,
            Some(group) => group.grouping.same(&self.first.as_key(), key),
            None => false,
        };
        if joins {
            return Ok(self.join(key, input)?);
        }
        self.end(emit)?;
        let rule = if key.deleted {
            None
        } else {
            self.spec
                .combiners
                .iter()
                .position(|rule| rule.families.contains(key.family))
        };
        let grouping = match rule {
            Some(rule) => self.spec.combiners[rule].combiner.grouping(),
            None if self.spec.duplicates == Duplicates::Keep => Grouping::Own(|_, _| false),
            None => Grouping::Exact,
        };
        self.first.set(key);
        self.hold(input);
        self.group = Some(Group {
            rule,
            grouping,
            single: true,
        });
        Ok(())
    }

    fn hold(&mut self, input: Input<'_>) {
        self.value.clear();
        let (bytes, partial) = match input {
            Input::Value(bytes) => (bytes, false),
            Input::Partial(bytes) => (bytes, true),
        };
        self.value.extend_from_slice(bytes);
        self.value_is_partial = partial;
    }

    fn held(&self) -> Input<'_> {
        if self.value_is_partial {
            Input::Partial(&self.value)
        } else {
            Input::Value(&self.value)
        }
    }

    fn join(&mut self, key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        self.folded += 1;
        let Some(group) = &mut self.group else {
            return Ok(());
        };
        let Some(rule) = group.rule else {
            return Ok(());
        };
        let was_single = std::mem::replace(&mut group.single, false);
        let combiner = &self.spec.combiners[rule].combiner;
        let mut folder = self.folders[rule]
            .take()
            .unwrap_or_else(|| combiner.folder());
        if was_single {
            folder.add(&self.first.as_key(), self.held())?;
        }
        folder.add(key, input)?;
        self.folders[rule] = Some(folder);
        Ok(())
    }

    /// Ends the last group. The fold can be used again.
    ///
    /// # Errors
    /// As [`Fold::push`].
    pub fn end<E>(
        &mut self,
        emit: &mut dyn FnMut(&Key<'_>, Input<'_>) -> Result<(), E>,
    ) -> Result<(), FoldError<E>> {
        let Some(group) = self.group.take() else {
            return Ok(());
        };
        let Some(rule) = group.rule else {
            return emit(&self.first.as_key(), self.held()).map_err(FoldError::Emit);
        };
        match self.mode {
            Mode::Partial if group.single => {
                emit(&self.first.as_key(), self.held()).map_err(FoldError::Emit)
            }
            Mode::Partial => {
                self.value.clear();
                if let Some(folder) = &mut self.folders[rule] {
                    folder.partial(&mut self.value);
                }
                emit(&self.first.as_key(), Input::Partial(&self.value)).map_err(FoldError::Emit)
            }
            Mode::Final => self.finish(rule, group.single, emit),
        }
    }

    fn finish<E>(
        &mut self,
        rule: usize,
        single: bool,
        emit: &mut dyn FnMut(&Key<'_>, Input<'_>) -> Result<(), E>,
    ) -> Result<(), FoldError<E>> {
        let combiner: &Arc<dyn Combiner> = &self.spec.combiners[rule].combiner;
        let mut folder = self.folders[rule]
            .take()
            .unwrap_or_else(|| combiner.folder());
        if single {
            folder.add(&self.first.as_key(), self.held())?;
        }
        let mut result = Ok(());
        folder.finish(&self.first.as_key(), &mut |key, value| {
            if result.is_ok() {
                result = emit(key, Input::Value(value));
            }
        });
        self.folders[rule] = Some(folder);
        result.map_err(FoldError::Emit)
    }
}
