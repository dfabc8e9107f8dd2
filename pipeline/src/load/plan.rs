//! Load plans: which file goes to which tablets, in the JSON of Accumulo's `LoadPlan.toJson` (2.1.4 and later).
//!
//! With a plan Accumulo never opens a file before it loads it, so a plan that is wrong hides data. `verify` computes the same ranges
//! again by other code.

use super::{FileResult, TableResult};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// All files of one table and where they go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadPlan {
    /// One entry a file, in the order of their rows.
    pub destinations: Vec<Destination>,
}

/// The range of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Destination {
    /// The name alone, without a folder.
    pub file_name: String,
    /// `None` is before every row.
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    pub start_row: Option<Vec<u8>>,
    /// `None` is after every row.
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    pub end_row: Option<Vec<u8>>,
    /// What the two rows mean.
    pub range_type: RangeType,
}

/// What the rows of a [`Destination`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RangeType {
    /// Splits of the table: the range is (start, end]. The import fails when the table lacks one of them.
    Table,
    /// First and last row of the file, both included. Accumulo finds the tablets.
    File,
}

impl LoadPlan {
    /// The bytes that `LoadPlan.toJson` gives: no spaces, nulls explicit.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("strings and enums always serialise")
    }
}

/// The plan with TABLE ranges: each file goes to the tablets from its first to its last, whose boundaries the loader adds as splits.
#[must_use]
pub fn table_plan(table: &TableResult) -> LoadPlan {
    plan(table, |file| {
        // Tablet i ends with split i and begins after split i - 1; the first has no beginning, the last no end.
        let before = file.first_tablet.checked_sub(1);
        let start = before.and_then(|index| table.splits.get(index));
        let end = table.splits.get(file.last_tablet);
        (start.cloned(), end.cloned(), RangeType::Table)
    })
}

/// The plan with FILE ranges, for a table whose splits have changed.
#[must_use]
pub fn file_plan(table: &TableResult) -> LoadPlan {
    plan(table, |file| {
        let first = file.first_key.as_key().row.to_vec();
        let last = file.last_key.as_key().row.to_vec();
        (Some(first), Some(last), RangeType::File)
    })
}

type Range = (Option<Vec<u8>>, Option<Vec<u8>>, RangeType);

fn plan(table: &TableResult, range: impl Fn(&FileResult) -> Range) -> LoadPlan {
    let destination = |file: &FileResult| {
        let (start_row, end_row, range_type) = range(file);
        Destination {
            file_name: file.name.clone(),
            start_row,
            end_row,
            range_type,
        }
    };
    LoadPlan {
        destinations: table.files.iter().map(destination).collect(),
    }
}

fn to_base64<S: Serializer>(row: &Option<Vec<u8>>, serializer: S) -> Result<S::Ok, S::Error> {
    row.as_ref()
        .map(|row| URL_SAFE.encode(row))
        .serialize(serializer)
}

