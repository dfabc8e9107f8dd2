use super::{NormalizeError, Normalizer};
use crate::java_number::parse_long;
use std::fmt::Write as _;

/// Six parts joined with `-` (`0:1B:63:84:45:E6` → `00-1B-63-84-45-E6`), or twelve hexadecimal digits cut into pairs.
///
/// Parts keep their case and are not checked: DataWave takes `xx:yy:zz:aa:bb:cc` too, and so do its queries.
#[derive(Clone, Copy, Debug)]
pub struct MacAddress;

const PARTS: usize = 6;

impl Normalizer for MacAddress {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        buffer.clear();
        if text.split([':', '-']).count() == PARTS {
            for (index, part) in text.split([':', '-']).enumerate() {
                if index > 0 {
                    buffer.push('-');
                }
                if part.encode_utf16().count() == 1 {
                    buffer.push('0');
                }
                buffer.push_str(part);
            }
        } else {
            let number = parse_long(text, 16)
                .filter(|number| (0..1 << 48).contains(number))
                .ok_or(NormalizeError::NotAMacAddress)?;
            for (index, byte) in number.to_be_bytes()[2..].iter().enumerate() {
                let dash = if index == 0 { "" } else { "-" };
                // Writing to a String cannot fail.
                let _ = write!(buffer, "{dash}{byte:02x}");
            }
        }
        each(buffer);
        Ok(())
    }
}
