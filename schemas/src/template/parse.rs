//! Reads the text of a template into a tree; what its names mean is decided in [`super::bind`].

use super::TemplateError;

/// How deep functions may nest; deeper is a mistake, and recursion stays bounded.
const MAX_DEPTH: usize = 32;

/// A part of a template and where it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ast {
    pub(super) at: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A field; `quoted` when it stood in backticks.
    Name {
        name: String,
        quoted: bool,
    },
    Literal(Vec<u8>),
    Number(u64),
    Fact(String),
    Concat(Vec<Ast>),
    Call {
        function: String,
        arguments: Vec<Ast>,
    },
}

/// Reads a whole template. An empty one is empty text.
pub(super) fn parse(template: &str) -> Result<Ast, TemplateError> {
    let mut parser = Parser { template, at: 0 };
    if parser.peek().is_none() {
        return Ok(Ast {
            at: 0,
            kind: Kind::Literal(Vec::new()),
        });
    }
    let ast = parser.concatenation(0)?;
    match parser.peek() {
        None => Ok(ast),
        Some(other) => Err(parser.error(format!("`|` or the end is needed, not `{other}`"))),
    }
}

/// An error at a byte offset of the template.
pub(super) fn error_at(template: &str, at: usize, problem: impl Into<String>) -> TemplateError {
    let before = template.get(..at).unwrap_or(template);
    TemplateError {
        template: template.to_owned(),
        position: before.chars().count() + 1,
        problem: problem.into(),
    }
}

struct Parser<'a> {
    template: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn concatenation(&mut self, depth: usize) -> Result<Ast, TemplateError> {
        if depth > MAX_DEPTH {
            return Err(self.error("functions nest too deep"));
        }
        let mut parts = vec![self.operand(depth)?];
        while self.peek() == Some('|') {
            self.at += 1;
            parts.push(self.operand(depth)?);
        }
        let at = parts.first().map_or(self.at, |part| part.at);
        Ok(match <[Ast; 1]>::try_from(parts) {
            Ok([single]) => single,
            Err(parts) => Ast {
                at,
                kind: Kind::Concat(parts),
            },
        })
    }

    fn operand(&mut self, depth: usize) -> Result<Ast, TemplateError> {
        let next = self.peek();
        let at = self.at;
        let kind = match next {
            Some('\'') => Kind::Literal(self.literal()?),
            Some('`') => Kind::Name {
                name: self.quoted_name()?,
                quoted: true,
            },
            Some('@') => {
                self.at += 1;
                Kind::Fact(self.word())
            }
            Some(first) if first.is_ascii_digit() => Kind::Number(self.number()?),
            Some(first) if first.is_alphabetic() || first == '_' => {
                let name = self.word();
                if self.peek() == Some('(') {
                    let arguments = self.arguments(depth)?;
                    Kind::Call {
                        function: name,
                        arguments,
                    }
                } else {
                    Kind::Name {
                        name,
                        quoted: false,
                    }
                }
            }
            Some(other) => {
                return Err(self.error(format!(
                    "a field, a 'text' or a function is needed, not `{other}`"
                )));
            }
            None => return Err(self.error("a field, a 'text' or a function is missing")),
        };
        Ok(Ast { at, kind })
    }

    fn arguments(&mut self, depth: usize) -> Result<Vec<Ast>, TemplateError> {
        let open = self.at;
        self.at += 1;
        let mut arguments = Vec::new();
        if self.peek() == Some(')') {
            self.at += 1;
            return Ok(arguments);
        }
        loop {
            arguments.push(self.concatenation(depth + 1)?);
            match self.peek() {
                Some(',') => self.at += 1,
                Some(')') => {
                    self.at += 1;
                    return Ok(arguments);
                }
                Some(other) => {
                    return Err(self.error(format!("`,`, `|` or `)` is needed, not `{other}`")));
                }
                None => {
                    self.at = open;
                    return Err(self.error("this parenthesis is not closed"));
                }
            }
        }
    }

    fn word(&mut self) -> String {
        let rest = &self.template[self.at..];
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
            .unwrap_or(rest.len());
        self.at += end;
        rest[..end].to_owned()
    }

    fn number(&mut self) -> Result<u64, TemplateError> {
        let start = self.at;
        let word = self.word();
        word.parse().map_err(|_| {
            error_at(
                self.template,
                start,
                format!("`{word}` is no number; a field whose name starts with a digit stands in backticks"),
            )
        })
    }

    fn quoted_name(&mut self) -> Result<String, TemplateError> {
        let start = self.at;
        self.at += 1;
        let mut name = String::new();
        loop {
            match self.take() {
                Some('`') if self.template[self.at..].starts_with('`') => {
                    self.at += 1;
                    name.push('`');
                }
                Some('`') => return Ok(name),
                Some(other) => name.push(other),
                None => {
                    return Err(error_at(
                        self.template,
                        start,
                        "this backtick is not closed",
                    ));
                }
            }
        }
    }

    fn literal(&mut self) -> Result<Vec<u8>, TemplateError> {
        let start = self.at;
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.take() {
                Some('\'') => return Ok(bytes),
                Some('\\') => bytes.push(self.escaped()?),
                Some(other) => {
                    let mut buffer = [0; 4];
                    bytes.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes());
                }
                None => {
                    return Err(error_at(self.template, start, "this quote is not closed"));
                }
            }
        }
    }

    fn escaped(&mut self) -> Result<u8, TemplateError> {
        let start = self.at - 1;
        let byte = match self.take() {
            Some('\\') => Some(b'\\'),
            Some('\'') => Some(b'\''),
            Some('0') => Some(0),
            Some('t') => Some(b'\t'),
            Some('n') => Some(b'\n'),
            Some('x') => {
                let digits = self.template.get(self.at..self.at + 2);
                self.at += digits.map_or(0, str::len);
                digits
                    .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
                    .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            }
            _ => None,
        };
        byte.ok_or_else(|| {
            error_at(
                self.template,
                start,
                "no such escape; \\\\ \\' \\0 \\t \\n and \\xNN are known",
            )
        })
    }

    fn take(&mut self) -> Option<char> {
        let next = self.template[self.at..].chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// The next character that is no space.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.template[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed.chars().next()
    }

    fn error(&self, problem: impl Into<String>) -> TemplateError {
        error_at(self.template, self.at, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn errors_name_the_character() {
        for (template, position) in [
            ("a b", 3),
            ("a |", 4),
            ("| a", 1),
            ("é | lower(a", 10),
            ("lower(a;", 8),
            ("'abc", 1),
            ("a|`b", 3),
            ("'a\\q'", 3),
            ("'\\x4'", 2),
            ("'\\xé'", 2),
            ("1st", 1),
            ("a,b", 2),
            ("$a", 1),
        ] {
            assert_eq!(
                parse(template).unwrap_err().position,
                position,
                "{template}"
            );
        }
        assert!(parse(&"lower(".repeat(100_000)).is_err());
    }

    #[test]
    fn literals_and_quoted_names_hold_anything() {
        assert_eq!(
            parse("'it\\'s\\0\\xff\\\\'").unwrap().kind,
            Kind::Literal(b"it's\0\xff\\".to_vec())
        );
        let name = "odd `name`";
        assert_eq!(
            parse(&super::super::column_reference(name)).unwrap().kind,
            Kind::Name {
                name: name.to_owned(),
                quoted: true
            }
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(template in "[a|(),'`\\\\x0@é -]{0,16}") {
            let _ = parse(&template);
        }
    }
}
