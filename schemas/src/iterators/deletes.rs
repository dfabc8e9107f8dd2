//! Delete markers, which Accumulo applies below all iterators of a table (`DeletingIterator`).

use super::{Emit, ScanError, ScanIterator};
use crate::key::{Key, KeyBuf};

/// Applies delete markers: one hides every version of its cell that is not newer, and none of them shows.
#[derive(Debug, Default)]
pub struct Deletes {
    /// The last marker met; what it hides follows it directly in key order.
    marker: Option<KeyBuf>,
}

impl ScanIterator for Deletes {
    fn put(&mut self, key: &Key<'_>, value: &[u8], emit: &mut Emit<'_>) -> Result<(), ScanError> {
        if key.deleted {
            self.marker.get_or_insert_default().set(key);
            return Ok(());
        }
        if let Some(marker) = &self.marker {
            // Newer versions came before the marker, so whatever comes after it is hidden by it.
            if marker.as_key().same_columns(key) {
                return Ok(());
            }
            self.marker = None;
        }
        emit(key, value)
    }

    fn finish(&mut self, _emit: &mut Emit<'_>) -> Result<(), ScanError> {
        self.marker = None;
        Ok(())
    }
}
