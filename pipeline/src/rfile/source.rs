//! Where a reader's bytes come from: an open file, or memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// Bytes that can be read at any offset.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// A file that is read with `pread`, so that no cursor is shared.
    File(Arc<File>),
    /// A file in memory.
    Bytes(Arc<[u8]>),
}

impl Source {
    /// Length in bytes.
    pub(crate) fn len(&self) -> io::Result<u64> {
        match self {
            Source::File(file) => Ok(file.metadata()?.len()),
            Source::Bytes(bytes) => Ok(bytes.len() as u64),
        }
    }

    /// Fills `out` from `offset` on; less than that is an error.
    pub(crate) fn read_at(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Source::File(file) => file.read_exact_at(out, offset),
            Source::Bytes(bytes) => {
                let start = usize::try_from(offset).ok();
                let found = start.and_then(|start| bytes.get(start..start.checked_add(out.len())?));
                out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}
