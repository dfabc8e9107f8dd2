//! From a token to its term.

use super::grammar::TokenType;
use crate::java_case::lower_char;

/// Replaces `term` by the term of a token: without the `'s` of a genitive or the periods of an acronym, and lower-cased character by
/// character (a sigma at the end stays an ordinary one).
pub(super) fn term(token: &str, token_type: TokenType, term: &mut String) {
    term.clear();
    let token = match token_type {
        TokenType::Apostrophe => token
            .strip_suffix("'s")
            .or_else(|| token.strip_suffix("'S"))
            .unwrap_or(token),
        _ => token,
    };
    if token_type == TokenType::Acronym {
        term.extend(token.chars().filter(|&c| c != '.').map(lower_char));
    } else if token.is_ascii() {
        term.push_str(token);
        term.make_ascii_lowercase();
    } else {
        term.extend(token.chars().map(lower_char));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn genitives_acronyms_and_case() {
        let of = |token, token_type| {
            let mut found = String::from("old");
            term(token, token_type, &mut found);
            found
        };
        assert_eq!(of("O'Brien's", TokenType::Apostrophe), "o'brien");
        assert_eq!(of("x'S", TokenType::Apostrophe), "x");
        assert_eq!(of("U.S.A.", TokenType::Acronym), "usa");
        assert_eq!(of("1.5", TokenType::Num), "1.5");
        assert_eq!(of("ΣΑΣ", TokenType::AlphaNum), "σασ");
    }
}
