use super::{NormalizeError, Normalizer};

/// Drops the zeros in front (`007` → `7`, `000` → nothing). Only ASCII zeros count, and a sign in front protects them.
#[derive(Clone, Copy, Debug)]
pub struct TrimLeadingZeros;

impl Normalizer for TrimLeadingZeros {
    fn normalize(
        &self,
        text: &str,
        _buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        each(text.trim_start_matches('0'));
        Ok(())
    }

    fn can_fail(&self) -> bool {
        false
    }
}