// A field with a deserializer of its own may not be absent, which is Accumulo's rule too: nulls are written.
fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<u8>>, D::Error> {
    Option::<String>::deserialize(deserializer)?
        .map(|text| URL_SAFE.decode(text).map_err(D::Error::custom))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::tests::{file, table};

    #[test]
    fn table_ranges_are_the_splits_around_the_files() {
        let table = table(
            "t",
            &[b"g", b"m\xff"],
            vec![
                file("0.rf", 0, 0, b"a", b"g"),
                file("1.rf", 1, 2, b"g\0", b"z"),
            ],
        );
        let expected = concat!(
            r#"{"destinations":["#,
            // The first tablet has no beginning: an explicit null. A row equal to the split is still in the tablet that it ends.
            r#"{"fileName":"0.rf","startRow":null,"endRow":"Zw==","rangeType":"TABLE"},"#,
            // (g, +inf): from the end of the tablet before to the end of the last, over the split m\xff.
            r#"{"fileName":"1.rf","startRow":"Zw==","endRow":null,"rangeType":"TABLE"}"#,
            "]}"
        );
        assert_eq!(table_plan(&table).to_json(), expected);
    }

    #[test]
    fn a_table_without_splits_is_one_tablet() {
        let table = table("t", &[], vec![file("0.rf", 0, 0, b"a", b"b")]);
        assert_eq!(
            table_plan(&table).to_json(),
            r#"{"destinations":[{"fileName":"0.rf","startRow":null,"endRow":null,"rangeType":"TABLE"}]}"#
        );
    }

    #[test]
    fn file_ranges_are_first_and_last_row_in_url_base64() {
        // 0xfb 0xff 0xfe is "+//+" in the standard alphabet and "-__-" in the URL one; one byte shows the padding.
        let table = table("t", &[], vec![file("0.rf", 0, 0, b"\x00", b"\xfb\xff\xfe")]);
        assert_eq!(
            file_plan(&table).to_json(),
            r#"{"destinations":[{"fileName":"0.rf","startRow":"AA==","endRow":"-__-","rangeType":"FILE"}]}"#
        );
    }

    #[test]
    fn an_empty_row_is_not_a_missing_row() {
        let table = table("t", &[], vec![file("0.rf", 0, 0, b"", b"")]);
        let json = file_plan(&table).to_json();
        assert!(json.contains(r#""startRow":"","endRow":"""#), "{json}");
        assert_eq!(
            serde_json::from_str::<LoadPlan>(&json).unwrap(),
            file_plan(&table)
        );
    }

    #[test]
    fn reading_is_as_strict_as_accumulo() {
        assert_eq!(
            serde_json::from_str::<LoadPlan>(r#"{"destinations":[]}"#).unwrap(),
            LoadPlan::default()
        );
        for json in [
            "{}",
            r#"{"destinations":[],"x":1}"#,
            r#"{"destinations":[{"fileName":"a.rf","endRow":null,"rangeType":"TABLE"}]}"#,
            r#"{"destinations":[{"fileName":"a.rf","startRow":null,"endRow":null,"rangeType":"table"}]}"#,
            r#"{"destinations":[{"fileName":"a.rf","startRow":"+//+","endRow":null,"rangeType":"FILE"}]}"#,
        ] {
            assert!(serde_json::from_str::<LoadPlan>(json).is_err(), "{json}");
        }
    }

    proptest::proptest! {
        /// One file over all rows, for any rows and splits: its ranges hold every row, and no tablet less would do.
        #[test]
        fn ranges_hold_their_rows(
            rows in proptest::collection::btree_set(proptest::collection::vec(0_u8..4, 0..4), 1..9),
            splits in proptest::collection::btree_set(proptest::collection::vec(0_u8..4, 1..4), 0..6),
        ) {
            let splits: Vec<&[u8]> = splits.iter().map(Vec::as_slice).collect();
            // By counting: a row belongs to the first tablet whose end row is not before it.
            let tablet = |row: &Vec<u8>| splits.iter().take_while(|split| **split < row.as_slice()).count();
            let (first, last) = (rows.first().unwrap(), rows.last().unwrap());
            let file = file("0.rf", tablet(first), tablet(last), first, last);
            let table = table("t", &splits, vec![file]);
            let json = table_plan(&table).to_json();
            let plan: LoadPlan = serde_json::from_str(&json).unwrap();
            let Destination { start_row, end_row, .. } = &plan.destinations[0];
            for row in &rows {
                proptest::prop_assert!(start_row.as_ref().is_none_or(|start| start < row));
                proptest::prop_assert!(end_row.as_ref().is_none_or(|end| row <= end));
            }
            let inside = splits.iter().filter(|split| {
                start_row.as_ref().is_none_or(|start| start.as_slice() < **split)
                    && end_row.as_ref().is_none_or(|end| **split < end.as_slice())
            });
            proptest::prop_assert_eq!(inside.count(), tablet(last) - tablet(first));
        }
    }
}
