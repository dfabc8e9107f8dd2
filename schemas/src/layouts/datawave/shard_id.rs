//! The row of the shard table: `yyyyMMdd_partition`.

use crate::java_string::hash_code;
use std::fmt::Write;

/// Appends what follows the day: the partition of the UID's sharded portion.
pub fn write_partition(sharded_uid: &str, num_shards: u32, out: &mut String) {
    write!(out, "_{}", partition(sharded_uid, num_shards)).expect("a String takes any text");
}

/// The partition of a UID: Java's hash of its sharded portion, without the sign bit, modulo the number of shards (at least 1).
#[must_use]
pub fn partition(sharded_uid: &str, num_shards: u32) -> u32 {
    (hash_code(sharded_uid).cast_unsigned() & 0x7fff_ffff) % num_shards.max(1)
}
