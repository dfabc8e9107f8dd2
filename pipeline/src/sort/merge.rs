//! Many sorted segments to one ordered stream: a tree of losers.
//!
//! Each inner node keeps the cursor that lost there, so the next smallest cell costs one comparison a level. The fan-in is bounded by the
//! caller; what is wider is merged to a run first.

use super::fold::{Fold, FoldError, Mode};
use super::run::{Cursor, Run, RunError, RunWriter, Segment};
use shardmill_schemas::combine::Input;
use shardmill_schemas::key::Key;
use shardmill_schemas::layout::TableSpec;
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Atomic};

/// Memory of one open segment in bytes: a block as stored and a block raw, with room for cells that overshoot it.
pub const CURSOR_BYTES: usize = 3 * super::run::BLOCK;

/// Cells between two additions to a shared counter.
const TICK: u64 = 4096;

/// A merge of sorted segments.
#[derive(Debug)]
pub struct Merge {
    cursors: Vec<Cursor>,
    /// `losers[0]` is the winner; `losers[i]` for `i > 0` the loser at inner node `i`. An exhausted cursor is greater than every other.
    losers: Vec<usize>,
    live: Vec<bool>,
    started: bool,
}

impl Merge {
    /// A merge of these segments.
    ///
    /// # Errors
    /// A first block cannot be read.
    pub fn new(mut cursors: Vec<Cursor>) -> Result<Self, RunError> {
        let mut live = Vec::with_capacity(cursors.len());
        for cursor in &mut cursors {
            live.push(cursor.advance()?);
        }
        let mut merge = Merge {
            losers: vec![usize::MAX; cursors.len().max(1)],
            cursors,
            live,
            started: false,
        };
        for cursor in 0..merge.cursors.len() {
            merge.play(cursor);
        }
        Ok(merge)
    }

    /// Moves to the next cell in order: key ascending, then value descending; `false` at the end.
    ///
    /// # Errors
    /// A block cannot be read or has changed.
    pub fn advance(&mut self) -> Result<bool, RunError> {
        if self.cursors.is_empty() {
            return Ok(false);
        }
        let winner = self.losers[0];
        if self.started && self.live[winner] {
            self.live[winner] = self.cursors[winner].advance()?;
            self.play(winner);
        }
        self.started = true;
        Ok(self.live[self.losers[0]])
    }

    /// The current cell; only after `advance` said `true`.
    #[must_use]
    pub fn cell(&self) -> (Key<'_>, Input<'_>) {
        let cursor = &self.cursors[self.losers[0]];
        (cursor.key(), cursor.input())
    }

    /// Plays `cursor` up from its leaf: at each node the loser stays and the winner goes on.
    fn play(&mut self, cursor: usize) {
        let mut winner = cursor;
        let mut node = (cursor + self.cursors.len()) / 2;
        while node > 0 {
            let other = self.losers[node];
            if other == usize::MAX {
                // While the tree is being built, the first to come waits here for its opponent.
                self.losers[node] = winner;
                return;
            }
            if self.compare(other, winner) == Ordering::Less {
                self.losers[node] = winner;
                winner = other;
            }
            node /= 2;
        }
        self.losers[0] = winner;
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        match (self.live[a], self.live[b]) {
            (true, true) => {
                let (a, b) = (&self.cursors[a], &self.cursors[b]);
                a.key()
                    .cmp(&b.key())
                    .then_with(|| bytes(b.input()).cmp(bytes(a.input())))
            }
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => Ordering::Equal,
        }
    }
}

fn bytes(input: Input<'_>) -> &[u8] {
    match input {
        Input::Value(bytes) | Input::Partial(bytes) => bytes,
    }
}

/// The segments of one partition, from all runs, as a stream of finished cells.
///
/// As long as there are more segments than `fan_in`, the oldest are merged to a run in `scratch` first, so the result does not depend on the
/// fan-in. The scratch runs are removed when the partition is done.
///
/// # Errors
/// A run cannot be read or written, a combiner refuses its input, or `emit` fails.
pub fn merge_partition<E: From<RunError>>(
    spec: &TableSpec,
    mut inputs: Vec<(Arc<Run>, Segment)>,
    fan_in: usize,
    scratch: &Path,
    merged: &AtomicU64,
    emit: &mut dyn FnMut(&Key<'_>, Input<'_>) -> Result<(), E>,
) -> Result<(), FoldError<E>> {
    let mut made = Scratch(Vec::new());
    let fan_in = fan_in.max(2);
    while inputs.len() > fan_in {
        // Only as many as it takes to fit the last pass are merged twice.
        let width = fan_in.min(inputs.len() - fan_in + 1);
        let rest = inputs.split_off(width);
        let path = scratch.with_extension(format!("{}.run", made.0.len()));
        made.0.push(path.clone());
        let mut run = RunWriter::create(&path).map_err(emit_error)?;
        run.begin(0, 0).map_err(emit_error)?;
        fold_all(
            spec,
            inputs,
            Mode::Partial,
            &AtomicU64::new(0),
            &mut |key, input| run.append(key, input).map_err(E::from),
        )?;
        run.finish().map_err(emit_error)?;
        let run = Run::open(&path).map_err(emit_error)?;
        inputs = rest;
        inputs.extend(
            run.segments
                .iter()
                .map(|segment| (Arc::clone(&run), segment.clone())),
        );
    }
    fold_all(spec, inputs, Mode::Final, merged, emit)
}

fn emit_error<E: From<RunError>>(error: RunError) -> FoldError<E> {
    FoldError::Emit(error.into())
}

fn fold_all<E: From<RunError>>(
    spec: &TableSpec,
    inputs: Vec<(Arc<Run>, Segment)>,
    mode: Mode,
    merged: &AtomicU64,
    emit: &mut dyn FnMut(&Key<'_>, Input<'_>) -> Result<(), E>,
) -> Result<(), FoldError<E>> {
    let cursors = inputs.iter().map(|(run, segment)| run.cursor(segment));
    let cursors = cursors.collect::<Result<_, _>>().map_err(emit_error)?;
    let mut merge = Merge::new(cursors).map_err(emit_error)?;
    let mut fold = Fold::new(spec, mode);
    let mut cells = 0;
    while merge.advance().map_err(emit_error)? {
        let (key, input) = merge.cell();
        cells += 1;
        if cells % TICK == 0 {
            merged.fetch_add(TICK, Atomic::Relaxed);
        }
        fold.push(&key, input, emit)?;
    }
    merged.fetch_add(cells % TICK, Atomic::Relaxed);
    fold.end(emit)
}

/// Scratch runs; removed when dropped, whatever happened.
struct Scratch(Vec<PathBuf>);

impl Drop for Scratch {
    fn drop(&mut self) {
        for path in &self.0 {
            // A run that cannot be removed costs disk, not correctness; the work folder goes at the end.
            let _ = std::fs::remove_file(path);
        }
    }
}
