//! The meta block `shardmill.digest`: BCFile has no checksum of its own, so our files carry one.
//!
//! Accumulo ignores meta blocks whose names it does not know. The block is not compressed and has a fixed size:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `shmdigst` |
//! | 4 | version, big-endian: 1 |
//! | 8 | length of the whole file, big-endian |
//! | 16 | xxh3-128 (seed 0), big-endian, over all bytes before this block followed by all bytes after it |
//!
//! The block itself holds nothing that is not checked, so one flipped bit anywhere in the file is found.

use xxhash_rust::xxh3::Xxh3;

/// Name of the meta block.
pub(crate) const DIGEST_BLOCK: &str = "shardmill.digest";
/// Its size in bytes.
pub(crate) const DIGEST_BYTES: usize = 36;

const MAGIC: &[u8; 8] = b"shmdigst";
const VERSION: u32 = 1;

/// The block's bytes, once everything before it was hashed into `before`.
///
/// `tail` is everything that follows it, `file_bytes` the length of the file with block and tail.
pub(crate) fn digest_block(before: &Xxh3, tail: &[u8], file_bytes: u64) -> [u8; DIGEST_BYTES] {
    let mut hash = before.clone();
    hash.update(tail);
    let mut block = [0; DIGEST_BYTES];
    block[..8].copy_from_slice(MAGIC);
    block[8..12].copy_from_slice(&VERSION.to_be_bytes());
    block[12..20].copy_from_slice(&file_bytes.to_be_bytes());
    block[20..].copy_from_slice(&hash.digest128().to_be_bytes());
    block
}
