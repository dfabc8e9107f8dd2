//! Expands records by the rules of a design: binds them to the schema at hand and lets [`CellMaker`] make the cells.

use super::cell_maker::CellMaker;
use super::{Over, RuleSet};
use crate::cell::CellSink;
use crate::layout::{Outcome, Reject, Worker};
use crate::record::{Record, Schema};
use crate::template::Env;
use std::sync::Arc;

pub(super) struct RuleWorker<'a> {
    set: &'a RuleSet,
    bound: Bound,
    maker: CellMaker<'a>,
}

/// What the names of the rules mean in the schema at hand.
#[derive(Default)]
struct Bound {
    schema: Option<Arc<Schema>>,
    /// For each column of the rule set its index in the schema.
    columns: Vec<Option<usize>>,
    /// For each rule, for each column of the schema: the name in the table, where the rule comes to it.
    fields: Vec<Vec<Option<String>>>,
}

impl<'a> RuleWorker<'a> {
    pub(super) fn new(set: &'a RuleSet) -> RuleWorker<'a> {
        RuleWorker {
            set,
            bound: Bound::default(),
            maker: CellMaker::new(&set.columns),
        }
    }

    fn check_required(&self, record: &Record) -> Result<(), Reject> {
        for &column in &self.set.required {
            let value = self.bound.columns.get(column).copied().flatten();
            let value = value.and_then(|column| record.column(column)?.value);
            if value.is_none_or(str::is_empty) {
                let name = self.set.columns.get(column).map_or("", String::as_str);
                let what = if value.is_some() { "empty" } else { "missing" };
                return Err(Reject::field(
                    "missing-field",
                    name,
                    format!("it is {what}"),
                ));
            }
        }
        Ok(())
    }
}

impl Worker for RuleWorker<'_> {
    fn expand(&mut self, record: &Record, out: &mut dyn CellSink) -> Result<Outcome, Reject> {
        self.bound.to(record.schema(), self.set);
        self.check_required(record)?;
        let env = Env {
            record,
            columns: &self.bound.columns,
            field: "",
            value: None,
            item: b"",
            now: self.set.now,
        };
        let mut cells = 0;
        for (rule, names) in self.set.rules.iter().zip(&self.bound.fields) {
            cells += self.maker.cells(rule, names, env, out)?;
        }
        // A record that no rule makes a cell of is not lost quietly.
        Ok(if cells == 0 {
            Outcome::Filtered
        } else {
            Outcome::Written
        })
    }
}

impl Bound {
    fn to(&mut self, schema: &Arc<Schema>, set: &RuleSet) {
        if self
            .schema
            .as_ref()
            .is_some_and(|bound| Arc::ptr_eq(bound, schema))
        {
            return;
        }
        let index = |name: &String| schema.names.iter().position(|known| known == name);
        self.columns = set.columns.iter().map(index).collect();
        self.fields = set
            .rules
            .iter()
            .map(|rule| {
                let name = |name: &String| rule.over.name_of(name).map(str::to_owned);
                schema.names.iter().map(name).collect()
            })
            .collect();
        self.schema = Some(Arc::clone(schema));
    }
}

impl Over {
    /// The name in the table of a field that the rule comes to.
    fn name_of<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        let listed = |list: &'n [(String, String)]| {
            let found = list.iter().find(|(from, _)| from == name);
            found.map(|(_, to)| to.as_str())
        };
        match self {
            Over::Record => None,
            Over::Named(names) => listed(names),
            Over::Others { except, rename } => {
                let excepted = except.iter().any(|it| it == name);
                (!excepted).then(|| listed(rename).unwrap_or(name))
            }
        }
    }
}
