//! Terms without accents, for those who type without them.
//!
//! DataWave folds with the table of Lucene's `ASCIIFoldingFilter` and drops Arabic vowel marks. That table is what a compatibility
//! decomposition leaves of Latin letters, and a list of letters that have no decomposition; only what a token can hold is needed here.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Appends a lower-case term without accents, still in lower case, and tells whether that changes it.
pub(super) fn fold(term: &str, out: &mut String) -> bool {
    if term.is_ascii() {
        out.push_str(term);
        return false;
    }
    let start = out.len();
    for c in term.chars() {
        if c.is_ascii() {
            out.push(c);
        } else if is_vowel_mark(c) {
            continue;
        } else if let Some(letters) = special(c) {
            out.push_str(letters);
        } else if decomposes(c) {
            let plain = || {
                std::iter::once(c)
                    .nfkd()
                    .filter(|&part| !is_combining_mark(part))
            };
            if plain().all(|part| part.is_ascii()) {
                out.extend(plain().map(|part| part.to_ascii_lowercase()));
            } else {
                out.push(c);
            }
        } else {
            out.push(c);
        }
    }
    &out[start..] != term
}

/// Latin letters, and four subscripts; Lucene leaves superscripts and other scripts as they are.
fn decomposes(c: char) -> bool {
    matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | '\u{1d62}'..='\u{1d65}')
}

/// Arabic marks of vowels and recitation.
fn is_vowel_mark(c: char) -> bool {
    matches!(c, '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65e}' | '\u{670}' | '\u{6d6}'..='\u{6dd}'
        | '\u{6df}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}' | '\u{fd3e}' | '\u{fd3f}')
}

/// Letters that do not decompose into ASCII ones, or not into those that Lucene's table has. (`ẛ` is a long s; the table says f.)
#[rustfmt::skip]
fn special(c: char) -> Option<&'static str> {
    Some(match c {
        'ɐ' | 'ə' | 'ɚ' | 'ᴀ' | 'ᶏ' | 'ᶕ' | 'ẚ' => "a",
        'æ' | 'ǣ' | 'ǽ' | 'ᴁ' | 'ᴂ' => "ae",
        'ƀ' | 'ƃ' | 'ɓ' | 'ʙ' | 'ᴃ' | 'ᵬ' | 'ᶀ' => "b",
        'ƈ' | 'ȼ' | 'ɕ' | 'ʗ' | 'ᴄ' => "c",
        'ð' | 'đ' | 'ƌ' | 'ȡ' | 'ɖ' | 'ɗ' | 'ᴅ' | 'ᴆ' | 'ᵭ' | 'ᶁ' | 'ᶑ' => "d",
        'ȸ' => "db",
        'ʣ' | 'ʥ' => "dz",
        'ǝ' | 'ɇ' | 'ɘ' | 'ɛ'..='ɞ' | 'ʚ' | 'ᴇ' | 'ᴈ' | 'ᶒ'..='ᶔ' => "e",
        'ƒ' | 'ᵮ' | 'ᶂ' | 'ẛ' => "f",
        'ǥ' | 'ɠ'..='ɢ' | 'ʛ' | 'ᵷ' | 'ᵹ' | 'ᶃ' => "g",
        'ħ' | 'ɥ' | 'ɦ' | 'ʜ' | 'ʮ' | 'ʯ' => "h",
        'ƕ' => "hv",
        'ı' | 'ɨ' | 'ɪ' | 'ᴉ' | 'ᵻ' | 'ᵼ' | 'ᶖ' => "i",
        'ȷ' | 'ɉ' | 'ɟ' | 'ʄ' | 'ʝ' | 'ᴊ' => "j",
        'ƙ' | 'ʞ' | 'ᴋ' | 'ᶄ' => "k",
        'ŀ' | 'ł' | 'ƚ' | 'ȴ' | 'ɫ'..='ɭ' | 'ʟ' | 'ᴌ' | 'ᶅ' => "l",
        'ỻ' => "ll",
        'ʪ' => "ls",
        'ʫ' => "lz",
        'ɯ'..='ɱ' | 'ᴍ' | 'ᵯ' | 'ᶆ' => "m",
        'ŉ' | 'ŋ' | 'ƞ' | 'ȵ' | 'ɲ'..='ɴ' | 'ᴎ' | 'ᵰ' | 'ᶇ' => "n",
        'ø' | 'ǿ' | 'ɔ' | 'ɵ' | 'ᴏ' | 'ᴐ' | 'ᴖ' | 'ᴗ' | 'ᶗ' => "o",
        'œ' | 'ɶ' | 'ᴔ' => "oe",
        'ȣ' | 'ᴕ' => "ou",
        'ƥ' | 'ᴘ' | 'ᵱ' | 'ᵽ' | 'ᶈ' => "p",
        'ĸ' | 'ɋ' | 'ʠ' => "q",
        'ȹ' => "qp",
        'ɍ' | 'ɼ'..='ʁ' | 'ᴙ' | 'ᴚ' | 'ᵲ' | 'ᵳ' | 'ᶉ' => "r",
        'ȿ' | 'ʂ' | 'ᵴ' | 'ᶊ' | 'ẜ' | 'ẝ' => "s",
        'ß' => "ss",
        'ŧ' | 'ƫ' | 'ƭ' | 'ȶ' | 'ʇ' | 'ʈ' | 'ᴛ' | 'ᵵ' => "t",
        'ʨ' => "tc",
        'þ' | 'ᵺ' => "th",
        'ʦ' => "ts",
        'ʉ' | 'ᴜ' | 'ᵾ' | 'ᶙ' => "u",
        'ᵫ' => "ue",
        'ʋ' | 'ʌ' | 'ᴠ' | 'ᶌ' => "v",
        'ƿ' | 'ʍ' | 'ᴡ' => "w",
        'ᶍ' => "x",
        'ƴ' | 'ɏ' | 'ʎ' | 'ʏ' | 'ỿ' => "y",
        'ƶ' | 'ȝ' | 'ȥ' | 'ɀ' | 'ʐ' | 'ʑ' | 'ᴢ' | 'ᵶ' | 'ᶎ' => "z",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_ligatures_and_marks() {
        for (term, expected) in [
            ("naïve", "naive"),
            ("ærøskøbing", "aeroskobing"),
            ("straße", "strasse"),
            ("ŉ", "n"),
            ("ĳ", "ij"),
            ("مُحَمَّد", "محمد"),
        ] {
            let mut out = String::from("x");
            assert!(fold(term, &mut out), "{term}");
            assert_eq!(&out[1..], expected);
        }
        for term in ["plain", "αβγ", "привет", "ʰ", "e\u{301}"] {
            let mut out = String::new();
            assert!(!fold(term, &mut out), "{term}");
            assert_eq!(out, term);
        }
    }
}
