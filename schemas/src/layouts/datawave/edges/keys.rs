//! The texts of an edge's keys.

use super::EdgeField;
use crate::layouts::datawave::config::edges_xml::EdgeNode;
use std::borrow::Cow;
use std::fmt::Write;

/// An end of an edge.
#[derive(Debug)]
pub(super) struct Vertex<'a> {
    /// As it stands in rows.
    pub(super) row: String,
    /// As it stands in values.
    pub(super) text: Cow<'a, str>,
    /// Name of the field, without the group.
    pub(super) field: &'a str,
    pub(super) node: &'a EdgeNode,
}

impl<'a> Vertex<'a> {
    /// `label` is the realm that the value shows.
    pub(super) fn new(node: &'a EdgeNode, label: Option<&str>, field: &EdgeField<'a>) -> Self {
        let mut row = String::with_capacity(field.indexed.len());
        escape(field.indexed, &mut row);
        if let Some(realm) = &node.realm {
            escape(&format!("<{}>", realm.to_lowercase()), &mut row);
        }
        let text = match (&node.realm, label) {
            (Some(_), Some(label)) => format!("{}<{label}>", field.text).into(),
            _ => field.text.into(),
        };
        Vertex {
            row,
            text,
            field: field.name,
            node,
        }
    }
}

/// Escapes a text as commons-lang 2.6 `escapeJava` does: short forms of control characters, `\"`, `\\`, and `\uXXXX` for every UTF-16 unit
/// beyond ASCII.
pub(super) fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        let short = match c {
            '"' | '\\' => c,
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{c}' => 'f',
            '\r' => 'r',
            ' '..='\u{7f}' => {
                out.push(c);
                continue;
            }
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04X}").expect("a String takes any text");
                }
                continue;
            }
        };
        out.push('\\');
        out.push(short);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_ascii() {
        for (text, expected) in [
            (r#"alice "q" \ e/x'"#, r#"alice \"q\" \\ e/x'"#),
            ("a\u{8}\t\n\u{c}\r\u{1}", r"a\b\t\n\f\r\u0001"),
            ("é\u{7f}😀", "\\u00E9\u{7f}\\uD83D\\uDE00"),
        ] {
            let mut out = String::new();
            escape(text, &mut out);
            assert_eq!(out, expected);
        }
    }
}
