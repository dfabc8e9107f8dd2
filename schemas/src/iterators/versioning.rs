//! `VersioningIterator`: the newest versions of a cell.

use super::{Built, Emit, Options, ScanError, ScanIterator, option};
use crate::key::{Key, KeyBuf};

pub(super) fn build(options: &Options) -> Built {
    let text = option(options, "maxVersions").unwrap_or("1");
    match text.parse() {
        Ok(max) if max > 0 => Ok(Box::new(Versioning {
            max,
            shown: 0,
            cell: KeyBuf::default(),
        })),
        _ => Err(format!(
            "maxVersions is {text:?}, which is no number from 1 on"
        )),
    }
}

struct Versioning {
    max: u32,
    /// Versions of `cell` that were emitted; 0: `cell` is none yet.
    shown: u32,
    cell: KeyBuf,
}

impl ScanIterator for Versioning {
    fn put(&mut self, key: &Key<'_>, value: &[u8], emit: &mut Emit<'_>) -> Result<(), ScanError> {
        if self.shown == 0 || !self.cell.as_key().same_columns(key) {
            self.cell.set(key);
            self.shown = 0;
        }
        if self.shown == self.max {
            return Ok(());
        }
        self.shown += 1;
        emit(key, value)
    }

    fn finish(&mut self, _emit: &mut Emit<'_>) -> Result<(), ScanError> {
        self.shown = 0;
        Ok(())
    }
}
