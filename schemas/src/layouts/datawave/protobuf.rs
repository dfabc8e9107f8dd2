//! The few pieces of the protobuf wire format that the tables' values need. Values are written and read by hand: one pass and no
//! objects, many times faster than generated code.

/// Appends a protobuf varint.
pub(super) fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a length and as many bytes.
pub(super) fn write_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    write_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Takes a varint off the front of `input`.
pub(super) fn read_varint(input: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = input.split_first()?;
        *input = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

/// Takes a length and as many bytes off the front of `input`.
pub(super) fn read_bytes<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(read_varint(input)?).ok()?;
    let (bytes, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(bytes)
}

/// Passes over the value of a field that nobody asked for. `None`: it is cut short, or the tag is none (field 0, groups, unknown wire types).
pub(super) fn skip(tag: u64, input: &mut &[u8]) -> Option<()> {
    if tag >> 3 == 0 {
        return None;
    }
    match tag & 7 {
        0 => read_varint(input).map(|_| ()),
        1 => input.split_off(..8).map(|_| ()),
        2 => read_bytes(input).map(|_| ()),
        5 => input.split_off(..4).map(|_| ()),
        _ => None,
    }
}

/// Takes the value of a repeated varint field: one number, or a packed list of them. `None` also when the tag has another wire type.
pub(super) fn read_repeated(tag: u64, input: &mut &[u8], mut each: impl FnMut(u64)) -> Option<()> {
    match tag & 7 {
        0 => each(read_varint(input)?),
        2 => {
            let mut packed = read_bytes(input)?;
            while !packed.is_empty() {
                each(read_varint(&mut packed)?);
            }
        }
        _ => return None,
    }
    Some(())
}
