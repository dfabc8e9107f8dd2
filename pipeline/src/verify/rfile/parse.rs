//! Numbers, strings and keys of an RFile, for the verifier alone. `None` means that the bytes end early or cannot be meant.

use shardmill_schemas::key::Key;

/// What is left to parse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest<'a>(pub(super) &'a [u8]);

impl<'a> Rest<'a> {
    /// Splits off `n` bytes.
    pub(super) fn bytes(&mut self, n: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(n)?;
        self.0 = tail;
        Some(head)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&head, tail) = self.0.split_first()?;
        self.0 = tail;
        Some(head)
    }

    /// A byte that is 0 or 1.
    pub(super) fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// A big-endian two's complement number of `n` ≤ 8 bytes.
    pub(super) fn fixed(&mut self, n: usize) -> Option<i64> {
        let bytes = self.bytes(n)?;
        let negative = bytes.first().is_some_and(|&b| b >= 0x80);
        let mut wide = [if negative { 0xff } else { 0 }; 8];
        wide[8 - n..].copy_from_slice(bytes);
        Some(i64::from_be_bytes(wide))
    }

    /// An `i32` that counts something.
    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.fixed(4)?).ok()
    }

    /// `i32` length and that many bytes.
    pub(super) fn counted(&mut self) -> Option<&'a [u8]> {
        let n = self.count()?;
        self.bytes(n)
    }

    /// A number as Hadoop's `WritableUtils` writes it: bytes 0x90..=0x7f stand for themselves; 0x88..=0x8f lead 8 to 1 bytes of a
    /// positive number, 0x80..=0x87 those of the complement of a negative one.
    pub(super) fn hadoop(&mut self) -> Option<i64> {
        let lead = self.byte()?;
        let (size, flip) = match lead {
            0x80..=0x87 => (0x88 - lead, true),
            0x88..=0x8f => (0x90 - lead, false),
            _ => return Some(i64::from(lead as i8)),
        };
        let mut n = 0_u64;
        for &byte in self.bytes(usize::from(size))? {
            n = n << 8 | u64::from(byte);
        }
        Some(if flip { !n as i64 } else { n as i64 })
    }

    /// A Hadoop number that is a length.
    pub(super) fn hadoop_size(&mut self) -> Option<usize> {
        usize::try_from(self.hadoop()?).ok()
    }

    /// A number as BCFile's `Utils` writes it; the ranges of its first byte, seen unsigned, are those of `match`.
    pub(super) fn tfile(&mut self) -> Option<i64> {
        let lead = self.byte()?;
        let signed = i64::from(lead as i8);
        match lead {
            0x80..=0x87 => self.fixed(usize::from(lead - 0x80) + 1),
            0x88..=0x97 => self.with_top(signed + 112, 3),
            0x98..=0xb7 => self.with_top(signed + 88, 2),
            0xb8..=0xdf => self.with_top(signed + 52, 1),
            _ => Some(signed),
        }
    }

    fn with_top(&mut self, top: i64, tail: usize) -> Option<i64> {
        let low = self.bytes(tail)?.iter();
        Some(low.fold(top, |n, &byte| n * 256 + i64::from(byte)))
    }

    /// A BCFile number that is an offset or size.
    pub(super) fn tfile_size(&mut self) -> Option<u64> {
        u64::try_from(self.tfile()?).ok()
    }

    /// A BCFile string's bytes.
    pub(super) fn tfile_string(&mut self) -> Option<&'a [u8]> {
        let n = usize::try_from(self.tfile_size()?).ok()?;
        self.bytes(n)
    }

    /// A Java `writeUTF` string's bytes.
    pub(super) fn java_string(&mut self) -> Option<&'a [u8]> {
        let n = self.bytes(2)?;
        self.bytes(usize::from(n[0]) << 8 | usize::from(n[1]))
    }

    /// An absolute key.
    pub(super) fn key(&mut self) -> Option<Key<'a>> {
        let ends = [
            self.hadoop_size()?,
            self.hadoop_size()?,
            self.hadoop_size()?,
            self.hadoop_size()?,
        ];
        let all = self.bytes(ends[3])?;
        Some(Key {
            row: all.get(..ends[0])?,
            family: all.get(ends[0]..ends[1])?,
            qualifier: all.get(ends[1]..ends[2])?,
            visibility: all.get(ends[2]..)?,
            timestamp: self.hadoop()?,
            deleted: self.flag()?,
        })
    }

    /// A block's place: file offset, packed size, raw size.
    pub(super) fn place(&mut self) -> Option<Place> {
        Some(Place {
            offset: self.tfile_size()?,
            packed: self.tfile_size()?,
            raw: self.tfile_size()?,
        })
    }
}

/// Where a block stands in the file, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) offset: u64,
    pub(super) packed: u64,
    pub(super) raw: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hadoop(bytes: &[u8]) -> Option<i64> {
        Rest(bytes).hadoop()
    }

    fn tfile(bytes: &[u8]) -> Option<i64> {
        Rest(bytes).tfile()
    }

    #[test]
    fn verify_rfile_numbers_are_javas() {
        assert_eq!(hadoop(&[0x90]), Some(-112));
        assert_eq!(hadoop(&[0x8f, 0x80]), Some(128));
        assert_eq!(hadoop(&[0x87, 0x70]), Some(-113));
        assert_eq!(hadoop(&[0x86, 0x03, 0xe7]), Some(-1000));
        assert_eq!(
            hadoop(b"\x80\x7f\xff\xff\xff\xff\xff\xff\xff"),
            Some(i64::MIN)
        );
        assert_eq!(hadoop(&[0x8e, 0x01]), None);
        assert_eq!(tfile(&[0xcb, 0xdf]), Some(-33));
        assert_eq!(tfile(&[0xdf, 0xff]), Some(5119));
        assert_eq!(tfile(&[0xa7, 0xeb, 0xff]), Some(-5121));
        assert_eq!(tfile(&[0xb7, 0xff, 0xff]), Some(1_048_575));
        assert_eq!(tfile(&[0x90, 0x10, 0, 0]), Some(1_048_576));
        assert_eq!(tfile(&[0x83, 0x08, 0, 0, 0]), Some(134_217_728));
        assert_eq!(tfile(b"\x87\x80\0\0\0\0\0\0\0"), Some(i64::MIN));
        assert_eq!(tfile(&[0x83, 0x08, 0, 0]), None);
    }
}
