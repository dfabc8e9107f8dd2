//! Which families a locality group holds, and how often each occurred.
//!
//! Accumulo decides by these counts which groups a scan with `fetchColumnFamily` opens: a family with a missing or zero count is
//! silently not found, so they are kept as exactly as Java keeps them.

use std::collections::HashMap;

/// The default group stops counting when a family would be added to more than this many (Java's `MAX_CF_IN_DLG`).
const MAX_IN_DEFAULT: usize = 1000;

/// Counts per family, in the order in which families came.
#[derive(Debug)]
pub(crate) struct FamilyCounts {
    slots: Vec<(Vec<u8>, i64)>,
    places: HashMap<Vec<u8>, usize>,
    last: usize,
    limited: bool,
    dropped: bool,
}

impl FamilyCounts {
    /// Counts of a named group, which start at zero for all its families.
    pub(crate) fn named(families: &[Vec<u8>]) -> FamilyCounts {
        let mut counts = FamilyCounts::default_group();
        counts.limited = false;
        for family in families {
            counts.places.insert(family.clone(), counts.slots.len());
            counts.slots.push((family.clone(), 0));
        }
        counts
    }

    /// Counts of the default group, which learns its families from its cells.
    pub(crate) fn default_group() -> FamilyCounts {
        FamilyCounts {
            slots: Vec::new(),
            places: HashMap::new(),
            last: 0,
            limited: true,
            dropped: false,
        }
    }

    /// Counts one cell.
    #[inline]
    pub(crate) fn count(&mut self, family: &[u8]) {
        match self.slots.get_mut(self.last) {
            Some((same, count)) if same == family => *count += 1,
            _ => self.count_other(family),
        }
    }

    fn count_other(&mut self, family: &[u8]) {
        if self.dropped {
            return;
        }
        if let Some(&place) = self.places.get(family) {
            self.last = place;
            self.slots[place].1 += 1;
        } else if self.limited && self.slots.len() > MAX_IN_DEFAULT {
            self.dropped = true;
            self.slots = Vec::new();
            self.places = HashMap::new();
        } else {
            self.last = self.slots.len();
            self.places.insert(family.to_vec(), self.last);
            self.slots.push((family.to_vec(), 1));
        }
    }

    /// Appends i32 number (−1 for "not tracked"), then per family i32 length, bytes, i64 count.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        if self.dropped {
            out.extend_from_slice(&(-1_i32).to_be_bytes());
            return;
        }
        out.extend_from_slice(&(self.slots.len() as i32).to_be_bytes());
        let mut order: Vec<&(Vec<u8>, i64)> = self.slots.iter().collect();
        let buckets = java_buckets(order.len());
        order.sort_by_key(|(family, _)| java_bucket(family, buckets));
        for (family, count) in order {
            out.extend_from_slice(&(family.len() as i32).to_be_bytes());
            out.extend_from_slice(family);
            out.extend_from_slice(&count.to_be_bytes());
        }
    }
}

/// Size of a Java `HashMap`'s table with `n` entries: it starts with 16 and doubles when it is more than three quarters full.
fn java_buckets(n: usize) -> u32 {
    let mut buckets = 16_u32;
    while n as u64 * 4 > u64::from(buckets) * 3 {
        buckets *= 2;
    }
    buckets
}

/// The bucket of a family: Java writes them in the order of its hash table, and so do we, so that files are equal.
fn java_bucket(family: &[u8], buckets: u32) -> u32 {
    let hash = family.iter().fold(1_i32, |hash, &byte| {
        hash.wrapping_mul(31).wrapping_add(i32::from(byte as i8))
    }) as u32;
    (hash ^ (hash >> 16)) & (buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfile_the_default_group_drops_its_counts_at_family_1002() {
        let mut counts = FamilyCounts::default_group();
        for i in 0..1001_u32 {
            counts.count(&i.to_be_bytes());
            counts.count(&0_u32.to_be_bytes());
        }
        let mut out = Vec::new();
        counts.write(&mut out);
        assert_eq!(out[..4], 1001_i32.to_be_bytes());
        counts.count(&1001_u32.to_be_bytes());
        counts.count(&0_u32.to_be_bytes());
        out.clear();
        counts.write(&mut out);
        assert_eq!(out, (-1_i32).to_be_bytes());
    }
}
