//! From the words of a design to its rules and table settings.

use super::config::{Config, RuleConfig, TableConfig};
use super::{FamilyCombiner, Over, Part, Rule, RuleSet};
use crate::combiners::Named;
use crate::layout::{
    CombinerRule, ConfigError, Duplicates, Families, IteratorSetting, JobFacts, LocalityGroup,
    TableSpec,
};
use crate::template::{Binder, Template};
use std::collections::BTreeMap;

/// The name that stands for every other field or family.
const OTHERS: &str = "*";

/// The priority of the first combiner on the cluster; versioning comes at 20, and must come later.
const FIRST_PRIORITY: u32 = 10;

pub(super) fn compile(config: &Config, facts: JobFacts) -> Result<RuleSet, Vec<ConfigError>> {
    let mut compiler = Compiler::default();
    let mut tables = Vec::new();
    let mut rules = Vec::new();
    if config.tables.is_empty() {
        compiler.fault("tables", "at least one table is needed");
    }
    let required = config
        .required
        .iter()
        .map(|name| compiler.binder.column(name))
        .collect();
    for (index, table) in config.tables.iter().enumerate() {
        let key = format!("tables.{index}");
        if config.tables[..index]
            .iter()
            .any(|other| other.name == table.name)
        {
            compiler.fault(format!("{key}.name"), "another table has this name");
        }
        let Ok(id) = u16::try_from(index) else {
            compiler.fault("tables", "at most 65536 tables are possible");
            break;
        };
        let combiners = compiler.combiners(&key, &table.combine);
        tables.push(compiler.table(&key, table, &combiners));
        for (rule_index, rule) in table.cells.iter().enumerate() {
            let key = format!("{key}.cells.{rule_index}");
            rules.extend(compiler.rule(&key, id, rule, &combiners));
        }
        if table.cells.is_empty() {
            compiler.fault(
                format!("{key}.cells"),
                "at least one kind of cell is needed",
            );
        }
    }
    if !compiler.faults.is_empty() {
        return Err(compiler.faults);
    }
    Ok(RuleSet {
        tables,
        rules,
        columns: compiler.binder.columns,
        required,
        now: facts.now,
    })
}

#[derive(Default)]
struct Compiler {
    binder: Binder,
    faults: Vec<ConfigError>,
}

/// The combiners of a table: for families by name, and for all others.
type Combiners = (Vec<(Vec<u8>, Named)>, Option<Named>);

impl Compiler {
    fn fault(&mut self, key: impl Into<String>, message: impl Into<String>) {
        self.faults.push(ConfigError::new(key, message));
    }

    fn combiners(&mut self, key: &str, combine: &BTreeMap<String, String>) -> Combiners {
        let mut named = Vec::new();
        let mut others = None;
        for (family, combiner) in combine {
            match combiner.parse::<Named>() {
                Ok(combiner) if family == OTHERS => others = Some(combiner),
                Ok(combiner) => named.push((family.as_bytes().to_vec(), combiner)),
                Err(error) => self.fault(format!("{key}.combine.{family}"), error.to_string()),
            }
        }
        // Accumulo's combiners know "these families" and "all", not "all but these".
        if others.is_some_and(|others| named.iter().any(|(_, it)| *it != others)) {
            self.fault(
                format!("{key}.combine"),
                "`*` stands beside a family with another combiner, which no iterator of Accumulo can be told; name the families",
            );
        }
        (named, others)
    }

    fn table(&mut self, key: &str, table: &TableConfig, combiners: &Combiners) -> TableSpec {
        if !is_table_name(&table.name) {
            self.fault(
                format!("{key}.name"),
                "letters, digits and `_` are needed, with at most one `.` behind a namespace",
            );
        }
        let mut spec = TableSpec::plain(&table.name);
        spec.iterators.clear();
        spec.locality_groups = self.locality_groups(key, &table.locality_groups);
        for (combiner, families) in by_combiner(combiners) {
            let priority = FIRST_PRIORITY + u32::try_from(spec.combiners.len()).unwrap_or(0);
            let name = iterator_name(combiner, &spec.iterators);
            spec.iterators
                .extend(combiner.iterator(&name, priority, &families));
            spec.combiners.push(CombinerRule {
                families,
                combiner: combiner.combiner(),
            });
        }
        if table.versions > 0 {
            spec.iterators
                .push(IteratorSetting::versioning(table.versions));
        } else {
            // The cluster will show every copy, so none may be dropped on the way.
            spec.duplicates = Duplicates::Keep;
        }
        spec.properties = table
            .properties
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        spec
    }

    fn locality_groups(
        &mut self,
        key: &str,
        groups: &BTreeMap<String, Vec<String>>,
    ) -> Vec<LocalityGroup> {
        let mut made: Vec<LocalityGroup> = Vec::new();
        for (name, families) in groups {
            let key = format!("{key}.locality_groups.{name}");
            if families.is_empty() {
                self.fault(&key, "at least one family is needed");
            }
            let families: Vec<Vec<u8>> = families
                .iter()
                .map(|family| family.as_bytes().to_vec())
                .collect();
            if let Some(other) = made
                .iter()
                .find(|other| families.iter().any(|it| other.families.contains(it)))
            {
                let message = format!("a family stands in group `{}` too", other.name);
                self.fault(&key, message);
            }
            made.push(LocalityGroup {
                name: name.clone(),
                families,
            });
        }
        made
    }

