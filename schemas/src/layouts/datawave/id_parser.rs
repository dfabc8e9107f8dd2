//! Dates inside ids (`DateIdParser`): where an id fits a regular expression, its first group dates the event, whatever the date field says.

use super::config::model::IdParser;
use super::fields::canonical;
use crate::java_date::DatePattern;
use crate::layout::ConfigError;
use fancy_regex::Regex;

/// A rule, compiled.
#[derive(Debug)]
pub(super) struct DateParser {
    /// The field of the id.
    pub(super) field: String,
    regex: Regex,
    format: DatePattern,
}

impl DateParser {
    /// Compiles the rules of a type.
    ///
    /// # Errors
    /// Expressions and formats that cannot be used; keys are below `prefix`.
    pub(super) fn build(
        prefix: &str,
        settings: &[IdParser],
        now: i64,
    ) -> Result<Vec<DateParser>, Vec<ConfigError>> {
        let (mut parsers, mut faults) = (Vec::new(), Vec::new());
        for (at, setting) in settings.iter().enumerate() {
            let key = format!("{prefix}.id_parsers.{at}");
            // The expression has to take the whole id.
            let regex = Regex::new(&format!("^(?:{})$", setting.regex));
            match (regex, DatePattern::compile(&setting.format, now)) {
                (Ok(regex), Ok(format)) => parsers.push(DateParser {
                    field: canonical(&setting.field),
                    regex,
                    format,
                }),
                (regex, format) => {
                    let faulty = |error: String| ConfigError::new(key.as_str(), error);
                    faults.extend(regex.err().map(|error| faulty(error.to_string())));
                    faults.extend(format.err().map(|error| faulty(error.to_string())));
                }
            }
        }
        if faults.is_empty() {
            Ok(parsers)
        } else {
            Err(faults)
        }
    }

    /// The date in an id, in milliseconds since the epoch.
    pub(super) fn date(&self, id: &str) -> Option<i64> {
        // An expression that takes too many steps does not fit.
        let found = self.regex.captures(id).ok().flatten()?;
        let (date, _) = self.format.parse_prefix(found.get(1)?.as_str())?;
        Some(date)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_fits_has_a_date() {
        let setting = |regex: &str, format: &str| IdParser {
            field: "id".into(),
            regex: regex.into(),
            format: format.into(),
        };
        let good = setting("[xX]([0-9]{7}).*", "yyyyDDD");
        let parsers = DateParser::build("types.t", &[good], 0).unwrap();
        assert_eq!(parsers[0].field, "ID");
        assert_eq!(parsers[0].date("x2024060-1"), Some(1_709_164_800_000));
        assert_eq!(parsers[0].date("-x2024060-1"), None);
        let faults = DateParser::build("types.t", &[setting("(", "ww")], 0).unwrap_err();
        assert_eq!(faults.len(), 2);
        assert_eq!(faults[0].key, "types.t.id_parsers.0");
    }
}
