use super::{NormalizeError, Normalizer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Lower case without accents: decomposes, drops U+0300–U+036F, composes again and lower-cases (`École` → `ecole`).
#[derive(Clone, Copy, Debug)]
pub struct LcNoDiacritics;

impl Normalizer for LcNoDiacritics {
    fn normalize(
        &self,
        text: &str,
        buffer: &mut String,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), NormalizeError> {
        buffer.clear();
        if text.is_ascii() {
            buffer.push_str(text);
            buffer.make_ascii_lowercase();
            each(buffer);
            return Ok(());
        }
        let plain = text.nfd().filter(|c| !('\u{300}'..='\u{36f}').contains(c));
        buffer.extend(plain.nfc());
        // The lower-cased text goes behind the plain one: a sigma is lowered by what stands around it.
        let end = buffer.len();
        let mut at = 0;
        while let Some(c) = buffer[at..end].chars().next() {
            if c == 'Σ' {
                let last = ends_word(&buffer[..at], &buffer[at + c.len_utf8()..end]);
                buffer.push(if last { 'ς' } else { 'σ' });
            } else if is_newer(c) {
                buffer.push(c);
            } else {
                buffer.extend(c.to_lowercase());
            }
            at += c.len_utf8();
        }
        each(&buffer[end..]);
        Ok(())
    }

    fn can_fail(&self) -> bool {
        false
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
