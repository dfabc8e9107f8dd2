//! How many values the fields had on which days, over the records of a task: what the dictionary and the load dates are made of.
//!
//! Counts of several tasks add up and the newest date is the newest of all, so it does not matter which task had which records.

use super::fields::{EventView, FieldPlan};
use crate::java_date::MILLIS_PER_DAY;
use std::collections::{BTreeMap, HashMap};

/// The fields of one data type by their names in the indexes.
#[derive(Debug, Default)]
pub(super) struct Counts {
    fields: HashMap<String, Counted>,
}

/// One field.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) plan: FieldPlan,
    /// The newest date of an event that has it, in milliseconds.
    pub(super) newest: i64,
    /// Values by the beginning of the day of their event, in milliseconds.
    pub(super) days: BTreeMap<i64, i64>,
}

/// What a field is called, and how often each of its values counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times<'a> {
    pub(super) name: &'a str,
    pub(super) forward: i64,
    pub(super) reverse: i64,
}

impl Counts {
    /// Counts the values of an event.
    pub(super) fn add(&mut self, view: EventView<'_>) {
        let date = view.event.date;
        let day = date - date.rem_euclid(MILLIS_PER_DAY);
        for value in &view.event.values {
            let plan = &view.plans[value.plan];
            if !self.fields.contains_key(&plan.index_name) {
                let counted = Counted {
                    plan: plan.clone(),
                    newest: date,
                    days: BTreeMap::new(),
                };
                self.fields.insert(plan.index_name.clone(), counted);
            }
            if let Some(counted) = self.fields.get_mut(&plan.index_name) {
                counted.newest = counted.newest.max(date);
                *counted.days.entry(day).or_default() += 1;
            }
        }
    }

    /// The fields, in no order.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Counted> {
        self.fields.values()
    }
}

impl Counted {
    /// The field, the field of its tokens and that of its lists. Where they are the same one, each value counts as often.
    pub(super) fn names(&self) -> impl Iterator<Item = Times<'_>> {
        let plan = &self.plan;
        let own = Times {
            name: &plan.index_name,
            forward: i64::from(plan.index),
            reverse: i64::from(plan.reverse_index),
        };
        let tokens = plan.tokens.as_ref().map(|tokens| Times {
            name: &tokens.name,
            forward: i64::from(tokens.forward),
            reverse: i64::from(tokens.reverse),
        });
        let list = plan.list.map(|list| Times {
            name: &plan.index_name,
            forward: i64::from(list.forward),
            reverse: i64::from(list.reverse),
        });
        std::iter::once(own).chain(tokens).chain(list)
    }
}
