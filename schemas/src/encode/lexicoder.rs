//! Lexicoders by name: from the text of a value to bytes that sort as the values do.
//!
//! A name is what the design of an index says, `long` or `reverse(date)` or `pair(string,long)`; the bytes are those of the class of the
//! same name in `org.apache.accumulo.core.client.lexicoder` and are made in [`super::ordered`]. How text is read is said in
//! [`super::java_text`].

use std::fmt;
use std::str::FromStr;

use super::java_text::{self, BadText};
use super::ordered;

/// How deep names may nest: `reverse(pair(list(long),string))` is 3.
const MAX_DEPTH: usize = 16;

/// The order-preserving encoding of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lexicoder {
    /// A type whose values are one text each.
    Scalar(Scalar),
    /// `ReverseLexicoder`: the same values in descending order.
    Reverse(Box<Lexicoder>),
    /// `PairLexicoder`: exactly two values.
    Pair(Box<(Lexicoder, Lexicoder)>),
    /// `ListLexicoder`: one value or more.
    List(Box<Lexicoder>),
    /// `SequenceLexicoder`: any number of values, also none.
    Sequence(Box<Lexicoder>),
}

/// The types whose values are one text each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// Signed, 64 bits.
    Long,
    /// Unsigned, 64 bits.
    ULong,
    /// Signed, 32 bits.
    Int,
    /// Unsigned, 32 bits.
    UInt,
    /// Binary floating point, 64 bits.
    Double,
    /// Binary floating point, 32 bits.
    Float,
    /// A point in time in milliseconds.
    Date,
    /// A decimal integer of any size.
    BigInteger,
    /// Text as it stands.
    String,
    /// Text as it stands (Hadoop's `Text`).
    Text,
    /// Bytes as they stand.
    Bytes,
    /// A UUID.
    Uuid,
}

/// What a lexicoder is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// The text of a scalar.
    Text(&'a [u8]),
    /// The elements of a pair, list or sequence.
    Items(&'a [Item<'a>]),
}

/// A name that is no lexicoder's, and where it goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {position} of `{name}`: {problem}")]
pub struct NameError {
    /// The whole name.
    pub name: String,
    /// Byte offset in the name.
    pub position: usize,
    /// What is wrong there.
    pub problem: String,
}

impl Scalar {
    /// All scalar types, in the order in which messages list them.
    pub const ALL: [Scalar; 12] = [
        Scalar::Long,
        Scalar::ULong,
        Scalar::Int,
        Scalar::UInt,
        Scalar::Double,
        Scalar::Float,
        Scalar::Date,
        Scalar::BigInteger,
        Scalar::String,
        Scalar::Text,
        Scalar::Bytes,
        Scalar::Uuid,
    ];

    /// The name in configurations.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Long => "long",
            Scalar::ULong => "ulong",
            Scalar::Int => "int",
            Scalar::UInt => "uint",
            Scalar::Double => "double",
            Scalar::Float => "float",
            Scalar::Date => "date",
            Scalar::BigInteger => "biginteger",
            Scalar::String => "string",
            Scalar::Text => "text",
            Scalar::Bytes => "bytes",
            Scalar::Uuid => "uuid",
        }
    }

    /// The type of a name; `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Scalar> {
        Scalar::ALL.into_iter().find(|scalar| scalar.name() == name)
    }

    /// Appends the encoding of a text; nothing is appended on an error.
    ///
    /// # Errors
    /// When the text is no value of the type.
    pub fn encode(self, text: &[u8], out: &mut Vec<u8>) -> Result<(), BadText> {
        match self {
            Scalar::Long => ordered::long(java_text::parse_long(text)?, out),
            Scalar::ULong => ordered::ulong(java_text::parse_ulong(text)?, out),
            Scalar::Int => ordered::int(java_text::parse_int(text)?, out),
            Scalar::UInt => ordered::uint(java_text::parse_uint(text)?, out),
            Scalar::Double => ordered::double(java_text::parse_double(text)?, out),
            Scalar::Float => ordered::float(java_text::parse_float(text)?, out),
            Scalar::Date => ordered::long(java_text::parse_date(text)?, out),
            Scalar::BigInteger => ordered::big_integer(&java_text::parse_big_integer(text)?, out),
            Scalar::String | Scalar::Text | Scalar::Bytes => out.extend_from_slice(text),
            Scalar::Uuid => ordered::uuid(java_text::parse_uuid(text)?, out),
        }
        Ok(())
    }
}

