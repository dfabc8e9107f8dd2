//! Reads a precondition.

use super::{JexlError, Node, Order};
use fancy_regex::Regex;

/// Deeper expressions are refused: they are read and evaluated by recursion.
const MAX_DEPTH: usize = 64;
/// Longer ones too, for a chain of operators is a deep tree.
const MAX_TOKENS: usize = 2000;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Number(i64),
    Sign(&'static str),
    End,
}

/// Longer signs first, so that `==` is not read as two.
const SIGNS: &[&str] = &[
    "&&", "||", "==", "!=", "=~", "!~", "<=", ">=", "<", ">", "!", "(", ")", "-",
];

pub(super) fn parse(text: &str) -> Result<Node, JexlError> {
    let tokens = Lexer {
        text: text.chars().collect(),
        at: 0,
    }
    .tokens()?;
    let mut parser = Parser {
        tokens,
        next: 0,
        depth: 0,
    };
    let node = parser.or()?;
    match parser.peek() {
        Token::End => Ok(node),
        _ => Err(parser.error("an operator or the end was expected")),
    }
}

fn error(at: usize, message: impl Into<String>) -> JexlError {
    JexlError::Syntax {
        at: at + 1,
        message: message.into(),
    }
}

struct Lexer {
    text: Vec<char>,
    at: usize,
}

