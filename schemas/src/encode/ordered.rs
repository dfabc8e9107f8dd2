//! The bytes of Accumulo's Lexicoders (`org.apache.accumulo.core.client.lexicoder`): comparing them as unsigned bytes compares the values.
//!
//! Everything is appended to a buffer. [`escape_from`] and [`reverse_from`] rework the end of that buffer in place, so that nested
//! encodings need no buffer of their own.

/// `ULongLexicoder`: a length byte, then the number big-endian without its leading sign bytes (`00`, or `ff` when the top bit is set).
pub fn ulong(value: u64, out: &mut Vec<u8>) {
    stripped(&value.to_be_bytes(), out);
}

/// `LongLexicoder`: [`ulong`] of the number with its sign bit flipped.
pub fn long(value: i64, out: &mut Vec<u8>) {
    ulong(value.cast_unsigned() ^ (1 << 63), out);
}

/// `UIntegerLexicoder`: [`ulong`] for four bytes.
pub fn uint(value: u32, out: &mut Vec<u8>) {
    stripped(&value.to_be_bytes(), out);
}

/// `IntegerLexicoder`: [`uint`] of the number with its sign bit flipped.
pub fn int(value: i32, out: &mut Vec<u8>) {
    uint(value.cast_unsigned() ^ (1 << 31), out);
}

/// `DoubleLexicoder`: negative numbers complemented, others with the sign bit set. `-0.0` sorts before `0.0`, `NaN` last; the payload of
/// a `NaN` is kept.
pub fn double(value: f64, out: &mut Vec<u8>) {
    let bits = value.to_bits();
    let flip = if bits >> 63 == 1 { u64::MAX } else { 1 << 63 };
    ulong(bits ^ flip, out);
}

/// `FloatLexicoder`: [`double`] for 32 bits.
pub fn float(value: f32, out: &mut Vec<u8>) {
    let bits = value.to_bits();
    let flip = if bits >> 31 == 1 { u32::MAX } else { 1 << 31 };
    uint(bits ^ flip, out);
}

/// `BigIntegerLexicoder`, from the shortest two's-complement form of the number: its length (negated for negative numbers) as four bytes
/// with the sign bit flipped, then the number with its sign bit flipped.
pub fn big_integer(twos_complement: &[u8], out: &mut Vec<u8>) {
    // Texts are bounded long before a number could have 2^31 bytes.
    let length = i32::try_from(twos_complement.len()).unwrap_or(i32::MAX);
    let Some((&first, rest)) = twos_complement.split_first() else {
        return;
    };
    let signed = if first >> 7 == 1 { -length } else { length };
    out.extend_from_slice(&(signed.cast_unsigned() ^ (1 << 31)).to_be_bytes());
    out.push(first ^ 0x80);
    out.extend_from_slice(rest);
}

/// `UUIDLexicoder`: 16 bytes, both signed halves with their sign bits flipped.
pub fn uuid(value: u128, out: &mut Vec<u8>) {
    out.extend_from_slice(&(value ^ (1 << 127 | 1 << 63)).to_be_bytes());
}

/// Replaces `00` by `01 01` and `01` by `01 02` in `out[start..]`, so that a single `00` can end or separate elements
/// (`ByteUtils.escape`).
pub fn escape_from(out: &mut Vec<u8>, start: usize) {
    let extra = out[start..].iter().filter(|&&byte| byte <= 1).count();
    if extra == 0 {
        return;
    }
    let mut read = out.len();
    let mut write = read + extra;
    out.resize(write, 0);
    // From the back: a byte never moves onto one that is still to be read, and once the two meet, the rest stands as it is.
    while read < write {
        read -= 1;
        let byte = out[read];
        if byte <= 1 {
            write -= 2;
            out[write] = 1;
            out[write + 1] = byte + 1;
        } else {
            write -= 1;
            out[write] = byte;
        }
    }
}

/// `ReverseLexicoder` of the encoding in `out[start..]`: escaped, every byte complemented, and a final `ff`, so that the order is turned
/// round even between an encoding and its prefix.
pub fn reverse_from(out: &mut Vec<u8>, start: usize) {
    escape_from(out, start);
    for byte in &mut out[start..] {
        *byte = !*byte;
    }
    out.push(0xff);
}

/// A length byte and the bytes behind the leading sign bytes: `k`, or `2·width - k` for numbers with the top bit set.
fn stripped(bytes: &[u8], out: &mut Vec<u8>) {
    let negative = bytes.first().is_some_and(|byte| byte >> 7 == 1);
    let sign = if negative { 0xff } else { 0 };
    let skipped = bytes.iter().take_while(|&&byte| byte == sign).count();
    let kept = bytes.len() - skipped;
    let length = if negative {
        2 * bytes.len() - kept
    } else {
        kept
    };
    // At most 16: the widest number has 8 bytes.
    out.push(length as u8);
    out.extend_from_slice(&bytes[skipped..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(encode: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
        let mut out = b"before".to_vec();
        encode(&mut out);
        out.split_off(6)
    }

    #[test]
    fn bytes_are_accumulos() {
        assert_eq!(bytes(|out| long(i64::MIN, out)), [0x00]);
        assert_eq!(bytes(|out| long(i64::MAX, out)), [0x10]);
        assert_eq!(bytes(|out| int(-1, out)), [0x04, 0x7f, 0xff, 0xff, 0xff]);
        assert_eq!(
            bytes(|out| float(f32::NAN, out)),
            [0x05, 0xc0, 0x00, 0x00 /* stripped: nothing */,]
        );
        assert_eq!(
            bytes(|out| big_integer(&[0xff, 0x00], out)),
            [0x7f, 0xff, 0xff, 0xfe, /* first, flipped */ 0x7f, 0x00]
        );
    }

    #[test]
    fn only_the_end_of_the_buffer_is_escaped() {
        let mut out = vec![0, 1, 0, 1, 2];
        escape_from(&mut out, 2);
        assert_eq!(out, [0, 1, 1, 1, 1, 2, 2]);
        reverse_from(&mut out, 7);
        assert_eq!(out, [0, 1, 1, 1, 1, 2, 2, 0xff]);
    }

    proptest! {
        #[test]
        fn order_is_that_of_the_values(a in any::<i64>(), b in any::<i64>(), shift in 0_u32..64, x in any::<f64>(), y in any::<f64>()) {
            let (a, b) = (a >> shift, b >> shift);
            prop_assert_eq!(bytes(|out| long(a, out)).cmp(&bytes(|out| long(b, out))), a.cmp(&b));
            prop_assert_eq!(bytes(|out| double(x, out)).cmp(&bytes(|out| double(y, out))), x.total_cmp(&y));
        }

        #[test]
        fn reversed_bytes_sort_the_other_way(a in proptest::collection::vec(0_u8..4, 0..6), b in proptest::collection::vec(0_u8..4, 0..6)) {
            let reversed = |value: &[u8]| bytes(|out| { out.extend_from_slice(value); reverse_from(out, 6); });
            prop_assert_eq!(reversed(&a).cmp(&reversed(&b)), b.cmp(&a));
        }
    }
}
