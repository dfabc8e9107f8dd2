//! Words that are left out.

use std::collections::HashSet;

/// Lucene's 33 English stop words, which hold where no file names others.
const ENGLISH: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// A set of lower-case words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopWords {
    words: HashSet<Box<str>>,
    /// The length of the longest, in bytes: most terms need no look into the set.
    longest: usize,
}

impl Default for StopWords {
    fn default() -> Self {
        StopWords::new(ENGLISH)
    }
}

impl StopWords {
    /// The set of these words, taken as they are.
    pub fn new<'a>(words: impl IntoIterator<Item = &'a str>) -> Self {
        let words: HashSet<Box<str>> = words.into_iter().map(Box::from).collect();
        let longest = words.iter().map(|word| word.len()).max().unwrap_or(0);
        StopWords { words, longest }
    }

    /// Whether a term is one of them.
    #[must_use]
    pub fn contains(&self, term: &str) -> bool {
        term.len() <= self.longest && self.words.contains(term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_by_default() {
        let words = StopWords::default();
        assert!(words.contains("the") && words.contains("such"));
        assert!(!words.contains("The") && !words.contains("from") && !words.contains(""));
        assert!(!StopWords::new([]).contains("the"));
    }
}
