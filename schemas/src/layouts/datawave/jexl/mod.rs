//! Preconditions of edges: the part of Apache Commons JEXL (3.3) that they use, over the fields of an event.
//!
//! `==` and `!=` (`eq`, `ne`), `<` `<=` `>` `>=` (`lt`, `le`, `gt`, `ge`), `=~` and `!~`, `&&` `||` `!` (`and`, `or`, `not`), `empty`, `size`,
//! texts, numbers, `true`, `false`, `null` and field names; a name that would start with a digit starts with `$`.
//!
//! A field is a collection of values with their groups, and the operators ask whether any value fits. Values that fit bring their groups into
//! [`Outcome::matched`], values that an inequality refuses theirs into [`Outcome::excluded`]. Two things are not what a reader expects, and
//! are so in DataWave:
//! `||` evaluates both sides, to collect their groups; and `=~` has the text of the *whole* collection before it (`[(blue, null, null)]`),
//! because JEXL 3 no longer asks DataWave's own operator, so that a pattern for a value fits only if it has room for the rest.

mod eval;
mod parse;

use std::collections::{BTreeMap, BTreeSet};

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldValue {
    /// The event's value.
    pub value: String,
    /// Its group.
    pub group: Option<String>,
    /// The part of the group.
    pub sub_group: Option<String>,
}

/// Groups and their parts.
pub type Groups = BTreeMap<Option<String>, BTreeSet<Option<String>>>;

/// What became of a precondition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether it holds.
    pub holds: bool,
    /// Groups of values that fit.
    pub matched: Groups,
    /// Groups of values that an inequality refused.
    pub excluded: Groups,
}

impl Outcome {
    /// The groups that fit and were not refused. Where nothing is left, a definition that looks at groups makes no edge.
    #[must_use]
    pub fn left(&self) -> Groups {
        let mut left = self.matched.clone();
        for (group, parts) in &self.excluded {
            if let Some(standing) = left.get_mut(group) {
                standing.retain(|part| !parts.contains(part));
            }
        }
        left.retain(|_, parts| !parts.is_empty());
        left
    }
}

/// Why a precondition is none, or cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JexlError {
    /// The text cannot be read.
    #[error("character {at}: {message}")]
    Syntax {
        /// Place in the text, in characters from 1.
        at: usize,
        /// What is wrong there.
        message: String,
    },
    /// An order or a number was asked of something that is no whole number.
    #[error("{0:?} is no whole number")]
    NotANumber(String),
    /// A regular expression took too long on a value.
    #[error("the pattern {0:?} needs too many steps")]
    PatternLimit(String),
}

/// A precondition, read.
#[derive(Clone, Debug)]
pub struct Expression {
    root: Node,
}

#[derive(Clone, Debug)]
enum Node {
    Null,
    Bool(bool),
    Number(i64),
    Text(String),
    Field(String),
    Not(Box<Node>),
    And(Box<Node>, Box<Node>),
    Or(Box<Node>, Box<Node>),
    Equal {
        left: Box<Node>,
        right: Box<Node>,
        negated: bool,
    },
    Order(Order, Box<Node>, Box<Node>),
    Match {
        left: Box<Node>,
        pattern: Box<fancy_regex::Regex>,
        negated: bool,
    },
    Empty(Box<Node>),
    Size(Box<Node>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Expression {
    /// Reads a precondition.
    ///
    /// # Errors
    /// The place and the reason.
    pub fn parse(text: &str) -> Result<Expression, JexlError> {
        let root = parse::parse(text)?;
        Ok(Expression { root })
    }

    /// Evaluates it; `field` gives the values of a field of the event.
    ///
    /// # Errors
    /// A value that cannot be compared.
    pub fn evaluate<'e, 'a: 'e>(
        &'e self,
        field: &dyn Fn(&str) -> &'a [FieldValue],
    ) -> Result<Outcome, JexlError> {
        let field = |name: &str| -> &'e [FieldValue] { field(name) };
        eval::evaluate(&self.root, &field)
    }
}

#[cfg(test)]
mod tests;
