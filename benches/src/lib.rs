//! How fast, next to whom?
//!
//! Every benchmark stands beside a reference that is measured in the same run, so that what counts is the ratio: `cargo bench -p
//! shardmill-benches`. This library is what they share: made-up data, the same at every run.

/// A small generator of numbers; splitmix64.
#[derive(Clone, Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Rows, families and qualifiers like those of a shard's field index, in random order.
#[must_use]
pub fn field_index(cells: usize) -> Vec<[String; 3]> {
    let mut numbers = Numbers(7);
    let cell = |_| {
        let (a, b) = (numbers.draw(), numbers.draw());
        let row = format!("202403{:02}_{}", a % 28 + 1, b % 10);
        let family = format!(
            "fi\0{}",
            ["MAKE", "MODEL", "YEAR", "DEALER"][(a >> 8) as usize % 4]
        );
        let qualifier = format!(
            "value {}\0cars\0{:x}.{:x}",
            (b >> 8) % 5000,
            a >> 32,
            b >> 32
        );
        [row, family, qualifier]
    };
    (0..cells).map(cell).collect()
}
