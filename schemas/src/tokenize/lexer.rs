//! Finds tokens: one automaton of all rules, built once, that is run from each place where a token may begin.

use super::grammar::{RULES, TokenType};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::{Anchored, MatchKind};
use std::sync::LazyLock;

/// A token in a text: where it stands, in bytes, and which rule found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) token_type: TokenType,
}

/// The first token that starts at `from` or behind it.
pub(super) fn next(text: &str, from: usize) -> Option<Found> {
    let bytes = text.as_bytes();
    let lexer = &*LEXER;
    let mut start = from;
    while start < bytes.len() {
        if let Some((end, token_type)) = lexer.longest(bytes, start) {
            return Some(Found {
                start,
                end,
                token_type,
            });
        }
        // No rule begins with the inner byte of a character, so those cost one step of the automaton each.
        start += 1;
    }
    None
}

struct Lexer {
    dfa: dense::DFA<Vec<u32>>,
    start: StateID,
}

static LEXER: LazyLock<Lexer> = LazyLock::new(|| {
    let patterns: Vec<String> = RULES.iter().map(|rule| rule.regex()).collect();
    let dfa = dense::Builder::new()
        .configure(
            dense::Config::new()
                // All patterns that match, not the first alone: length decides before order.
                .match_kind(MatchKind::All)
                .start_kind(StartKind::Anchored)
                .accelerate(false),
        )
        .thompson(thompson::Config::new().which_captures(WhichCaptures::None))
        .build_many(&patterns)
        .expect("the grammar is a constant and its automaton has no size limit");
    let start = dfa
        .universal_start_state(Anchored::Yes)
        .expect("no rule looks around");
    Lexer { dfa, start }
});

impl Lexer {
    /// The end and the rule of the longest token that starts at `start`.
    fn longest(&self, bytes: &[u8], start: usize) -> Option<(usize, TokenType)> {
        let mut state = self.start;
        let mut found = None;
        for (at, &byte) in bytes.iter().enumerate().skip(start) {
            state = self.dfa.next_state(state, byte);
            if self.dfa.is_special_state(state) {
                if self.dfa.is_match_state(state) {
                    // A match shows one byte late.
                    found = Some((at, state));
                } else if self.dfa.is_dead_state(state) {
                    return self.rule(found);
                }
            }
        }
        state = self.dfa.next_eoi_state(state);
        if self.dfa.is_match_state(state) {
            found = Some((bytes.len(), state));
        }
        self.rule(found)
    }

    fn rule(&self, found: Option<(usize, StateID)>) -> Option<(usize, TokenType)> {
        let (end, state) = found?;
        let patterns = (0..self.dfa.match_len(state)).map(|at| self.dfa.match_pattern(state, at));
        let rule = RULES.get(patterns.min()?.as_usize())?;
        Some((end, rule.token_type))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(&str, TokenType)> {
        let mut at = 0;
        std::iter::from_fn(|| {
            let found = next(text, at)?;
            at = found.end;
            Some((&text[found.start..found.end], found.token_type))
        })
        .collect()
    }

    #[test]
    fn longest_first_and_then_the_first_rule() {
        for (text, token_type) in [
            ("foo_bar", TokenType::Underscore),
            ("x86-64", TokenType::Num),
            ("-42", TokenType::Num),
            ("o'neil", TokenType::Apostrophe),
            ("www.example.com", TokenType::Host),
            ("u.k", TokenType::Url),
            ("1.2.3.4", TokenType::IpAddr),
            ("::ffff:1.2.3.4", TokenType::IpAddr),
            ("a@b.example", TokenType::Email),
            ("/usr/local/my files/x", TokenType::File),
            ("https://h.example/?q#f", TokenType::Url),
            ("2016-04-26t01:31:53z", TokenType::Timestamp),
            ("GET /index.html HTTP/1.1", TokenType::HttpRequest),
            ("℃", TokenType::Symbol),
        ] {
            assert_eq!(all(text), [(text, token_type)]);
        }
        assert_eq!(all("日本 한국 \u{1f600} ª"), []);
        assert_eq!(
            all("é日x"),
            [("é", TokenType::AlphaNum), ("x", TokenType::AlphaNum)]
        );
    }
}
