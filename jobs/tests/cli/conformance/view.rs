//! What a scan shows of the cells in a table's files, worked out from the rules of Accumulo and not by Shardmill's own merge.

use super::cells::{Lines, Owned, line};
use shardmill_schemas::encode::long_values::LongEncoding;
use shardmill_schemas::key::KeyBuf;
use std::io::BufRead;

/// What happens to the versions of one cell, newest first, after deletes.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// So many are shown.
    Versions(usize),
    /// They are folded to one, which has the newest timestamp.
    Fold(LongEncoding, fn(i64, i64) -> i64),
}

/// The newest version alone; lists of UIDs are all shown where DataWave's own iterator is not there to merge them.
pub(super) fn plain_rule(table: &str, _family: &[u8]) -> Rule {
    match table.contains("Index") {
        true => Rule::Versions(usize::MAX),
        false => Rule::Versions(1),
    }
}

/// The lines that a scan of `table` must show; `cells` come in the order of keys.
pub(super) fn assert_shows<R: BufRead>(
    mut lines: Lines<R>,
    table: &str,
    cells: impl Iterator<Item = Owned>,
    rule: impl Fn(&[u8]) -> Rule,
) {
    let mut versions: Vec<Owned> = Vec::new();
    for cell in cells {
        let same = |(last, _): &Owned| last.as_key().same_columns(&cell.0.as_key());
        if !versions.last().is_none_or(same) {
            show(&mut lines, table, &versions, &rule);
            versions.clear();
        }
        versions.push(cell);
    }
    show(&mut lines, table, &versions, &rule);
    lines.end();
}

fn show<R: BufRead>(
    lines: &mut Lines<R>,
    table: &str,
    versions: &[Owned],
    rule: &impl Fn(&[u8]) -> Rule,
) {
    // A delete hides what is as old as it or older; it sorts before a value of its own time.
    let end = versions.iter().position(|(key, _)| key.as_key().deleted);
    let alive = &versions[..end.unwrap_or(versions.len())];
    let Some((newest, _)) = alive.first() else {
        return;
    };
    let mut put = |key: &KeyBuf, value: &[u8]| lines.expect(&line(table, &key.as_key(), value));
    match rule(newest.as_key().family) {
        Rule::Versions(limit) => {
            let shown = alive.iter().take(limit);
            shown.for_each(|(key, value)| put(key, value));
        }
        Rule::Fold(encoding, fold) => {
            let numbers = alive
                .iter()
                .map(|(_, value)| encoding.decode(value).unwrap());
            let mut value = Vec::new();
            encoding.encode(numbers.reduce(fold).unwrap(), &mut value);
            put(newest, &value);
        }
    }
}
