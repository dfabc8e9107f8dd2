//! A moving window on the bytes of an input: it grows while a record is longer than the buffer, up to a limit.

use std::ops::Range;

use memchr::memchr;

use super::source::Source;
use super::{ReadError, ReadLimits};

pub(super) struct Window {
    source: Source,
    buffer: Vec<u8>,
    /// The bytes not yet taken are `buffer[start..end]`.
    start: usize,
    end: usize,
    /// Offset in the input of `buffer[0]`, as far as the bytes not yet taken are concerned.
    base: u64,
    ended: bool,
    /// An error that came behind bytes that are still good.
    pending: Option<ReadError>,
    /// Where a slice ends: reading stops there once, since what lies behind is seldom needed.
    until: u64,
    most: usize,
}

impl Window {
    pub(super) fn new(source: Source, limits: &ReadLimits) -> Self {
        let chunk = limits.buffer_bytes.max(1);
        Window {
            source,
            buffer: vec![0; chunk],
            start: 0,
            end: 0,
            base: 0,
            ended: false,
            pending: None,
            until: u64::MAX,
            most: limits.max_record_bytes.saturating_add(chunk),
        }
    }

    /// The bytes that are here and not yet taken.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Offset of the first of them in the input.
    pub(super) fn offset(&self) -> u64 {
        self.base + self.start as u64
    }

    /// Whether the input ends with them.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    pub(super) fn seekable(&self) -> bool {
        self.source.seekable()
    }

    /// How many bytes of the file lie behind, given the offset at which the slice began.
    pub(super) fn consumed(&self, slice_start: u64) -> u64 {
        let plain = self.offset().saturating_sub(slice_start);
        self.source.compressed().unwrap_or(plain)
    }

    /// Takes `count` bytes from the front. The range is for [`taken`](Self::taken), until more is read.
    pub(super) fn take(&mut self, count: usize) -> Range<usize> {
        let range = self.start..self.start + count;
        self.start = range.end;
        range
    }

    /// Bytes taken before.
    pub(super) fn taken(&self, range: &Range<usize>) -> &[u8] {
        &self.buffer[range.clone()]
    }

    /// Takes the line at the front, which is longer than `keep` bytes and has no line end in them. Only these bytes stay in memory. Returns
    /// their range and the length of the whole line.
    pub(super) fn take_long_line(&mut self, keep: usize) -> Result<(Range<usize>, u64), ReadError> {
        let mut length = keep as u64;
        loop {
            let kept = self.start..self.start + keep;
            let rest = &self.buffer[kept.end..self.end];
            let line_end = memchr(b'\n', rest);
            let passed = line_end.map_or(rest.len(), |at| at + 1);
            length += passed as u64;
            if line_end.is_some() || self.ended {
                self.start = kept.end + passed;
                return Ok((kept, length));
            }
            // What is dropped here counts for the offset of all that follows.
            self.base += passed as u64;
            self.end = kept.end;
            self.more()?;
        }
    }

    /// Reads on. Twice as much room whenever half of it is taken keeps the work linear for a caller that starts again with what it then has.
    pub(super) fn more(&mut self) -> Result<(), ReadError> {
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.base += self.start as u64;
        self.end -= self.start;
        self.start = 0;
        let length = self.buffer.len();
        if self.end > length / 2 {
            let grown = length.saturating_mul(2).min(self.most).max(length);
            self.buffer.reserve_exact(grown - length);
            self.buffer.resize(grown, 0);
        }
        let mut room = self.buffer.len() - self.end;
        let to_slice_end = self.until.saturating_sub(self.base + self.end as u64);
        if to_slice_end > 0 {
            room = usize::try_from(to_slice_end).map_or(room, |left| left.min(room));
        }
        self.fill(self.end + room)
    }

    fn fill(&mut self, target: usize) -> Result<(), ReadError> {
        let before = self.end;
        while self.end < target && !self.ended {
            match self.source.read(&mut self.buffer[self.end..target]) {
                Ok(0) => self.ended = true,
                Ok(count) => self.end += count,
                Err(error) if self.end == before => return Err(error),
                Err(error) => {
                    self.pending = Some(error);
                    break;
                }
            }
        }
        Ok(())
    }

    /// Goes to the offset at which a slice begins, and notes where it ends.
    pub(super) fn go_to(&mut self, offset: u64, until: u64) -> Result<(), ReadError> {
        self.until = until;
        if offset != self.offset() && self.seekable() {
            self.source.seek(offset);
            (self.start, self.end, self.base) = (0, 0, offset);
            self.ended = false;
        }
        while self.offset() < offset {
            let wanted = usize::try_from(offset - self.offset()).unwrap_or(usize::MAX);
            self.start += wanted.min(self.end - self.start);
            if self.start == self.end {
                if self.ended {
                    break;
                }
                self.more()?;
            }
        }
        Ok(())
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }
}
