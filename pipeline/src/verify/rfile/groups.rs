//! `RFile.index`: what it says of each locality group, and whether the groups are right together.

use std::collections::{HashMap, HashSet};

use shardmill_schemas::key::{Key, KeyBuf};

use super::cells::{GroupCheck, Totals};
use super::layout::Layout;
use super::parse::Rest;
use super::walk::{IndexNode, Walk};
use super::{Check, Finding, refuse};

/// What `RFile.index` says of one group.
struct Group {
    /// `None` for the default group.
    name: Option<String>,
    /// Families with counts; `None` when they are not tracked.
    families: Option<HashMap<Vec<u8>, i64>>,
    first: Option<KeyBuf>,
    blocks: u64,
    root: IndexNode,
}

/// The parsed meta block.
struct RFileIndex {
    groups: Vec<Group>,
    /// Groups of the sample, whose cells are checked but not counted.
    samples: Vec<Group>,
}

/// Checks all groups with their indexes and cells.
pub(super) fn check(layout: &mut Layout<'_>, totals: &mut Totals<'_>) -> Result<(), Finding> {
    let (offset, bytes) = layout.meta_block(b"RFile.index")?;
    let mut rest = Rest(&bytes);
    match (rest.fixed(4), rest.fixed(4)) {
        (Some(0x2063_7474), Some(7 | 8)) => {}
        (Some(0x2063_7474), Some(_)) => {
            return refuse(Check::Unsupported, offset, "RFile version");
        }
        _ => return refuse(Check::Groups, offset, "RFile.index has no magic"),
    }
    let mut rest = Rest(&bytes[4..]);
    let Some(index) = rest.fixed(4).and_then(|version| read(&mut rest, version)) else {
        return refuse(Check::Groups, offset, "RFile.index is malformed");
    };
    drop(bytes);
    let named = check_families(&index, offset)?;
    for group in &index.groups {
        if let (Some(name), Some(families)) = (&group.name, &group.families) {
            let families = families.keys().cloned().collect();
            if totals.groups.insert(name.clone(), families).is_some() {
                return refuse(Check::Groups, offset, "two groups have one name");
            }
        }
    }
    for group in index.groups {
        let foreign = if group.name.is_none() {
            Some(&named)
        } else {
            None
        };
        check_group(layout, group, foreign, totals, offset)?;
    }
    for group in index.samples {
        let mut ignored = |_: &Key<'_>, _: &[u8]| {};
        let mut apart = Totals::new(totals.visibility, &mut ignored);
        check_group(layout, group, None, &mut apart, offset)?;
    }
    Ok(())
}

/// Checks one group; `foreign` are families that must not occur in it, because scans look for them elsewhere.
fn check_group(
    layout: &mut Layout<'_>,
    group: Group,
    foreign: Option<&HashSet<Vec<u8>>>,
    totals: &mut Totals<'_>,
    offset: u64,
) -> Result<(), Finding> {
    let first = group.first.is_some();
    if first != (group.blocks > 0) || first != (group.root.count() > 0) {
        let what = "a group disagrees with itself on whether it is empty";
        return refuse(Check::Groups, offset, what);
    }
    let mut cells = GroupCheck::new(group.first, group.families, foreign, totals);
    let mut walk = Walk::new(layout, &mut cells);
    walk.run(&group.root, offset)?;
    if walk.blocks != group.blocks {
        let what = "a group has another number of data blocks than RFile.index says";
        return refuse(Check::Index, offset, what);
    }
    cells.finish(offset)
}

/// Checks that scans for a family look into one group only; gives the families of the named groups.
fn check_families(index: &RFileIndex, offset: u64) -> Result<HashSet<Vec<u8>>, Finding> {
    let defaults = index.groups.iter().filter(|group| group.name.is_none());
    if defaults.count() > 1 {
        return refuse(Check::Groups, offset, "two default groups");
    }
    let mut named = HashSet::new();
    for group in index.groups.iter().filter(|group| group.name.is_some()) {
        for family in group.families.iter().flat_map(HashMap::keys) {
            if !named.insert(family.clone()) {
                return refuse(Check::Families, offset, "a family is in two groups");
            }
        }
    }
    Ok(named)
}

fn read(rest: &mut Rest<'_>, version: i64) -> Option<RFileIndex> {
    let n = rest.count()?;
    let mut index = RFileIndex {
        groups: read_groups(rest, n, version)?,
        samples: Vec::new(),
    };
    if version >= 8 && rest.flag()? {
        index.samples = read_groups(rest, n, version)?;
        // The sampler: a version byte, its class, and options as names and values.
        (rest.byte()? == 1).then_some(())?;
        rest.java_string()?;
        for _ in 0..rest.count()? {
            rest.java_string()?;
            rest.java_string()?;
        }
    }
    rest.is_empty().then_some(index)
}

fn read_groups(rest: &mut Rest<'_>, n: usize, version: i64) -> Option<Vec<Group>> {
    let mut groups = Vec::new();
    for _ in 0..n {
        let is_default = rest.flag()?;
        let name = match is_default {
            true => None,
            false => Some(String::from_utf8_lossy(rest.java_string()?).into_owned()),
        };
        if version == 7 {
            // Number of the group's first block; without use since blocks are found by offset.
            rest.fixed(4)?;
        }
        groups.push(Group {
            name,
            families: read_families(rest, is_default)?,
            first: match rest.flag()? {
                true => Some(rest.key()?.to_buf()),
                false => None,
            },
            blocks: rest.count()? as u64,
            root: IndexNode::read(rest)?,
        });
    }
    Some(groups)
}

/// Families with counts; the inner `None` stands for "not tracked", which only the default group may say.
#[allow(clippy::option_option, reason = "malformed, untracked and tracked")]
fn read_families(rest: &mut Rest<'_>, is_default: bool) -> Option<Option<HashMap<Vec<u8>, i64>>> {
    let n = rest.fixed(4)?;
    if n < 0 {
        return (n == -1 && is_default).then_some(None);
    }
    let mut families = HashMap::new();
    for _ in 0..n {
        let family = rest.counted()?.to_vec();
        let count = rest.fixed(8).filter(|&count| count >= 0)?;
        families.insert(family, count).is_none().then_some(())?;
    }
    Some(Some(families))
}
