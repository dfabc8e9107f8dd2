//! `typed-secondary-index`: an entity table, and index tables whose rows sort as the values of one type do.

use super::config::{Config, IndexConfig};
use super::entity;
use crate::encode::lexicoder::Lexicoder;
use crate::layout::ConfigError;
use crate::rules::config::{Config as Rules, RuleConfig};
use crate::template::column_reference;

pub(super) fn typed_secondary_index(config: &Config) -> Result<Rules, Vec<ConfigError>> {
    let mut faults = Vec::new();
    for (field, name) in &config.types {
        if let Err(problem) = encoding(name) {
            faults.push(ConfigError::new(format!("types.{field}"), problem));
        }
    }
    let mut rules = entity::entity_table(config);
    for (index, table) in config.indexes.iter().enumerate() {
        match index_rules(config, table) {
            Ok(cells) => rules.tables.push(entity::table(&table.table, cells)),
            Err((key, problem)) => {
                faults.push(ConfigError::new(format!("indexes.{index}.{key}"), problem));
            }
        }
    }
    if config.indexes.is_empty() {
        faults.push(ConfigError::new("indexes", "at least one index is needed"));
    }
    if faults.is_empty() {
        Ok(rules)
    } else {
        Err(faults)
    }
}

/// The cells of one index table, or the key at fault and what is wrong with it.
fn index_rules(
    config: &Config,
    index: &IndexConfig,
) -> Result<Vec<RuleConfig>, (&'static str, String)> {
    if index.fields.is_empty() || index.fields.iter().any(|name| name == "*") {
        let problem = "the fields that it indexes are needed, by name";
        return Err(("fields", problem.to_owned()));
    }
    if index.row != "lexicoder" && index.lexicoder.is_some() {
        let problem = "only rows of kind `lexicoder` have one type for all fields";
        return Err(("type", problem.to_owned()));
    }
    let all = |row: String| vec![rule(config, &index.fields, row)];
    match index.row.replace(' ', "").as_str() {
        "term" => Ok(all("value".to_owned())),
        "token" => Ok(all("tokens(value)".to_owned())),
        "lexicoder" => {
            let name = index.lexicoder.as_deref();
            let name = name.ok_or(("type", "it is missing: `long`, `date`, ..".to_owned()))?;
            Ok(all(encoding(name).map_err(|problem| ("type", problem))?))
        }
        "pair(field,value)" | "pair" => index
            .fields
            .iter()
            .map(|field| {
                let name = config.types.get(field).map_or("string", String::as_str);
                let value = encoding(name).map_err(|problem| ("fields", problem))?;
                let row = format!("pair(string(field),{value})");
                Ok(rule(config, std::slice::from_ref(field), row))
            })
            .collect(),
        _ => {
            let problem = "`term`, `token`, `lexicoder` or `pair(field,value)` is needed";
            Err(("row", problem.to_owned()))
        }
    }
}

/// One cell for each of the fields. An empty value has no term, and so no cell.
fn rule(config: &Config, fields: &[String], row: String) -> RuleConfig {
    let rename = config
        .rename
        .iter()
        .filter(|(field, _)| fields.contains(field));
    RuleConfig {
        row,
        family: "field".to_owned(),
        qualifier: column_reference(&config.id),
        when: Some("nonempty(value)".to_owned()),
        for_each: fields.to_vec(),
        rename: rename
            .map(|(from, to)| (from.clone(), to.clone()))
            .collect(),
        ..config.rule()
    }
}

/// The template that encodes `value` as this type.
fn encoding(name: &str) -> Result<String, String> {
    let lexicoder: Lexicoder = name.parse().map_err(|error| format!("{error}"))?;
    of_value(&lexicoder).ok_or_else(|| {
        format!("one field is one value, and `{name}` takes several; use a scalar type or reverse(..) of one")
    })
}

fn of_value(lexicoder: &Lexicoder) -> Option<String> {
    match lexicoder {
        Lexicoder::Scalar(scalar) => Some(format!("{}(value)", scalar.name())),
        Lexicoder::Reverse(inner) => Some(format!("reverse({})", of_value(inner)?)),
        Lexicoder::Pair(_) | Lexicoder::List(_) | Lexicoder::Sequence(_) => None,
    }
}
