use super::super::combiner_trees::{cells, finished, random_trees_agree};
use super::super::edge_value::EventId;
use super::*;
use crate::encode::vlong::write_vlong;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = Option<&'static [u8]>> {
    prop::option::of(prop::sample::select(vec![&b""[..], b" ", b"a", b"b"]))
}

fn date() -> impl Strategy<Value = Option<&'static [u8]>> {
    prop::option::of(prop::sample::select(vec![&b"20231231"[..], b"20240102"]))
}

/// Values that have some fields and lack others, and a few numbers of old.
fn value() -> impl Strategy<Value = Vec<u8>> {
    let fields = (
        prop::option::of(-2_i64..9),
        prop::option::of(any::<i32>()),
        (text(), text(), date()),
        any::<Option<bool>>(),
        prop::option::of(0_i64..3),
        0..30_usize,
    );
    let protobuf = fields.prop_map(
        |(count, hour_bitmask, (source, sink, load_date), bad, id, bucket)| {
            let hours: [i64; HOURS] = one_hot_or_none(bucket);
            let value = EdgeValue {
                count,
                hour_bitmask,
                source,
                sink,
                load_date,
                bad_activity: bad,
                hours: Cow::Owned(hours.to_vec()),
                durations: Cow::Owned(vec![bucket as i64; bucket % 9]),
                id: id.map(|id| match id {
                    0 => EventId::Text(b"id"),
                    least => EventId::Uuid { least, most: 7 },
                }),
            };
            let mut bytes = Vec::new();
            value.write(&mut bytes);
            bytes
        },
    );
    let legacy = (200_i64..300).prop_map(|number| {
        let mut bytes = Vec::new();
        write_vlong(number, &mut bytes);
        bytes
    });
    prop_oneof![9 => protobuf, 1 => legacy]
}

fn one_hot_or_none(bucket: usize) -> [i64; HOURS] {
    super::super::edge_value::one_hot(bucket)
}

const FAMILIES: [&[u8]; 3] = [
    b"TYPE/A-B",
    b"STATS/ACTIVITY/TYPE/A",
    b"STATS/DURATION/TYPE/A",
];

proptest! {
    #[test]
    fn any_tree_gives_the_fold_in_the_canonical_order(
        values in cells(value()),
        cuts in prop::collection::vec(any::<u32>(), 16),
        family in prop::sample::select(FAMILIES.to_vec()),
    ) {
        random_trees_agree(&EdgeValueCombiner, family, &values, &cuts);
        let parts: Vec<_> = values.iter().map(|(timestamp, value)| (*timestamp, false, value.clone())).collect();
        let found = finished(&EdgeValueCombiner, family, &parts);
        let mut sorted = values.clone();
        sorted.sort_unstable_by(|one, other| other.cmp(one));
        let mut expected = Vec::new();
        reduce(sorted.iter().map(|cell| cell.1.as_slice()), family, b"20240101/x", &mut expected).unwrap();
        prop_assert_eq!(found, [(sorted[0].0, expected)]);
    }
}

#[test]
fn what_cannot_be_read_is_an_error() {
    let key = |family| Key {
        row: b"",
        family,
        qualifier: b"20240101",
        visibility: b"",
        timestamp: 0,
        deleted: false,
    };
    let mut folder = EdgeValueCombiner.folder();
    assert!(
        folder
            .add(&key(b"STATS/LINKS/TYPE"), Input::Value(b"\x08\x01"))
            .is_err()
    );
    assert!(
        folder
            .add(&key(b"TYPE/A-B"), Input::Value(b"\x8f"))
            .is_err()
    );
    assert!(
        folder
            .add(&key(b"TYPE/A-B"), Input::Partial(b"\x01"))
            .is_err()
    );
}
