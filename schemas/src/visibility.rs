//! Accumulo column visibility expressions: is one valid, which terms does it name, and what is its normal form?
//!
//! The grammar is that of `org.apache.accumulo.core.security.ColumnVisibility`:
//!
//! ```text
//! expression := ""  |  and  |  or  |  operand            (empty means public)
//! and        := operand ("&" operand)+                   (the two operators never mix at one level)
//! or         := operand ("|" operand)+
//! operand    := term  |  quoted  |  "(" (and | or | operand) ")"
//! term       := [A-Za-z0-9_\-:./]+
//! quoted     := '"' (any byte but '"' and '\'  |  '\"'  |  '\\')+ '"'
//! ```
//!
//! Accumulo stores the bytes as they stand: two spellings of one expression are two different keys. Servers do not check bulk-loaded
//! visibilities, and a malformed one makes every scan of its cell fail, so it has to be refused before it is written.

use std::cmp::Ordering;

/// How deep parentheses may nest. Far beyond any real expression, and small enough for every recursion here to fit a thread's stack.
pub const MAX_DEPTH: usize = 128;

/// Why bytes are no visibility expression, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem} at byte {position}")]
pub struct VisibilityError {
    /// Offset of the offending byte in the expression; its length when something is missing at the end.
    pub position: usize,
    /// What is wrong there.
    pub problem: VisibilityProblem,
}

/// The ways in which an expression can be malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VisibilityProblem {
    /// An operator, a parenthesis or the end stands where a term is needed.
    #[error("a term is missing")]
    MissingTerm,
    /// Two terms or groups follow each other without an operator.
    #[error("`&` or `|` is missing")]
    MissingOperator,
    /// `A&B|C`: which of them binds tighter must be said by parentheses.
    #[error("`&` and `|` are mixed without parentheses")]
    MixedOperators,
    /// A byte that no unquoted term may hold.
    #[error("byte 0x{0:02x} needs a quoted term")]
    BadByte(u8),
    /// `""`: a quoted term needs at least one character.
    #[error("a quoted term is empty")]
    EmptyQuotes,
    /// The closing quotation mark is missing.
    #[error("a quotation mark is not closed")]
    OpenQuote,
    /// In quotes, a backslash may stand only before `"` and `\`.
    #[error("a backslash escapes neither `\"` nor `\\`")]
    BadEscape,
    /// A parenthesis that opens and never closes.
    #[error("a parenthesis is not closed")]
    OpenParenthesis,
    /// A parenthesis that closes what was never opened.
    #[error("a parenthesis closes nothing")]
    StrayParenthesis,
    /// More than [`MAX_DEPTH`] parentheses inside each other.
    #[error("parentheses nest deeper than {MAX_DEPTH}")]
    TooDeep,
}

/// Checks an expression. Empty is valid: it means that everybody may see the cell.
///
/// # Errors
/// The first byte at which the expression stops being one.
pub fn validate(expression: &[u8]) -> Result<(), VisibilityError> {
    // The usual expression is one bare term; it needs no tree.
    if expression.iter().all(|&byte| is_term_byte(byte)) {
        return Ok(());
    }
    Parser::parse(expression).map(|_| ())
}

/// The terms of an expression as authorizations name them (unquoted, unescaped), each once, in the order of first appearance.
///
/// # Errors
/// As [`validate`].
pub fn terms(expression: &[u8]) -> Result<Vec<Vec<u8>>, VisibilityError> {
    let mut found = Vec::new();
    if !expression.is_empty() {
        Parser::parse(expression)?.collect_terms(&mut found);
    }
    Ok(found)
}

