//! Fields: names, what the configuration says of each, and the values of one event on their way to the tables.

use super::config::model::FailurePolicy;
use super::tables::TableIds;
use super::tokens::{ListPlan, TokenPlan};
use crate::normalize::Normalizer;
use std::ops::Range;
use std::sync::Arc;

/// What is to be done with a field; worked out once for a column.
#[derive(Clone, Debug)]
pub(super) struct FieldPlan {
    /// Name in the event, with its group.
    pub(super) event_name: String,
    /// Name in the indexes.
    pub(super) index_name: String,
    pub(super) index: bool,
    pub(super) reverse_index: bool,
    /// It has an event column.
    pub(super) event: bool,
    /// The event column has the normalized value.
    pub(super) event_normalized: bool,
    /// Each gives index terms; of a field in no index only those that can refuse a value are here.
    pub(super) normalizers: Vec<&'static dyn Normalizer>,
    /// Classes of its types as the dictionary names them; of a field that is neither typed nor indexed nor normalized, none.
    pub(super) classes: Vec<&'static str>,
    /// It is listed as normalized.
    pub(super) normalized: bool,
    /// Something is made of what its types make of a value.
    pub(super) wants_terms: bool,
    pub(super) failure_policy: FailurePolicy,
    /// Visibility, flattened; without one the event's counts.
    pub(super) marking: Option<Vec<u8>>,
    pub(super) dropped: bool,
    pub(super) downcase: bool,
    /// What becomes of its tokens.
    pub(super) tokens: Option<TokenPlan>,
    /// What becomes of the members of its lists.
    pub(super) list: Option<ListPlan>,
    /// What separates several values in its text.
    pub(super) separator: Option<Arc<Separator>>,
}

/// What separates the values in a text.
#[derive(Debug)]
pub(super) struct Separator {
    plain: String,
    /// The separator as part of a value: a backslash stands before it.
    escaped: String,
}

impl Separator {
    pub(super) fn new(plain: &str) -> Self {
        Separator {
            plain: plain.into(),
            escaped: format!("\\{plain}"),
        }
    }

    /// Gives the values in `text` to `each`; empty ones are none.
    ///
    /// # Errors
    /// Those of `each`.
    pub(super) fn split<E>(
        &self,
        text: &str,
        mut each: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut start = 0;
        let cuts = text.match_indices(&self.plain).map(|(at, _)| at);
        for at in cuts.chain([text.len()]) {
            if at < text.len() && text[..at].ends_with('\\') {
                continue;
            }
            let part = &text[start..at];
            start = (at + self.plain.len()).min(text.len());
            if part.contains(&self.escaped) {
                each(&part.replace(&self.escaped, &self.plain))?;
            } else if !part.is_empty() {
                each(part)?;
            }
        }
        Ok(())
    }
}

/// A name as DataWave writes it: ASCII letters as capitals, digits and `.` as they are, `_` for every other UTF-16 unit.
pub(super) fn canonical(name: &str) -> String {
    canonical_pattern(&name.replace('*', "_"))
}

/// A name of the configuration in the same form; `*` stays.
pub(super) fn canonical_pattern(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        match c.to_ascii_uppercase() {
            kept @ ('A'..='Z' | '0'..='9' | '.' | '*') => out.push(kept),
            other => out.extend(std::iter::repeat_n('_', other.len_utf16())),
        }
    }
    out
}

/// Whether `name` fits `pattern`, in which `*` stands for any text.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(head) else {
        return false;
    };
    let mut rest = rest;
    while let Some((middle, behind)) = rest.split_once('*') {
        let Some(at) = name.find(middle) else {
            return false;
        };
        name = &name[at + middle.len()..];
        rest = behind;
    }
    name.ends_with(rest)
}

/// A list of field names with `*`, or all fields but those.
#[derive(Clone, Debug)]
pub(super) struct NameSet {
    patterns: Vec<String>,
    except: bool,
}

impl NameSet {
    pub(super) fn none() -> Self {
        NameSet::only(&[])
    }

    pub(super) fn only(names: &[String]) -> Self {
        NameSet {
            patterns: names.iter().map(|name| canonical_pattern(name)).collect(),
            except: false,
        }
    }

    pub(super) fn except(names: &[String]) -> Self {
        NameSet {
            except: true,
            ..NameSet::only(names)
        }
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.patterns.iter().any(|pattern| fits(pattern, name)) != self.except
    }
}

/// Where a value's visibility comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Marking {
    /// The plan of the field, or the event.
    Field,
    /// The input, for this value alone: a range of [`Event::markings`].
    Own(Range<usize>),
}

/// A value of an event, in [`Event::text`].
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// Index of the plan.
    pub(super) plan: usize,
    /// Text of the event column.
    pub(super) event: Option<Range<usize>>,
    /// Text of the index entries.
    pub(super) indexed: Option<Range<usize>>,
    /// Index of the value with the event text: the value itself, or the one of which this is a further index term.
    pub(super) origin: usize,
    /// Another value has the same index term, which has one entry only.
    pub(super) repeated: bool,
    pub(super) marking: Marking,
}

