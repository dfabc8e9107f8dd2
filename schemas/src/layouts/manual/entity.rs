//! Entity tables: one row per entity, one cell per attribute.

use super::config::Config;
use crate::layout::ConfigError;
use crate::rules::config::{Config as Rules, RuleConfig, TableConfig};
use crate::template::column_reference;
use std::collections::BTreeMap;

/// A table with Accumulo's defaults.
pub(super) fn table(name: &str, cells: Vec<RuleConfig>) -> TableConfig {
    TableConfig {
        name: name.to_owned(),
        cells,
        versions: 1,
        combine: BTreeMap::new(),
        locality_groups: BTreeMap::new(),
        properties: BTreeMap::new(),
    }
}

/// One cell for each attribute, in the row that the template gives.
pub(super) fn attributes(config: &Config, row: String) -> RuleConfig {
    let every = config.attributes.iter().any(|name| name == "*");
    let mut except = config.except.clone();
    if every {
        except.push(config.id.clone());
    }
    RuleConfig {
        row,
        family: "field".to_owned(),
        value: "value".to_owned(),
        for_each: config.attributes.clone(),
        except,
        rename: config.rename.clone(),
        ..config.rule()
    }
}

/// `entity-table`.
pub(super) fn entity_table(config: &Config) -> Rules {
    let cells = vec![attributes(config, column_reference(&config.id))];
    Rules {
        required: vec![config.id.clone()],
        tables: vec![table(&config.table, cells)],
    }
}

/// `row-ids`.
pub(super) fn row_ids(config: &Config) -> Result<Rules, Vec<ConfigError>> {
    let Some(row_id) = &config.row_id else {
        return Err(vec![ConfigError::new(
            "row_id",
            "it is missing: how does the id become a row?",
        )]);
    };
    let id = column_reference(&config.id);
    let mut row = if row_id.reverse_domain {
        format!("reverse_domain({id})")
    } else {
        id
    };
    let mut required = vec![config.id.clone()];
    if let Some(date) = &row_id.date {
        if let Err(problem) = crate::template::DateFormat::new(&row_id.date_format) {
            return Err(vec![ConfigError::new("row_id.date_format", problem)]);
        }
        let pattern = row_id
            .date_format
            .replace('\\', "\\\\")
            .replace('\'', "\\'");
        row.push_str(&format!(
            "|'_'|format_date({},'{pattern}')",
            column_reference(date)
        ));
        required.push(date.clone());
    }
    if let Some(suffix) = &row_id.suffix {
        row.push_str(&format!("|'_'|{}", column_reference(suffix)));
        required.push(suffix.clone());
    }
    match (&row_id.bucket_of, row_id.buckets) {
        (Some(field), Some(buckets)) if buckets > 0 => {
            let field = column_reference(field);
            row.push_str(&format!("|'_'|hash(default({field},''),{buckets})"));
        }
        (None, None) => {}
        _ => {
            return Err(vec![ConfigError::new(
                "row_id.buckets",
                "`bucket_of` and `buckets` (1 or more) belong together",
            )]);
        }
    }
    Ok(Rules {
        required,
        tables: vec![table(&config.table, vec![attributes(config, row)])],
    })
}
