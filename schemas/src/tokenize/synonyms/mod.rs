//! Under which forms a term is indexed (`DefaultTokenSearch`).
//!
//! Every type has rules of its own; what they share are *words*: the runs of letters and digits in a term that are no stop words and not
//! the term itself.

mod file;
mod url;

use super::folding;
use super::grammar::TokenType;
use super::{StopWords, Token};
use crate::java_case::append_lower;
use std::ops::Range;

/// Which index a term goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The index.
    Forward,
    /// The reverse index, whose terms are read from their ends.
    Reverse,
}

/// Which parts of a term become terms of their own; all of them by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordSwitches {
    /// Words of ordinary terms (`term.word.tokens.enabled`); terms with an underscore always give theirs.
    pub term: bool,
    /// Words of acronyms and of terms with apostrophes (`dirty.word.tokens.enabled`).
    pub dirty: bool,
    /// Words of paths (`file.word.tokens.enabled`).
    pub file: bool,
    /// Words of URLs (`url.word.tokens.enabled`).
    pub url: bool,
    /// Words of e-mail addresses and host names (`email.word.tokens.enabled`).
    pub email: bool,
    /// Domains of e-mail addresses, with the `@` (`email.domain.word.tokens.enabled`).
    pub email_domain: bool,
}

impl Default for WordSwitches {
    fn default() -> Self {
        WordSwitches {
            term: true,
            dirty: true,
            file: true,
            url: true,
            email: true,
            email_domain: true,
        }
    }
}

/// The forms of one term, each once, in the order in which they were found. Its memory serves one term after another.
#[derive(Debug, Default)]
pub struct Synonyms {
    text: String,
    forms: Vec<Range<usize>>,
    /// What every form of a reversed term ends with: its part from the last colon on.
    zone: String,
    scratch: String,
}

impl Synonyms {
    /// The forms.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.forms.iter().map(|form| &self.text[form.clone()])
    }

    pub(super) fn collect(
        &mut self,
        token: &Token<'_>,
        direction: Direction,
        stop_words: &StopWords,
        switches: WordSwitches,
        plain: bool,
    ) {
        self.text.clear();
        self.forms.clear();
        self.zone.clear();
        let mut collector = Collector {
            found: self,
            stop_words,
            switches,
            nesting: 0,
        };
        if direction == Direction::Forward {
            if plain {
                collector.add(token.term);
            } else {
                collector.forward(token.token_type, token.term);
            }
            return;
        }
        let reversed: String = token.term.chars().rev().collect();
        if plain {
            collector.add(&reversed);
            return;
        }
        // A colon separates a zone from a term; DataWave looks for one here, though the terms have none.
        let (word, zone) = reversed.split_at(reversed.rfind(':').unwrap_or(reversed.len()));
        collector.found.zone.push_str(zone);
        match token.token_type {
            TokenType::File | TokenType::Url | TokenType::Timestamp | TokenType::HttpRequest => {}
            token_type => collector.forward(token_type, word),
        }
    }
}

/// Collects the forms of a term.
struct Collector<'a> {
    found: &'a mut Synonyms,
    stop_words: &'a StopWords,
    switches: WordSwitches,
    /// In how many URLs the URL stands that is looked at.
    nesting: usize,
}

impl Collector<'_> {
    fn forward(&mut self, token_type: TokenType, term: &str) {
        match token_type {
            TokenType::AlphaNum | TokenType::Num | TokenType::Underscore | TokenType::Symbol => {
                self.ordinary(term);
            }
            TokenType::Apostrophe | TokenType::Acronym => self.dirty(term),
            TokenType::Email | TokenType::Host => self.address(term),
            TokenType::IpAddr => self.add(term),
            TokenType::Timestamp => self.timestamp(term),
            TokenType::File => self.file(term),
            TokenType::Url => self.url(term),
            TokenType::HttpRequest => self.request(term),
        }
    }

    /// Adds a form, unless it is there already.
    fn add(&mut self, form: &str) {
        let Synonyms {
            text, forms, zone, ..
        } = &mut *self.found;
        let known = |old: &Range<usize>| {
            text[old.clone()]
                .strip_suffix(zone.as_str())
                .is_some_and(|old| old == form)
        };
        if forms.iter().any(known) {
            return;
        }
        let start = text.len();
        text.push_str(form);
        text.push_str(zone);
        forms.push(start..text.len());
    }

    /// Adds the words of a text, which is in lower case for the most part.
    fn words(&mut self, text: &str) {
        let separates = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
        for word in text.split(separates) {
            if word.is_empty() || word == text || self.stop_words.contains(word) {
                continue;
            }
            // Only what a URL had encoded can be in upper case.
            if word.bytes().any(|byte| byte.is_ascii_uppercase()) || !word.is_ascii() {
                let mut scratch = std::mem::take(&mut self.found.scratch);
                scratch.clear();
                scratch.push_str(word);
                append_lower(&mut scratch, 0..word.len());
                self.add(&scratch[word.len()..]);
                self.found.scratch = scratch;
            } else {
                self.add(word);
            }
        }
    }

    fn ordinary(&mut self, term: &str) {
        if !self.stop_words.contains(term) {
            self.add(term);
        }
        if !term.is_ascii() {
            let mut folded = std::mem::take(&mut self.found.scratch);
            folded.clear();
            if folding::fold(term, &mut folded) && !self.stop_words.contains(&folded) {
                self.add(&folded);
            }
            self.found.scratch = folded;
        }
        if self.switches.term || term.contains('_') {
            self.words(term);
        }
    }

    /// A term with apostrophes, or an acronym with blanks.
    fn dirty(&mut self, term: &str) {
        self.add(term);
        let dirt = [' ', '&', '\'', '"', '@', '.'];
        if term.contains(dirt) {
            self.ordinary(&term.replace(dirt, ""));
        } else {
            self.ordinary(term);
        }
        if self.switches.dirty {
            self.words(term);
        }
    }

    /// An e-mail address or a host name.
    fn address(&mut self, term: &str) {
        self.add(term);
        match term.find('@').filter(|&at| at > 0) {
            Some(at) => {
                let (name, domain) = term.split_at(at);
                self.add(name);
                if self.switches.email_domain {
                    self.add(domain);
                }
                if self.switches.email {
                    self.words(name);
                }
                if domain == "@gmail.com" {
                    // There, periods do not count, nor does what follows a plus sign.
                    let bare = name.replace('.', "");
                    let bare = bare.split('+').next().unwrap_or_default();
                    if bare != name {
                        self.add(&format!("{bare}{domain}"));
                    }
                }
            }
            None if self.switches.email => self.words(term),
            None => {}
        }
        // A top-level domain of six letters and more: perhaps it is no address at all.
        if term.rfind('.').map_or(6, |dot| dot + 7) <= term.len() {
            self.words(term);
        }
    }

    /// The term and its day.
    fn timestamp(&mut self, term: &str) {
        self.add(term);
        if let Some(at) = term.find('t').filter(|&at| at > 0) {
            self.add(&term[..at]);
        }
    }

    /// The first line of an HTTP request: its method, its URI with all its forms, and its version.
    fn request(&mut self, term: &str) {
        self.add(term);
        let parts = term.split_once(' ').and_then(|(method, rest)| {
            let end = rest.find(" http")?;
            Some((method, &rest[..end], &rest[end + 1..]))
        });
        let Some((method, uri, version)) = parts else {
            self.url(term);
            return;
        };
        self.add(method);
        self.url(uri);
        self.add(version);
        if let Some((protocol, _)) = version.split_once('/') {
            self.add(protocol);
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
