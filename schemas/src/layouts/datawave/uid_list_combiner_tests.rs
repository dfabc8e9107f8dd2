use super::super::uid_list::{Aggregator, reduce};
use super::*;
use proptest::prelude::*;

const KEY: Key<'static> = Key {
    row: b"term",
    family: b"FIELD",
    qualifier: b"20240101_1\0cars",
    visibility: b"",
    timestamp: 0,
    deleted: false,
};

fn value(uid: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_head(false, 1, &mut bytes);
    write_uid(uid.as_bytes(), &mut bytes);
    bytes
}

fn count_only(count: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_head(true, count, &mut bytes);
    bytes
}

/// DataWave's fold of the values in the canonical order.
fn expected(values: &[Vec<u8>]) -> Vec<u8> {
    let mut sorted: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    reduce(sorted, Aggregator::GlobalIndex, true).value
}

fn finish(folder: &mut dyn Folder) -> Vec<u8> {
    let mut found = Vec::new();
    folder.finish(&KEY, &mut |_, value| found = value.to_vec());
    found
}

/// Folds a tree: each number takes so many values off the front into one spill; spills are merged pairwise by `order` until one is left.
fn folded(values: &[Vec<u8>], spills: &[usize], order: &[usize]) -> Vec<u8> {
    let mut folder = UidListCombiner.folder();
    let mut partials = Vec::new();
    let mut left = values;
    for &size in spills.iter().cycle() {
        if left.is_empty() {
            break;
        }
        let (now, later) = left.split_at(size.min(left.len()));
        for value in now {
            folder.add(&KEY, Input::Value(value)).unwrap();
        }
        let mut state = Vec::new();
        folder.partial(&mut state);
        partials.push(state);
        left = later;
    }
    for &pick in order.iter().cycle() {
        if partials.len() < 2 {
            break;
        }
        let one = partials.swap_remove(pick % partials.len());
        let other = partials.swap_remove(pick / 7 % partials.len());
        folder.add(&KEY, Input::Partial(&one)).unwrap();
        folder.add(&KEY, Input::Partial(&other)).unwrap();
        let mut state = Vec::new();
        folder.partial(&mut state);
        assert!(state.len() < 20 * 200, "the state is bounded");
        partials.push(state);
    }
    for state in &partials {
        folder.add(&KEY, Input::Partial(state)).unwrap();
    }
    finish(folder.as_mut())
}

proptest! {
    #[test]
    fn any_tree_gives_the_fold_in_the_canonical_order(
        uids in prop::collection::vec("[a-c]{1,3}(\\.[0-9]{150})?", 1..80),
        counts in prop::collection::vec(0i64..50, 0..2),
        spills in prop::collection::vec(1usize..9, 1..9),
        order in prop::collection::vec(any::<usize>(), 1..9),
    ) {
        let mut values: Vec<Vec<u8>> = uids.iter().map(|uid| value(uid)).collect();
        values.extend(counts.into_iter().map(count_only));
        prop_assert_eq!(folded(&values, &spills, &order), expected(&values));
    }
}

#[test]
fn twenty_are_listed_and_sorted_and_one_more_is_counted() {
    let values: Vec<Vec<u8>> = (10..31).map(|n| value(&format!("u{n}"))).collect();
    let twenty = folded(&values[..20], &[3], &[1]);
    let list = UidList::parse(&twenty).unwrap();
    assert_eq!((list.ignore, list.count, list.uids.len()), (false, 20, 20));
    assert!(list.uids.is_sorted());
    assert_eq!(folded(&values, &[3], &[1]), count_only(21));
    // A repetition of one that is listed before the overflow does not count, of one behind it it does.
    let mut repeated = values.clone();
    repeated.push(value("u30"));
    assert_eq!(folded(&repeated, &[3], &[1]), count_only(21));
    repeated.push(value("u10"));
    assert_eq!(folded(&repeated, &[3], &[1]), count_only(22));
}

#[test]
fn what_is_no_list_is_an_error() {
    let mut folder = UidListCombiner.folder();
    assert!(folder.add(&KEY, Input::Value(b"\x08")).is_err());
    assert!(
        folder
            .add(&KEY, Input::Value(b"\x08\x00\x10\x00\x22\x01a"))
            .is_err()
    );
    assert!(folder.add(&KEY, Input::Partial(b"\x01")).is_err());
}
