//! The value of an entry of the edge table: `EdgeData.EdgeValue`, a protobuf (proto2).
//!
//! ```text
//! count         int64              1   08 varint        edges: how many; histograms: 0, written all the same
//! hours         repeated int64     2   12 len varints   packed; activity: one number for each hour of the day
//! duration      repeated int64     3   1a len varints   packed; durations: one number for each bucket
//! hourBitmask   int32              4   20 varint        edges: the hours of the day in which it was seen
//! sourceValue   string             5   2a len …         the vertex as it stood in the record
//! sinkValue     string             6   32 len …         edges
//! loadDate      string             7   3a len …         yyyyMMdd
//! badActivity   bool               8   40 xx            the activity date could not be used
//! uuid          message            9   4a len           08 zigzag of the least, 10 zigzag of the most significant half
//! uuid_string   string            10   52 len …         an id that is no UUID
//! ```

pub use super::edge_value_combiner::reduce;
use super::protobuf::{read_bytes, read_repeated, read_varint, skip, write_bytes, write_varint};
use crate::java_number::parse_long;
use std::borrow::Cow;

/// Buckets of an activity histogram: the hours of a day.
pub const HOURS: usize = 24;

/// Buckets of a duration histogram, see [`duration_bucket`].
pub const DURATIONS: usize = 7;

/// An edge value, borrowed from bytes or from what a record gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeValue<'a> {
    /// Number of edges; -1 where one is taken away.
    pub count: Option<i64>,
    /// Activity by hour of the day, GMT: [`HOURS`] numbers or none.
    pub hours: Cow<'a, [i64]>,
    /// How many took how long: [`DURATIONS`] numbers or none.
    pub durations: Cow<'a, [i64]>,
    /// Bit `h` for hour `h`.
    pub hour_bitmask: Option<i32>,
    /// The source vertex, UTF-8.
    pub source: Option<&'a [u8]>,
    /// The sink vertex, UTF-8.
    pub sink: Option<&'a [u8]>,
    /// The day of loading, yyyyMMdd.
    pub load_date: Option<&'a [u8]>,
    /// Whether the activity date could not be used; absent where there is no question of it.
    pub bad_activity: Option<bool>,
    /// The first alternate id of the event.
    pub id: Option<EventId<'a>>,
}

/// An alternate id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventId<'a> {
    /// A UUID.
    Uuid {
        /// The lower 64 bits.
        least: i64,
        /// The upper 64 bits.
        most: i64,
    },
    /// Any other text.
    Text(&'a [u8]),
}

impl<'a> EventId<'a> {
    /// The id in a text: a UUID where `UUID.fromString` takes it (five hexadecimal numbers between dashes, each cut to its width).
    #[must_use]
    pub fn of(text: &'a str) -> EventId<'a> {
        uuid(text).unwrap_or(EventId::Text(text.as_bytes()))
    }
}

fn uuid(text: &str) -> Option<EventId<'static>> {
    if text.encode_utf16().count() > 36 {
        return None;
    }
    let mut numbers = [0_i64; 5];
    let mut parts = text.split('-');
    for number in &mut numbers {
        *number = parse_long(parts.next()?, 16)?;
    }
    if parts.next().is_some() {
        return None;
    }
    let [low, mid, high, sequence, node] = numbers;
    Some(EventId::Uuid {
        most: (low & 0xffff_ffff) << 32 | (mid & 0xffff) << 16 | (high & 0xffff),
        least: (sequence & 0xffff) << 48 | (node & 0xffff_ffff_ffff),
    })
}

/// The bucket of a duration in seconds: below 10, 30, 60, 300, 600, 1800, and the others. Negative ones count as short.
#[must_use]
pub fn duration_bucket(seconds: i64) -> usize {
    [10, 30, 60, 300, 600, 1800]
        .iter()
        .take_while(|&&limit| seconds >= limit)
        .count()
}

/// The histogram of one occurrence; a `bucket` that is none of the histogram's leaves it all zero.
#[must_use]
pub fn one_hot<const N: usize>(bucket: usize) -> [i64; N] {
    let mut histogram = [0; N];
    if let Some(number) = histogram.get_mut(bucket) {
        *number = 1;
    }
    histogram
}

