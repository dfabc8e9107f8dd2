//! Finds tokens: one automaton of all rules, built once, that is run from each place where a token may begin.

use super::grammar::{RULES, TokenType, class_of};
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Anchored, MatchKind};
use std::collections::HashSet;
use std::sync::LazyLock;

/// A token in a text: where it stands, in bytes, and which rule found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) token_type: TokenType,
}

/// Every so many bytes it is noted which states led to no match.
const STRIDE: usize = 256;

/// The tokens of a text, in order.
///
/// A rule may look far ahead for nothing: `~a ~a ~a …` is no path as long as no slash comes. So that this is not done again from each
/// place, the states that led to no match are kept, one in every [`STRIDE`] bytes; a later attempt that gets there in the same state
/// stops. The time stays proportional to the length of the text.
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    failed: HashSet<(StateID, usize)>,
    visited: Vec<(StateID, usize)>,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Tokens {
            text,
            at: 0,
            failed: HashSet::new(),
            visited: Vec::new(),
        }
    }

    /// The end and the rule of the longest token that starts at `start`.
    fn longest(&mut self, lexer: &Lexer, start: usize) -> Option<(usize, TokenType)> {
        let dfa = &lexer.dfa;
        let mut state = lexer.start;
        let mut found = None;
        let mut stopped = false;
        let mut at = start;
        while let Some(c) = self.text[at..].chars().next() {
            let behind = at + c.len_utf8();
            state = dfa.next_state(state, class_of(c));
            if dfa.is_special_state(state) {
                if dfa.is_match_state(state) {
                    // A match shows one character late.
                    found = Some((at, state));
                    self.visited.clear();
                } else if dfa.is_dead_state(state) {
                    stopped = true;
                    break;
                }
            }
            if at / STRIDE != behind / STRIDE {
                if self.failed.contains(&(state, at)) {
                    stopped = true;
                    break;
                }
                self.visited.push((state, at));
            }
            at = behind;
        }
        if !stopped {
            state = dfa.next_eoi_state(state);
            if dfa.is_match_state(state) {
                found = Some((self.text.len(), state));
                self.visited.clear();
            }
        }
        self.failed.extend(self.visited.drain(..));
        let (end, state) = found?;
        let patterns = (0..dfa.match_len(state)).map(|at| dfa.match_pattern(state, at));
        let rule = RULES.get(patterns.min()?.as_usize())?;
        Some((end, rule.token_type))
    }
}

impl Iterator for Tokens<'_> {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        let lexer = &*LEXER;
        while self.at < self.text.len() {
            let start = self.at;
            if let Some((end, token_type)) = self.longest(lexer, start) {
                self.at = end;
                return Some(Found {
                    start,
                    end,
                    token_type,
                });
            }
            let c = self.text[start..].chars().next();
            self.at += c.map_or(1, char::len_utf8);
        }
        None
    }
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
        // Patterns are about class bytes, not about UTF-8.
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(
            thompson::Config::new()
                .utf8(false)
                .which_captures(WhichCaptures::None),
        )
        .build_many(&patterns)
        .expect("the grammar is a constant and its automaton has no size limit");
    let start = dfa
        .universal_start_state(Anchored::Yes)
        .expect("no rule looks around");
    Lexer { dfa, start }
});

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(&str, TokenType)> {
        Tokens::new(text)
            .map(|found| (&text[found.start..found.end], found.token_type))
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

    #[test]
    fn looking_ahead_in_vain_is_done_once() {
        let text = "~a b. ".repeat(100_000);
        let found = all(&text);
        assert_eq!(found.len(), 200_000);
        assert!(
            found
                .chunks(2)
                .all(|pair| pair[0].0 == "a" && pair[1].0 == "b")
        );
        // With a slash at last it is one path.
        assert_eq!(all(&format!("{text}x/"))[0].1, TokenType::File);
    }
}