impl Lexicoder {
    /// Appends the encoding of a value; nothing is appended on an error.
    ///
    /// # Errors
    /// When a text is no value of its type, or the value has not the shape of the type (one text, two elements, at least one element).
    pub fn encode(&self, item: Item<'_>, out: &mut Vec<u8>) -> Result<(), BadText> {
        let start = out.len();
        let encoded = self.encode_at(start, item, out);
        if encoded.is_err() {
            out.truncate(start);
        }
        encoded
    }

    fn encode_at(&self, start: usize, item: Item<'_>, out: &mut Vec<u8>) -> Result<(), BadText> {
        match (self, item) {
            (Lexicoder::Scalar(scalar), Item::Text(text)) => scalar.encode(text, out),
            (Lexicoder::Reverse(inner), item) => {
                inner.encode_at(start, item, out)?;
                ordered::reverse_from(out, start);
                Ok(())
            }
            (Lexicoder::Pair(inner), Item::Items([first, second])) => {
                inner.0.encode_element(*first, out)?;
                out.push(0);
                inner.1.encode_element(*second, out)
            }
            (Lexicoder::List(inner), Item::Items([first, rest @ ..])) => {
                inner.encode_element(*first, out)?;
                for item in rest {
                    out.push(0);
                    inner.encode_element(*item, out)?;
                }
                Ok(())
            }
            (Lexicoder::Sequence(inner), Item::Items(items)) => {
                for item in items {
                    inner.encode_element(*item, out)?;
                    out.push(0);
                }
                Ok(())
            }
            (Lexicoder::Scalar(_), _) => {
                Err(BadText::new("bad-shape", "one value", "a list was given"))
            }
            (Lexicoder::Pair(_), _) => {
                Err(BadText::new("bad-shape", "a pair", "two values are needed"))
            }
            (Lexicoder::List(_), _) => Err(BadText::new(
                "bad-shape",
                "a list",
                "at least one value is needed",
            )),
            (Lexicoder::Sequence(_), _) => Err(BadText::new(
                "bad-shape",
                "a sequence",
                "one text was given",
            )),
        }
    }

    fn encode_element(&self, item: Item<'_>, out: &mut Vec<u8>) -> Result<(), BadText> {
        let start = out.len();
        self.encode_at(start, item, out)?;
        ordered::escape_from(out, start);
        Ok(())
    }
}

impl fmt::Display for Lexicoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lexicoder::Scalar(scalar) => f.write_str(scalar.name()),
            Lexicoder::Reverse(inner) => write!(f, "reverse({inner})"),
            Lexicoder::Pair(inner) => write!(f, "pair({},{})", inner.0, inner.1),
            Lexicoder::List(inner) => write!(f, "list({inner})"),
            Lexicoder::Sequence(inner) => write!(f, "sequence({inner})"),
        }
    }
}

impl FromStr for Lexicoder {
    type Err = NameError;

    fn from_str(name: &str) -> Result<Lexicoder, NameError> {
        let mut names = Names { name, at: 0 };
        let lexicoder = names.lexicoder(0)?;
        match names.next_byte() {
            None => Ok(lexicoder),
            Some(_) => Err(names.error("nothing may follow here")),
        }
    }
}

/// A reader of lexicoder names. Spaces may stand between words, commas and parentheses.
struct Names<'a> {
    name: &'a str,
    at: usize,
}

