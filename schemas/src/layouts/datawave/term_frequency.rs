//! What the tokens of an event make: `shard │ tf │ TYPE\0UID\0term\0FIELD │ TermWeight.Info`, the number of these as event column
//! `TERM_COUNT`, and the same terms in the field index and the global indexes.
//!
//! The members of a field that holds lists are such terms, too: under the name of the field itself, normalized each, with positions from 0.
//!
//! A term frequency is under the visibility of the event, entries of the indexes under that of the field.

use super::fields::EventView;
use super::global_index::Entry;
use super::rules::TypeRules;
use super::tokens::ListPlan;
use super::{event, field_index, term_weight};
use crate::cell::{Cell, CellSink};
use crate::tokenize::{Direction, Synonyms, Token};
use std::ops::Range;

/// A form of a token in a value.
#[derive(Debug)]
struct Found {
    /// It is a member of a list.
    listed: bool,
    direction: Direction,
    /// Index of the value.
    value: usize,
    /// Where its text is.
    term: Range<usize>,
    position: u32,
}

/// Buffers that are reused from event to event.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    found: Vec<Found>,
    /// Texts of the forms.
    text: String,
    term: String,
    forms: Synonyms,
    value: Vec<u8>,
    list: Vec<u8>,
}

pub(super) fn put(
    view: EventView<'_>,
    rules: &TypeRules,
    scratch: &mut Scratch,
    out: &mut dyn CellSink,
) {
    scratch.find(view, rules);
    let Scratch {
        found,
        text,
        value,
        list,
        ..
    } = scratch;
    let entry = Entry::new(view, list);
    let place = |one: &Found| {
        let reverse = one.direction == Direction::Reverse;
        (reverse, name(view, one))
    };
    let term = |one: &Found| &text[one.term.clone()];
    found.sort_unstable_by(|a, b| {
        let key = |one: &Found| (place(one), term(one), one.position, one.value);
        key(a).cmp(&key(b))
    });
    let mut count = 0;
    for group in found.chunk_by(|a, b| place(a) == place(b) && term(a) == term(b)) {
        let Some(first) = group.first() else { continue };
        if first.direction == Direction::Forward {
            count += 1;
            value.clear();
            for one in group {
                term_weight::write_offset(one.position, value);
            }
            let field = name(view, first);
            put_frequency(view, field, term(first), value, out);
        }
        put_terms(&entry, group, term(first), out);
    }
    if count > 0 {
        let visibility = &view.event.visibility;
        event::put_column(view, "TERM_COUNT", &count.to_string(), visibility, out);
    }
}

impl Scratch {
    /// Finds all forms of all tokens.
    fn find(&mut self, view: EventView<'_>, rules: &TypeRules) {
        self.found.clear();
        self.text.clear();
        self.find_listed(view, rules);
        let rules = &rules.tokens;
        let values = &view.event.values;
        for (at, value) in values.iter().enumerate() {
            let (Some(plan), Some(indexed)) = (view.token_plan(value), &value.indexed) else {
                continue;
            };
            let before = values[..at].iter();
            let earlier = |name: &str| {
                let other = |other: &_| view.token_plan(other).is_some_and(|of| of.name == name);
                before
                    .clone()
                    .any(|value| value.indexed.is_some() && other(value))
            };
            let start = if earlier(&plan.name) {
                rules.next_value_position
            } else {
                0
            };
            let (found, text, forms) = (&mut self.found, &mut self.text, &mut self.forms);
            let indexed = &view.event.text[indexed.clone()];
            let mut each = |token: Token<'_>| {
                let wanted = [
                    (plan.forward, Direction::Forward),
                    (plan.reverse, Direction::Reverse),
                ];
                for (_, direction) in wanted.into_iter().filter(|(wanted, _)| *wanted) {
                    rules.tokenizer.synonyms(&token, direction, forms);
                    for form in forms.iter() {
                        let from = text.len();
                        text.push_str(form);
                        found.push(Found {
                            listed: false,
                            direction,
                            value: at,
                            term: from..text.len(),
                            position: token.position,
                        });
                    }
                }
            };
            rules
                .tokenizer
                .tokens(indexed, start, &mut self.term, &mut each);
        }
    }
}