/// One event, ready for the tables. It is refilled for every record.
#[derive(Debug, Default)]
pub(super) struct Event {
    /// Row of the shard table.
    pub(super) shard: String,
    pub(super) uid: String,
    /// Milliseconds since the epoch.
    pub(super) date: i64,
    /// Visibility of the event, flattened.
    pub(super) visibility: Vec<u8>,
    pub(super) text: String,
    pub(super) markings: Vec<u8>,
    pub(super) values: Vec<Value>,
}

impl Event {
    pub(super) fn clear(&mut self) {
        self.shard.clear();
        self.uid.clear();
        self.text.clear();
        self.markings.clear();
        self.values.clear();
    }

    /// Whether two values have the same visibility, if they are of the same field.
    pub(super) fn same_marking(&self, one: &Marking, other: &Marking) -> bool {
        let own = |marking: &Marking| match marking {
            Marking::Field => None,
            Marking::Own(range) => Some(&self.markings[range.clone()]),
        };
        own(one) == own(other)
    }

    /// The values of the field `name` that have this index term under the visibility of the value `at`.
    pub(super) fn with_term<'a>(
        &'a self,
        name: &'a str,
        term: &'a str,
        at: usize,
        plans: &'a [FieldPlan],
    ) -> impl Iterator<Item = &'a Value> + Clone {
        self.values.iter().filter(move |value| {
            let indexed = value.indexed.clone().map(|range| &self.text[range]);
            indexed == Some(term)
                && plans[value.plan].index_name == name
                && self.same_marking(&value.marking, &self.values[at].marking)
        })
    }

    /// Copies text in.
    pub(super) fn append(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }
}

/// An event together with what its tables need to know of its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventView<'a> {
    pub(super) event: &'a Event,
    pub(super) plans: &'a [FieldPlan],
    /// The type's name in keys.
    pub(super) output_name: &'a str,
    pub(super) tables: TableIds,
    /// Whether index entries list UIDs.
    pub(super) index_uids: bool,
}

impl<'a> EventView<'a> {
    /// The values that have an event column: name, text, visibility.
    pub(super) fn columns(self) -> impl Iterator<Item = (&'a str, &'a str, &'a [u8])> {
        self.event.values.iter().filter_map(move |value| {
            let plan = self.plans.get(value.plan).filter(|plan| plan.event)?;
            let text = &self.event.text[value.event.clone()?];
            Some((plan.event_name.as_str(), text, self.visibility(plan, value)))
        })
    }

    /// The index terms of the fields that `wanted` picks: field, term, visibility.
    pub(super) fn terms(
        self,
        wanted: fn(&FieldPlan) -> bool,
    ) -> impl Iterator<Item = (&'a str, &'a str, &'a [u8])> {
        self.event.values.iter().filter_map(move |value| {
            let plan = self.plans.get(value.plan).filter(|plan| wanted(plan))?;
            let indexed = value.indexed.clone().filter(|_| !value.repeated)?;
            let text = &self.event.text[indexed];
            Some((plan.index_name.as_str(), text, self.visibility(plan, value)))
        })
    }

    /// What becomes of the tokens of a value.
    pub(super) fn token_plan(self, value: &Value) -> Option<&'a TokenPlan> {
        self.plans.get(value.plan)?.tokens.as_ref()
    }

    /// The visibility of the value with this index.
    pub(super) fn visibility_of(self, value: usize) -> &'a [u8] {
        let value = &self.event.values[value];
        self.visibility(&self.plans[value.plan], value)
    }

    fn visibility(self, plan: &'a FieldPlan, value: &'a Value) -> &'a [u8] {
        match (&value.marking, &plan.marking) {
            (Marking::Own(range), _) => &self.event.markings[range.clone()],
            (Marking::Field, Some(marking)) => marking,
            (Marking::Field, None) => &self.event.visibility,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_patterns() {
        assert_eq!(canonical("sha-1 é😀*.b"), "SHA_1_____.B");
        for (pattern, name, expected) in [
            ("A", "A", true),
            ("A", "AB", false),
            ("A*", "AB", true),
            ("*", "", true),
            ("A*C*E", "ABCDE", true),
            ("A*C*E", "ACE", true),
            ("A*B", "AB", true),
            ("AB*B", "AB", false),
            ("A**", "A", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn values_in_one_text() {
        let split = |text: &str| {
            let mut parts = Vec::new();
            let each = |part: &str| {
                parts.push(part.to_owned());
                Ok::<(), ()>(())
            };
            Separator::new(";").split(text, each).unwrap();
            parts
        };
        assert_eq!(split("a;b"), ["a", "b"]);
        assert_eq!(split(";a;;b;"), ["a", "b"]);
        assert_eq!(split(r"c\;d;x\y"), ["c;d", r"x\y"]);
        assert!(split(";").is_empty());
    }
}
