//! Evaluates templates on records. Bytes are appended to a buffer that the caller reuses.

use super::bind::{Multi, Split};
use super::functions::Function;
use super::{Fact, Node, Template};
use crate::encode::java_text::BadText;
use crate::encode::long_values::write_decimal;
use crate::encode::ordered;
use crate::record::Record;
use std::borrow::Cow;
use std::ops::Range;

/// What a template is evaluated on.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// The record.
    pub record: &'a Record,
    /// For each column of the binder its index in the record's schema, where the schema has it.
    pub columns: &'a [Option<usize>],
    /// The field of `for_each`: its name in the table.
    pub field: &'a str,
    /// The field of `for_each`: its value.
    pub value: Option<&'a str>,
    /// The item of the rule's multi-valued function.
    pub item: &'a [u8],
    /// The plan's clock, in milliseconds.
    pub now: i64,
}

/// Where text comes from that a function could not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A column of the binder.
    Column(usize),
    /// The field of `for_each`.
    Field,
}

/// Text that a function could not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What was wanted.
    pub bad: BadText,
    /// The text.
    pub text: String,
    /// The first field that the text comes from, if any.
    pub source: Option<Source>,
}

impl Template {
    /// Appends the bytes. Null is `false`, and nothing is appended then.
    ///
    /// # Errors
    /// A function could not take its text; what stands in `out` behind its old end is meaningless then.
    pub fn write(&self, env: &Env<'_>, out: &mut Vec<u8>) -> Result<bool, Fault> {
        self.root.write(env, out)
    }

    /// The fields that its text comes from, in the words of an error.
    #[must_use]
    pub fn source(&self) -> Option<Source> {
        self.root.source()
    }
}

impl Multi {
    /// Replaces `text` by the text to be split and `items` by where its distinct items stand in it, sorted by their bytes.
    ///
    /// # Errors
    /// As [`Template::write`].
    pub fn split(
        &self,
        env: &Env<'_>,
        text: &mut Vec<u8>,
        items: &mut Vec<Range<usize>>,
    ) -> Result<(), Fault> {
        text.clear();
        items.clear();
        if !self.argument.write(env, text)? {
            return Ok(());
        }
        match &self.split {
            Split::Tokens => {
                text.make_ascii_lowercase();
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let mut start = 0;
                for part in text.split(|byte| !is_word(byte)) {
                    items.push(start..start + part.len());
                    start += part.len() + 1;
                }
            }
            Split::At(separator) => {
                let mut start = 0;
                while let Some(found) = find(&text[start..], separator) {
                    items.push(start..start + found);
                    start += found + separator.len();
                }
                items.push(start..text.len());
            }
        }
        items.retain(|item| !item.is_empty());
        items.sort_unstable_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
        items.dedup_by(|a, b| text[a.clone()] == text[b.clone()]);
        Ok(())
    }
}

fn find(text: &[u8], separator: &[u8]) -> Option<usize> {
    text.windows(separator.len())
        .position(|window| window == separator)
}

