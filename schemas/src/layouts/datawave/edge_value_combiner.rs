//! Merging the values of an edge key.
//!
//! DataWave's `EdgeCombiner` adds up counts and histograms, unites hours, keeps the earliest load date, and *picks* the rest by the order
//! in which values meet: newest timestamp first, and whatever comes among equal ones. Here equal timestamps are ordered by their bytes,
//! descending, so the answer is the same wherever it is made. What a pick needs is the one value that it would take, so the state is
//! sums and at most [`ROLES`] values with their timestamps.

use super::edge_value::{DURATIONS, EdgeValue, HOURS};
use super::protobuf::{read_bytes, read_varint, write_bytes, write_varint};
use crate::combine::{CombineError, Combiner, Folder, Grouping, Input};
use crate::encode::vlong::read_vlong;
use crate::key::Key;
use std::borrow::Cow;
use std::cmp::Ordering;

const NAME: &str = "edge-value";

/// Folds the values of all versions of an edge key: the timestamp is of the day's newest event.
#[derive(Clone, Copy, Debug)]
pub struct EdgeValueCombiner;

impl Combiner for EdgeValueCombiner {
    fn name(&self) -> &'static str {
        NAME
    }

    fn grouping(&self) -> Grouping {
        Grouping::Versions
    }

    fn folder(&self) -> Box<dyn Folder> {
        Box::new(EdgeFolder::default())
    }
}

/// Merges the values of one key in the order given, as DataWave does. `family` and `qualifier` are the key's: the family tells edges
/// (`TYPE/…`) from histograms (`STATS/…`), and the qualifier begins with the day (yyyyMMdd).
///
/// # Errors
/// As [`Folder::add`].
pub fn reduce<'a>(
    values: impl IntoIterator<Item = &'a [u8]>,
    family: &[u8],
    qualifier: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), CombineError> {
    let kind = Kind::of(family).map_err(error)?;
    let mut folder = EdgeFolder::default();
    // The order given is what timestamps that go down would make.
    for (value, timestamp) in values.into_iter().zip((i64::MIN..=i64::MAX).rev()) {
        folder.add_value(kind, timestamp, value).map_err(error)?;
    }
    folder.write(kind, qualifier, out);
    Ok(())
}

fn error(reason: &str) -> CombineError {
    CombineError {
        combiner: NAME,
        reason: reason.to_owned(),
    }
}

/// What a family says about the values of its keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Edge,
    Activity,
    Duration,
}

impl Kind {
    fn of(family: &[u8]) -> Result<Kind, &'static str> {
        let mut parts = family.split(|&byte| byte == b'/');
        match (parts.next(), parts.next()) {
            (Some(b"STATS"), Some(b"ACTIVITY")) => Ok(Kind::Activity),
            (Some(b"STATS"), Some(b"DURATION")) => Ok(Kind::Duration),
            (Some(b"STATS"), _) => Err("only activity and duration statistics can be merged"),
            _ => Ok(Kind::Edge),
        }
    }

    /// The histogram of a value, and how long a histogram is at least.
    fn histogram<'v>(self, value: &'v EdgeValue<'_>) -> (&'v [i64], usize) {
        match self {
            Kind::Edge => (&[], 0),
            Kind::Activity => (&value.hours, HOURS),
            Kind::Duration => (&value.durations, DURATIONS),
        }
    }
}

/// What a value may be picked for. The order of the values is newest first, equal timestamps by their bytes, descending.
#[derive(Clone, Copy)]
enum Role {
    /// The first of all: where it has no load date, the day of the key counts as one.
    First,
    /// The first whose source is not blank.
    Source,
    /// The last that has a blank source.
    BlankSource,
    Sink,
    BlankSink,
    /// The last that has an id.
    Id,
}

/// How many roles there are.
const ROLES: usize = 6;

impl Role {
    const ALL: [Role; ROLES] = [
        Role::First,
        Role::Source,
        Role::BlankSource,
        Role::Sink,
        Role::BlankSink,
        Role::Id,
    ];

    fn takes(self, value: &EdgeValue<'_>) -> bool {
        match self {
            Role::First => true,
            Role::Source => value.source.is_some_and(|text| !is_blank(text)),
            Role::BlankSource => value.source.is_some_and(is_blank),
            Role::Sink => value.sink.is_some_and(|text| !is_blank(text)),
            Role::BlankSink => value.sink.is_some_and(is_blank),
            Role::Id => value.id.is_some(),
        }
    }

    /// Of two values in order, which one it keeps.
    fn keeps(self) -> Ordering {
        match self {
            Role::First | Role::Source | Role::Sink => Ordering::Greater,
            Role::BlankSource | Role::BlankSink | Role::Id => Ordering::Less,
        }
    }
}

