//! Cells on their way from a layout to the engine.

/// The index of a table in its layout's [`tables`](crate::layout::Layout::tables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TableId(pub u16);

/// A cell as a layout gives it away. Row, family and qualifier are the concatenation of their components, so that a layout never builds a
/// string of its own: `row: &[shard]`, `qualifier: &[value, b"\0", data_type, b"\0", uid]`.
#[derive(Clone, Copy, Debug)]
pub struct Cell<'a> {
    /// Components of the row.
    pub row: &'a [&'a [u8]],
    /// Components of the column family.
    pub family: &'a [&'a [u8]],
    /// Components of the column qualifier.
    pub qualifier: &'a [&'a [u8]],
    /// Column visibility expression; the layout has validated it.
    pub visibility: &'a [u8],
    /// Milliseconds since the epoch.
    pub timestamp: i64,
    /// A delete marker.
    pub deleted: bool,
    /// The value; where the table combines this family, the value of one occurrence.
    pub value: &'a [u8],
}

/// Where a worker puts its cells. The order does not matter.
///
/// `put` cannot fail: a sink that meets an I/O error keeps it and the engine asks for it after the record. When a record is rejected, the
/// engine takes back whatever was put for it, so a worker may find a fault in the middle of a record.
pub trait CellSink {
    /// Takes a copy of `cell` for `table`.
    fn put(&mut self, table: TableId, cell: &Cell<'_>);
}
