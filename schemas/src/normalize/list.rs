use super::{LcNoDiacritics, NormalizeError, Normalizer, Number};

/// A list whose items are normalized one by one: `LcNoDiacriticsListType`, `NumberListType`.
///
/// Items stand between commas and semicolons and are not trimmed. Empty items count, except at the end, as Java's `String.split` has it;
/// the empty text is one empty item. One item that fails makes the list fail.
#[derive(Clone, Copy, Debug)]
pub struct ListOf<N>(N);

/// Lower-cased items without accents.
pub const LC_NO_DIACRITICS_LIST: ListOf<LcNoDiacritics> = ListOf(LcNoDiacritics);

/// Encoded numbers.
pub const NUMBER_LIST: ListOf<Number> = ListOf(Number);

const SEPARATORS: [char; 2] = [',', ';'];

impl<N: Normalizer> Normalizer for ListOf<N> {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        let items = text.trim_end_matches(SEPARATORS);
        if items.is_empty() && !text.is_empty() {
            return Ok(());
        }
        for item in items.split(SEPARATORS) {
            self.0.normalize(item, buffer, each)?;
        }
        Ok(())
    }

    fn can_fail(&self) -> bool {
        self.0.can_fail()
    }
}
