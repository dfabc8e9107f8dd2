//! Fields that hold text or lists.

use serde::{Deserialize, Serialize};

/// Tokenized fields.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TokenSettings {
    /// `data.category.index.tokenize.allowlist`.
    pub fields: Vec<String>,
    /// `data.category.index.tokenize.disallowlist`: every field but these; it counts before the other list.
    pub except: Vec<String>,
    /// `data.category.index.reverse.tokenize.allowlist`.
    pub reverse: Vec<String>,
    /// `data.category.index.reverse.tokenize.disallowlist`.
    pub reverse_except: Vec<String>,
    /// `data.category.token.fieldname.designator`: what the names of tokens end with; empty: the tokens have the field's own name.
    pub designator: String,
    /// Words that are no tokens; none given: the 33 of Lucene's English list.
    pub stop_words: Option<Vec<String>>,
    /// `term.length.limit`, in UTF-16 units.
    pub max_length: u32,
    /// `term.length.minimum`.
    pub min_length: u32,
    /// `term.type.disallowlist`: kinds of tokens to leave out.
    pub except_kinds: Vec<String>,
    /// `token.synonyms.create`.
    pub synonyms: bool,
    /// `token.interfield.position.increment`: the position before the first token of a field's second value.
    pub next_value_position: u32,
    /// `term.word.tokens.enabled`.
    pub words: bool,
    /// `term.dirty.word.tokens.enabled`.
    pub dirty_words: bool,
    /// `term.file.word.tokens.enabled`.
    pub file_words: bool,
    /// `term.url.word.tokens.enabled`.
    pub url_words: bool,
    /// `term.email.word.tokens.enabled`.
    pub email_words: bool,
    /// `term.email.domain.word.tokens.enabled`.
    pub email_domains: bool,
}

impl Default for TokenSettings {
    fn default() -> Self {
        TokenSettings {
            fields: Vec::new(),
            except: Vec::new(),
            reverse: Vec::new(),
            reverse_except: Vec::new(),
            designator: "_TOKEN".into(),
            stop_words: None,
            max_length: 50,
            min_length: 1,
            except_kinds: Vec::new(),
            synonyms: true,
            next_value_position: 10,
            words: true,
            dirty_words: true,
            file_words: true,
            url_words: true,
            email_words: true,
            email_domains: true,
        }
    }
}

/// Fields that hold lists.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ListSettings {
    /// `data.category.index.list.fields`.
    pub fields: Vec<String>,
    /// `data.category.index.reverse.list.fields`.
    pub reverse: Vec<String>,
    /// `data.category.list.delimiters`: characters, each of which separates.
    pub delimiters: String,
}

impl Default for ListSettings {
    fn default() -> Self {
        ListSettings {
            fields: Vec::new(),
            reverse: Vec::new(),
            delimiters: ",".into(),
        }
    }
}