impl Scratch {
    /// Finds the members of lists.
    fn find_listed(&mut self, view: EventView<'_>, rules: &TypeRules) {
        for (at, value) in view.event.values.iter().enumerate() {
            let plan = &view.plans[value.plan];
            let (Some(list), Some(event)) = (plan.list, &value.event) else {
                continue;
            };
            let members = rules.lists.members(&view.event.text[event.clone()]);
            for (position, member) in (0..).zip(members) {
                let reversed: String = member.chars().rev().collect();
                for (direction, text) in directions(list, member, &reversed) {
                    let forms = &mut self.text;
                    let found = &mut self.found;
                    let mut each = |form: &str| {
                        let from = forms.len();
                        forms.push_str(form);
                        found.push(Found {
                            listed: true,
                            direction,
                            value: at,
                            term: from..forms.len(),
                            position,
                        });
                    };
                    for normalizer in &plan.normalizers {
                        // A member that its type refuses is no term.
                        let _ = normalizer.normalize(text, &mut self.term, &mut each);
                    }
                }
            }
        }
    }
}

/// What is looked at for each index. A list read backwards is normalized backwards.
fn directions<'a>(
    list: ListPlan,
    member: &'a str,
    reversed: &'a str,
) -> impl Iterator<Item = (Direction, &'a str)> {
    let forward = list.forward.then_some((Direction::Forward, member));
    let reverse = list.reverse.then_some((Direction::Reverse, reversed));
    forward.into_iter().chain(reverse)
}

/// The name of the field that the token is of.
fn name<'a>(view: EventView<'a>, one: &Found) -> &'a str {
    let value = &view.event.values[one.value];
    let tokens = view.token_plan(value).filter(|_| !one.listed);
    let own = &view.plans[value.plan].index_name;
    tokens.map_or(own, |plan| &plan.name)
}

/// The entries of one term in the indexes, one for each visibility, where the value itself does not make them.
fn put_terms(entry: &Entry<'_>, group: &[Found], term: &str, out: &mut dyn CellSink) {
    let view = entry.view;
    for (at, one) in group.iter().enumerate() {
        let visibility = view.visibility_of(one.value);
        let again = |other: &Found| view.visibility_of(other.value) == visibility;
        if group[..at].iter().any(again) {
            continue;
        }
        let field = name(view, one);
        let same = (field, term, visibility);
        if one.direction == Direction::Reverse {
            let value: String = term.chars().rev().collect();
            let same = (field, value.as_str(), visibility);
            if view.terms(|plan| plan.reverse_index).all(|it| it != same) {
                entry.put(view.tables.reverse_index, field, term, visibility, out);
            }
        } else if view.terms(|plan| plan.index).all(|it| it != same) {
            field_index::put_term(view, field, term, visibility, out);
            entry.put(view.tables.index, field, term, visibility, out);
        }
    }
}

fn put_frequency(
    view: EventView<'_>,
    field: &str,
    term: &str,
    value: &[u8],
    out: &mut dyn CellSink,
) {
    let Some(table) = view.tables.shard else {
        return;
    };
    let event = view.event;
    out.put(
        table,
        &Cell {
            row: &[event.shard.as_bytes()],
            family: &[b"tf"],
            qualifier: &[
                view.output_name.as_bytes(),
                b"\0",
                event.uid.as_bytes(),
                b"\0",
                term.as_bytes(),
                b"\0",
                field.as_bytes(),
            ],
            visibility: &event.visibility,
            timestamp: event.date,
            deleted: false,
            value,
        },
    );
}