/// Whether a text is empty or whitespace to Java's `Character.isWhitespace`.
fn is_blank(text: &[u8]) -> bool {
    let space = |c: char| match c {
        '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}' => false,
        '\u{1c}'..='\u{1f}' => true,
        _ => c.is_whitespace(),
    };
    std::str::from_utf8(text).is_ok_and(|text| text.chars().all(space))
}

/// A value with its timestamp; the buffer is kept for the next group.
#[derive(Default)]
struct Pick {
    used: bool,
    timestamp: i64,
    value: Vec<u8>,
}

impl Pick {
    fn offer(&mut self, timestamp: i64, value: &[u8], keeps: Ordering) {
        let order = (timestamp, value).cmp(&(self.timestamp, &self.value));
        if !self.used || order == keeps {
            self.used = true;
            self.timestamp = timestamp;
            self.value.clear();
            self.value.extend_from_slice(value);
        }
    }

    fn value(&self) -> Option<EdgeValue<'_>> {
        self.used.then(|| EdgeValue::parse(&self.value)).flatten()
    }
}

#[derive(Default)]
struct EdgeFolder {
    count: i64,
    histogram: Vec<i64>,
    bitmask: Option<i32>,
    /// The earliest that any value has; empty where none has one.
    load_date: Vec<u8>,
    bad_activity: Option<bool>,
    picks: [Pick; ROLES],
    value: Vec<u8>,
}

