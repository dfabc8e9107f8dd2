//! Tables by rules: a layout whose cells are said in templates, without code.
//!
//! [`config`] is what such a design says, `compile` makes a [`RuleSet`] of it or names every fault, `worker` expands records by it.
//! The layout `cells` lets a user write the rules; the manual's designs are rules that are written for them.

pub mod config;

mod cell_maker;
mod compile;
mod visibility;
mod worker;

#[cfg(test)]
mod tests;

use crate::combiners::Named;
use crate::layout::{ConfigError, JobFacts, Layout, TableSpec, Worker};
use crate::template::{Multi, Template};
use config::Config;

/// A design that is ready to expand records.
#[derive(Debug)]
pub struct RuleSet {
    tables: Vec<TableSpec>,
    rules: Vec<Rule>,
    /// The fields that templates read; they know them by index.
    columns: Vec<String>,
    /// Indexes into `columns`: fields that every record must have.
    required: Vec<usize>,
    now: i64,
}

impl RuleSet {
    /// Reads a design.
    ///
    /// # Errors
    /// Every fault of the configuration, with the path of its key.
    pub fn build(config: &Config, facts: JobFacts) -> Result<RuleSet, Vec<ConfigError>> {
        compile::compile(config, facts)
    }
}

impl Layout for RuleSet {
    fn tables(&self) -> &[TableSpec] {
        &self.tables
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(worker::RuleWorker::new(self))
    }
}

/// One kind of cell.
#[derive(Debug)]
struct Rule {
    table: u16,
    over: Over,
    multi: Option<Multi>,
    /// By [`Part`]; `None` where nothing is said: no condition, the default visibility, the default timestamp.
    templates: [Option<Template>; Part::COUNT],
    /// Columns whose own visibilities the cell must carry unless the rule names one: all that it reads.
    columns: Vec<usize>,
    combine: FamilyCombiner,
}

/// The parts of a rule, in the order in which they are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    When,
    Row,
    Family,
    Qualifier,
    Value,
    Visibility,
    Timestamp,
}

impl Part {
    const COUNT: usize = 7;
    const ALL: [Part; Part::COUNT] = [
        Part::When,
        Part::Row,
        Part::Family,
        Part::Qualifier,
        Part::Value,
        Part::Visibility,
        Part::Timestamp,
    ];
}

/// The fields that a rule goes through.
#[derive(Debug)]
enum Over {
    /// None: one cell per record (and item).
    Record,
    /// Fields of these names; the second is the name in the table.
    Named(Vec<(String, String)>),
    /// Every field but `except`; `rename` gives some of them another name in the table.
    Others {
        except: Vec<String>,
        rename: Vec<(String, String)>,
    },
}

/// Which combiner folds the cells of a rule, as far as their family is known beforehand.
#[derive(Debug)]
enum FamilyCombiner {
    /// This one, or none.
    Known(Option<Named>),
    /// It depends on the family of the cell: the first that names it, or the last one.
    ByFamily(Vec<(Vec<u8>, Named)>, Option<Named>),
}

impl FamilyCombiner {
    fn of(&self, family: &[u8]) -> Option<Named> {
        match self {
            FamilyCombiner::Known(combiner) => *combiner,
            FamilyCombiner::ByFamily(named, others) => named
                .iter()
                .find(|(name, _)| name == family)
                .map(|(_, combiner)| *combiner)
                .or(*others),
        }
    }
}
