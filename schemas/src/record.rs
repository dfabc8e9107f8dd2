//! One parsed object with its position: what readers make and layouts expand.
//!
//! A record owns its text and is refilled for every object, so that reading allocates nothing in the steady state. Values are UTF-8 text;
//! an absent value (`None`, null) is something else than an empty one.

use std::ops::Range;
use std::sync::Arc;

/// The column names that the records of one reader share. A column's index is stable: a reader that meets a new name makes a longer schema
/// with the old names in front, so a worker may keep what it worked out for a column until [`Arc::ptr_eq`] says that the schema changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Column names as the input has them, in input order.
    pub names: Vec<String>,
}

/// Where records come from: one input of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Path as the plan has it; errors and rejects name it.
    pub path: String,
    /// The last part of the path.
    pub file_name: String,
    /// The name of the data type that the job gave to this input.
    pub data_type: String,
}

/// The place of a record in its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Ordinal of the record in its file, from 0; records that are rejected count.
    pub record: u64,
    /// Line on which the record starts, from 1.
    pub line: u64,
    /// Offset of its first byte in the (decompressed) input.
    pub offset: u64,
    /// Length in bytes, its line end included.
    pub length: u64,
}

/// A field of a record, borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    /// Index of the name in the record's schema.
    pub column: usize,
    /// Name as the input has it.
    pub name: &'a str,
    /// Text of the value; `None` is null.
    pub value: Option<&'a str>,
    /// Visibility of this field alone, where the input carries one.
    pub visibility: Option<&'a str>,
}

#[derive(Clone, Debug)]
struct Slot {
    column: usize,
    value: Option<Range<usize>>,
    visibility: Option<Range<usize>>,
}

/// One parsed object. A name may occur more than once; fields keep the order of the input.
#[derive(Clone, Debug, Default)]
pub struct Record {
    schema: Arc<Schema>,
    origin: Arc<Origin>,
    position: Position,
    text: String,
    slots: Vec<Slot>,
    visibility: Option<Range<usize>>,
    timestamp: Option<i64>,
}

impl Record {
    /// An empty record of this origin and schema.
    #[must_use]
    pub fn new(origin: Arc<Origin>, schema: Arc<Schema>) -> Self {
        Record {
            schema,
            origin,
            ..Record::default()
        }
    }

    /// Empties the record for the object at `position`; its buffers stay.
    pub fn begin(&mut self, position: Position) {
        self.position = position;
        self.text.clear();
        self.slots.clear();
        self.visibility = None;
        self.timestamp = None;
    }

    /// Replaces the schema: longer than before, with the same names in front, or before `begin`.
    pub fn set_schema(&mut self, schema: Arc<Schema>) {
        self.schema = schema;
    }

    /// Appends a field. `column` is its index in the schema.
    pub fn push(&mut self, column: usize, value: Option<&str>) {
        self.push_marked(column, value, None);
    }

    /// Takes over the text of the whole object, right after [`begin`](Self::begin), for fields whose values are parts of it: one copy instead of
    /// one a field.
    pub fn hold(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends a field whose value is this part of the text that [`hold`](Self::hold) took over. A part that is none of it is null.
    pub fn push_part(&mut self, column: usize, part: Range<usize>) {
        let value = self.text.get(part.clone()).is_some().then_some(part);
        self.slots.push(Slot {
            column,
            value,
            visibility: None,
        });
    }

    /// Appends a field that has a visibility of its own.
    pub fn push_marked(&mut self, column: usize, value: Option<&str>, visibility: Option<&str>) {
        let value = value.map(|text| self.append(text));
        let visibility = visibility.map(|text| self.append(text));
        self.slots.push(Slot {
            column,
            value,
            visibility,
        });
    }

    /// Sets the visibility of the record as a whole.
    pub fn set_visibility(&mut self, expression: &str) {
        self.visibility = Some(self.append(expression));
    }

    /// Sets the timestamp that the input itself gives to the record, in milliseconds.
    pub fn set_timestamp(&mut self, millis: i64) {
        self.timestamp = Some(millis);
    }

    fn append(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    /// The names of its columns.
    #[must_use]
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The input that it comes from.
    #[must_use]
    pub fn origin(&self) -> &Arc<Origin> {
        &self.origin
    }

    /// Where in its input it stands.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    /// The visibility of the record as a whole, where the input carries one.
    #[must_use]
    pub fn visibility(&self) -> Option<&str> {
        self.visibility.clone().map(|range| &self.text[range])
    }

    /// The timestamp that the input itself gives, in milliseconds.
    #[must_use]
    pub fn timestamp(&self) -> Option<i64> {
        self.timestamp
    }

    /// How many fields it has, null ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether it has no field at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Its fields in input order.
    pub fn fields(&self) -> impl Iterator<Item = Field<'_>> {
        self.slots.iter().map(|slot| self.view(slot))
    }

    /// The first field of this column, when there is one.
    #[must_use]
    pub fn column(&self, column: usize) -> Option<Field<'_>> {
        // Readers push the columns in order, so the slot of a column is nearly always the one with its index.
        let slot = self.slots.get(column).filter(|slot| slot.column == column);
        slot.or_else(|| self.slots.iter().find(|slot| slot.column == column))
            .map(|slot| self.view(slot))
    }

    fn view(&self, slot: &Slot) -> Field<'_> {
        Field {
            column: slot.column,
            name: self
                .schema
                .names
                .get(slot.column)
                .map_or("", String::as_str),
            value: slot.value.clone().map(|range| &self.text[range]),
            visibility: slot.visibility.clone().map(|range| &self.text[range]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_not_empty_and_nothing_is_left_from_the_record_before() {
        let schema = Arc::new(Schema {
            names: vec!["id".into(), "age".into()],
        });
        let mut record = Record::new(Arc::default(), schema);
        record.begin(Position {
            record: 4,
            line: 5,
            offset: 90,
            length: 7,
        });
        record.push(0, Some(""));
        record.push_marked(1, None, Some("A&B"));
        record.set_visibility("P");
        let fields: Vec<_> = record.fields().collect();
        assert_eq!(
            fields[0],
            Field {
                column: 0,
                name: "id",
                value: Some(""),
                visibility: None
            }
        );
        assert_eq!(
            fields[1],
            Field {
                column: 1,
                name: "age",
                value: None,
                visibility: Some("A&B")
            }
        );
        assert_eq!(
            (record.visibility(), record.position().line),
            (Some("P"), 5)
        );

        record.begin(Position::default());
        record.push(1, Some("7"));
        assert_eq!((record.visibility(), record.len()), (None, 1));
        assert_eq!(record.column(1).and_then(|field| field.value), Some("7"));
        assert_eq!(record.column(0), None);
    }

    #[test]
    fn parts_of_a_held_text_are_values() {
        let mut record = Record::default();
        record.begin(Position::default());
        record.hold("ab,é");
        record.push_part(0, 0..2);
        record.push(1, Some("x"));
        record.push_part(2, 3..5);
        record.push_part(3, 4..5);
        record.push_part(4, 9..12);
        let values: Vec<_> = record.fields().map(|field| field.value).collect();
        assert_eq!(values, [Some("ab"), Some("x"), Some("é"), None, None]);
    }
}
