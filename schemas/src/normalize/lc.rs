use super::{NormalizeError, Normalizer};
use crate::java_case::append_lower;

/// Lower case, accents kept (`École` → `école`).
#[derive(Clone, Copy, Debug)]
pub struct Lc;

impl Normalizer for Lc {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        buffer.clear();
        buffer.push_str(text);
        append_lower(buffer, 0..text.len());
        each(&buffer[text.len()..]);
        Ok(())
    }

    fn can_fail(&self) -> bool {
        false
    }
}
