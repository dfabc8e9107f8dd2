//! The two variable-length integers of an RFile.
//!
//! One file uses both, and they agree only on 0..=127 and a few negative numbers:
//! * `wvl`: Hadoop's `WritableUtils.writeVLong`; keys, relative keys.
//! * `bvl`: TFile's and BCFile's `Utils.writeVLong`; meta index, data index, block regions inside index entries.

use super::error::Fault;
use super::input::Input;

/// Appends `n` as Hadoop's `WritableUtils` does: one byte for −112..=127, else a byte of sign and size and 1 to 8 more.
#[inline]
pub(crate) fn write_wvl(out: &mut Vec<u8>, n: i64) {
    if (-112..=127).contains(&n) {
        out.push(n as u8);
        return;
    }
    let (base, magnitude) = if n < 0 { (-120, !n) } else { (-112, n) };
    let bytes = magnitude.to_be_bytes();
    // A magnitude is at least 112 here, so at least one byte counts.
    let skip = (magnitude.leading_zeros() / 8) as usize;
    out.push((base - (8 - skip as i64)) as u8);
    out.extend_from_slice(&bytes[skip..]);
}

/// Reads what [`write_wvl`] wrote; longer forms than necessary are accepted, as Java does.
#[inline]
pub(crate) fn read_wvl(input: &mut Input<'_>) -> Result<i64, Fault> {
    let first = input.u8()? as i8;
    if first >= -112 {
        return Ok(i64::from(first));
    }
    let (negative, n) = if first < -120 {
        (true, -120 - i32::from(first))
    } else {
        (false, -112 - i32::from(first))
    };
    let mut magnitude = 0_i64;
    for &byte in input.take(n as usize)? {
        magnitude = magnitude << 8 | i64::from(byte);
    }
    Ok(if negative { !magnitude } else { magnitude })
}

/// Reads a `wvl` that is a length.
#[inline]
pub(crate) fn read_wvl_length(input: &mut Input<'_>) -> Result<usize, Fault> {
    let start = input.at();
    let n = read_wvl(input)?;
    usize::try_from(n).map_err(|_| Fault::new(start, "a length is negative"))
}

/// Appends `n` as BCFile does.
///
/// The shortest of: one byte for −32..=127; a first byte that also carries the top bits, with 1, 2 or 3 bytes after it;
/// a byte of size (`len − 129`) and 4 to 8 bytes.
pub(crate) fn write_bvl(out: &mut Vec<u8>, n: i64) {
    if (-32..=127).contains(&n) {
        out.push(n as u8);
        return;
    }
    // (bytes after the first, bias of the first byte, bound of the bits that it carries)
    for (tail, bias, bound) in [(1, 52, 20), (2, 88, 16), (3, 112, 8)] {
        let top = n >> (8 * tail);
        if (-bound..bound).contains(&top) {
            out.push((top - bias) as u8);
            out.extend_from_slice(&n.to_be_bytes()[8 - tail..]);
            return;
        }
    }
    let magnitude = if n < 0 { !n } else { n };
    // One bit more than the magnitude, for the sign; never fewer than four bytes.
    let length = ((64 - magnitude.leading_zeros() as usize) / 8 + 1).max(4);
    out.push((length as i64 - 129) as u8);
    out.extend_from_slice(&n.to_be_bytes()[8 - length..]);
}

/// Reads what [`write_bvl`] wrote.
pub(crate) fn read_bvl(input: &mut Input<'_>) -> Result<i64, Fault> {
    let first = i64::from(input.u8()? as i8);
    let (start, tail) = match first {
        -32..=127 => return Ok(first),
        -72..=-33 => (first + 52, 1),
        -104..=-73 => (first + 88, 2),
        -120..=-105 => (first + 112, 3),
        _ => {
            let bytes = input.take((first + 129) as usize)?;
            let sign = if bytes.first().is_some_and(|b| b & 0x80 != 0) {
                -1
            } else {
                0
            };
            return Ok(fold(sign, bytes));
        }
    };
    Ok(fold(start, input.take(tail)?))
}

/// Shifts `bytes` into `start` from the right.
fn fold(start: i64, bytes: &[u8]) -> i64 {
    bytes
        .iter()
        .fold(start, |n, &byte| n << 8 | i64::from(byte))
}