/// The normal form that `ColumnVisibility.flatten()` of Accumulo 1.x to 3.x gives, byte for byte.
///
/// Nested groups of the same operator are merged, children sorted (terms before `|` groups before `&` groups; terms by their bytes,
/// quotation marks included; groups by number of children, then child by child), duplicates dropped, an only child of the whole
/// expression promoted, and parentheses stand only around groups.
///
/// Like Accumulo, a group that shrinks to one child *inside* a group of the other operator keeps its parentheses and its place among
/// the groups: `(A&A)|B` becomes `B|(A)`. Keys made by us and by a Java client are equal only if we do the same.
///
/// # Errors
/// As [`validate`].
pub fn flatten(expression: &[u8]) -> Result<Vec<u8>, VisibilityError> {
    if expression.iter().all(|&byte| is_term_byte(byte)) {
        return Ok(expression.to_vec());
    }
    let mut root = Parser::parse(expression)?;
    root.normalize();
    let mut out = Vec::with_capacity(expression.len());
    root.promote().write(&mut out);
    Ok(out)
}

/// Bytes that a term may hold without quotation marks (`Authorizations.isValidAuthChar`).
fn is_term_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':' | b'.' | b'/')
}

/// Declared in the order in which Accumulo sorts groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Operator {
    Or,
    And,
}

impl Operator {
    fn byte(self) -> u8 {
        match self {
            Operator::Or => b'|',
            Operator::And => b'&',
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Node<'a> {
    /// The term as it stands, quotation marks and escapes included.
    Term(&'a [u8]),
    Group(Operator, Vec<Node<'a>>),
}

impl Ord for Node<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Node::Term(a), Node::Term(b)) => a.cmp(b),
            (Node::Term(_), Node::Group(..)) => Ordering::Less,
            (Node::Group(..), Node::Term(_)) => Ordering::Greater,
            (Node::Group(op_a, a), Node::Group(op_b, b)) => op_a
                .cmp(op_b)
                .then_with(|| a.len().cmp(&b.len()))
                .then_with(|| a.cmp(b)),
        }
    }
}

impl PartialOrd for Node<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> Node<'a> {
    fn normalize(&mut self) {
        let Node::Group(operator, children) = self else {
            return;
        };
        let mut merged = Vec::with_capacity(children.len());
        for mut child in children.drain(..) {
            child.normalize();
            // What a child has become decides whether it merges: `A|((B|C)&(C|B))` is `A|B|C`.
            if matches!(child.promoted(), Node::Group(inner, _) if inner == operator) {
                if let Node::Group(_, inner) = child.promote() {
                    merged.extend(inner);
                }
            } else {
                merged.push(child);
            }
        }
        merged.sort_unstable();
        merged.dedup();
        *children = merged;
    }

    /// The node itself, or its child if that is its only one.
    fn promote(self) -> Node<'a> {
        match self {
            Node::Group(operator, mut children) => match (children.pop(), children.is_empty()) {
                (Some(child), true) => child,
                (last, _) => {
                    children.extend(last);
                    Node::Group(operator, children)
                }
            },
            Node::Term(_) => self,
        }
    }

    /// What [`Node::promote`] would give.
    fn promoted(&self) -> &Node<'a> {
        match self {
            Node::Group(_, children) => match children.as_slice() {
                [child] => child,
                _ => self,
            },
            Node::Term(_) => self,
        }
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Node::Term(term) => out.extend_from_slice(term),
            Node::Group(operator, children) => {
                for (index, child) in children.iter().enumerate() {
                    if index > 0 {
                        out.push(operator.byte());
                    }
                    let parentheses = matches!(child, Node::Group(inner, _) if inner != operator);
                    if parentheses {
                        out.push(b'(');
                    }
                    child.write(out);
                    if parentheses {
                        out.push(b')');
                    }
                }
            }
        }
    }

    fn collect_terms(&self, found: &mut Vec<Vec<u8>>) {
        match self {
            Node::Term(term) => {
                let plain = unquote(term);
                if !found.contains(&plain) {
                    found.push(plain);
                }
            }
            Node::Group(_, children) => {
                for child in children {
                    child.collect_terms(found);
                }
            }
        }
    }
}