impl<'a> EdgeValue<'a> {
    /// Reads the bytes of a value. `None`: they are no protobuf of this form. Unknown fields are skipped, of repeated ones the last counts.
    #[must_use]
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut value = EdgeValue::default();
        let mut input = bytes;
        while !input.is_empty() {
            let tag = read_varint(&mut input)?;
            match tag {
                0x08 => value.count = Some(read_varint(&mut input)?.cast_signed()),
                0x10 | 0x12 => read_numbers(tag, &mut input, &mut value.hours)?,
                0x18 | 0x1a => read_numbers(tag, &mut input, &mut value.durations)?,
                0x20 => value.hour_bitmask = Some(read_varint(&mut input)? as i32),
                0x2a => value.source = Some(read_bytes(&mut input)?),
                0x32 => value.sink = Some(read_bytes(&mut input)?),
                0x3a => value.load_date = Some(read_bytes(&mut input)?),
                0x40 => value.bad_activity = Some(read_varint(&mut input)? != 0),
                0x4a => value.id = Some(read_uuid(read_bytes(&mut input)?)?),
                // Where both forms are there, the UUID counts.
                0x52 => {
                    let text = EventId::Text(read_bytes(&mut input)?);
                    if !matches!(value.id, Some(EventId::Uuid { .. })) {
                        value.id = Some(text);
                    }
                }
                tag => skip(tag, &mut input)?,
            }
        }
        Some(value)
    }

    /// Appends the bytes of the value, fields in order. The count is always written.
    pub fn write(&self, out: &mut Vec<u8>) {
        write_number(0x08, self.count.unwrap_or(0), out);
        write_numbers(0x12, &self.hours, out);
        write_numbers(0x1a, &self.durations, out);
        if let Some(bitmask) = self.hour_bitmask {
            write_number(0x20, i64::from(bitmask), out);
        }
        let texts = [
            (0x2a, self.source),
            (0x32, self.sink),
            (0x3a, self.load_date),
        ];
        for (tag, text) in texts {
            if let Some(text) = text {
                out.push(tag);
                write_bytes(text, out);
            }
        }
        if let Some(bad) = self.bad_activity {
            out.extend([0x40, u8::from(bad)]);
        }
        match self.id {
            Some(EventId::Uuid { least, most }) => {
                let (least, most) = (zigzag(least), zigzag(most));
                out.push(0x4a);
                write_varint(2 + (varint_len(least) + varint_len(most)) as u64, out);
                for (tag, half) in [(0x08, least), (0x10, most)] {
                    out.push(tag);
                    write_varint(half, out);
                }
            }
            Some(EventId::Text(text)) => {
                out.push(0x52);
                write_bytes(text, out);
            }
            None => {}
        }
    }
}

fn write_number(tag: u8, number: i64, out: &mut Vec<u8>) {
    out.push(tag);
    write_varint(number.cast_unsigned(), out);
}

fn write_numbers(tag: u8, numbers: &[i64], out: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    let len: usize = numbers
        .iter()
        .map(|number| varint_len(number.cast_unsigned()))
        .sum();
    out.push(tag);
    write_varint(len as u64, out);
    for number in numbers {
        write_varint(number.cast_unsigned(), out);
    }
}

fn read_numbers(tag: u64, input: &mut &[u8], numbers: &mut Cow<'_, [i64]>) -> Option<()> {
    let numbers = numbers.to_mut();
    read_repeated(tag, input, |number| numbers.push(number.cast_signed()))
}

fn read_uuid(mut input: &[u8]) -> Option<EventId<'static>> {
    let (mut least, mut most) = (None, None);
    while !input.is_empty() {
        match read_varint(&mut input)? {
            0x08 => least = Some(unzigzag(read_varint(&mut input)?)),
            0x10 => most = Some(unzigzag(read_varint(&mut input)?)),
            tag => skip(tag, &mut input)?,
        }
    }
    Some(EventId::Uuid {
        least: least?,
        most: most?,
    })
}

fn varint_len(number: u64) -> usize {
    (64 - (number | 1).leading_zeros() as usize).div_ceil(7)
}

fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63).cast_unsigned()
}

fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_by_bytes() {
        let value = EdgeValue {
            count: Some(1),
            hour_bitmask: Some(1 << 1),
            source: Some(b"V1"),
            sink: Some(b"V10"),
            load_date: Some(b"20231114"),
            bad_activity: Some(false),
            id: Some(EventId::of("00000000-0000-0001-ffff-fffffffffffe")),
            ..EdgeValue::default()
        };
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        let expected = b"\x08\x01\x20\x02\x2a\x02V1\x32\x03V10\x3a\x0820231114\x40\x00\x4a\x04\x08\x03\x10\x02";
        assert_eq!(bytes, expected);
        assert_eq!(EdgeValue::parse(&bytes), Some(value));
    }

    #[test]
    fn a_duration_of_45_seconds_by_bytes() {
        let histogram: [i64; DURATIONS] = one_hot(duration_bucket(45));
        let value = EdgeValue {
            durations: Cow::Borrowed(&histogram),
            source: Some(b"Carol"),
            load_date: Some(b"20231114"),
            ..EdgeValue::default()
        };
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        let expected = b"\x08\x00\x1a\x07\x00\x00\x01\x00\x00\x00\x00\x2a\x05Carol\x3a\x0820231114";
        assert_eq!(bytes, expected);
    }

    #[test]
    fn buckets() {
        let seconds = [-3, 0, 9, 10, 45, 60, 300, 1799, 1800];
        assert_eq!(seconds.map(duration_bucket), [0, 0, 0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(one_hot::<3>(9), [0; 3]);
    }

    #[test]
    fn ids_that_are_uuids_and_others() {
        let short = EventId::Uuid {
            least: 4 << 48 | 5,
            most: 1 << 32 | 2 << 16 | 3,
        };
        assert_eq!(EventId::of("1-2-3-4-5"), short);
        for text in ["", "id-7", "1-2-3-4", "1-2-3-4-5-6", "1-2-3-4-g"] {
            assert_eq!(EventId::of(text), EventId::Text(text.as_bytes()));
        }
    }

    #[test]
    fn every_truncation_is_read_or_refused() {
        let bytes = b"\x08\x01\x12\x02\x01\x02\x20\x02\x2a\x02V1\x3a\x0820231114\x4a\x04\x08\x03\x10\x02\x52\x01x";
        for end in 0..bytes.len() {
            let _ = EdgeValue::parse(&bytes[..end]);
        }
        for bad in [
            &b"\x02"[..],
            b"\x00\x00",
            b"\x2a\x05abc",
            b"\x0b\x0c",
            b"\x4a\x02\x08\x03",
        ] {
            assert_eq!(EdgeValue::parse(bad), None, "{bad:?}");
        }
    }
}
