//! Columns as iterator options name them: `family` or `family:qualifier`, bytes outside `[A-Za-z0-9_-]` as `%xx` (`ColumnSet`).

use crate::key::Key;

/// A family, or one column of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    family: Vec<u8>,
    qualifier: Option<Vec<u8>>,
}

impl Column {
    /// Reads a name. `None`: an escape is cut short or no hexadecimal number, or there are two colons.
    #[must_use]
    pub fn parse(text: &str) -> Option<Column> {
        let mut parts = text.split(':').map(decode);
        let family = parts.next()??;
        let qualifier = parts.next();
        if parts.next().is_some() {
            return None;
        }
        Some(Column {
            family,
            qualifier: match qualifier {
                Some(qualifier) => Some(qualifier?),
                None => None,
            },
        })
    }

    /// Whether `key` is in the column.
    #[must_use]
    pub fn contains(&self, key: &Key<'_>) -> bool {
        key.family == self.family
            && self
                .qualifier
                .as_ref()
                .is_none_or(|qualifier| key.qualifier == qualifier)
    }
}

/// A set of columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Every one.
    All,
    /// These.
    Listed(Vec<Column>),
}

impl Columns {
    /// Reads a list with commas.
    #[must_use]
    pub fn parse(text: &str) -> Option<Columns> {
        text.split(',')
            .map(Column::parse)
            .collect::<Option<_>>()
            .map(Columns::Listed)
    }

    /// Whether `key` is in one of them.
    #[must_use]
    pub fn contains(&self, key: &Key<'_>) -> bool {
        match self {
            Columns::All => true,
            Columns::Listed(columns) => columns.iter().any(|column| column.contains(key)),
        }
    }
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let (digits, tail) = rest.split_at_checked(2)?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let value = digit(digits[0])? << 4 | digit(digits[1])?;
        bytes.push(u8::try_from(value).ok()?);
        rest = tail;
    }
    Some(bytes)
}
