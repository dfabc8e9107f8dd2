//! What is in an RFile, for `inspect`.

use crate::sizes;
use serde_json::{Value, json};
use shardmill_pipeline::escape::{escape, key_text};
use shardmill_pipeline::rfile::{FileInfo, GroupInfo};
use shardmill_schemas::key::KeyBuf;
use std::fmt::Write as _;

/// Families that are listed for people; there may be a thousand.
const FAMILIES: usize = 24;

// Writing to a string cannot fail.
macro_rules! line {
    ($text:expr, $($part:tt)*) => { let _ = writeln!($text, $($part)*); };
}

/// The facts for people.
pub(crate) fn text(info: &FileInfo) -> String {
    let mut text = String::new();
    line!(text, "{}", info.path);
    line!(
        text,
        "  format      RFile {} in BCFile {}, codec {}, {} bytes",
        info.rfile_version,
        info.container.major(),
        info.codec.name(),
        sizes::count(info.file_bytes)
    );
    let digest = if info.has_digest { "present" } else { "none" };
    line!(text, "  digest      {digest}");
    if info.has_sample {
        line!(text, "  sample      present");
    }
    line!(
        text,
        "  entries     {} in data blocks: {}",
        sizes::count(info.entries),
        sizes::count(info.data_blocks)
    );
    keys(
        &mut text,
        "  ",
        info.first_key.as_ref(),
        info.last_key.as_ref(),
    );
    for one in &info.groups {
        group(&mut text, one);
    }
    line!(text, "  meta blocks");
    for block in &info.meta_blocks {
        line!(
            text,
            "    {:18} {:6} {:>10} packed {:>10} raw",
            block.name,
            block.codec,
            sizes::show(block.packed_bytes),
            sizes::show(block.raw_bytes)
        );
    }
    text
}

fn group(text: &mut String, group: &GroupInfo) {
    let name = group.name.as_deref().unwrap_or("(default)");
    line!(text, "  group {name}");
    let families = match &group.families {
        None => "not tracked".to_owned(),
        Some(families) => {
            let shown = families.iter().take(FAMILIES);
            let mut shown: Vec<String> = shown
                .map(|(family, count)| format!("{} ({count})", escape(family)))
                .collect();
            if families.len() > FAMILIES {
                shown.push(format!("and {} more", families.len() - FAMILIES));
            }
            shown.join(", ")
        }
    };
    line!(text, "    families  {families}");
    line!(
        text,
        "    data      {} entries, blocks: {}, {} packed, {} raw",
        sizes::count(group.entries),
        sizes::count(group.data_blocks),
        sizes::show(group.packed_bytes),
        sizes::show(group.raw_bytes)
    );
    for (number, level) in group.index_levels.iter().enumerate().rev() {
        line!(
            text,
            "    index     level {number}, blocks: {}, {} packed, {} raw",
            sizes::count(level.blocks),
            sizes::show(level.packed_bytes),
            sizes::show(level.raw_bytes)
        );
    }
    keys(
        text,
        "    ",
        group.first_key.as_ref(),
        group.last_key.as_ref(),
    );
}

/// First and last key, in line with the facts that begin at `indent`.
fn keys(text: &mut String, indent: &str, first: Option<&KeyBuf>, last: Option<&KeyBuf>) {
    let width = 14 - indent.len();
    for (name, key) in [("first", first), ("last", last)] {
        if let Some(key) = key {
            line!(text, "{indent}{name:width$}{}", key_text(&key.as_key()));
        }
    }
}

/// The facts as an object in one line.
pub(crate) fn json(info: &FileInfo) -> String {
    let groups: Vec<Value> = info.groups.iter().map(group_json).collect();
    let meta: Vec<Value> = info
        .meta_blocks
        .iter()
        .map(|block| {
            json!({
                "name": block.name,
                "codec": block.codec,
                "packed_bytes": block.packed_bytes,
                "raw_bytes": block.raw_bytes,
            })
        })
        .collect();
    let value = json!({
        "path": info.path,
        "bytes": info.file_bytes,
        "rfile": info.rfile_version,
        "bcfile": info.container.major(),
        "codec": info.codec.name(),
        "digest": info.has_digest,
        "sample": info.has_sample,
        "entries": info.entries,
        "data_blocks": info.data_blocks,
        "first_key": key_json(info.first_key.as_ref()),
        "last_key": key_json(info.last_key.as_ref()),
        "groups": groups,
        "meta_blocks": meta,
    });
    format!("{value}\n")
}

fn group_json(group: &GroupInfo) -> Value {
    let family =
        |(family, count): &(Vec<u8>, i64)| json!({"family": escape(family), "entries": count});
    let families: Option<Vec<Value>> = group
        .families
        .as_ref()
        .map(|families| families.iter().map(family).collect());
    let levels: Vec<Value> = group
        .index_levels
        .iter()
        .map(|level| {
            json!({
                "blocks": level.blocks,
                "packed_bytes": level.packed_bytes,
                "raw_bytes": level.raw_bytes,
            })
        })
        .collect();
    json!({
        "name": group.name,
        "families": families,
        "entries": group.entries,
        "data_blocks": group.data_blocks,
        "packed_bytes": group.packed_bytes,
        "raw_bytes": group.raw_bytes,
        "index_levels": levels,
        "first_key": key_json(group.first_key.as_ref()),
        "last_key": key_json(group.last_key.as_ref()),
    })
}

/// A key with the fields that `scan --format json` gives.
fn key_json(key: Option<&KeyBuf>) -> Value {
    let Some(key) = key.map(KeyBuf::as_key) else {
        return Value::Null;
    };
    json!({
        "row": escape(key.row),
        "family": escape(key.family),
        "qualifier": escape(key.qualifier),
        "visibility": escape(key.visibility),
        "timestamp": key.timestamp,
        "deleted": key.deleted,
    })
}