impl Lexer {
    fn tokens(mut self) -> Result<Vec<(usize, Token)>, JexlError> {
        let mut tokens = Vec::new();
        loop {
            while self.peek().is_some_and(char::is_whitespace) {
                self.at += 1;
            }
            let at = self.at;
            let token = self.token()?;
            let end = token == Token::End;
            if tokens.len() >= MAX_TOKENS {
                return Err(error(at, "it is too long"));
            }
            tokens.push((at, token));
            if end {
                return Ok(tokens);
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn while_is(&mut self, fits: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek().is_some_and(&fits) {
            self.at += 1;
        }
        self.text
            .get(start..self.at)
            .unwrap_or_default()
            .iter()
            .collect()
    }

    fn token(&mut self) -> Result<Token, JexlError> {
        let at = self.at;
        match self.peek() {
            None => Ok(Token::End),
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some(c) if c.is_ascii_digit() => {
                let digits = self.while_is(|c| c.is_ascii_alphanumeric() || c == '.');
                let number = digits.parse();
                number.map(Token::Number).map_err(|_| {
                    error(
                        at,
                        format!(
                            "{digits:?} is no whole number; names that start with a digit need a $"
                        ),
                    )
                })
            }
            Some(c) if c.is_alphabetic() || "_$@".contains(c) => Ok(Token::Word(
                self.while_is(|c| c.is_alphanumeric() || "_$@.".contains(c)),
            )),
            Some(c) => {
                let fits = |sign: &&&str| {
                    let end = self.at + sign.len();
                    let found = self.text.get(self.at..end);
                    found.is_some_and(|found| found.iter().copied().eq(sign.chars()))
                };
                let sign = SIGNS.iter().find(fits).copied();
                let sign = sign.ok_or_else(|| error(at, format!("{c:?} is not supported here")))?;
                self.at += sign.len();
                Ok(Token::Sign(sign))
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Result<Token, JexlError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += 1;
            match c {
                '\\' => self.escape(&mut text)?,
                c if c == quote => return Ok(Token::Text(text)),
                c => text.push(c),
            }
        }
        Err(error(start, "the text is not closed"))
    }

    /// After a backslash. One that escapes nothing stays, as regular expressions need it.
    fn escape(&mut self, text: &mut String) -> Result<(), JexlError> {
        let at = self.at;
        let Some(c) = self.peek() else {
            return Ok(());
        };
        self.at += 1;
        match c {
            '\\' | '\'' | '"' => text.push(c),
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'f' => text.push('\u{c}'),
            'u' => {
                let digits: String = self.text.iter().skip(self.at).take(4).collect();
                let code = u32::from_str_radix(&digits, 16)
                    .ok()
                    .filter(|_| digits.len() == 4);
                let found = code.and_then(char::from_u32);
                text.push(found.ok_or_else(|| error(at, "\\u needs four digits of a character"))?);
                self.at += 4;
            }
            other => text.extend(['\\', other]),
        }
        Ok(())
    }
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens
            .get(self.next)
            .map_or(&Token::End, |(_, token)| token)
    }

    fn error(&self, message: impl Into<String>) -> JexlError {
        let here = self.tokens.get(self.next).or(self.tokens.last());
        error(here.map_or(0, |(at, _)| *at), message)
    }

    fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    /// Takes the next token if it is this sign or this word.
    fn accept(&mut self, sign: &str, word: &str) -> bool {
        let found = match self.peek() {
            Token::Sign(found) => *found == sign,
            Token::Word(found) => found == word,
            _ => false,
        };
        self.next += usize::from(found);
        found
    }

    fn or(&mut self) -> Result<Node, JexlError> {
        let mut left = self.and()?;
        while self.accept("||", "or") {
            left = Node::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Node, JexlError> {
        let mut left = self.comparison()?;
        while self.accept("&&", "and") {
            left = Node::And(Box::new(left), Box::new(self.comparison()?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Node, JexlError> {
        let left = Box::new(self.unary()?);
        for (sign, word, negated) in [("==", "eq", false), ("!=", "ne", true)] {
            if self.accept(sign, word) {
                let right = Box::new(self.unary()?);
                return Ok(Node::Equal {
                    left,
                    right,
                    negated,
                });
            }
        }
        let orders = [
            ("<=", "le", Order::LessOrEqual),
            (">=", "ge", Order::GreaterOrEqual),
            ("<", "lt", Order::Less),
            (">", "gt", Order::Greater),
        ];
        for (sign, word, order) in orders {
            if self.accept(sign, word) {
                return Ok(Node::Order(order, left, Box::new(self.unary()?)));
            }
        }
        for (sign, negated) in [("=~", false), ("!~", true)] {
            if self.accept(sign, sign) {
                let pattern = Box::new(self.pattern()?);
                return Ok(Node::Match {
                    left,
                    pattern,
                    negated,
                });
            }
        }
        Ok(*left)
    }

    fn pattern(&mut self) -> Result<Regex, JexlError> {
        let wrong = self.error("a regular expression as a text was expected");
        let at = self.next;
        let Token::Text(text) = self.take() else {
            return Err(wrong);
        };
        // Java's `matches`: the whole text must fit.
        Regex::new(&format!(r"\A(?:{text})\z")).map_err(|fault| {
            self.next = at;
            self.error(format!("no regular expression: {fault}"))
        })
    }

    fn unary(&mut self) -> Result<Node, JexlError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("it is nested too deeply"));
        }
        let node = self.operand();
        self.depth -= 1;
        node
    }

    fn operand(&mut self) -> Result<Node, JexlError> {
        if self.accept("!", "not") {
            return Ok(Node::Not(Box::new(self.unary()?)));
        }
        if self.accept("-", "-") {
            return match self.take() {
                Token::Number(number) => Ok(Node::Number(-number)),
                _ => {
                    self.next -= 1;
                    Err(self.error("a number was expected"))
                }
            };
        }
        if self.accept("(", "(") {
            let inner = self.or()?;
            return self.closed(inner);
        }
        let unexpected = self.error("a field, a value or ( was expected");
        let at = self.next;
        match self.take() {
            Token::Text(text) => Ok(Node::Text(text)),
            Token::Number(number) => Ok(Node::Number(number)),
            Token::Word(word) => self.word(word, at),
            Token::Sign(_) | Token::End => Err(unexpected),
        }
    }

    fn closed(&mut self, node: Node) -> Result<Node, JexlError> {
        if self.accept(")", ")") {
            Ok(node)
        } else {
            Err(self.error(") was expected"))
        }
    }

    fn word(&mut self, word: String, at: usize) -> Result<Node, JexlError> {
        match word.as_str() {
            "true" => Ok(Node::Bool(true)),
            "false" => Ok(Node::Bool(false)),
            "null" => Ok(Node::Null),
            "empty" => Ok(Node::Empty(Box::new(self.unary()?))),
            "size" => Ok(Node::Size(Box::new(self.unary()?))),
            _ if *self.peek() == Token::Sign("(") => {
                self.next = at;
                Err(self.error(format!("the function {word:?} is not supported")))
            }
            _ => Ok(Node::Field(word)),
        }
    }
}