impl Names<'_> {
    fn lexicoder(&mut self, depth: usize) -> Result<Lexicoder, NameError> {
        if depth > MAX_DEPTH {
            return Err(self.error("the types nest too deep"));
        }
        self.skip_spaces();
        let start = self.at;
        let rest = self.name[start..].bytes();
        self.at += rest.take_while(u8::is_ascii_alphanumeric).count();
        let word = &self.name[start..self.at];
        if let Some(scalar) = Scalar::from_name(word) {
            return Ok(Lexicoder::Scalar(scalar));
        }
        if !matches!(word, "reverse" | "pair" | "list" | "sequence") {
            self.at = start;
            let known: Vec<&str> = Scalar::ALL.into_iter().map(Scalar::name).collect();
            return Err(self.error(&format!(
                "a type is needed: {}, reverse(..), pair(..,..), list(..) or sequence(..)",
                known.join(", ")
            )));
        }
        let pair = word == "pair";
        let reverse = word == "reverse";
        let list = word == "list";
        self.expect(b'(')?;
        let first = self.lexicoder(depth + 1)?;
        let lexicoder = if pair {
            self.expect(b',')?;
            Lexicoder::Pair(Box::new((first, self.lexicoder(depth + 1)?)))
        } else if reverse {
            Lexicoder::Reverse(Box::new(first))
        } else if list {
            Lexicoder::List(Box::new(first))
        } else {
            Lexicoder::Sequence(Box::new(first))
        };
        self.expect(b')')?;
        Ok(lexicoder)
    }

    fn expect(&mut self, wanted: u8) -> Result<(), NameError> {
        if self.next_byte() == Some(wanted) {
            self.at += 1;
            return Ok(());
        }
        Err(self.error(&format!("`{}` is needed", char::from(wanted))))
    }

    fn next_byte(&mut self) -> Option<u8> {
        self.skip_spaces();
        self.name.as_bytes().get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        let rest = self.name[self.at..].bytes();
        self.at += rest.take_while(|&byte| byte == b' ').count();
    }

    fn error(&self, problem: &str) -> NameError {
        NameError {
            name: self.name.to_owned(),
            position: self.at,
            problem: problem.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(name: &str, item: Item<'_>) -> String {
        let mut out = Vec::new();
        let lexicoder: Lexicoder = name.parse().unwrap();
        lexicoder.encode(item, &mut out).unwrap();
        out.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn names_round_trip() {
        for name in [
            "long",
            "reverse(date)",
            "pair(string,reverse(long))",
            "sequence(list(uuid))",
        ] {
            assert_eq!(name.parse::<Lexicoder>().unwrap().to_string(), name);
        }
        assert_eq!(
            " pair( string , long ) ".parse::<Lexicoder>(),
            "pair(string,long)".parse()
        );
    }

    #[test]
    fn bad_names_say_where() {
        for (name, position) in [
            ("", 0),
            ("longish", 0),
            ("reverse(dat)", 8),
            ("reverse(date", 12),
            ("pair(long)", 9),
            ("long)", 4),
            ("list(é)", 5),
        ] {
            assert_eq!(
                name.parse::<Lexicoder>().unwrap_err().position,
                position,
                "{name}"
            );
        }
        let deep = "reverse(".repeat(100_000);
        assert!(deep.parse::<Lexicoder>().is_err());
    }

    #[test]
    fn nested_values_are_encoded_inside_out() {
        let a = Item::Text(b"a");
        assert_eq!(
            hex("pair(string,int)", Item::Items(&[a, Item::Text(b"10")])),
            "61000480010101010a"
        );
        assert_eq!(hex("reverse(string)", a), "9eff");
        assert_eq!(
            hex("list(sequence(string))", Item::Items(&[Item::Items(&[a])])),
            "610101"
        );
        assert_eq!(hex("sequence(string)", Item::Items(&[])), "");
    }

    #[test]
    fn a_refused_value_leaves_no_bytes() {
        let mut out = b"kept".to_vec();
        let pair: Lexicoder = "pair(string,long)".parse().unwrap();
        let error = pair
            .encode(Item::Items(&[Item::Text(b"a"), Item::Text(b"x")]), &mut out)
            .unwrap_err();
        assert!(error.to_string().starts_with("not a long: "));
        assert!(pair.encode(Item::Text(b"a"), &mut out).is_err());
        let list: Lexicoder = "list(long)".parse().unwrap();
        assert!(list.encode(Item::Items(&[]), &mut out).is_err());
        assert_eq!(out, b"kept");
    }
}
