//! Sorting bounds by the key order, eight bytes at a time.
//!
//! Comparing whole keys costs a cache miss per comparison, and keys start alike. So every bound caches one *word* of its key, the bounds
//! are sorted by that integer, and only inside groups of equal words is the next word loaded. A word of a byte string is its next seven
//! bytes and, in the lowest byte, how many of them there are (8: the string goes on). That makes integer order the order of the strings,
//! end included, with no escaping: equal words that are not 8 say that both strings end here, and the next component follows.

use super::buffer::Entry;
use std::cmp::Ordering;

/// A cell in the arena and the word that it is being sorted by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    word: u64,
    at: u32,
}

impl Bound {
    pub(super) fn new(at: u32) -> Self {
        Bound { word: 0, at }
    }

    pub(super) fn at(self) -> usize {
        self.at as usize
    }
}

/// What a word is taken from: a component of the key and, in a byte string, the offset in it.
#[derive(Clone, Copy)]
struct Place {
    stage: u8,
    depth: usize,
}

const ROW: u8 = 0;
const VISIBILITY: u8 = 3;
const TIMESTAMP: u8 = 4;
const DELETED: u8 = 5;
const VALUE: u8 = 6;
const END: u8 = 7;

/// Bytes of a string in one word.
const STEP: usize = 7;
/// The lowest byte of a word whose string goes on.
const MORE: u8 = 8;
/// Groups so small are sorted by comparing their keys.
const SMALL: usize = 6;
/// So many words deep, what is left is sorted by comparing: it bounds the recursion for keys that are alike for kilobytes.
const DEEP: usize = 200;

/// Sorts by key, then by value descending.
pub(super) fn sort(bounds: &mut [Bound], arena: &[u8]) {
    sort_from(
        bounds,
        arena,
        Place {
            stage: ROW,
            depth: 0,
        },
        0,
    );
}

fn sort_from(bounds: &mut [Bound], arena: &[u8], mut place: Place, mut level: usize) {
    // A group that is alike in the whole word goes on in this loop; only real forks recurse.
    while bounds.len() > SMALL && level < DEEP && place.stage != END {
        let mut alike = true;
        let mut first = None;
        for bound in bounds.iter_mut() {
            bound.word = word(&Entry::at(arena, bound.at()), place);
            alike &= *first.get_or_insert(bound.word) == bound.word;
        }
        level += 1;
        if !alike {
            return fork(bounds, arena, place, level);
        }
        place = next(place, bounds[0].word);
    }
    if bounds.len() > 1 && place.stage != END {
        bounds.sort_unstable_by(|a, b| {
            compare(&Entry::at(arena, a.at()), &Entry::at(arena, b.at()), place)
        });
    }
}

fn fork(bounds: &mut [Bound], arena: &[u8], place: Place, level: usize) {
    bounds.sort_unstable_by_key(|bound| bound.word);
    for group in bounds.chunk_by_mut(|a, b| a.word == b.word) {
        if group.len() > 1 {
            let next = next(place, group[0].word);
            sort_from(group, arena, next, level);
        }
    }
}

/// Where keys go on whose words at `place` are equal.
fn next(place: Place, word: u64) -> Place {
    let tail = if place.stage == VALUE { !word } else { word } as u8;
    let string = place.stage <= VISIBILITY || place.stage == VALUE;
    if string && tail == MORE {
        Place {
            stage: place.stage,
            depth: place.depth + STEP,
        }
    } else {
        Place {
            stage: place.stage + 1,
            depth: 0,
        }
    }
}

fn word(entry: &Entry<'_>, place: Place) -> u64 {
    match place.stage {
        TIMESTAMP => newest_first(entry.timestamp),
        DELETED => u64::from(!entry.deleted),
        VALUE => !string_word(entry.component(4), place.depth),
        _ => string_word(entry.component(place.stage as usize), place.depth),
    }
}

fn newest_first(timestamp: i64) -> u64 {
    !(timestamp as u64 ^ (1 << 63))
}

fn string_word(string: &[u8], depth: usize) -> u64 {
    let rest = &string[depth..];
    if let Some(eight) = rest.first_chunk::<8>() {
        return u64::from_be_bytes(*eight) & !0xff | u64::from(MORE);
    }
    let mut bytes = [0; 8];
    bytes[..rest.len()].copy_from_slice(rest);
    bytes[7] = rest.len() as u8;
    u64::from_be_bytes(bytes)
}

/// The order from `place` on, for entries that are equal before it.
fn compare(a: &Entry<'_>, b: &Entry<'_>, place: Place) -> Ordering {
    let stage = place.stage as usize;
    let mut order = Ordering::Equal;
    for component in stage..=VISIBILITY as usize {
        let skip = if component == stage { place.depth } else { 0 };
        order =
            order.then_with(|| a.component(component)[skip..].cmp(&b.component(component)[skip..]));
    }
    order
        .then_with(|| b.timestamp.cmp(&a.timestamp))
        .then_with(|| b.deleted.cmp(&a.deleted))
        .then_with(|| b.component(4).cmp(a.component(4)))
}