/// Reads a `bvl` that is an offset or a size.
pub(crate) fn read_bvl_size(input: &mut Input<'_>) -> Result<u64, Fault> {
    let start = input.at();
    let n = read_bvl(input)?;
    u64::try_from(n).map_err(|_| Fault::new(start, "an offset or size is negative"))
}

/// Appends a BCFile string: its length in bytes as `bvl`, then UTF-8.
pub(crate) fn write_bstr(out: &mut Vec<u8>, text: &str) {
    write_bvl(out, text.len() as i64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads a BCFile string; Java's null (length −1) is refused, because no place of an RFile may hold it.
pub(crate) fn read_bstr<'a>(input: &mut Input<'a>) -> Result<&'a str, Fault> {
    let start = input.at();
    let n = usize::try_from(read_bvl_size(input)?)
        .map_err(|_| Fault::new(start, "a string is too long"))?;
    std::str::from_utf8(input.take(n)?).map_err(|_| Fault::new(start, "a string is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Numbers with their bytes as the Java classes write them.
    const WVL: &[(i64, &str)] = &[
        (0, "00"),
        (-1, "ff"),
        (127, "7f"),
        (-112, "90"),
        (128, "8f80"),
        (-113, "8770"),
        (255, "8fff"),
        (256, "8e0100"),
        (1000, "8e03e8"),
        (-1000, "8603e7"),
        (65_535, "8effff"),
        (65_536, "8d010000"),
        (i32::MAX as i64, "8c7fffffff"),
        (1 << 31, "8c80000000"),
        (i64::MAX, "887fffffffffffffff"),
        (i64::MIN, "807fffffffffffffff"),
    ];
    const BVL: &[(i64, &str)] = &[
        (0, "00"),
        (127, "7f"),
        (128, "cc80"),
        (255, "ccff"),
        (256, "cd00"),
        (1000, "cfe8"),
        (-1, "ff"),
        (-32, "e0"),
        (-33, "cbdf"),
        (-112, "cb90"),
        (-1000, "c818"),
        (5119, "dfff"),
        (5120, "a81400"),
        (-5120, "b800"),
        (-5121, "a7ebff"),
        (65_535, "a8ffff"),
        (65_536, "a90000"),
        (1_048_575, "b7ffff"),
        (1_048_576, "90100000"),
        (134_217_727, "97ffffff"),
        (134_217_728, "8308000000"),
        (i32::MAX as i64, "837fffffff"),
        (1 << 31, "840080000000"),
        (1 << 39, "85008000000000"),
        (i64::MAX, "877fffffffffffffff"),
        (i64::MIN, "878000000000000000"),
    ];

    #[test]
    fn known_numbers_have_javas_bytes() {
        for &(n, expected) in WVL {
            let mut out = Vec::new();
            write_wvl(&mut out, n);
            assert_eq!(hex(&out), expected, "wvl of {n}");
        }
        for &(n, expected) in BVL {
            let mut out = Vec::new();
            write_bvl(&mut out, n);
            assert_eq!(hex(&out), expected, "bvl of {n}");
        }
    }

    #[test]
    fn every_width_round_trips_and_no_prefix_decodes() {
        let mut numbers: Vec<i64> = (-70_000..70_000).step_by(7).collect();
        for shift in 0..63 {
            for near in -1..=1 {
                numbers.extend([(1_i64 << shift) + near, -(1_i64 << shift) + near]);
            }
        }
        numbers.extend([i64::MAX, i64::MIN]);
        for n in numbers {
            let (mut w, mut b) = (Vec::new(), Vec::new());
            write_wvl(&mut w, n);
            write_bvl(&mut b, n);
            assert_eq!(read_wvl(&mut Input::new(&w, 0)), Ok(n));
            assert_eq!(read_bvl(&mut Input::new(&b, 0)), Ok(n));
            for end in 0..w.len() {
                assert!(read_wvl(&mut Input::new(&w[..end], 0)).is_err());
            }
            for end in 0..b.len() {
                assert!(read_bvl(&mut Input::new(&b[..end], 0)).is_err());
            }
        }
    }
}
