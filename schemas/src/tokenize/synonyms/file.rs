//! Forms of the paths of files.

use super::Collector;

impl Collector<'_> {
    /// The path; with slashes; without its drive; each of its segments, with the words between blanks; each of its tails; its words.
    pub(super) fn file(&mut self, term: &str) {
        self.add(term);
        let mut path = term.to_owned();
        if path.contains('\\') {
            path = one_for_runs(&path, '\\');
            self.add(&path);
        }
        if path.contains("//") {
            path = one_for_runs(&path, '/');
        }
        if path.ends_with('/') {
            path.pop();
        }
        let second = second_file(&path).map(|space| {
            let second = path.split_off(space).split_off(1);
            self.add(&second);
            self.add(&path);
            second
        });
        if path.len() > 4 && path.get(1..3) == Some(":/") {
            self.add(&path[3..]);
        }
        self.segments(&path);
        if self.switches.file {
            self.words(&path);
            if let Some(second) = second {
                self.words(&second);
            }
        }
    }

    fn segments(&mut self, path: &str) {
        let mut rest = path;
        while !rest.is_empty() {
            let (segment, tail) = rest.split_once('/').unwrap_or((rest, ""));
            if !segment.is_empty() {
                self.add(segment);
                if segment.contains(' ') {
                    for piece in segment.split(' ') {
                        self.add(piece);
                    }
                }
            }
            if !tail.is_empty() {
                self.add(tail);
            }
            rest = tail;
        }
    }
}

/// The text with each run of `separator` as one slash.
fn one_for_runs(text: &str, separator: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    for c in text.chars() {
        if c != separator {
            out.push(c);
        } else if last != Some(separator) {
            out.push('/');
        }
        last = Some(c);
    }
    out
}

/// Where a second file name follows a path, as in a listing: the last blank in the last segment that has an extension of three letters
/// before it, or before whose end (that of the text, at first) an abbreviated name such as `barca~1` or `barca~1.exe` ends.
fn second_file(path: &str) -> Option<usize> {
    let first = path.rfind('/').map_or(1, |slash| slash + 2);
    let back = |end: usize, count: usize| path[..end].chars().nth_back(count - 1);
    let mut end = path.len();
    let mut space = path.rfind(' ')?;
    while space >= first {
        let extension = back(space, 4) == Some('.');
        if extension || back(end, 2) == Some('~') || back(end, 6) == Some('~') {
            return Some(space);
        }
        // The character before the blank ends the next name to look at, exclusively.
        end = path[..space].char_indices().next_back()?.0;
        space = path[..space].rfind(' ')?;
    }
    None
}
