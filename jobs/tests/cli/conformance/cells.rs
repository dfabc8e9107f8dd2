//! Cells that are made to be awkward, and cells as the lines that Accumulo's side prints.

use shardmill_pipeline::escape::escape;
use shardmill_pipeline::rfile::LocalityGroup;
use shardmill_schemas::key::{Key, KeyBuf};
use std::collections::VecDeque;
use std::io::{BufRead, Write};

/// How many cells the generated data set has.
pub(super) const COUNT: usize = 200_000;

/// An owned cell.
pub(super) type Owned = (KeyBuf, Vec<u8>);

/// Two locality groups; every other family is in the default group.
pub(super) fn groups() -> [LocalityGroup; 2] {
    let group = |name: &str, families: &[&[u8]]| LocalityGroup {
        name: name.into(),
        families: families.iter().map(|family| family.to_vec()).collect(),
    };
    [
        group("attributes", &[b"attr", b"\0bin,ary"]),
        group("terms", &[b"tf"]),
    ]
}

const FAMILIES: [&[u8]; 7] = [
    b"",
    b"\0bin,ary",
    b"attr",
    b"attr2",
    b"d",
    b"tf",
    b"\xff\xfe\\",
];
const QUALIFIERS: [&[u8]; 6] = [b"", b"\0", b"name", b"name\0", b"tab\tline\n", b"\xff"];
const VISIBILITIES: [&[u8]; 6] = [
    b"",
    b"",
    b"A",
    b"A&B",
    b"(A|B)&C",
    "\"x y\"|\"\u{e9}\"".as_bytes(),
];
const TIMESTAMPS: [i64; 5] = [i64::MIN, -1, 0, 1_709_283_600_000, i64::MAX];
/// Every so many cells comes one that is larger than a block and than a chunk of every codec.
const HUGE_EVERY: usize = 80_000;
const HUGE: usize = 700_000;

/// The data set, in key order: binary keys, deletes, several versions, equal keys, long rows, huge values.
pub(super) fn generated() -> impl Iterator<Item = Owned> {
    Generator {
        dice: Dice(7),
        row: 0,
        made: 0,
        cells: VecDeque::new(),
    }
    .take(COUNT)
}

/// The same without equal keys but the first of them: a scan that goes on in a new batch begins behind the last key it had, so that of
/// equal keys Accumulo may show some or all.
pub(super) fn distinct() -> impl Iterator<Item = Owned> {
    let mut last: Option<KeyBuf> = None;
    generated().filter(move |(key, _)| {
        let new = last.as_ref() != Some(key);
        last = Some(key.clone());
        new
    })
}

/// A small deterministic source of numbers (splitmix64).
pub(super) struct Dice(pub(super) u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.roll() % limit as u64) as usize
    }

    /// One of them.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

struct Generator {
    dice: Dice,
    row: u32,
    made: usize,
    cells: VecDeque<Owned>,
}

impl Iterator for Generator {
    type Item = Owned;

    fn next(&mut self) -> Option<Owned> {
        while self.cells.is_empty() {
            let mut cells = self.next_row();
            // Stable: equal keys keep the order in which they were made.
            cells.sort_by(|a, b| a.0.as_key().cmp(&b.0.as_key()));
            self.cells = cells.into();
        }
        self.cells.pop_front()
    }
}

impl Generator {
    fn next_row(&mut self) -> Vec<Owned> {
        let row = self.next_row_id();
        let mut cells: Vec<Owned> = Vec::new();
        for _ in 0..12 + self.dice.below(29) {
            let value = self.value();
            // Every other cell is one more version of the cell before, a few have its very key.
            let next = match cells.last() {
                Some((last, _)) if self.dice.below(2) == 0 => {
                    let mut key = last.as_key();
                    if self.dice.below(25) != 0 {
                        key.timestamp = self.timestamp();
                        key.deleted = self.dice.below(8) == 0;
                    }
                    key.to_buf()
                }
                _ => self.key(&row),
            };
            cells.push((next, value));
            self.made += 1;
        }
        cells
    }

