//! Ready combiners by name: those that every Accumulo has, so that what a run has combined goes on being combined on the cluster.
//!
//! | name | of the versions of one cell | value |
//! |---|---|---|
//! | `sum`, `min`, `max` | the sum, smallest or greatest number | `STRING`, `VARLEN` or `FIXEDLEN`, as in `sum(VARLEN)`; `STRING` if none is named |
//! | `latest` | the one with the newest timestamp; of two with the same, the one with the greater bytes | any bytes |
//!
//! Versions are cells with equal row, family, qualifier and visibility; the result has the newest timestamp among them.

mod latest;
mod long;

pub use latest::Latest;
pub use long::{Fold, LongCombiner};

use crate::combine::Combiner;
use crate::encode::java_text::{self, BadText};
use crate::encode::long_values::LongEncoding;
use crate::layout::{Families, IteratorSetting};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// A combiner as a configuration names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Named {
    /// Folds numbers.
    Long(Fold, LongEncoding),
    /// Keeps the newest.
    Latest,
}

/// A name that is no combiner's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no combiner: sum, min, max (each also with an encoding, as in `sum(VARLEN)`: STRING, VARLEN, FIXEDLEN) or latest is needed"
)]
pub struct NoSuchCombiner(pub String);

impl FromStr for Named {
    type Err = NoSuchCombiner;

    fn from_str(text: &str) -> Result<Named, NoSuchCombiner> {
        let unknown = || NoSuchCombiner(text.to_owned());
        if text == "latest" {
            return Ok(Named::Latest);
        }
        let (name, encoding) = match text.strip_suffix(')').and_then(|it| it.split_once('(')) {
            Some((name, encoding)) => (name, LongEncoding::from_name(encoding.trim())),
            None => (text, Some(LongEncoding::Text)),
        };
        let fold = Fold::ALL.into_iter().find(|fold| fold.name() == name);
        match (fold, encoding) {
            (Some(fold), Some(encoding)) => Ok(Named::Long(fold, encoding)),
            _ => Err(unknown()),
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Named::Long(fold, encoding) => write!(f, "{}({})", fold.name(), encoding.name()),
            Named::Latest => f.write_str("latest"),
        }
    }
}

impl Named {
    /// The combiner itself.
    #[must_use]
    pub fn combiner(self) -> Arc<dyn Combiner> {
        match self {
            Named::Long(fold, encoding) => Arc::new(LongCombiner::new(fold, encoding)),
            Named::Latest => Arc::new(Latest),
        }
    }

    /// Appends the value of a cell whose number stands in `text`; a combiner that is not about numbers takes the text as it is.
    ///
    /// # Errors
    /// The text is no number.
    pub fn encode(self, text: &[u8], out: &mut Vec<u8>) -> Result<(), BadText> {
        match self {
            Named::Long(_, encoding) => encoding.encode(java_text::parse_long(text)?, out),
            Named::Latest => out.extend_from_slice(text),
        }
        Ok(())
    }

    /// Whether `value` is one that the combiner can read.
    ///
    /// # Errors
    /// It is in another encoding, or no number at all.
    pub fn check(self, value: &[u8]) -> Result<(), BadText> {
        match self {
            Named::Long(_, encoding) => encoding.decode(value).map(|_| ()),
            Named::Latest => Ok(()),
        }
    }

    /// The iterator that does the same on the cluster, where one is needed: `latest` is what versioning does anyway.
    ///
    /// `priority` has to be lower than that of the versioning iterator (20), which would leave a single value to be combined.
    #[must_use]
    pub fn iterator(
        self,
        name: &str,
        priority: u32,
        families: &Families,
    ) -> Option<IteratorSetting> {
        let Named::Long(fold, encoding) = self else {
            return None;
        };
        let columns = match families {
            Families::All => ("all".to_owned(), "true".to_owned()),
            Families::Named(names) => {
                let names: Vec<String> = names.iter().map(|name| column_option(name)).collect();
                ("columns".to_owned(), names.join(","))
            }
        };
        Some(IteratorSetting {
            name: name.to_owned(),
            priority,
            class: fold.class().to_owned(),
            options: vec![("type".to_owned(), encoding.name().to_owned()), columns],
        })
    }
}

/// A family as the option `columns` has it (`ColumnSet.encode`): bytes outside `[A-Za-z0-9_-]` as `%xx`.
fn column_option(family: &[u8]) -> String {
    let mut text = String::with_capacity(family.len());
    for &byte in family {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02x}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused() {
        for (text, name) in [
            ("sum", "sum(STRING)"),
            ("min(VARLEN)", "min(VARLEN)"),
            ("max(fixedlen)", "max(FIXEDLEN)"),
            ("latest", "latest"),
        ] {
            assert_eq!(text.parse::<Named>().unwrap().to_string(), name);
        }
        for text in [
            "",
            "Sum",
            "sum(",
            "sum()",
            "sum(LONG)",
            "latest(STRING)",
            "avg",
        ] {
            assert!(text.parse::<Named>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_cluster_is_told_the_same() {
        let sum: Named = "sum(VARLEN)".parse().unwrap();
        let families = Families::Named(vec![b"units_sold".to_vec(), b"a b\xff".to_vec()]);
        let setting = sum.iterator("sum", 10, &families).unwrap();
        assert_eq!(
            setting.class,
            "org.apache.accumulo.core.iterators.user.SummingCombiner"
        );
        assert_eq!(
            setting.options,
            [
                ("type".to_owned(), "VARLEN".to_owned()),
                ("columns".to_owned(), "units_sold,a%20b%ff".to_owned())
            ]
        );
        assert_eq!(Named::Latest.iterator("latest", 10, &Families::All), None);
    }
}