/// The authorization that a (valid) term stands for.
fn unquote(term: &[u8]) -> Vec<u8> {
    let Some(inner) = term
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""))
    else {
        return term.to_vec();
    };
    let mut plain = Vec::with_capacity(inner.len());
    let mut escaped = false;
    for &byte in inner {
        escaped = byte == b'\\' && !escaped;
        if !escaped {
            plain.push(byte);
        }
    }
    plain
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    /// Parses a whole, non-empty expression.
    fn parse(bytes: &'a [u8]) -> Result<Node<'a>, VisibilityError> {
        let mut parser = Parser {
            bytes,
            at: 0,
            depth: 0,
        };
        let node = parser.group()?;
        match parser.peek() {
            None => Ok(node),
            Some(_) => Err(parser.error(VisibilityProblem::StrayParenthesis)),
        }
    }

    /// Operands joined by one operator, up to the end or a closing parenthesis (which is left for the caller).
    fn group(&mut self) -> Result<Node<'a>, VisibilityError> {
        let first = self.operand()?;
        let Some(operator) = self.operator()? else {
            return Ok(first);
        };
        let mut children = vec![first];
        loop {
            self.at += 1;
            children.push(self.operand()?);
            match self.operator()? {
                None => return Ok(Node::Group(operator, children)),
                Some(next) if next == operator => {}
                Some(_) => return Err(self.error(VisibilityProblem::MixedOperators)),
            }
        }
    }

    /// Which operator comes next; none before the end and before a closing parenthesis.
    fn operator(&self) -> Result<Option<Operator>, VisibilityError> {
        match self.peek() {
            None | Some(b')') => Ok(None),
            Some(b'&') => Ok(Some(Operator::And)),
            Some(b'|') => Ok(Some(Operator::Or)),
            Some(byte) if is_term_byte(byte) || matches!(byte, b'(' | b'"') => {
                Err(self.error(VisibilityProblem::MissingOperator))
            }
            Some(byte) => Err(self.error(VisibilityProblem::BadByte(byte))),
        }
    }

    fn operand(&mut self) -> Result<Node<'a>, VisibilityError> {
        match self.peek() {
            Some(b'(') => self.parenthesized(),
            Some(b'"') => self.quoted(),
            Some(byte) if is_term_byte(byte) => {
                let start = self.at;
                while self.peek().is_some_and(is_term_byte) {
                    self.at += 1;
                }
                Ok(Node::Term(&self.bytes[start..self.at]))
            }
            None | Some(b'&' | b'|' | b')') => Err(self.error(VisibilityProblem::MissingTerm)),
            Some(byte) => Err(self.error(VisibilityProblem::BadByte(byte))),
        }
    }

    fn parenthesized(&mut self) -> Result<Node<'a>, VisibilityError> {
        let open = self.at;
        if self.depth == MAX_DEPTH {
            return Err(self.error(VisibilityProblem::TooDeep));
        }
        self.depth += 1;
        self.at += 1;
        let inner = self.group()?;
        if self.peek().is_none() {
            self.at = open;
            return Err(self.error(VisibilityProblem::OpenParenthesis));
        }
        self.at += 1;
        self.depth -= 1;
        Ok(inner)
    }

    fn quoted(&mut self) -> Result<Node<'a>, VisibilityError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None => {
                    self.at = start;
                    return Err(self.error(VisibilityProblem::OpenQuote));
                }
                Some(b'"') if self.at == start + 1 => {
                    return Err(self.error(VisibilityProblem::EmptyQuotes));
                }
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Node::Term(&self.bytes[start..self.at]));
                }
                Some(b'\\') => {
                    if !matches!(self.bytes.get(self.at + 1), Some(b'"' | b'\\')) {
                        return Err(self.error(VisibilityProblem::BadEscape));
                    }
                    self.at += 2;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn error(&self, problem: VisibilityProblem) -> VisibilityError {
        VisibilityError {
            position: self.at,
            problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flat(expression: &str) -> String {
        String::from_utf8(flatten(expression.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn flatten_gives_accumulos_normal_form() {
        for (expression, expected) in [
            ("", ""),
            ("PUBLIC", "PUBLIC"),
            ("(PUBLIC)", "PUBLIC"),
            ("((A))", "A"),
            ("B&A", "A&B"),
            ("A|A", "A"),
            ("PRIVATE|(BAR&FOO)", "PRIVATE|(BAR&FOO)"),
            ("(BAR&FOO)|PRIVATE", "PRIVATE|(BAR&FOO)"),
            ("A&(B&(C&A))", "A&B&C"),
            ("(C|B)&(B|C)", "B|C"),
            ("A|((B|C)&(C|B))", "A|B|C"),
            ("(A&B&C)|(X&Y)", "(X&Y)|(A&B&C)"),
            ("(A&C)|(A&B)", "(A&B)|(A&C)"),
            ("a|B|\"c d\"", "\"c d\"|B|a"),
            ("(A&A)|B", "B|(A)"),
            ("((A|A)&(A|A))|B", "A|B"),
        ] {
            assert_eq!(flat(expression), expected, "{expression}");
        }
    }

    #[test]
    fn errors_name_the_byte() {
        use VisibilityProblem::*;
        for (expression, position, problem) in [
            ("A&", 2, MissingTerm),
            ("&A", 0, MissingTerm),
            ("()", 1, MissingTerm),
            ("A&|B", 2, MissingTerm),
            ("A|B&C", 3, MixedOperators),
            ("A(B)", 1, MissingOperator),
            ("(A)B", 3, MissingOperator),
            ("\"A\"\"B\"", 3, MissingOperator),
            ("A=B", 1, BadByte(b'=')),
            ("dog|!cat", 4, BadByte(b'!')),
            ("A & B", 1, BadByte(b' ')),
            ("A&(B|C", 2, OpenParenthesis),
            ("A)", 1, StrayParenthesis),
            ("\"A", 0, OpenQuote),
            ("A&\"\"", 3, EmptyQuotes),
            ("\"a\\n\"", 2, BadEscape),
            ("\"a\\", 2, BadEscape),
        ] {
            let expected = VisibilityError { position, problem };
            assert_eq!(
                validate(expression.as_bytes()),
                Err(expected),
                "{expression}"
            );
        }
        assert_eq!(
            validate(b"A|B&C").unwrap_err().to_string(),
            "`&` and `|` are mixed without parentheses at byte 3"
        );
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_overflow() {
        let nested = |depth: usize| [vec![b'('; depth], vec![b'A'], vec![b')'; depth]].concat();
        assert_eq!(flatten(&nested(MAX_DEPTH)).unwrap(), b"A");
        for depth in [MAX_DEPTH + 1, 1_000_000] {
            let error = flatten(&nested(depth)).unwrap_err();
            assert_eq!(error.problem, VisibilityProblem::TooDeep);
            assert_eq!(error.position, MAX_DEPTH);
        }
    }

    #[test]
    fn terms_are_unquoted_and_distinct() {
        let expected: [&[u8]; 3] = [b"B", b"a \"\\ b", b"A"];
        assert_eq!(
            terms(br#"B&("a \"\\ b"|A|B)"#).unwrap(),
            expected.map(<[u8]>::to_vec)
        );
        assert!(terms(b"").unwrap().is_empty());
    }

    proptest! {
        #[test]
        fn any_bytes_are_judged_without_panic(bytes in proptest::collection::vec(
            proptest::sample::select(b"AB&|()\"\\ ".to_vec()), 0..24)) {
            let valid = validate(&bytes);
            prop_assert_eq!(valid.is_ok(), terms(&bytes).is_ok());
            match flatten(&bytes) {
                Ok(flat) => {
                    prop_assert!(valid.is_ok() && validate(&flat).is_ok());
                    let (mut before, mut after) = (terms(&bytes).unwrap(), terms(&flat).unwrap());
                    before.sort();
                    after.sort();
                    prop_assert_eq!(before, after);
                }
                Err(error) => prop_assert!(error.position <= bytes.len()),
            }
        }
    }
}
