//! The two document designs: an index inside each bin of documents, without and with the documents themselves.

use super::config::{Config, Design, DocumentsConfig};
use super::entity;
use crate::layout::ConfigError;
use crate::rules::config::{Config as Rules, RuleConfig};
use crate::template::column_reference;

/// `document-partitioned-index`: bin, token, id.
pub(super) fn partitioned_index(config: &Config) -> Result<Rules, Vec<ConfigError>> {
    let documents = documents(config)?;
    let cell = RuleConfig {
        row: row(config.design, documents)?,
        family: format!("tokens({})", column_reference(&documents.text)),
        qualifier: column_reference(&config.id),
        ..config.rule()
    };
    Ok(Rules {
        required: vec![config.id.clone()],
        tables: vec![entity::table(&config.table, vec![cell])],
    })
}

/// `indexed-documents`. The iterator takes a qualifier apart at its zero bytes, so none may stand in a type or an id. A document gets its own
/// cell even if it has no token: an index entry without a document would show the document before it.
pub(super) fn indexed_documents(config: &Config) -> Result<Rules, Vec<ConfigError>> {
    let documents = documents(config)?;
    let Some(doctype) = &documents.doctype else {
        let problem = "it is missing: which field has the type of the document?";
        return Err(vec![ConfigError::new("documents.doctype", problem)]);
    };
    let row = row(config.design, documents)?;
    let text = column_reference(&documents.text);
    let doctype = format!("without_nul({})", column_reference(doctype));
    let id = format!("without_nul({})", column_reference(&config.id));
    let info = match &documents.info {
        Some(field) => format!("default({},'')", column_reference(field)),
        None => "''".to_owned(),
    };
    let document = RuleConfig {
        row: row.clone(),
        family: format!("{}|'\\0'|{doctype}", literal(&documents.document_family)),
        qualifier: id.clone(),
        value: text.clone(),
        ..config.rule()
    };
    let index = RuleConfig {
        row,
        family: literal(&documents.index_family),
        qualifier: format!("tokens({text})|'\\0'|{doctype}|'\\0'|{id}|'\\0'|{info}"),
        ..config.rule()
    };
    let mut required = vec![config.id.clone()];
    required.extend(documents.doctype.clone());
    required.extend(documents.shard.clone());
    Ok(Rules {
        required,
        tables: vec![entity::table(&config.table, vec![document, index])],
    })
}

fn documents(config: &Config) -> Result<&DocumentsConfig, Vec<ConfigError>> {
    config.documents.as_ref().ok_or_else(|| {
        let problem = "it is missing: which fields are what?";
        vec![ConfigError::new("documents", problem)]
    })
}

/// The row of a document: the same for all its cells.
fn row(design: Design, documents: &DocumentsConfig) -> Result<String, Vec<ConfigError>> {
    let by_shard = design == Design::IndexedDocuments;
    match (&documents.shard, documents.bins) {
        (Some(shard), None) if by_shard => Ok(column_reference(shard)),
        (None, Some(bins)) if (1..=i32::MAX as u64).contains(&bins) => {
            let of = documents.bin_of.as_ref().unwrap_or(&documents.text);
            Ok(format!("java_hash({},{bins})", column_reference(of)))
        }
        _ => {
            let problem = if by_shard {
                "either `shard`, the field with the row, or `bins`, how many (1 to 2147483647), is needed"
            } else {
                "`bins`, how many (1 to 2147483647), is needed, and no `shard`"
            };
            Err(vec![ConfigError::new("documents.bins", problem)])
        }
    }
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