    fn rule(
        &mut self,
        key: &str,
        table: u16,
        rule: &RuleConfig,
        combiners: &Combiners,
    ) -> Option<Rule> {
        let before = self.faults.len();
        let over = self.over(key, rule);
        self.binder.begin_rule(!rule.for_each.is_empty());
        let mut templates: [Option<Template>; Part::COUNT] = Default::default();
        let mut columns = Vec::new();
        for part in Part::ALL {
            let (name, text) = part.of(rule);
            let Some(text) = text else { continue };
            match self.binder.bind(text) {
                Ok(template) if template.is_binary() && part.needs_text() => {
                    let message = "text is needed, and this gives other bytes";
                    self.fault(format!("{key}.{name}"), message);
                }
                Ok(template) => {
                    columns.extend_from_slice(template.columns());
                    templates[part as usize] = Some(template);
                }
                Err(error) => self.fault(format!("{key}.{name}"), error.to_string()),
            }
        }
        columns.sort_unstable();
        columns.dedup();
        let family = templates[Part::Family as usize].as_ref();
        let combine = match family.and_then(Template::constant) {
            Some(family) => FamilyCombiner::Known(
                FamilyCombiner::ByFamily(combiners.0.clone(), combiners.1).of(family),
            ),
            None => FamilyCombiner::ByFamily(combiners.0.clone(), combiners.1),
        };
        (self.faults.len() == before).then(|| Rule {
            table,
            over,
            multi: self.binder.multi.take(),
            templates,
            columns,
            combine,
        })
    }

    fn over(&mut self, key: &str, rule: &RuleConfig) -> Over {
        let others = rule.for_each.iter().any(|name| name == OTHERS);
        if others && rule.for_each.len() > 1 {
            self.fault(format!("{key}.for_each"), "`*` stands alone");
        }
        if !others && !rule.except.is_empty() {
            let message = "it takes fields away from `for_each = [\"*\"]`, which is not there";
            self.fault(format!("{key}.except"), message);
        }
        let renamed = |name: &String| (name.clone(), rule.rename.get(name).unwrap_or(name).clone());
        for name in rule.rename.keys() {
            let known = if others {
                !rule.except.contains(name)
            } else {
                rule.for_each.contains(name)
            };
            if !known {
                self.fault(
                    format!("{key}.rename.{name}"),
                    "`for_each` never comes to this field",
                );
            }
        }
        if others {
            Over::Others {
                except: rule.except.clone(),
                rename: rule.rename.keys().map(renamed).collect(),
            }
        } else if rule.for_each.is_empty() {
            Over::Record
        } else {
            Over::Named(rule.for_each.iter().map(renamed).collect())
        }
    }
}

impl Part {
    /// The key in the configuration and the template there.
    fn of(self, rule: &RuleConfig) -> (&'static str, Option<&str>) {
        match self {
            Part::When => ("when", rule.when.as_deref()),
            Part::Row => ("row", Some(&rule.row)),
            Part::Family => ("family", Some(&rule.family)),
            Part::Qualifier => ("qualifier", Some(&rule.qualifier)),
            Part::Value => ("value", Some(&rule.value)),
            Part::Visibility => ("visibility", rule.visibility.as_deref()),
            Part::Timestamp => ("timestamp", rule.timestamp.as_deref()),
        }
    }

    fn needs_text(self) -> bool {
        matches!(self, Part::Visibility | Part::Timestamp)
    }
}

/// The families of each combiner. `*` takes in the families that are named beside it.
fn by_combiner((named, others): &Combiners) -> Vec<(Named, Families)> {
    if let Some(others) = others {
        return vec![(*others, Families::All)];
    }
    let mut found: Vec<(Named, Vec<Vec<u8>>)> = Vec::new();
    for (family, combiner) in named {
        match found.iter_mut().find(|(known, _)| known == combiner) {
            Some((_, families)) => families.push(family.clone()),
            None => found.push((*combiner, vec![family.clone()])),
        }
    }
    found
        .into_iter()
        .map(|(combiner, families)| (combiner, Families::Named(families)))
        .collect()
}

/// `sum`; where a table sums in several encodings, `sum_varlen` for the next.
fn iterator_name(combiner: Named, others: &[IteratorSetting]) -> String {
    let Named::Long(fold, encoding) = combiner else {
        return combiner.to_string();
    };
    let name = fold.name();
    if others.iter().any(|other| other.name == name) {
        return format!("{name}_{}", encoding.name().to_lowercase());
    }
    name.to_owned()
}

fn is_table_name(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    match name.split_once('.') {
        Some((namespace, table)) => is_word(namespace) && is_word(table),
        None => is_word(name),
    }
}
