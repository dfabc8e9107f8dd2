use super::*;
use crate::tokenize::Tokenizer;

fn forms(token_type: TokenType, term: &str, direction: Direction) -> Vec<String> {
    let token = Token {
        position: 1,
        token_type,
        term,
    };
    let mut found = Synonyms::default();
    Tokenizer::default().synonyms(&token, direction, &mut found);
    found.iter().map(str::to_owned).collect()
}

fn forward(token_type: TokenType, term: &str) -> Vec<String> {
    forms(token_type, term, Direction::Forward)
}

#[test]
fn ordinary_terms_give_their_words_and_their_plain_form() {
    assert_eq!(forward(TokenType::Num, "x86-64"), ["x86-64", "x86", "64"]);
    assert_eq!(forward(TokenType::AlphaNum, "øre"), ["øre", "ore"]);
    let found = forward(TokenType::Underscore, "get_it_done");
    assert_eq!(found, ["get_it_done", "get", "done"]);
    let found = forward(TokenType::Apostrophe, "o'neil");
    assert_eq!(found, ["o'neil", "oneil", "o", "neil"]);
}

#[test]
fn addresses_give_name_and_domain() {
    let found = forward(TokenType::Email, "user.name@gmail.com");
    assert_eq!(
        found,
        [
            "user.name@gmail.com",
            "user.name",
            "@gmail.com",
            "user",
            "name",
            "username@gmail.com"
        ]
    );
    let found = forward(TokenType::Host, "www.example.com");
    assert_eq!(found, ["www.example.com", "www", "example", "com"]);
}

#[test]
fn paths_give_segments_and_tails() {
    let found = forward(TokenType::File, r"c:\windows\system32\cmd.exe");
    let expected = [
        r"c:\windows\system32\cmd.exe",
        "c:/windows/system32/cmd.exe",
        "windows/system32/cmd.exe",
        "c:",
        "windows",
        "system32/cmd.exe",
        "system32",
        "cmd.exe",
        "c",
        "cmd",
        "exe",
    ];
    assert_eq!(found, expected);
    let found = forward(TokenType::File, "/a/b.txt c~1.exe");
    assert_eq!(found[1..3], ["c~1.exe", "/a/b.txt"]);
}

#[test]
fn urls_give_host_path_parameters_and_what_they_hold() {
    let found = forward(
        TokenType::Url,
        "http://h.example:80/a%41?u=http%3a%2f%2fz.example&m=a%40b",
    );
    for form in [
        "/a%41",
        "h.example",
        "u=http://z.example",
        "z.example",
        "/aA",
        "m=a@b",
    ] {
        assert!(found.iter().any(|it| it == form), "{form}: {found:?}");
    }
    // An escape that is none leaves the parameter as it is.
    let found = forward(TokenType::Url, "h.example/?a=%zz&b=1");
    assert!(found.iter().any(|it| it == "a=%zz"), "{found:?}");
}

#[test]
fn backwards_stop_words_vanish_and_zones_stay() {
    let reverse = |token_type, term| forms(token_type, term, Direction::Reverse);
    assert_eq!(reverse(TokenType::AlphaNum, "fox"), ["xof"]);
    assert!(reverse(TokenType::AlphaNum, "ton").is_empty());
    assert!(reverse(TokenType::File, "/a/b").is_empty());
    let found = reverse(TokenType::Email, "x@[ipv6:::1]");
    assert_eq!(found, ["]1:::6vpi[@x", "1:6vpi[@x"]);
}

#[test]
fn plain_terms_stand_for_themselves() {
    let token = Token {
        position: 1,
        token_type: TokenType::Num,
        term: "1.5",
    };
    let tokenizer = Tokenizer {
        plain: true,
        ..Tokenizer::default()
    };
    let mut found = Synonyms::default();
    tokenizer.synonyms(&token, Direction::Reverse, &mut found);
    assert_eq!(found.iter().collect::<Vec<_>>(), ["5.1"]);
}
