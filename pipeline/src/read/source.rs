//! The bytes of an input file, decompressed: read at positions, or through gzip from the beginning.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

use flate2::bufread::MultiGzDecoder;

use super::{InputFile, ReadError};

/// How much of a compressed file is read at once.
const COMPRESSED_BUFFER: usize = 128 << 10;

/// An open input.
pub(super) struct Source {
    path: String,
    bytes: Bytes,
}

enum Bytes {
    Plain(Planned),
    Gzip {
        decoder: Box<MultiGzDecoder<BufReader<Planned>>>,
        decompressed: u64,
    },
}

impl Source {
    /// Opens the file if it is still the one that was planned.
    pub(super) fn open(input: &InputFile) -> Result<Self, ReadError> {
        let path = input.display.clone();
        let failed = |error| ReadError::from_io(&path, 0, error);
        let file = File::open(&input.path).map_err(failed)?;
        unchanged(input, &file.metadata().map_err(failed)?)?;
        let mut head = [0; 2];
        let length = file.read_at(&mut head, 0).map_err(failed)?;
        // By content, not by name. One byte alone is what a truncation leaves, and no text; so is nothing at all of a file called `.gz`.
        let compressed = match &head[..length] {
            [] => input.path.extension().is_some_and(|name| name == "gz"),
            [0x1f] | [0x1f, 0x8b] => true,
            _ => false,
        };
        let file = Planned {
            file,
            position: 0,
            size: input.size,
            shrunk: false,
        };
        let bytes = if compressed {
            let reader = BufReader::with_capacity(COMPRESSED_BUFFER, file);
            Bytes::Gzip {
                decoder: Box::new(MultiGzDecoder::new(reader)),
                decompressed: 0,
            }
        } else {
            Bytes::Plain(file)
        };
        Ok(Source { path, bytes })
    }

    /// Whether reading can begin anywhere.
    pub(super) fn seekable(&self) -> bool {
        matches!(self.bytes, Bytes::Plain(_))
    }

    /// Goes to an offset, where [`seekable`](Self::seekable).
    pub(super) fn seek(&mut self, offset: u64) {
        if let Bytes::Plain(file) = &mut self.bytes {
            file.position = offset;
        }
    }

    /// How many bytes of the compressed file are used up.
    pub(super) fn compressed(&self) -> Option<u64> {
        match &self.bytes {
            Bytes::Plain(_) => None,
            Bytes::Gzip { decoder, .. } => Some(used(decoder.get_ref())),
        }
    }

    /// Reads some bytes; 0 only at the end.
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        loop {
            let result = match &mut self.bytes {
                Bytes::Plain(file) => file.read(buffer),
                Bytes::Gzip { decoder, .. } => decoder.read(buffer),
            };
            match result {
                Ok(count) => {
                    if let Bytes::Gzip { decompressed, .. } = &mut self.bytes {
                        *decompressed += count as u64;
                    }
                    return Ok(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.place(error)),
            }
        }
    }

    fn place(&self, error: io::Error) -> ReadError {
        let path = self.path.clone();
        let file = match &self.bytes {
            Bytes::Plain(file) => file,
            Bytes::Gzip { decoder, .. } => decoder.get_ref().get_ref(),
        };
        if file.shrunk {
            let what = format!("{} bytes then, {} now", file.size, file.position);
            return ReadError::Changed { path, what };
        }
        match &self.bytes {
            // The decoder makes its own errors; those of the system carry a number.
            Bytes::Gzip {
                decoder,
                decompressed,
            } if error.raw_os_error().is_none() => ReadError::Gzip {
                path,
                truncated: error.kind() == io::ErrorKind::UnexpectedEof,
                compressed: used(decoder.get_ref()),
                decompressed: *decompressed,
                message: error.to_string(),
            },
            _ => ReadError::from_io(&path, file.position, error),
        }
    }
}

fn used(reader: &BufReader<Planned>) -> u64 {
    reader.get_ref().position - reader.buffer().len() as u64
}

/// When a file was last modified, in nanoseconds since 1970.
pub(super) fn modified_nanos(metadata: &Metadata) -> i128 {
    i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec())
}

/// Looks at a file without opening it.
pub(super) fn check(input: &InputFile) -> Result<(), ReadError> {
    let metadata = std::fs::metadata(&input.path);
    let metadata = metadata.map_err(|error| ReadError::from_io(&input.display, 0, error))?;
    unchanged(input, &metadata)
}

fn unchanged(input: &InputFile, now: &Metadata) -> Result<(), ReadError> {
    let what = if now.len() != input.size {
        format!("{} bytes then, {} now", input.size, now.len())
    } else if modified_nanos(now) != input.modified_nanos {
        "same size, other modification time".to_owned()
    } else {
        return Ok(());
    };
    Err(ReadError::Changed {
        path: input.display.clone(),
        what,
    })
}

/// A file up to the size that it had at planning: what is appended later is not read, and less is an error.
struct Planned {
    file: File,
    position: u64,
    size: u64,
    shrunk: bool,
}

impl Read for Planned {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.size.saturating_sub(self.position);
        let room = usize::try_from(left).map_or(buffer.len(), |left| left.min(buffer.len()));
        if room == 0 {
            return Ok(0);
        }
        let count = self.file.read_at(&mut buffer[..room], self.position)?;
        self.position += count as u64;
        self.shrunk = count == 0;
        if self.shrunk {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        Ok(count)
    }
}
