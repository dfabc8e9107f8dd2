//! A small tree of XML elements with their places, for files of configuration size.

use super::problem::{ConfigProblem, NamedBytes, Origin, ProblemKind};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::reader::Reader;

/// Deeper files are refused: the tree is walked by recursion.
const MAX_DEPTH: usize = 64;

/// An element.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// Name without its namespace prefix.
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    /// Text directly inside, without comments.
    pub(super) text: String,
    pub(super) origin: Origin,
}

impl Element {
    /// The value of an attribute, by its local name.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn child(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    /// A problem of this element.
    pub(super) fn malformed(&self, message: impl Into<String>) -> ConfigProblem {
        ConfigProblem::new(ProblemKind::Malformed, self.origin.clone(), message)
    }
}

/// Reads a document into its root element.
pub(super) fn parse(file: &NamedBytes) -> Result<Element, ConfigProblem> {
    let bytes = file
        .bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(&file.bytes);
    let source = Source::new(&file.name, bytes);
    let text = std::str::from_utf8(bytes)
        .map_err(|error| source.problem(error.valid_up_to(), "not UTF-8"))?;
    Tree {
        source,
        open: Vec::new(),
        root: None,
    }
    .read(text)
}

struct Source<'a> {
    name: &'a str,
    bytes: &'a [u8],
    /// Where each line begins.
    lines: Vec<usize>,
}

impl<'a> Source<'a> {
    fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let lines = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        Source {
            name,
            bytes,
            lines: lines.collect(),
        }
    }

    fn origin(&self, offset: usize) -> Origin {
        let offset = offset.min(self.bytes.len());
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self
            .lines
            .get(line.saturating_sub(1))
            .copied()
            .unwrap_or_default();
        let in_line = self.bytes.get(start..offset).unwrap_or_default();
        Origin {
            file: self.name.to_owned(),
            line,
            column: 1 + String::from_utf8_lossy(in_line).chars().count(),
        }
    }

    fn problem(&self, offset: usize, message: impl Into<String>) -> ConfigProblem {
        ConfigProblem::new(ProblemKind::Malformed, self.origin(offset), message)
    }
}

/// The elements that are open while a document is read.
struct Tree<'a> {
    source: Source<'a>,
    open: Vec<Element>,
    root: Option<Element>,
}

fn offset(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

impl Tree<'_> {
    fn read(mut self, text: &str) -> Result<Element, ConfigProblem> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().check_comments = true;
        loop {
            let at = offset(reader.buffer_position());
            let event = reader.read_event().map_err(|error| {
                let at = offset(reader.error_position());
                self.source
                    .problem(at, format!("no well-formed XML: {error}"))
            })?;
            match event {
                Event::Start(start) => self.start(&start, at)?,
                Event::Empty(start) => {
                    self.start(&start, at)?;
                    self.end();
                }
                Event::End(_) => self.end(),
                Event::Text(text) => self.text(&text.xml10_content(), at)?,
                Event::CData(text) => self.text(&text.xml10_content(), at)?,
                Event::GeneralRef(reference) => self.reference(&reference, at)?,
                Event::Eof => break,
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
        let end = self.source.bytes.len();
        if let Some(open) = self.open.last() {
            let message = format!("no well-formed XML: <{}> is not closed", open.name);
            return Err(ConfigProblem::new(
                ProblemKind::Malformed,
                open.origin.clone(),
                message,
            ));
        }
        self.root.take().ok_or_else(|| {
            self.source
                .problem(end, "no XML: there is no element in it")
        })
    }

    fn start(&mut self, start: &BytesStart<'_>, at: usize) -> Result<(), ConfigProblem> {
        if self.open.is_empty() && self.root.is_some() {
            return Err(self
                .source
                .problem(at, "no well-formed XML: a second root element"));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(self.source.problem(at, "elements are nested too deeply"));
        }
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| {
                self.source
                    .problem(at, format!("no well-formed XML: {error}"))
            })?;
            let value = attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .map_err(|error| {
                    self.source
                        .problem(at, format!("no well-formed XML: {error}"))
                })?;
            let key: &str = attribute.key.local_name().into_inner();
            attributes.push((key.to_owned(), value.into_owned()));
        }
        let name: &str = start.local_name().into_inner();
        self.open.push(Element {
            name: name.to_owned(),
            attributes,
            children: Vec::new(),
            text: String::new(),
            origin: self.source.origin(at),
        });
        Ok(())
    }

    fn end(&mut self) {
        let Some(element) = self.open.pop() else {
            return;
        };
        match self.open.last_mut() {
            Some(parent) => parent.children.push(element),
            None => self.root = Some(element),
        }
    }

    fn text(&mut self, text: &str, at: usize) -> Result<(), ConfigProblem> {
        match self.open.last_mut() {
            Some(open) => open.text.push_str(text),
            None if text.trim().is_empty() => {}
            None => {
                let blank = text.len() - text.trim_start().len();
                return Err(self
                    .source
                    .problem(at + blank, "no XML: text outside of elements"));
            }
        }
        Ok(())
    }

    fn reference(&mut self, reference: &BytesRef<'_>, at: usize) -> Result<(), ConfigProblem> {
        let number = reference.resolve_char_ref().map_err(|error| {
            self.source
                .problem(at, format!("no well-formed XML: {error}"))
        })?;
        if let Some(c) = number {
            return self.text(c.encode_utf8(&mut [0; 4]), at);
        }
        let name = reference.xml10_content();
        match resolve_predefined_entity(&name) {
            Some(text) => self.text(text, at),
            // Entities of a document type could pull in other files.
            None => Err(self.source.problem(at, format!("unknown entity &{name};"))),
        }
    }
}
