//! The nearest of several names, by edit distance.

/// Collects the best candidate.
pub(super) struct Nearest<'a> {
    wanted: &'a str,
    best: Option<(usize, String)>,
}

impl<'a> Nearest<'a> {
    pub(super) fn to(wanted: &'a str) -> Self {
        Nearest { wanted, best: None }
    }

    /// Keeps `candidate` if it is nearer than all before.
    pub(super) fn offer(&mut self, candidate: &str) {
        // A third of the name may differ: beyond that a suggestion is no help.
        let limit = (self.wanted.chars().count() / 3).max(1);
        let distance = distance(self.wanted, candidate);
        if distance <= limit && self.best.as_ref().is_none_or(|(best, _)| distance < *best) {
            self.best = Some((distance, candidate.to_owned()));
        }
    }

    pub(super) fn found(self) -> Option<String> {
        self.best.map(|(_, name)| name)
    }
}

/// How many characters must be inserted, removed or replaced to make `a` into `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (at, wanted) in a.chars().enumerate() {
        let mut diagonal = at;
        let mut left = at + 1;
        for (above, &found) in row.iter_mut().skip(1).zip(&b) {
            let here = (diagonal + usize::from(wanted != found))
                .min(left + 1)
                .min(*above + 1);
            diagonal = *above;
            *above = here;
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = at + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
