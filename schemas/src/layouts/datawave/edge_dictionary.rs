//! The edge dictionary: which edges there are, and of which fields. Family `edge` of the metadata table.
//!
//! A value is a protobuf `EdgeMetadata.MetadataValue`: `0a len Metadata`, repeated, and each
//!
//! ```text
//! source            string   1   0a len …   name of the field, without the group
//! sink              string   2   12 len …
//! enrichment        string   3   1a len …   the field whose value chose the type
//! enrichmentIndex   string   4   22 len …   that value
//! date              string   5   2a len …   yyyyMMdd: since when there are such edges
//! jexlPrecondition  string   6   32 len …
//! ```
//!
//! DataWave's `EdgeMetadataCombiner` keeps one entry for each precondition, source, sink and enrichment, in that order: the earliest. The
//! dates of entries that differ in the value of the enrichment alone may be equal; then the entry with the greater bytes stays, wherever
//! the two meet. So a state is a value, and there are as many entries as definitions.

use super::protobuf::{read_bytes, read_varint, skip, write_bytes};
use crate::combine::{CombineError, Combiner, Folder, Grouping, Input};
use crate::key::Key;
use std::collections::BTreeMap;

const NAME: &str = "edge-dictionary";

/// The family of the dictionary's cells.
pub const FAMILY: &[u8] = b"edge";

/// An entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metadata<'a> {
    /// Field of the source.
    pub source: &'a [u8],
    /// Field of the sink.
    pub sink: &'a [u8],
    /// Field of the enrichment.
    pub enrichment: Option<&'a [u8]>,
    /// Its value.
    pub enrichment_index: Option<&'a [u8]>,
    /// The day of the earliest event, yyyyMMdd.
    pub date: Option<&'a [u8]>,
    /// The precondition.
    pub precondition: Option<&'a [u8]>,
}

impl<'a> Metadata<'a> {
    /// Appends a value with this one entry.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut entry = Vec::new();
        let fields = [
            (0x0a, Some(self.source)),
            (0x12, Some(self.sink)),
            (0x1a, self.enrichment),
            (0x22, self.enrichment_index),
            (0x2a, self.date),
            (0x32, self.precondition),
        ];
        for (tag, text) in fields {
            if let Some(text) = text {
                entry.push(tag);
                write_bytes(text, &mut entry);
            }
        }
        write_entry(&entry, out);
    }

    /// Reads an entry. `None`: it is cut short, or has no source or no sink.
    fn parse(mut input: &'a [u8]) -> Option<Self> {
        let mut metadata = Metadata::default();
        let (mut source, mut sink) = (None, None);
        while !input.is_empty() {
            let tag = read_varint(&mut input)?;
            let field = match tag {
                0x0a => &mut source,
                0x12 => &mut sink,
                0x1a => &mut metadata.enrichment,
                0x22 => &mut metadata.enrichment_index,
                0x2a => &mut metadata.date,
                0x32 => &mut metadata.precondition,
                tag => {
                    skip(tag, &mut input)?;
                    continue;
                }
            };
            *field = Some(read_bytes(&mut input)?);
        }
        metadata.source = source?;
        metadata.sink = sink?;
        Some(metadata)
    }
}

fn write_entry(entry: &[u8], out: &mut Vec<u8>) {
    out.push(0x0a);
    write_bytes(entry, out);
}

/// Folds the entries of all days of a key.
#[derive(Clone, Copy, Debug)]
pub struct EdgeDictionaryCombiner;

impl Combiner for EdgeDictionaryCombiner {
    fn name(&self) -> &'static str {
        NAME
    }

    fn grouping(&self) -> Grouping {
        Grouping::Versions
    }

    fn folder(&self) -> Box<dyn Folder> {
        Box::new(DictionaryFolder::default())
    }
}

/// Precondition, source, sink, enrichment.
type Definition = (Option<Vec<u8>>, Vec<u8>, Vec<u8>, Option<Vec<u8>>);

#[derive(Debug, Default)]
struct DictionaryFolder {
    /// The entry that stays, as its date and its bytes.
    entries: BTreeMap<Definition, (Option<Vec<u8>>, Vec<u8>)>,
}

