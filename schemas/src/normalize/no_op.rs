use super::{NormalizeError, Normalizer};

/// Leaves text as it is.
#[derive(Clone, Copy, Debug)]
pub struct NoOp;

impl Normalizer for NoOp {
    fn normalize(
        &self,
        text: &str,
        _buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        each(text);
        Ok(())
    }

    fn can_fail(&self) -> bool {
        false
    }
}