impl EdgeFolder {
    fn add_value(&mut self, kind: Kind, timestamp: i64, bytes: &[u8]) -> Result<(), &'static str> {
        let Some(value) = EdgeValue::parse(bytes) else {
            return self.add_legacy(kind, bytes);
        };
        let (histogram, least) = kind.histogram(&value);
        self.add_histogram(histogram, least);
        if kind == Kind::Edge {
            self.count = self.count.wrapping_add(value.count.unwrap_or(0));
            self.add_bitmask(value.hour_bitmask);
        }
        self.add_load_date(value.load_date.unwrap_or_default());
        self.add_bad_activity(value.bad_activity);
        for role in Role::ALL {
            if role.takes(&value) {
                self.picks[role as usize].offer(timestamp, bytes, role.keeps());
            }
        }
        Ok(())
    }

    /// A value from before there were protobufs: Hadoop numbers, one for an edge, a histogram of them for statistics.
    fn add_legacy(&mut self, kind: Kind, bytes: &[u8]) -> Result<(), &'static str> {
        let mut numbers = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (number, len) = read_vlong(rest).ok_or("the value is no edge value")?;
            numbers.push(number);
            rest = rest.get(len..).unwrap_or_default();
        }
        match (kind, numbers.as_slice()) {
            (Kind::Edge, &[count]) => self.count = self.count.wrapping_add(count),
            (Kind::Edge, _) => return Err("the value is no edge value"),
            (Kind::Activity, numbers) => self.add_histogram(numbers, HOURS),
            (Kind::Duration, numbers) => self.add_histogram(numbers, DURATIONS),
        }
        Ok(())
    }

    fn add_histogram(&mut self, histogram: &[i64], least: usize) {
        let len = histogram.len().max(least);
        if self.histogram.len() < len {
            self.histogram.resize(len, 0);
        }
        for (sum, number) in self.histogram.iter_mut().zip(histogram) {
            *sum = sum.wrapping_add(*number);
        }
    }

    fn add_bitmask(&mut self, bitmask: Option<i32>) {
        if let Some(bitmask) = bitmask {
            *self.bitmask.get_or_insert(0) |= bitmask;
        }
    }

    fn add_load_date(&mut self, date: &[u8]) {
        if !date.is_empty() && (self.load_date.is_empty() || date < self.load_date.as_slice()) {
            self.load_date.clear();
            self.load_date.extend_from_slice(date);
        }
    }

    fn add_bad_activity(&mut self, bad: Option<bool>) {
        if let Some(bad) = bad {
            // Bad only if all that say something say so.
            *self.bad_activity.get_or_insert(true) &= bad;
        }
    }

    /// Appends the merged value.
    fn write(&self, kind: Kind, qualifier: &[u8], out: &mut Vec<u8>) {
        let pick = |role: Role| self.picks[role as usize].value();
        let text =
            |role: Role, blank: Role, field: for<'v> fn(&EdgeValue<'v>) -> Option<&'v [u8]>| {
                let found = [role, blank]
                    .into_iter()
                    .find(|&role| self.picks[role as usize].used)?;
                field(&pick(found)?)
            };
        let mut load_date = (!self.load_date.is_empty()).then_some(self.load_date.as_slice());
        if pick(Role::First).is_some_and(|first| first.load_date.is_none()) {
            let day = qualifier.get(..8).unwrap_or(qualifier);
            load_date = Some(load_date.map_or(day, |date| date.min(day)));
        }
        let histogram = Cow::Borrowed(self.histogram.as_slice());
        let (hours, durations) = match kind {
            Kind::Edge => Default::default(),
            Kind::Activity => (histogram, Cow::default()),
            Kind::Duration => (Cow::default(), histogram),
        };
        let value = EdgeValue {
            count: Some(self.count),
            hours,
            durations,
            hour_bitmask: self.bitmask,
            source: text(Role::Source, Role::BlankSource, |value| value.source),
            sink: text(Role::Sink, Role::BlankSink, |value| value.sink),
            load_date,
            bad_activity: self.bad_activity,
            id: pick(Role::Id).and_then(|value| value.id),
        };
        value.write(out);
    }

    /// Sums first, then each value that was picked: its roles as bits, its timestamp, its bytes.
    fn write_state(&self, state: &mut Vec<u8>) {
        write_varint(self.count.cast_unsigned(), state);
        write_varint(self.histogram.len() as u64, state);
        for number in &self.histogram {
            write_varint(number.cast_unsigned(), state);
        }
        let bitmask = self.bitmask.map(|bits| u64::from(bits.cast_unsigned()) + 1);
        write_varint(bitmask.unwrap_or(0), state);
        write_bytes(&self.load_date, state);
        state.push(self.bad_activity.map_or(0, |bad| 1 + u8::from(bad)));
        for (index, pick) in self.picks.iter().enumerate().filter(|(_, pick)| pick.used) {
            let same = |other: &Pick| {
                other.used && (other.timestamp, &other.value) == (pick.timestamp, &pick.value)
            };
            if self.picks[..index].iter().any(same) {
                continue;
            }
            let roles = (index..ROLES).filter(|&role| same(&self.picks[role]));
            state.push(roles.fold(0, |bits, role| bits | 1 << role));
            state.extend(pick.timestamp.to_be_bytes());
            write_bytes(&pick.value, state);
        }
    }

    fn add_state(&mut self, mut state: &[u8]) -> Option<()> {
        let input = &mut state;
        self.count = self.count.wrapping_add(read_varint(input)?.cast_signed());
        let buckets = usize::try_from(read_varint(input)?).ok()?;
        for index in 0..buckets {
            let number = read_varint(input)?.cast_signed();
            if self.histogram.len() == index {
                self.histogram.push(0);
            }
            self.histogram[index] = self.histogram[index].wrapping_add(number);
        }
        if let Some(bits) = read_varint(input)?.checked_sub(1) {
            self.add_bitmask(Some(u32::try_from(bits).ok()?.cast_signed()));
        }
        self.add_load_date(read_bytes(input)?);
        let (&bad, rest) = input.split_first()?;
        self.add_bad_activity((bad > 0).then_some(bad == 2));
        *input = rest;
        while let Some((&roles, rest)) = input.split_first() {
            let (timestamp, rest) = rest.split_first_chunk()?;
            *input = rest;
            let value = read_bytes(input)?;
            for role in Role::ALL {
                if roles & 1 << role as u8 != 0 {
                    let timestamp = i64::from_be_bytes(*timestamp);
                    self.picks[role as usize].offer(timestamp, value, role.keeps());
                }
            }
        }
        Some(())
    }

    fn clear(&mut self) {
        self.count = 0;
        self.histogram.clear();
        self.bitmask = None;
        self.load_date.clear();
        self.bad_activity = None;
        for pick in &mut self.picks {
            pick.used = false;
        }
    }
}

impl Folder for EdgeFolder {
    fn add(&mut self, key: &Key<'_>, input: Input<'_>) -> Result<(), CombineError> {
        let result = match input {
            Input::Value(value) => {
                Kind::of(key.family).and_then(|kind| self.add_value(kind, key.timestamp, value))
            }
            Input::Partial(state) => self
                .add_state(state)
                .ok_or("the partial state is cut short"),
        };
        result.map_err(error)
    }

    fn partial(&mut self, state: &mut Vec<u8>) {
        self.write_state(state);
        self.clear();
    }

    fn finish(&mut self, first: &Key<'_>, emit: &mut dyn FnMut(&Key<'_>, &[u8])) {
        let mut value = std::mem::take(&mut self.value);
        value.clear();
        // `add` has refused families of other kinds.
        let kind = Kind::of(first.family).unwrap_or(Kind::Edge);
        self.write(kind, first.qualifier, &mut value);
        emit(first, &value);
        self.value = value;
        self.clear();
    }
}

#[cfg(test)]
#[path = "edge_value_combiner_tests.rs"]
mod tests;