impl Node {
    fn write(&self, env: &Env<'_>, out: &mut Vec<u8>) -> Result<bool, Fault> {
        match self {
            Node::Fact(Fact::Now) => write_decimal(env.now, out),
            Node::Fact(Fact::Timestamp) => match env.record.timestamp() {
                Some(millis) => write_decimal(millis, out),
                None => return Ok(false),
            },
            Node::Fact(Fact::Record) => {
                let record = env.record.position().record;
                write_decimal(i64::try_from(record).unwrap_or(i64::MAX), out);
            }
            Node::Concat(parts) => return write_all(parts, env, out),
            Node::Apply(function, arguments) => return write_call(function, arguments, env, out),
            leaf => match leaf.borrowed(env) {
                Some(bytes) => out.extend_from_slice(bytes),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// The bytes of a leaf that stand somewhere already.
    fn borrowed<'a>(&'a self, env: &Env<'a>) -> Option<&'a [u8]> {
        let text = match self {
            Node::Literal(bytes) => return Some(bytes),
            Node::Item => return Some(env.item),
            Node::Column(column) => env
                .columns
                .get(*column)
                .copied()
                .flatten()
                .and_then(|column| env.record.column(column))
                .and_then(|field| field.value),
            Node::LoopName => Some(env.field),
            Node::LoopValue => env.value,
            Node::Fact(Fact::Visibility) => env.record.visibility(),
            Node::Fact(Fact::File) => Some(env.record.origin().file_name.as_str()),
            Node::Fact(Fact::Type) => Some(env.record.origin().data_type.as_str()),
            Node::Fact(_) | Node::Concat(_) | Node::Apply(..) => None,
        };
        text.map(str::as_bytes)
    }

    /// The bytes of any node: borrowed where that is possible.
    fn bytes<'a>(&'a self, env: &Env<'a>) -> Result<Option<Cow<'a, [u8]>>, Fault> {
        if let Some(bytes) = self.borrowed(env) {
            return Ok(Some(Cow::Borrowed(bytes)));
        }
        let mut bytes = Vec::new();
        Ok(self.write(env, &mut bytes)?.then_some(Cow::Owned(bytes)))
    }

    fn source(&self) -> Option<Source> {
        match self {
            Node::Column(column) => Some(Source::Column(*column)),
            Node::LoopName | Node::LoopValue | Node::Item => Some(Source::Field),
            Node::Concat(parts) | Node::Apply(_, parts) => parts.iter().find_map(Node::source),
            Node::Literal(_) | Node::Fact(_) => None,
        }
    }
}

fn write_all(parts: &[Node], env: &Env<'_>, out: &mut Vec<u8>) -> Result<bool, Fault> {
    let start = out.len();
    for part in parts {
        if !part.write(env, out)? {
            out.truncate(start);
            return Ok(false);
        }
    }
    Ok(true)
}

fn write_call(
    function: &Function,
    arguments: &[Node],
    env: &Env<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, Fault> {
    let start = out.len();
    match (function, arguments) {
        (Function::Reverse, [argument]) => {
            if !argument.write(env, out)? {
                return Ok(false);
            }
            ordered::reverse_from(out, start);
        }
        (Function::Pair | Function::List | Function::Sequence, elements) => {
            return write_elements(*function == Function::Sequence, elements, env, out);
        }
        (Function::NonEmpty, [argument]) => {
            return Ok(argument.write(env, out)? && out.len() > start);
        }
        (Function::Default, [argument, default]) => {
            return Ok(argument.write(env, out)? || default.write(env, out)?);
        }
        (Function::Equals, [argument, other]) => {
            if !argument.write(env, out)? {
                return Ok(false);
            }
            if other.bytes(env)?.as_deref() != Some(&out[start..]) {
                out.truncate(start);
                return Ok(false);
            }
        }
        (_, [argument]) => {
            let Some(text) = argument.bytes(env)? else {
                return Ok(false);
            };
            function.apply(&text, out).map_err(|bad| Fault {
                bad,
                text: String::from_utf8_lossy(&text).into_owned(),
                source: argument.source(),
            })?;
        }
        // The binder gives every function as many arguments as it takes.
        _ => return Ok(false),
    }
    Ok(true)
}

/// Pairs and lists: elements escaped, a zero byte between them; behind each of them in a sequence.
fn write_elements(
    ends: bool,
    elements: &[Node],
    env: &Env<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, Fault> {
    let start = out.len();
    for (index, element) in elements.iter().enumerate() {
        if index > 0 && !ends {
            out.push(0);
        }
        let element_start = out.len();
        if !element.write(env, out)? {
            out.truncate(start);
            return Ok(false);
        }
        ordered::escape_from(out, element_start);
        if ends {
            out.push(0);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::super::Binder;
    use super::*;
    use crate::record::Schema;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn record() -> Record {
        let names = ["id", "n", "empty", "none", "tags"]
            .map(str::to_owned)
            .to_vec();
        let mut record = Record::new(Arc::default(), Arc::new(Schema { names }));
        for (column, value) in [Some("Ab"), Some("10"), Some(""), None, Some("b;;a;b")]
            .into_iter()
            .enumerate()
        {
            record.push(column, value);
        }
        record.set_timestamp(1_293_804_584_509);
        record
    }

    fn evaluate(template: &str) -> Result<Option<Vec<u8>>, Fault> {
        let record = record();
        let mut binder = Binder::default();
        let template = binder.bind(template).unwrap();
        let columns: Vec<Option<usize>> = binder
            .columns
            .iter()
            .map(|name| record.schema().names.iter().position(|it| it == name))
            .collect();
        let env = Env {
            record: &record,
            columns: &columns,
            field: "",
            value: None,
            item: b"",
            now: 7,
        };
        let mut out = b"kept".to_vec();
        let present = template.write(&env, &mut out)?;
        assert_eq!(&out[..4], b"kept");
        assert!(present || out.len() == 4, "null leaves nothing behind");
        Ok(present.then(|| out.split_off(4)))
    }

    #[test]
    fn templates_give_bytes_or_null() {
        for (template, expected) in [
            ("id|'_'|n", Some(&b"Ab_10"[..])),
            ("id|none", None),
            ("absent", None),
            ("empty", Some(b"")),
            ("nonempty(empty)", None),
            ("default(none,'x')", Some(b"x")),
            ("equals(n,'10')", Some(b"10")),
            ("equals(id,n)", None),
            ("pair(id,int(n))", Some(b"Ab\0\x04\x80\x01\x01\x01\x01\x0a")),
            ("sequence(id,empty)", Some(b"Ab\0\0")),
            ("list(id,empty)", Some(b"Ab\0")),
            ("pair(id,none)", None),
            ("reverse(id)", Some(b"\xbe\x9d\xff")),
            ("reverse(none)", None),
            ("lower(id|upper(id))", Some(b"abab")),
            ("varlen(n)", Some(b"\x0a")),
            ("decimal('+5')", Some(b"5")),
            ("format_date(@timestamp,'yyyyMM')", Some(b"201012")),
            ("@now|@record|@type", Some(b"70")),
            ("@visibility", None),
            ("hex(long(n))", Some(b"08800000000000000a")),
        ] {
            assert_eq!(
                evaluate(template).unwrap().as_deref(),
                expected,
                "{template}"
            );
        }
    }

    #[test]
    fn faults_carry_text_and_field() {
        let fault = evaluate("n|reverse(long(lower(id)))").unwrap_err();
        assert_eq!((fault.bad.code, fault.text.as_str()), ("bad-long", "ab"));
        assert_eq!(fault.source, Some(Source::Column(1)));
    }

    #[test]
    fn items_are_distinct_and_not_empty() {
        let record = record();
        let mut binder = Binder::default();
        binder.bind("each(tags,';')").unwrap();
        let env = Env {
            record: &record,
            columns: &[Some(4)],
            field: "",
            value: None,
            item: b"",
            now: 0,
        };
        let (mut text, mut items) = (Vec::new(), Vec::new());
        let mut split = |multi: &Multi| {
            multi.split(&env, &mut text, &mut items).unwrap();
            items
                .iter()
                .map(|item| String::from_utf8(text[item.clone()].to_vec()).unwrap())
                .collect::<Vec<_>>()
        };
        assert_eq!(split(&binder.multi.take().unwrap()), ["a", "b"]);
        binder.bind("tokens('The big-BIG é_x; the')").unwrap();
        assert_eq!(split(&binder.multi.take().unwrap()), ["_x", "big", "the"]);
    }

    proptest! {
        #[test]
        fn any_template_that_binds_evaluates(pieces in proptest::collection::vec(
            proptest::sample::select(vec!["id", "n", "none", "empty", "tags", "'x'", "'\\xff'", "|", "(", ")", ",", "long(n)",
                "reverse(", "pair(", "list(", "lower(", "hex(", "hash(", "7", "default(", "equals(", "double(", "uuid(", "@now"]), 1..9)) {
            let template = pieces.concat();
            if Binder::default().bind(&template).is_ok() {
                // Values may be refused; nothing else may go wrong.
                let _ = evaluate(&template);
            }
        }
    }
}
