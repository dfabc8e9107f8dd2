use super::{NormalizeError, Normalizer};
use crate::java_date::{DatePattern, trim_fraction, write_iso};
use crate::java_string::digit;
use std::sync::LazyLock;

/// Dates in thirteen formats, or milliseconds since the epoch, become `yyyy-MM-dd'T'HH:mm:ss.SSS'Z'` in GMT.
#[derive(Clone, Copy, Debug)]
pub struct Date;

/// DataWave's list; the first that takes the whole text counts.
const FORMATS: [&str; 13] = [
    "EEE MMM dd HH:mm:ss zzz yyyy",
    "EEE MMM dd HH:mm:ss XXX yyyy",
    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'",
    "yyyyMMddHHmmss",
    "yyyy-MM-dd HH:mm:ssz",
    "yyyy-MM-dd HH:mm:ss'Z'",
    "yyyy-MM-dd HH:mm:ss",
    "yyyy-MM-dd",
    "yyyy-MM-dd'T'HH'|'mm",
    "yyyy-MM-dd'T'HH:mm:ss'Z'",
    "yyyy-MM-dd't'HH:mm:ss'z'",
    "yyyy-MM-dd'T'HH:mm:ssXXX",
    "yyyy-MM-dd'T'HH:mm:ss.SSSSSSS",
];

static PATTERNS: LazyLock<Vec<DatePattern>> = LazyLock::new(|| {
    let compile = |format| DatePattern::compile(format, 0).expect("the formats above are valid");
    FORMATS.map(compile).into()
});

/// 1900-01-01T05:00:00Z to 2100-12-31T00:00:00Z: dates outside are taken for misread ones.
const PLAUSIBLE: std::ops::Range<i64> = -2_208_970_800_000..4_133_894_400_000;

impl Date {
    /// The instant that `text` names, in milliseconds since the epoch.
    #[must_use]
    pub fn parse(self, text: &str, scratch: &mut String) -> Option<i64> {
        // Java's parser would skip blanks in front; DataWave refuses them.
        if text.starts_with([' ', '\t']) {
            return None;
        }
        let trimmed = trim_fraction(text, scratch);
        PATTERNS
            .iter()
            .find_map(|pattern| {
                let text = if pattern.has_fraction() {
                    trimmed
                } else {
                    text
                };
                pattern
                    .parse_all(text)
                    .filter(|instant| PLAUSIBLE.contains(instant))
            })
            .or_else(|| epoch_millis(text).filter(|instant| PLAUSIBLE.contains(instant)))
    }
}

/// Text of digits only, the empty text too, is a number of milliseconds.
fn epoch_millis(text: &str) -> Option<i64> {
    text.chars().try_fold(0i64, |sum, c| {
        sum.checked_mul(10)?.checked_add(i64::from(digit(c)?))
    })
}

impl Normalizer for Date {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        let instant = self.parse(text, buffer).ok_or(NormalizeError::NotADate)?;
        buffer.clear();
        write_iso(instant, buffer);
        each(buffer);
        Ok(())
    }
}