impl DictionaryFolder {
    fn add_value(&mut self, mut input: &[u8]) -> Option<()> {
        while !input.is_empty() {
            let tag = read_varint(&mut input)?;
            if tag != 0x0a {
                skip(tag, &mut input)?;
                continue;
            }
            let bytes = read_bytes(&mut input)?;
            let entry = Metadata::parse(bytes)?;
            let owned = |text: Option<&[u8]>| text.map(<[u8]>::to_vec);
            let definition = (
                owned(entry.precondition),
                entry.source.to_vec(),
                entry.sink.to_vec(),
                owned(entry.enrichment),
            );
            let new = (owned(entry.date), bytes.to_vec());
            let kept = self
                .entries
                .entry(definition)
                .or_insert_with(|| new.clone());
            if new.0 < kept.0 || new.0 == kept.0 && new.1 > kept.1 {
                *kept = new;
            }
        }
        Some(())
    }

    fn write(&mut self, out: &mut Vec<u8>) {
        for (_, entry) in self.entries.values() {
            write_entry(entry, out);
        }
        self.entries.clear();
    }
}

impl Folder for DictionaryFolder {
    fn add(&mut self, _key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        let (Input::Value(bytes) | Input::Partial(bytes)) = input;
        self.add_value(bytes).ok_or_else(|| CombineError {
            combiner: NAME,
            reason: "the value is no list of edge definitions".into(),
        })
    }

    fn partial(&mut self, state: &mut Vec<u8>) {
        self.write(state);
    }

    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8])) {
        let mut value = Vec::new();
        self.write(&mut value);
        emit(first, &value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyBuf;

    fn value(source: &str, index: Option<&str>, date: &str) -> Vec<u8> {
        let metadata = Metadata {
            source: source.as_bytes(),
            sink: b"DST",
            enrichment: index.map(|_| &b"KIND"[..]),
            enrichment_index: index.map(str::as_bytes),
            date: Some(date.as_bytes()),
            precondition: None,
        };
        let mut bytes = Vec::new();
        metadata.write(&mut bytes);
        bytes
    }

    fn fold(values: &[Vec<u8>], through_states: bool) -> Vec<u8> {
        let key = KeyBuf::default();
        let key = key.as_key();
        let mut folder = EdgeDictionaryCombiner.folder();
        for value in values {
            folder.add(&key, Input::Value(value)).unwrap();
            if through_states {
                let mut state = Vec::new();
                folder.partial(&mut state);
                folder.add(&key, Input::Partial(&state)).unwrap();
            }
        }
        let mut found = Vec::new();
        folder.finish(&key, &mut |_, value| found.extend_from_slice(value));
        found
    }

    #[test]
    fn an_entry_by_bytes() {
        let expected = b"\x0a\x1f\x0a\x03SRC\x12\x03DST\x1a\x04KIND\x22\x03mai\x2a\x0820240101";
        assert_eq!(value("SRC", Some("mai"), "20240101"), expected);
    }

    #[test]
    fn the_earliest_of_each_definition_in_any_order() {
        let mut values = vec![
            value("SRC", Some("b"), "20240102"),
            value("SRC", Some("a"), "20240102"),
            value("SRC", Some("c"), "20240103"),
            value("SRC", None, "20240105"),
            value("ABC", None, "20240109"),
        ];
        let expected = [&values[4][..], &values[3], &values[0]].concat();
        assert_eq!(fold(&values, false), expected);
        values.reverse();
        assert_eq!(fold(&values, true), expected);
        values.swap(1, 3);
        assert_eq!(fold(&values, true), expected);
    }

    #[test]
    fn bytes_that_are_no_value() {
        let key = KeyBuf::default();
        for bytes in [&b"\x0a\x05ab"[..], b"\x0a\x02\x0a\x00", b"\x07"] {
            let mut folder = EdgeDictionaryCombiner.folder();
            let found = folder.add(&key.as_key(), Input::Value(bytes));
            assert!(found.is_err(), "{bytes:?}");
        }
    }
}
