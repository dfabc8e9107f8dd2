//! The visibility of a cell that names none, and which visibilities are known to be valid.

use super::Rule;
use crate::record::Field;
use crate::template::Env;
use crate::visibility::{self, VisibilityError};
use std::collections::HashSet;

/// How many distinct visibilities are remembered as valid; real data has a handful.
const KNOWN: usize = 1024;

/// Visibilities that were valid, so that each is parsed once.
#[derive(Default)]
pub(super) struct KnownVisibilities {
    last: Vec<u8>,
    valid: HashSet<Vec<u8>>,
}

impl KnownVisibilities {
    pub(super) fn check(&mut self, expression: &[u8]) -> Result<(), VisibilityError> {
        if expression == self.last {
            return Ok(());
        }
        if !self.valid.contains(expression) {
            visibility::validate(expression)?;
            if self.valid.len() == KNOWN {
                self.valid.clear();
            }
            self.valid.insert(expression.to_vec());
        }
        self.last.clear();
        self.last.extend_from_slice(expression);
        Ok(())
    }

    /// Whoever may not see one of the fields that a cell is made of may not see the cell: appends the visibilities that these fields carry,
    /// each once, joined by `&`. Where none carries any, the record's.
    ///
    /// On an error, `out` holds the expression at fault.
    pub(super) fn default_of(
        &mut self,
        rule: &Rule,
        env: &Env<'_>,
        field: Option<Field<'_>>,
        out: &mut Vec<u8>,
    ) -> Result<(), VisibilityError> {
        let read = |column: &usize| {
            let column = env.columns.get(*column).copied().flatten()?;
            env.record.column(column)?.visibility
        };
        let own = field.and_then(|field| field.visibility);
        let mut found = own;
        let mut others = rule.columns.iter().filter_map(read);
        if others.all(|other| *found.get_or_insert(other) == other) {
            let single = found.or_else(|| env.record.visibility());
            out.extend_from_slice(single.unwrap_or_default().as_bytes());
            return self.check(out);
        }
        let mut joined: Vec<&str> = own.into_iter().collect();
        joined.extend(rule.columns.iter().filter_map(read));
        joined.retain(|expression| !expression.is_empty());
        joined.sort_unstable();
        joined.dedup();
        // Each by itself: `A)|(B` is no expression, but would make one inside the parentheses.
        for expression in &joined {
            if let Err(error) = self.check(expression.as_bytes()) {
                out.extend_from_slice(expression.as_bytes());
                return Err(error);
            }
        }
        join(&joined, out);
        self.check(out)
    }
}

fn join(expressions: &[&str], out: &mut Vec<u8>) {
    let several = expressions.len() > 1;
    for (index, expression) in expressions.iter().enumerate() {
        if index > 0 {
            out.push(b'&');
        }
        if several && expression.contains(['&', '|']) {
            out.push(b'(');
            out.extend_from_slice(expression.as_bytes());
            out.push(b')');
        } else {
            out.extend_from_slice(expression.as_bytes());
        }
    }
}
