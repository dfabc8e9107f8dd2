//! Tables of the user's own design, without code.
//!
//! | row | family | qualifier | visibility | timestamp | value | why |
//! |---|---|---|---|---|---|---|
//! | template `row` | template `family` | template `qualifier` | template `visibility`; else what the fields it reads carry, else the record's | template `timestamp`, else the record's, else the plan's clock | template `value` | one cell per rule, per field of `for_each`, per item of `tokens(..)` or `each(..)` |
//!
//! ```toml
//! [cells]
//! required = ["customer"]
//!
//! [[cells.tables]]
//! name = "orders"
//! combine = { total = "sum(VARLEN)", seen = "latest" }
//!
//! [[cells.tables.cells]]
//! row = "customer | '_' | reverse(date(ts))"
//! family = "'total'"
//! qualifier = "product"
//! timestamp = "ts"
//! value = "amount"
//!
//! [[cells.tables.cells]]
//! row = "customer"
//! family = "field"
//! value = "value"
//! for_each = ["*"]
//! except = ["customer", "ts"]
//! ```
//!
//! Keys: [`crate::rules::config`]. Templates: [`crate::template`]. Combiners: [`crate::combiners`].

use crate::layout::{Built, ConfigError, JobFacts, LayoutDef, resolve};
use crate::rules::RuleSet;
use crate::rules::config::Config;
use std::sync::Arc;

/// The layout `cells`.
pub static DEF: LayoutDef = LayoutDef {
    name: "cells",
    about: "tables of your own design: row, column and value as templates over the fields",
    configure: |section| resolve::<Config>(section),
    build,
};

fn build(config: &serde_json::Value, facts: JobFacts) -> Built {
    let config: Config = serde_json::from_value(config.clone())
        .map_err(|error| vec![ConfigError::new("", error.to_string())])?;
    Ok(Arc::new(RuleSet::build(&config, facts)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    #[test]
    fn the_example_above_builds() {
        let example: String = include_str!("mod.rs")
            .lines()
            .skip_while(|line| *line != "//! ```toml")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| line.trim_start_matches("//!").trim_start().to_owned() + "\n")
            .collect();
        let mut job: toml::Table = toml::from_str(&example).unwrap();
        let section = job.remove("cells").unwrap().to_string();
        let section = toml::de::ValueDeserializer::parse(&section).unwrap();
        let config = (DEF.configure)(section).unwrap();
        let set = RuleSet::build(
            &serde_json::from_value(config.clone()).unwrap(),
            JobFacts { now: 0 },
        )
        .unwrap();
        assert_eq!(set.tables()[0].name, "orders");
        assert!((DEF.build)(&config, JobFacts { now: 0 }).is_ok());
    }
}
