//! Which fields are tokenised, and how.

use super::config::model::{ListSettings, TokenSettings};
use super::fields::NameSet;
use crate::layout::ConfigError;
use crate::tokenize::{Limits, StopWords, TokenType, Tokenizer, WordSwitches};

/// The rules of one data type.
#[derive(Debug)]
pub(super) struct TokenRules {
    pub(super) tokenizer: Tokenizer,
    /// The position before the first token of a field's second value.
    pub(super) next_value_position: u32,
    forward: NameSet,
    reverse: NameSet,
    designator: String,
}

/// What a field's tokens are for.
#[derive(Clone, Debug)]
pub(super) struct TokenPlan {
    /// The name of the field that the tokens make up.
    pub(super) name: String,
    /// Classes of that field's types.
    pub(super) classes: Vec<&'static str>,
    /// They are in the term frequencies, the field index and the global index.
    pub(super) forward: bool,
    /// They are in the reverse index.
    pub(super) reverse: bool,
}

impl TokenRules {
    /// Compiles the settings of a type.
    ///
    /// # Errors
    /// Kinds of tokens that there are not; keys are below `prefix`.
    pub(super) fn build(
        prefix: &str,
        enabled: bool,
        settings: &TokenSettings,
    ) -> Result<TokenRules, Vec<ConfigError>> {
        let (mut disallowed, mut faults) = (Vec::new(), Vec::new());
        for (at, kind) in settings.except_kinds.iter().enumerate() {
            match TokenType::from_name(kind) {
                Some(kind) => disallowed.push(kind),
                None => faults.push(ConfigError::new(
                    format!("{prefix}.tokens.except_kinds.{at}"),
                    format!("{kind:?} is no kind of token"),
                )),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let words = settings.stop_words.as_ref();
        let fields = |only, except| match enabled {
            true => listed(only, except),
            false => NameSet::none(),
        };
        Ok(TokenRules {
            tokenizer: Tokenizer {
                limits: Limits {
                    min_length: settings.min_length as usize,
                    max_length: settings.max_length as usize,
                    disallowed,
                },
                stop_words: words.map_or_else(StopWords::default, |words| {
                    StopWords::new(words.iter().map(String::as_str))
                }),
                words: switches(settings),
                plain: !settings.synonyms,
            },
            next_value_position: settings.next_value_position,
            forward: fields(&settings.fields, &settings.except),
            reverse: fields(&settings.reverse, &settings.reverse_except),
            designator: settings.designator.clone(),
        })
    }

    /// What becomes of the tokens of a field, if it has any.
    pub(super) fn plan(&self, field: &str) -> Option<TokenPlan> {
        let (forward, reverse) = (self.forward.contains(field), self.reverse.contains(field));
        (forward || reverse).then(|| TokenPlan {
            name: format!("{field}{}", self.designator),
            classes: Vec::new(),
            forward,
            reverse,
        })
    }
}

/// A list of exceptions counts before the other list.
fn listed(only: &[String], except: &[String]) -> NameSet {
    if except.is_empty() {
        NameSet::only(only)
    } else {
        NameSet::except(except)
    }
}

fn switches(settings: &TokenSettings) -> WordSwitches {
    WordSwitches {
        term: settings.words,
        dirty: settings.dirty_words,
        file: settings.file_words,
        url: settings.url_words,
        email: settings.email_words,
        email_domain: settings.email_domains,
    }
}

/// Fields whose text is a list.
#[derive(Debug)]
pub(super) struct ListRules {
    /// Each of these characters separates.
    pub(super) delimiters: String,
    forward: NameSet,
    reverse: NameSet,
}

/// What the members of a field's lists are for, as of tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListPlan {
    pub(super) forward: bool,
    pub(super) reverse: bool,
}

impl ListRules {
    /// The rules of a type.
    pub(super) fn build(enabled: bool, settings: &ListSettings) -> ListRules {
        let fields = |names: &[String]| NameSet::only(if enabled { names } else { &[] });
        ListRules {
            delimiters: settings.delimiters.clone(),
            forward: fields(&settings.fields),
            reverse: fields(&settings.reverse),
        }
    }

    /// What becomes of the members of a field's lists, if it has any.
    pub(super) fn plan(&self, field: &str) -> Option<ListPlan> {
        let (forward, reverse) = (self.forward.contains(field), self.reverse.contains(field));
        (forward || reverse).then_some(ListPlan { forward, reverse })
    }

    /// The members of a list.
    pub(super) fn members<'a>(&'a self, text: &'a str) -> impl Iterator<Item = &'a str> {
        let parts = text.split(|c| self.delimiters.contains(c));
        let trimmed = parts.map(|part| part.trim_matches(|c| c <= ' '));
        trimmed.filter(|part| !part.is_empty())
    }
}
