//! The end of the writer that faces the operating system: counts and hashes what the sink really took.

use std::io::{self, Write};

use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::Xxh3;

use super::error::RFileError;

/// A sink with the position and the hashes of all bytes that it has taken.
pub(crate) struct TrackedWriter<W> {
    sink: W,
    position: u64,
    sha256: Sha256,
    xxh3: Option<Box<Xxh3>>,
}

impl<W: Write> TrackedWriter<W> {
    /// Starts at position 0; xxh3 is kept only for files with a digest block.
    pub(crate) fn new(sink: W, digest: bool) -> TrackedWriter<W> {
        TrackedWriter {
            sink,
            position: 0,
            sha256: Sha256::new(),
            xxh3: digest.then(|| Box::new(Xxh3::new())),
        }
    }

    /// Bytes that the sink has taken.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The running xxh3 of all bytes so far.
    pub(crate) fn xxh3(&self) -> Option<&Xxh3> {
        self.xxh3.as_deref()
    }

    /// Writes all of `bytes`, however few the sink takes at a time.
    pub(crate) fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), RFileError> {
        while !bytes.is_empty() {
            let taken = match self.sink.write(bytes) {
                Ok(0) => return Err(self.error(io::ErrorKind::WriteZero.into())),
                // A sink that claims more than it was given is broken; do not hash what it cannot have.
                Ok(n) if n > bytes.len() => {
                    return Err(self.error(io::ErrorKind::InvalidData.into()));
                }
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(self.error(e)),
            };
            let (done, rest) = bytes.split_at(taken);
            self.sha256.update(done);
            if let Some(xxh3) = &mut self.xxh3 {
                xxh3.update(done);
            }
            self.position += taken as u64;
            bytes = rest;
        }
        Ok(())
    }

    /// Flushes the sink; gives the file's length and sha256.
    pub(crate) fn finish(mut self) -> Result<(u64, [u8; 32]), RFileError> {
        if let Err(e) = self.sink.flush() {
            return Err(self.error(e));
        }
        Ok((self.position, self.sha256.finalize().into()))
    }

    fn error(&self, source: io::Error) -> RFileError {
        RFileError::Write {
            offset: self.position,
            source,
        }
    }
}
