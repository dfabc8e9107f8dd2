//! The time zone abbreviations that a lenient `SimpleDateFormat` knows, with the history of their offsets.

use std::sync::LazyLock;

/// An abbreviation: a standard time or a summer time of one zone.
#[derive(Debug)]
pub(super) struct Zone {
    name: &'static str,
    /// From this wall clock second of the epoch on, this offset from GMT in seconds; the first is the beginning of time.
    offsets: Vec<(i64, i32)>,
}

impl Zone {
    /// Length of the abbreviation in bytes.
    pub(super) fn len(&self) -> usize {
        self.name.len()
    }

    /// Offset from GMT in milliseconds when clocks in the zone show `wall` (milliseconds of the epoch, as if in GMT).
    pub(super) fn offset(&self, wall: i64) -> i64 {
        let second = wall.div_euclid(1000);
        let after = self.offsets.partition_point(|&(from, _)| from <= second);
        let (_, offset) = self.offsets[after.max(1) - 1];
        i64::from(offset) * 1000
    }
}

static ZONES: LazyLock<Vec<Zone>> = LazyLock::new(|| {
    let lines = include_str!("zones.tsv").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(read)
        .collect()
});

fn read(line: &'static str) -> Option<Zone> {
    let mut columns = line.split('\t');
    let (name, _, first) = (columns.next()?, columns.next()?, columns.next()?);
    let mut offsets = vec![(i64::MIN, first.parse().ok()?)];
    for change in columns.next().unwrap_or_default().split_terminator(' ') {
        let (from, offset) = change.split_once(':')?;
        offsets.push((from.parse().ok()?, offset.parse().ok()?));
    }
    Some(Zone { name, offsets })
}

/// The first abbreviation that stands at the start of `text`, ignoring case.
pub(super) fn at_start(text: &[u8]) -> Option<&'static Zone> {
    ZONES.iter().find(|zone| {
        text.get(..zone.name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(zone.name.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_line_of_the_table_is_read() {
        assert_eq!(super::ZONES.len(), 281);
        let paris = super::at_start(b"cet 1950").unwrap();
        assert_eq!(paris.offset(0), 3_600_000);
        assert_eq!(paris.offset(-1_000_000_000_000), 0);
    }
}
