//! The index terms of a value on their way into the event.

use super::fields::{Event, FieldPlan, Value};
use std::ops::Range;

/// A value that has its event text and gets its terms.
pub(super) struct Started {
    /// Index in [`Event::values`].
    pub(super) at: usize,
    pub(super) plan: usize,
    /// Where its event text is.
    pub(super) text: Range<usize>,
    /// No other value of the event can give the same term of the same field.
    pub(super) unique: bool,
}

pub(super) struct Terms<'a> {
    pub(super) event: &'a mut Event,
    pub(super) value: &'a Started,
}

impl Terms<'_> {
    /// Adds an index term: an event counts once under a term, however many of its values give it.
    pub(super) fn add(&mut self, term: &str, text: &str, plans: &[FieldPlan]) {
        if term.is_empty() {
            return;
        }
        let mut repeated = false;
        if !self.value.unique {
            let name = &plans[self.value.plan].index_name;
            let mut same = self.event.with_term(name, term, self.value.at, plans);
            if same.clone().any(|other| other.origin == self.value.at) {
                return;
            }
            repeated = same.next().is_some();
        }
        let range = if term == text {
            self.value.text.clone()
        } else {
            self.event.append(term)
        };
        let value = &mut self.event.values[self.value.at];
        if value.indexed.is_none() {
            if plans[value.plan].event_normalized {
                value.event = Some(range.clone());
            }
            value.indexed = Some(range);
            value.repeated = repeated;
            return;
        }
        let further = Value {
            event: None,
            indexed: Some(range),
            repeated,
            ..value.clone()
        };
        self.event.values.push(further);
    }
}
