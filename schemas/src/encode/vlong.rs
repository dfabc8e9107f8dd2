//! Hadoop's variable-length integer (`org.apache.hadoop.io.WritableUtils.writeVLong`), 1 to 9 bytes.

/// Appends `v`: one byte for -112..=127, else a length byte (`-112 - n` for positive, `-120 - n` for negative numbers, whose ones'
/// complement is stored) and `n` magnitude bytes, big-endian, without leading zeros.
pub fn write_vlong(v: i64, out: &mut Vec<u8>) {
    if let Ok(byte) = i8::try_from(v)
        && byte >= -112
    {
        out.push(byte.cast_unsigned());
        return;
    }
    let (magnitude, base) = if v < 0 { (!v, 0x88_u8) } else { (v, 0x90_u8) };
    let bytes = magnitude.to_be_bytes();
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    let kept = &bytes[zeros..];
    // At most 8 bytes are kept, so the length always fits.
    out.push(base - u8::try_from(kept.len()).unwrap_or(8));
    out.extend_from_slice(kept);
}

/// Reads one integer from the start of `bytes`: the value and how many bytes it took. `None` when the bytes end too early.
#[must_use]
pub fn read_vlong(bytes: &[u8]) -> Option<(i64, usize)> {
    let first = bytes.first()?.cast_signed();
    if first >= -112 {
        return Some((i64::from(first), 1));
    }
    let negative = first < -120;
    let count = usize::from((if negative { -120 - first } else { -112 - first }).unsigned_abs());
    let magnitude = bytes
        .get(1..=count)?
        .iter()
        .fold(0_u64, |value, &byte| value << 8 | u64::from(byte))
        .cast_signed();
    Some((if negative { !magnitude } else { magnitude }, count + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn bytes_are_hadoops() {
        for (value, expected) in [
            (127, vec![0x7f]),
            (128, vec![0x8f, 0x80]),
            (255, vec![0x8f, 0xff]),
            (256, vec![0x8e, 0x01, 0x00]),
            (-1, vec![0xff]),
            (-112, vec![0x90]),
            (-113, vec![0x87, 0x70]),
            (-257, vec![0x86, 0x01, 0x00]),
            (
                i64::MAX,
                vec![0x88, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            ),
        ] {
            let mut out = Vec::new();
            write_vlong(value, &mut out);
            assert_eq!(out, expected, "{value}");
        }
    }

    proptest! {
        #[test]
        fn every_value_round_trips_and_no_truncation_reads(value in any::<i64>(), shift in 0_u32..64) {
            let value = value >> shift;
            let mut out = Vec::new();
            write_vlong(value, &mut out);
            prop_assert_eq!(read_vlong(&out), Some((value, out.len())));
            for end in 0..out.len() {
                prop_assert_eq!(read_vlong(&out[..end]), None);
            }
        }
    }
}
