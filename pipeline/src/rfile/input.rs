//! A cursor over untrusted bytes, and Java's modified UTF-8.
//!
//! Fixed-width integers are big-endian, as Java's `DataOutput` writes them.

use super::error::Fault;

/// A position in a buffer; every read is checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    /// A cursor at `at`; a position past the end makes every read fail.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Input<'a> {
        Input { bytes, at }
    }

    /// Where the next read starts.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// A fault at the current position.
    pub(crate) fn fault(&self, what: &'static str) -> Fault {
        Fault::new(self.at, what)
    }

    /// The next `n` bytes.
    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], Fault> {
        let end = self.at.checked_add(n);
        match end.and_then(|end| self.bytes.get(self.at..end)) {
            Some(slice) => {
                self.at += n;
                Ok(slice)
            }
            None => Err(self.fault("a length reaches past the end")),
        }
    }

    /// The next `N` bytes as an array.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let slice = self.take(N)?;
        slice
            .try_into()
            .map_err(|_| self.fault("a length reaches past the end"))
    }

    /// One byte.
    pub(crate) fn u8(&mut self) -> Result<u8, Fault> {
        Ok(self.array::<1>()?[0])
    }

    /// A Java boolean: 0 or 1 and nothing else.
    pub(crate) fn bool(&mut self) -> Result<bool, Fault> {
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Fault::new(self.at - 1, "a boolean is neither 0 nor 1")),
        }
    }

    /// A big-endian `i16`.
    pub(crate) fn i16(&mut self) -> Result<i16, Fault> {
        Ok(i16::from_be_bytes(self.array()?))
    }

    /// A big-endian `i32`.
    pub(crate) fn i32(&mut self) -> Result<i32, Fault> {
        Ok(i32::from_be_bytes(self.array()?))
    }

    /// A big-endian `i64`.
    pub(crate) fn i64(&mut self) -> Result<i64, Fault> {
        Ok(i64::from_be_bytes(self.array()?))
    }

    /// A big-endian `i32` that counts something.
    pub(crate) fn count(&mut self) -> Result<usize, Fault> {
        let start = self.at;
        usize::try_from(self.i32()?).map_err(|_| Fault::new(start, "a count is negative"))
    }

    /// Fails unless everything was read.
    pub(crate) fn end(&self) -> Result<(), Fault> {
        if self.left() == 0 {
            Ok(())
        } else {
            Err(self.fault("bytes are left over"))
        }
    }

    /// Java's `readUTF`: a `u16` length and modified UTF-8. Unpaired surrogates become U+FFFD, because names only inform.
    pub(crate) fn utf(&mut self) -> Result<String, Fault> {
        let n = u16::from_be_bytes(self.array()?);
        let start = self.at;
        let bytes = self.take(usize::from(n))?;
        let units = utf16_units(bytes).ok_or(Fault::new(start, "a name is not modified UTF-8"))?;
        Ok(String::from_utf16_lossy(&units))
    }
}

/// The UTF-16 units behind modified UTF-8, or `None` where the bytes are not that.
fn utf16_units(bytes: &[u8]) -> Option<Vec<u16>> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().map(|&b| u16::from(b));
    let tail = |rest: &mut dyn Iterator<Item = u16>| {
        rest.next().filter(|b| b & 0xc0 == 0x80).map(|b| b & 0x3f)
    };
    while let Some(b) = rest.next() {
        units.push(match b {
            0x01..=0x7f => b,
            0xc0..=0xdf => (b & 0x1f) << 6 | tail(&mut rest)?,
            0xe0..=0xef => {
                let middle = tail(&mut rest)?;
                (b & 0x0f) << 12 | middle << 6 | tail(&mut rest)?
            }
            _ => return None,
        });
    }
    Some(units)
}

/// Java's `writeUTF` of a name; `None` when it needs more than 65,535 bytes.
pub(crate) fn write_utf(out: &mut Vec<u8>, name: &str) -> Option<()> {
    let start = out.len();
    out.extend_from_slice(&[0, 0]);
    for unit in name.encode_utf16() {
        match unit {
            0x01..=0x7f => out.push(unit as u8),
            0 | 0x80..=0x7ff => out.extend_from_slice(&[0xc0 | (unit >> 6) as u8, low_six(unit)]),
            _ => out.extend_from_slice(&[
                0xe0 | (unit >> 12) as u8,
                low_six(unit >> 6),
                low_six(unit),
            ]),
        }
    }
    let length = u16::try_from(out.len() - start - 2).ok()?;
    out[start..start + 2].copy_from_slice(&length.to_be_bytes());
    Some(())
}

/// A continuation byte.
fn low_six(unit: u16) -> u8 {
    0x80 | (unit & 0x3f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_as_java_writes_them() {
        for (name, bytes) in [
            ("", &b"\0\0"[..]),
            ("a\0", b"\0\x03a\xc0\x80"),
            ("\u{e9}\u{20ac}", b"\0\x05\xc3\xa9\xe2\x82\xac"),
            // Java writes a character outside the BMP as two surrogates of three bytes each.
            ("\u{10400}", b"\0\x06\xed\xa0\x81\xed\xb0\x80"),
        ] {
            let mut out = Vec::new();
            write_utf(&mut out, name).unwrap();
            assert_eq!(out, bytes);
            assert_eq!(Input::new(&out, 0).utf().unwrap(), name);
        }
        assert!(write_utf(&mut Vec::new(), &"\0".repeat(32_768)).is_none());
        assert!(Input::new(b"\0\x01\xff", 0).utf().is_err());
        assert!(Input::new(b"\0\x01\xc3", 0).utf().is_err());
    }
}
