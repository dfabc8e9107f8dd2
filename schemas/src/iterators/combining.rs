//! `SummingCombiner`, `MinCombiner` and `MaxCombiner` in a scan.

use super::{Built, Columns, Emit, Options, ScanError, ScanIterator, flag, option};
use crate::combine::{Combiner as _, Folder, Input};
use crate::combiners::{Fold, LongCombiner};
use crate::encode::long_values::LongEncoding;
use crate::key::{Key, KeyBuf};

pub(super) fn build(fold: Fold, options: &Options) -> Built {
    let named = option(options, "type").unwrap_or_default();
    let encoding = LongEncoding::from_name(named)
        .ok_or_else(|| format!("its type is {named:?}, not STRING, VARLEN or FIXEDLEN"))?;
    let columns = if flag(options, "all") {
        Columns::All
    } else {
        let text = option(options, "columns").ok_or("it has neither columns nor all")?;
        Columns::parse(text).ok_or_else(|| format!("its columns {text:?} cannot be read"))?
    };
    Ok(Box::new(Combining {
        fold,
        encoding,
        columns,
        lossy: flag(options, "lossy"),
        folder: LongCombiner::new(fold, encoding).folder(),
        first: KeyBuf::default(),
        state: State::Between,
    }))
}

struct Combining {
    fold: Fold,
    encoding: LongEncoding,
    columns: Columns,
    /// Values that are no number are skipped instead of failing the scan.
    lossy: bool,
    folder: Box<dyn Folder>,
    /// The newest version of the cell that is being combined.
    first: KeyBuf,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// No cell is open.
    Between,
    /// Only values that were skipped came for the open cell.
    Skipped,
    /// The folder holds numbers of the open cell.
    Folded,
}

impl ScanIterator for Combining {
    fn put(&mut self, key: &Key<'_>, value: &[u8], emit: &mut Emit<'_>) -> Result<(), ScanError> {
        if self.state != State::Between && !self.first.as_key().same_columns(key) {
            self.finish(emit)?;
        }
        if !self.columns.contains(key) {
            return emit(key, value);
        }
        if self.state == State::Between {
            self.first.set(key);
            self.state = State::Skipped;
        }
        match self.folder.add(key, Input::Value(value)) {
            Ok(()) => self.state = State::Folded,
            Err(_) if self.lossy => {}
            Err(error) => {
                return Err(ScanError::Value {
                    iterator: self.fold.name(),
                    reason: error.reason,
                });
            }
        }
        Ok(())
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> Result<(), ScanError> {
        match std::mem::replace(&mut self.state, State::Between) {
            State::Between => Ok(()),
            State::Skipped => {
                // Java folds no numbers to the number that its loop starts with.
                let start = match self.fold {
                    Fold::Sum => 0,
                    Fold::Min => i64::MAX,
                    Fold::Max => i64::MIN,
                };
                let mut value = Vec::new();
                self.encoding.encode(start, &mut value);
                emit(&self.first.as_key(), &value)
            }
            State::Folded => {
                let mut done = Ok(());
                self.folder.finish(&self.first.as_key(), &mut |key, value| {
                    if done.is_ok() {
                        done = emit(key, value);
                    }
                });
                done
            }
        }
    }

    fn describe(&self, key: &Key<'_>, value: &[u8]) -> Option<String> {
        if self.encoding == LongEncoding::Text || !self.columns.contains(key) {
            return None;
        }
        self.encoding
            .decode(value)
            .ok()
            .map(|number| number.to_string())
    }
}
