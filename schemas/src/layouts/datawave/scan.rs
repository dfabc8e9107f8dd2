//! DataWave's aggregating iterators in a scan (`TotalAggregatingIterator`, `PropogatingIterator`).
//!
//! An option is a column, or `*` for every other one, and the class of the aggregator that merges the versions of its cells, whatever
//! their timestamps. In a scan nothing is propagated: removals are applied for good.

use super::uid_list::{Aggregator, Reducer, UidList};
use crate::iterators::{Built, Column, Emit, Options, ScanError, ScanIterator};
use crate::key::{Key, KeyBuf};
use std::fmt::Write as _;

/// Aggregators by class, all in this package. Those that merge nothing here make one cell of what a run can hold of a column anyway.
const PACKAGE: &str = "datawave.ingest.table.aggregator.";
const AGGREGATORS: [(&str, Option<Aggregator>); 5] = [
    ("GlobalIndexUidAggregator", Some(Aggregator::GlobalIndex)),
    (
        "KeepCountOnlyUidAggregator",
        Some(Aggregator::KeepCountOnly),
    ),
    (
        "KeepCountOnlyNoUidAggregator",
        Some(Aggregator::KeepCountOnlyNoUid),
    ),
    ("TextIndexAggregator", None),
    ("DateIndexDateAggregator", None),
];

/// Makes the iterator from its options.
///
/// # Errors
/// Which column or aggregator is not known.
pub fn scan_iterator(options: &Options) -> Built {
    let mut aggregating = Aggregating {
        columns: Vec::new(),
        others: None,
        first: KeyBuf::default(),
        merging: None,
    };
    for (column, class) in options {
        let name = class.strip_prefix(PACKAGE).unwrap_or(class);
        let aggregator = AGGREGATORS
            .iter()
            .find(|(known, _)| *known == name)
            .ok_or_else(|| format!("its aggregator {class} is not known here"))?
            .1;
        if column == "*" {
            aggregating.others = aggregator;
        } else {
            let column = Column::parse(column)
                .ok_or_else(|| format!("its column {column:?} cannot be read"))?;
            aggregating.columns.push((column, aggregator));
        }
    }
    Ok(Box::new(aggregating))
}

struct Aggregating {
    columns: Vec<(Column, Option<Aggregator>)>,
    others: Option<Aggregator>,
    /// The newest version of the cell that is being merged.
    first: KeyBuf,
    merging: Option<Reducer>,
}

impl Aggregating {
    fn aggregator(&self, key: &Key<'_>) -> Option<Aggregator> {
        let listed = self.columns.iter().find(|(column, _)| column.contains(key));
        listed.map_or(self.others, |(_, aggregator)| *aggregator)
    }
}

impl ScanIterator for Aggregating {
    fn put(&mut self, key: &Key<'_>, value: &[u8], emit: &mut Emit<'_>) -> Result<(), ScanError> {
        if self.merging.is_some() && !self.first.as_key().same_columns(key) {
            self.finish(emit)?;
        }
        if let Some(reducer) = &mut self.merging {
            reducer.add(value);
            return Ok(());
        }
        let Some(aggregator) = self.aggregator(key) else {
            return emit(key, value);
        };
        self.first.set(key);
        self.merging
            .insert(Reducer::new(aggregator, false))
            .add(value);
        Ok(())
    }

    fn finish(&mut self, emit: &mut Emit<'_>) -> Result<(), ScanError> {
        let Some(mut reducer) = self.merging.take() else {
            return Ok(());
        };
        let reduced = reducer.finish();
        if reduced.emitted {
            emit(&self.first.as_key(), &reduced.value)
        } else {
            Ok(())
        }
    }

    fn describe(&self, key: &Key<'_>, value: &[u8]) -> Option<String> {
        self.aggregator(key)?;
        UidList::parse(value).map(|list| show(&list))
    }
}

/// A list for people.
fn show(list: &UidList<'_>) -> String {
    let mut text = format!("Uid.List ignore={} count={}", list.ignore, list.count);
    for (name, uids) in [("uids", &list.uids), ("removed", &list.removed)] {
        if uids.is_empty() {
            continue;
        }
        let uids: Vec<String> = uids
            .iter()
            .map(|uid| uid.escape_ascii().to_string())
            .collect();
        // Writing to a string cannot fail.
        let _ = write!(text, " {name}=[{}]", uids.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iterators::tests::{options, run};

    fn list(ignore: bool, count: i64, uids: &[&str], removed: &[&str]) -> Vec<u8> {
        let mut bytes = Vec::new();
        UidList {
            ignore,
            count,
            uids: uids.iter().map(|uid| uid.as_bytes()).collect(),
            removed: removed.iter().map(|uid| uid.as_bytes()).collect(),
        }
        .write(&mut bytes);
        bytes
    }

    #[test]
    fn lists_merge_and_empty_ones_disappear() {
        let options = options(&[
            (
                "*",
                "datawave.ingest.table.aggregator.GlobalIndexUidAggregator",
            ),
            ("tf", "datawave.ingest.table.aggregator.TextIndexAggregator"),
        ]);
        let mut iterator = scan_iterator(&options).unwrap();
        let cells = [
            ("F:a", 3, false, &list(false, 1, &["u1"], &[])[..]),
            ("F:a", 2, false, &list(false, 2, &["u2", "u3"], &["u1"])),
            ("F:b", 2, false, &list(false, 0, &[], &["u1"])),
            ("F:c", 2, false, &list(true, -1, &[], &[])),
            ("F:d", 2, false, &list(true, 21, &[], &[])),
            ("tf:x", 2, false, b"one"),
            ("tf:x", 1, false, b"two"),
        ];
        let merged = list(false, 2, &["u2", "u3"], &[]);
        let counted = list(true, 21, &[], &[]);
        let text = |value: &[u8]| value.escape_ascii().to_string();
        assert_eq!(
            run(&mut *iterator, &cells).unwrap(),
            [
                ("F:a".to_owned(), 3, text(&merged)),
                ("F:d".to_owned(), 2, text(&counted)),
                ("tf:x".to_owned(), 2, "one".to_owned()),
                ("tf:x".to_owned(), 1, "two".to_owned()),
            ]
        );
    }

    #[test]
    fn lists_are_shown_by_their_fields() {
        let one = list(false, 2, &["u1", "u2"], &["u3"]);
        assert_eq!(
            show(&UidList::parse(&one).unwrap()),
            "Uid.List ignore=false count=2 uids=[u1, u2] removed=[u3]"
        );
    }

    #[test]
    fn unknown_aggregators_are_named() {
        let reason = scan_iterator(&options(&[("*", "a.B")])).err().unwrap();
        assert_eq!(reason, "its aggregator a.B is not known here");
    }
}
