use super::{NormalizeError, Normalizer};
use crate::java_case::append_lower;
use unicode_normalization::UnicodeNormalization;

/// Lower case without accents: decomposes, drops U+0300–U+036F, composes again and lower-cases (`École` → `ecole`).
#[derive(Clone, Copy, Debug)]
pub struct LcNoDiacritics;

impl Normalizer for LcNoDiacritics {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        buffer.clear();
        if text.is_ascii() {
            buffer.push_str(text);
            buffer.make_ascii_lowercase();
            each(buffer);
            return Ok(());
        }
        let plain = text.nfd().filter(|c| !('\u{300}'..='\u{36f}').contains(c));
        buffer.extend(plain.nfc());
        let end = buffer.len();
        append_lower(buffer, 0..end);
        each(&buffer[end..]);
        Ok(())
    }

    fn can_fail(&self) -> bool {
        false
    }
}
