//! Where tables are cut into tablets: at given splits, else at rows that a sample of the input suggests. Pure functions of the sample.

use crate::limits::{MERGE_TASK_BYTES, PACKED_SHARE};
use shardmill_schemas::cell::{Cell, CellSink, TableId};

/// Rows and sizes of the cells of sampled records, by table.
#[derive(Clone, Debug)]
pub struct Sample {
    tables: Vec<Vec<(Vec<u8>, u64)>>,
}

impl Sample {
    /// An empty sample of so many tables.
    #[must_use]
    pub fn new(tables: usize) -> Self {
        Sample {
            tables: vec![Vec::new(); tables],
        }
    }

    /// Adds another sample of the same tables.
    pub fn extend(&mut self, other: Sample) {
        for (rows, more) in self.tables.iter_mut().zip(other.tables) {
            rows.extend(more);
        }
    }

    /// The tablets of a table: end rows such that each tablet has about `tablet_size` published bytes, when every sampled cell stands for
    /// `scale` cells. Fewer, when rows are larger than that.
    #[must_use]
    pub fn cut(&mut self, table: usize, scale: f64, tablet_size: u64) -> Vec<Vec<u8>> {
        let rows = &mut self.tables[table];
        rows.sort_unstable();
        let mut ends: Vec<Vec<u8>> = Vec::new();
        let mut bytes = 0.0;
        for index in 0..rows.len() {
            let (row, size) = &rows[index];
            bytes += *size as f64 * scale * PACKED_SHARE;
            let next_row_differs = rows.get(index + 1).is_some_and(|(next, _)| next != row);
            if bytes >= tablet_size as f64 && next_row_differs {
                ends.push(row.clone());
                bytes = 0.0;
            }
        }
        ends
    }

    /// Groups tablets to merge tasks, each with at least [`MERGE_TASK_BYTES`] by the sample: first and last tablet of each.
    #[must_use]
    pub fn merges(&self, table: usize, scale: f64, ends: &[Vec<u8>]) -> Vec<(usize, usize)> {
        let mut sizes = vec![0.0; ends.len() + 1];
        for (row, size) in &self.tables[table] {
            let tablet = ends.partition_point(|end| end < row);
            sizes[tablet] += *size as f64 * scale * PACKED_SHARE;
        }
        let mut merges = Vec::new();
        let (mut first, mut bytes) = (0, 0.0);
        for (tablet, size) in sizes.iter().enumerate() {
            bytes += size;
            if bytes >= MERGE_TASK_BYTES as f64 || tablet == ends.len() {
                merges.push((first, tablet));
                (first, bytes) = (tablet + 1, 0.0);
            }
        }
        merges
    }
}

impl CellSink for Sample {
    fn put(&mut self, table: TableId, cell: &Cell<'_>) {
        let pieces = cell.row.iter().chain(cell.family).chain(cell.qualifier);
        let size = pieces.map(|piece| piece.len()).sum::<usize>()
            + cell.visibility.len()
            + cell.value.len()
            + 8;
        self.tables[usize::from(table.0)].push((cell.row.concat(), size as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rows: impl IntoIterator<Item = String>) -> Sample {
        let mut sample = Sample::new(1);
        for row in rows {
            let cell = Cell {
                row: &[row.as_bytes()],
                family: &[],
                qualifier: &[],
                visibility: b"",
                timestamp: 0,
                deleted: false,
                value: &[0; 88],
            };
            sample.put(TableId(0), &cell);
        }
        sample
    }

    #[test]
    fn tablets_are_about_as_large_as_asked_for() {
        // 1,000 rows of 100 bytes, each for 1,000 cells, packed to a quarter: 25 MB in all.
        let mut sample = sample((0..1000).map(|row| format!("{row:04}")));
        let ends = sample.cut(0, 1000.0, 5_000_000);
        assert_eq!(
            ends,
            [
                b"0199".to_vec(),
                b"0399".to_vec(),
                b"0599".to_vec(),
                b"0799".to_vec()
            ]
        );
        assert!(sample.cut(0, 1000.0, 1 << 30).is_empty());
        assert_eq!(
            sample.merges(0, 1000.0, &ends),
            [(0, 4)],
            "small tablets share a task"
        );
        assert_eq!(
            sample.merges(0, 200_000.0, &ends),
            [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)]
        );
    }

    #[test]
    fn a_row_is_never_cut() {
        let mut sample = sample((0..1000).map(|row| format!("{}", row / 500)));
        assert_eq!(sample.cut(0, 1000.0, 1_000_000), [b"0".to_vec()]);
    }
}
