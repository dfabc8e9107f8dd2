//! The tokenizer against DataWave's: positions, types, terms and all forms of every token.

use crate::datawave::rows;
use crate::golden::unescape;
use shardmill_schemas::tokenize::{Direction, Synonyms, Tokenizer};

#[test]
fn tokens_and_their_forms() {
    let tokenizer = Tokenizer::default();
    let mut term = String::new();
    let mut forms = Synonyms::default();
    let mut wrong = Vec::new();
    let mut tokens = 0;
    rows("tokenize", |columns| {
        let text = String::from_utf8(unescape(columns[0])).unwrap();
        let expected: serde_json::Value = serde_json::from_str(columns[1]).unwrap();
        let mut found = Vec::new();
        tokenizer.tokens(&text, 0, &mut term, &mut |token| {
            let mut in_direction = |direction| {
                tokenizer.synonyms(&token, direction, &mut forms);
                forms.iter().map(str::to_owned).collect::<Vec<_>>()
            };
            found.push(serde_json::json!({
                "pos": token.position,
                "type": token.token_type.name(),
                "term": token.term,
                "fwd": in_direction(Direction::Forward),
                "rev": in_direction(Direction::Reverse),
            }));
        });
        tokens += found.len();
        let expected = expected.as_array().unwrap();
        if &found != expected {
            let at = (0..).find(|&at| found.get(at) != expected.get(at)).unwrap();
            let (found, expected) = (found.get(at), expected.get(at));
            wrong.push(format!(
                "{text:?}:\n  found    {found:?}\n  expected {expected:?}"
            ));
        }
        true
    });
    println!("tokenize: {tokens} tokens in them");
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(25)].join("\n")
    );
}
