//! Visibilities that records bring along, flattened once each.

use crate::visibility::{VisibilityError, flatten};
use std::collections::HashMap;

/// How many expressions are remembered; a job has few, and one that has many only flattens more often.
const LIMIT: usize = 1024;

/// Expressions and their normal forms.
#[derive(Debug, Default)]
pub(super) struct VisibilityCache {
    flat: HashMap<String, Vec<u8>>,
}

impl VisibilityCache {
    /// The normal form of `expression`.
    pub(super) fn flatten(&mut self, expression: &str) -> Result<&[u8], VisibilityError> {
        if !self.flat.contains_key(expression) {
            if self.flat.len() == LIMIT {
                self.flat.clear();
            }
            let flat = flatten(expression.as_bytes())?;
            self.flat.insert(expression.to_owned(), flat);
        }
        Ok(self.flat.get(expression).map_or(&[], Vec::as_slice))
    }
}
