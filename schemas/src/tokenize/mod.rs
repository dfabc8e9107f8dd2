//! The tokenizer: which words a text holds, where, and under which other forms each is to be found.
//!
//! | file | question |
//! |---|---|
//! | `grammar` | what is a token? Rules as regular expressions, of thirteen types |
//! | `lexer` | where does the longest one start and end? |
//! | `filters` | what is kept of it as a term? |
//! | `stop_words` | which terms say nothing? |
//! | `synonyms` | under which forms is a term indexed, forwards and backwards? |
//! | `folding` | what is a term without its accents? |
//!
//! It is DataWave's (`StandardLexer`, `StandardAnalyzer`, `ContentIndexingColumnBasedHandler.tokenizeField`, `DefaultTokenSearch`), to the
//! position. Input is the *normalized* value of a field; positions count tokens, with a hole for each that was left out.

mod filters;
mod folding;
mod grammar;
mod lexer;
mod stop_words;
mod synonyms;

pub use grammar::TokenType;
pub use stop_words::StopWords;
pub use synonyms::{Direction, Synonyms, WordSwitches};

/// A token that is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its place: the first token of a text that starts at 0 has 1.
    pub position: u32,
    /// The rule that found it.
    pub token_type: TokenType,
    /// The lower-cased term.
    pub term: &'a str,
}

/// Which tokens count. Lengths are in UTF-16 units, as Java counts them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The shortest term (`term.length.minimum`).
    pub min_length: usize,
    /// The longest token (`term.length.limit`). DataWave exempts no type from it, whatever its configuration says.
    pub max_length: usize,
    /// Types that are not indexed (`term.type.disallowlist`).
    pub disallowed: Vec<TokenType>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            min_length: 1,
            max_length: 50,
            disallowed: Vec::new(),
        }
    }
}

/// A tokenizer, configured. It has no state of its own and is shared by all threads.
#[derive(Clone, Debug, Default)]
pub struct Tokenizer {
    /// Which tokens count.
    pub limits: Limits,
    /// Terms that are left out.
    pub stop_words: StopWords,
    /// Which parts of a term become terms of their own.
    pub words: WordSwitches,
    /// Whether a term has synonyms at all (`token.synonyms.create`); without, it stands for itself alone.
    pub plain: bool,
}

impl Tokenizer {
    /// Gives every token of `text` to `each`, in order, and returns the position behind the last: where the next text goes on if it is to
    /// go on. `position` is the place before the first token: 0 for the first value of a field, 10 for each further one, by default.
    ///
    /// `term` is scratch space; reusing it saves the allocation.
    pub fn tokens(
        &self,
        text: &str,
        mut position: u32,
        term: &mut String,
        each: &mut dyn FnMut(Token<'_>),
    ) -> u32 {
        for found in lexer::Tokens::new(text) {
            position = position.saturating_add(1);
            let raw = &text[found.start..found.end];
            if longer_than(raw, self.limits.max_length) {
                continue;
            }
            filters::term(raw, found.token_type, term);
            let counts = !self.stop_words.contains(term)
                && !longer_than(term, self.limits.max_length)
                && (self.limits.min_length == 0 || longer_than(term, self.limits.min_length - 1))
                && !self.limits.disallowed.contains(&found.token_type);
            if counts {
                each(Token {
                    position,
                    token_type: found.token_type,
                    term,
                });
            }
        }
        position
    }

    /// Replaces the content of `synonyms` by the forms under which the index (or the reverse index, where words stand backwards) has a
    /// token: no form twice, in DataWave's order. Some types have none in the reverse index.
    pub fn synonyms(&self, token: &Token<'_>, direction: Direction, synonyms: &mut Synonyms) {
        let plain = self.plain;
        synonyms.collect(token, direction, &self.stop_words, self.words, plain);
    }
}

/// Whether a text has more than `limit` UTF-16 units.
fn longer_than(text: &str, limit: usize) -> bool {
    // A unit takes one to three bytes.
    text.len() > limit && (text.is_ascii() || text.encode_utf16().count() > limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens(tokenizer: &Tokenizer, text: &str) -> Vec<(u32, TokenType, String)> {
        let (mut term, mut found) = (String::new(), Vec::new());
        tokenizer.tokens(text, 0, &mut term, &mut |token| {
            found.push((token.position, token.token_type, token.term.to_owned()));
        });
        found
    }

    #[test]
    fn stop_words_long_tokens_and_limits_leave_holes() {
        let long = "x".repeat(51);
        let text = format!("the {long} fox {}", "y".repeat(50));
        let default = Tokenizer::default();
        let found = tokens(&default, &text);
        assert_eq!(found[0], (3, TokenType::AlphaNum, "fox".into()));
        assert_eq!((found[1].0, found.len()), (4, 2));
        let mut strict = Tokenizer::default();
        strict.limits.min_length = 3;
        strict.limits.disallowed.push(TokenType::Num);
        assert_eq!(
            tokens(&strict, "ab 1.5 abc"),
            [(3, TokenType::AlphaNum, "abc".into())]
        );
    }

    #[test]
    fn positions_go_on_where_they_are_told() {
        let mut term = String::new();
        let mut first = 0;
        let end = Tokenizer::default().tokens("b c the", 10, &mut term, &mut |token| {
            first = if first == 0 { token.position } else { first };
        });
        assert_eq!((first, end), (11, 13));
    }

    #[test]
    fn lengths_are_of_utf16() {
        assert!(!longer_than("ééé", 3));
        assert!(longer_than("ééé", 2));
        assert!(longer_than("\u{1f600}", 1));
    }

    proptest! {
        #[test]
        fn any_text_has_tokens_in_order_and_forms_that_differ(
            text in "([a-c%41é. ~/\\\\:@?#&=+_\u{1f600}-]|http://|://|C:/|%2[f0]){0,40}",
            long in any::<bool>(),
        ) {
            let mut tokenizer = Tokenizer::default();
            tokenizer.limits.max_length = if long { 500 } else { 50 };
            let (mut term, mut forms, mut last) = (String::new(), Synonyms::default(), 0);
            tokenizer.tokens(&text, 0, &mut term, &mut |token| {
                assert!(token.position > last);
                last = token.position;
                for direction in [Direction::Forward, Direction::Reverse] {
                    tokenizer.synonyms(&token, direction, &mut forms);
                    let mut all: Vec<&str> = forms.iter().collect();
                    let count = all.len();
                    all.sort_unstable();
                    all.dedup();
                    assert_eq!(all.len(), count, "{token:?}");
                }
            });
        }
    }
}
