use super::{NormalizeError, Normalizer};

/// Hexadecimal digits in lower case and of an even number, without `0x` (`0xABC` → `0abc`).
#[derive(Clone, Copy, Debug)]
pub struct HexString;

impl Normalizer for HexString {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NormalizeError::NotHex);
        }
        buffer.clear();
        if digits.len() % 2 == 1 {
            buffer.push('0');
        }
        buffer.push_str(digits);
        buffer.make_ascii_lowercase();
        each(buffer);
        Ok(())
    }
}
