//! Lower case as Java has it: `String.toLowerCase(Locale.ENGLISH)` and `Character.toLowerCase`, with JDK 17's Unicode 13.

use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// Appends the lower-cased form of `buffer[range]` to `buffer`, as `String.toLowerCase` makes it: `İ` becomes two characters, and a sigma
/// at the end of a word the final one. Source and result share one buffer because what stands around a sigma decides about it.
pub fn append_lower(buffer: &mut String, range: Range<usize>) {
    if buffer[range.clone()].is_ascii() {
        let start = buffer.len();
        buffer.extend_from_within(range);
        buffer[start..].make_ascii_lowercase();
        return;
    }
    let mut at = range.start;
    while let Some(c) = buffer[at..range.end].chars().next() {
        let behind = at + c.len_utf8();
        if c == 'Σ' {
            let last = ends_word(&buffer[range.start..at], &buffer[behind..range.end]);
            buffer.push(if last { 'ς' } else { 'σ' });
        } else if is_newer(c) {
            buffer.push(c);
        } else {
            buffer.extend(c.to_lowercase());
        }
        at = behind;
    }
}

/// `Character.toLowerCase` of one code point: always one code point, whatever stands around it.
#[must_use]
pub fn lower_char(c: char) -> char {
    match c {
        'İ' => 'i',
        _ if is_newer(c) => c,
        // All other special cases of lower-casing are about what stands around the letter.
        _ => c.to_lowercase().next().unwrap_or(c),
    }
}

/// Whether a sigma between these texts ends a word: a cased letter stands before it in the word, and none behind it.
fn ends_word(before: &str, behind: &str) -> bool {
    cased_in_word(before.chars().rev()) && !cased_in_word(behind.chars())
}

/// Whether a cased letter comes before the end of the word, reading away from a letter.
///
/// Java asks its word `BreakIterator`: a word is a run of letters and digits, and one dash, quote or period between two letters (a comma,
/// quote or period between two digits) does not end it. Marks and format characters count as nothing.
fn cased_in_word(chars: impl Iterator<Item = char>) -> bool {
    let mut kind = Kind::Letter;
    let mut joint = None;
    for c in chars {
        if is_ignorable(c) && !joins_letters(c) {
            continue;
        }
        let next = if stands_alone(c) {
            return false;
        } else if c.is_numeric() {
            Kind::Digit
        } else if c.is_alphabetic() {
            Kind::Letter
        } else {
            let joins = match kind {
                Kind::Letter => joins_letters(c),
                Kind::Digit => joins_digits(c),
            };
            if joint.is_some() || !joins {
                return false;
            }
            joint = Some(kind);
            continue;
        };
        if joint.take().is_some_and(|side| side != next) {
            return false;
        }
        if is_cased(c) {
            return true;
        }
        kind = next;
    }
    false
}

fn is_cased(c: char) -> bool {
    let title = matches!(c, '\u{1c5}' | '\u{1c8}' | '\u{1cb}' | '\u{1f2}');
    title || ((c.is_uppercase() || c.is_lowercase()) && !matches!(c, 'ª' | 'º'))
}

/// Capital letters that came after Unicode 13, which is what JDK 17 knows: it leaves them as they are.
fn is_newer(c: char) -> bool {
    matches!(c, '\u{1c89}' | '\u{2c2f}' | '\u{a7c0}' | '\u{a7cb}'..='\u{a7dc}' | '\u{10570}'..='\u{10595}'
        | '\u{10d50}'..='\u{10d65}' | '\u{16ea0}'..='\u{16eb8}')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Digit,
}

fn joins_letters(c: char) -> bool {
    matches!(
        c,
        '\'' | '"'
            | '.'
            | '-'
            | '_'
            | '\u{ad}'
            | '\u{2027}'
            | '\u{58a}'
            | '\u{203f}'
            | '\u{2040}'
            | '\u{2010}'..='\u{2015}'
    )
}

fn joins_digits(c: char) -> bool {
    matches!(c, '\'' | '"' | '.' | ',' | '\u{66b}')
}

fn is_ignorable(c: char) -> bool {
    is_combining_mark(c)
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// Ideographs, kana and circled letters are no part of a word of letters.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3041}'..='\u{3094}' | '\u{3099}'..='\u{309e}' | '\u{30a1}'..='\u{30fe}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{fa2d}' | '\u{3400}'..='\u{4dbf}' | '\u{24b6}'..='\u{24e9}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lower(text: &str) -> String {
        let mut buffer = format!("Σ{text}");
        let range = 2..buffer.len();
        append_lower(&mut buffer, range.clone());
        buffer[range.end..].to_owned()
    }

    #[test]
    fn letters_words_and_sigmas() {
        assert_eq!(lower("ABC 1"), "abc 1");
        assert_eq!(lower("ÄİǄ"), "äi\u{307}ǆ");
        assert_eq!(lower("ΑΣ ΣΑ Σ"), "ας σα σ");
        assert_eq!(lower("\u{a7c0}"), "\u{a7c0}", "younger than Unicode 13");
    }

    #[test]
    fn one_character_stays_one() {
        assert_eq!(
            ['İ', 'Σ', 'A', 'ẞ', '\u{a7c0}'].map(lower_char),
            ['i', 'σ', 'a', 'ß', '\u{a7c0}']
        );
    }
}