    /// Rows ascend by their first four bytes, which take every value; the first one is empty.
    fn next_row_id(&mut self) -> Vec<u8> {
        let number = self.row;
        self.row += 1;
        if number == 0 {
            return Vec::new();
        }
        let mut row = (number * 419_431).to_be_bytes().to_vec();
        match number % 1000 {
            3 => row.resize(3_000, b'x'),
            n if n % 7 != 0 => row.extend(format!("/{number}").bytes()),
            _ => {}
        }
        row
    }

    fn key(&mut self, row: &[u8]) -> KeyBuf {
        let counted = format!("column-{:03}", self.dice.below(400));
        let qualifier = match self.dice.below(3) {
            0 => self.dice.pick(&QUALIFIERS),
            _ => counted.as_bytes(),
        };
        let key = Key {
            row,
            family: self.dice.pick(&FAMILIES),
            qualifier,
            visibility: self.dice.pick(&VISIBILITIES),
            timestamp: self.timestamp(),
            deleted: self.dice.below(12) == 0,
        };
        key.to_buf()
    }

    fn timestamp(&mut self) -> i64 {
        match self.dice.below(4) {
            0 => self.dice.pick(&TIMESTAMPS),
            _ => 1_709_283_600_000 + self.dice.below(1000) as i64,
        }
    }

    fn value(&mut self) -> Vec<u8> {
        let length = match self.made {
            made if made % HUGE_EVERY == HUGE_EVERY - 1 => HUGE,
            made if made % 997 == 0 => 9_000,
            _ => self.dice.below(40),
        };
        // Half of the bytes repeat, so that codecs have something to find.
        (0..length)
            .map(|at| match at % 64 {
                0..32 => b'a' + (at % 13) as u8,
                _ => self.dice.roll() as u8,
            })
            .collect()
    }
}

/// A cell as one line without its line end: table, row, family, qualifier, visibility, timestamp, deleted, value.
pub(super) fn line(table: &str, key: &Key<'_>, value: &[u8]) -> String {
    format!(
        "{table}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
        escape(key.row),
        escape(key.family),
        escape(key.qualifier),
        escape(key.visibility),
        key.timestamp,
        u8::from(key.deleted),
        escape(value)
    )
}

/// Writes cells as lines.
pub(super) fn write_lines(table: &str, cells: impl Iterator<Item = Owned>, mut to: impl Write) {
    for (key, value) in cells {
        writeln!(to, "{}", line(table, &key.as_key(), &value)).unwrap();
    }
    to.flush().unwrap();
}

/// Lines of one source, compared with those of another as they come, so that neither is held in memory.
pub(super) struct Lines<R> {
    name: String,
    from: R,
    buffer: String,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    /// `name` stands for the source in messages.
    pub(super) fn new(name: impl Into<String>, from: R) -> Self {
        Lines {
            name: name.into(),
            from,
            buffer: String::new(),
            number: 0,
        }
    }

    /// The next line must be this.
    pub(super) fn expect(&mut self, expected: &str) {
        self.buffer.clear();
        self.from.read_line(&mut self.buffer).unwrap();
        self.number += 1;
        let found = self.buffer.trim_end_matches('\n');
        assert!(
            found == expected,
            "{}, line {}:\n   found {}\nexpected {}",
            self.name,
            self.number,
            shortened(found),
            shortened(expected)
        );
    }

    /// There must be no more lines.
    pub(super) fn end(mut self) {
        self.buffer.clear();
        self.from.read_line(&mut self.buffer).unwrap();
        assert!(
            self.buffer.is_empty(),
            "{} has lines beyond the {} expected: {}",
            self.name,
            self.number,
            shortened(&self.buffer)
        );
    }

    /// How many lines were compared.
    pub(super) fn count(&self) -> usize {
        self.number
    }
}

fn shortened(line: &str) -> &str {
    line.get(..400).unwrap_or(line)
}
