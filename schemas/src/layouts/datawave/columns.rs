//! The columns of a data type's records: what is to be done with each, worked out once.

use super::fields::{FieldPlan, canonical};
use super::rules::TypeRules;
use crate::record::Schema;
use std::sync::Arc;

/// Plans of the fields that the ingest adds stand before those of the columns.
pub(super) const LOAD_DATE: usize = 0;
pub(super) const ORIG_FILE: usize = 1;
pub(super) const FAILURE: usize = 2;
pub(super) const FIRST_COLUMN: usize = 3;

/// A data type and what was worked out for the columns of its records.
#[derive(Debug)]
pub(super) struct TypeState<'l> {
    pub(super) rules: &'l TypeRules,
    schema: Arc<Schema>,
    pub(super) plans: Vec<FieldPlan>,
    /// For each plan the first one with the same name in the indexes.
    pub(super) names: Vec<usize>,
    /// The record in which a name had its last value.
    pub(super) seen: Vec<u64>,
    pub(super) record: u64,
    pub(super) id: Option<usize>,
    pub(super) date: Option<usize>,
    pub(super) visibility: Option<usize>,
    /// Of each rule for dates in ids.
    pub(super) dated_ids: Vec<Option<usize>>,
}

impl<'l> TypeState<'l> {
    pub(super) fn new(rules: &'l TypeRules) -> Self {
        let mut state = TypeState {
            rules,
            schema: Arc::default(),
            plans: Vec::new(),
            names: Vec::new(),
            seen: Vec::new(),
            record: 0,
            id: None,
            date: None,
            visibility: None,
            dated_ids: Vec::new(),
        };
        state.reset();
        state
    }

    /// Forgets all columns.
    fn reset(&mut self) {
        self.plans.clear();
        self.names.clear();
        self.seen.clear();
        (self.id, self.date, self.visibility) = (None, None, None);
        self.dated_ids = vec![None; self.rules.date_parsers.len()];
        for added in ["LOAD_DATE", "ORIG_FILE", &self.rules.failure_field] {
            self.push(self.rules.plain(added));
        }
    }

    fn push(&mut self, plan: FieldPlan) {
        let same = |other: &FieldPlan| other.index_name == plan.index_name;
        let first = self.plans.iter().position(same);
        self.names.push(first.unwrap_or(self.plans.len()));
        self.plans.push(plan);
        self.seen.push(0);
    }

    /// Makes plans for the columns of `schema`; those that are known stay.
    pub(super) fn follow(&mut self, schema: &Arc<Schema>) {
        if Arc::ptr_eq(&self.schema, schema)
            && self.plans.len() == FIRST_COLUMN + schema.names.len()
        {
            return;
        }
        if !schema.names.starts_with(&self.schema.names) {
            self.reset();
        }
        for column in self.plans.len() - FIRST_COLUMN..schema.names.len() {
            let name = canonical(&schema.names[column]);
            let named = |wanted: Option<&String>| wanted.is_some_and(|wanted| *wanted == name);
            let first =
                |known: Option<usize>, wanted| known.or_else(|| named(wanted).then_some(column));
            self.id = first(self.id, Some(&self.rules.id_field));
            self.date = first(self.date, self.rules.date_field.as_ref());
            self.visibility = first(self.visibility, self.rules.visibility_field.as_ref());
            for (known, parser) in self.dated_ids.iter_mut().zip(&self.rules.date_parsers) {
                *known = first(*known, Some(&parser.field));
            }
            self.push(self.rules.plan(&schema.names[column]));
        }
        self.schema = Arc::clone(schema);
    }
}
