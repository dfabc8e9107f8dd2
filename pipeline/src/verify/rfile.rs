//! Decides whether an RFile may be published: every byte accounted for, every statement of its indexes true.
//!
//! | file | what it checks |
//! |---|---|
//! | `layout` | trailer, meta index, known names, no gaps and no overlaps, digest and sha256 |
//! | `groups` | `RFile.index`: versions, groups, families, samples |
//! | `walk` | index blocks of all levels, their positions and keys |
//! | `cells` | data blocks: order, counts, families, visibilities |
//! | `parse`, `unpack` | numbers, keys and compressed blocks, read independently of `crate::rfile` |
//!
//! It is stricter than Accumulo's reader where a file that Accumulo accepts would be scanned wrongly: a missing family, a false
//! index key or a wrong count hides cells without a message.

mod cells;
mod groups;
mod layout;
mod parse;
mod unpack;
mod walk;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;

use shardmill_schemas::key::{Key, KeyBuf};

use cells::Totals;
use layout::{Bytes, Layout};

/// What a file that passed all checks holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedFile {
    /// Number of cells, deletes included.
    pub entries: u64,
    /// Number of delete markers.
    pub deletes: u64,
    /// Smallest key; `None` when the file is empty.
    pub first_key: Option<KeyBuf>,
    /// Largest key.
    pub last_key: Option<KeyBuf>,
    /// The named locality groups with their families.
    pub groups: BTreeMap<String, BTreeSet<Vec<u8>>>,
    /// Length of the file in bytes.
    pub file_bytes: u64,
    /// SHA-256 of the file.
    pub sha256: [u8; 32],
    /// Whether the file carries our own digest (which then agreed).
    pub has_digest: bool,
}

/// Which statement of a file is false.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Check {
    /// The trailer, the magic bytes or the crypto part.
    Trailer,
    /// The meta index: malformed, an unknown or a missing name.
    MetaIndex,
    /// A version or codec that is not verified here.
    Unsupported,
    /// The digest block disagrees with the file.
    Digest,
    /// Bytes that belong to nothing, or to two things.
    Regions,
    /// A block does not decompress to the size in its index.
    Codec,
    /// `RFile.index` is malformed.
    Groups,
    /// An index block: malformed, at the wrong position, with a false key or count.
    Index,
    /// A data block: malformed, or with another number of cells than its index says.
    Block,
    /// Keys that are not in order.
    Order,
    /// Families or their counts.
    Families,
    /// A visibility that does not parse.
    Visibility,
}

impl Check {
    /// The stable code of the check.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Check::Trailer => "VERIFY_TRAILER",
            Check::MetaIndex => "VERIFY_META_INDEX",
            Check::Unsupported => "VERIFY_UNSUPPORTED",
            Check::Digest => "VERIFY_DIGEST",
            Check::Regions => "VERIFY_REGIONS",
            Check::Codec => "VERIFY_CODEC",
            Check::Groups => "VERIFY_GROUPS",
            Check::Index => "VERIFY_INDEX",
            Check::Block => "VERIFY_BLOCK",
            Check::Order => "VERIFY_ORDER",
            Check::Families => "VERIFY_FAMILIES",
            Check::Visibility => "VERIFY_VISIBILITY",
        }
    }
}

/// Why a file was not verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The file could not be read.
    #[error("VERIFY_READ: {path} at byte {offset}: {source}")]
    Read {
        /// The file as the caller named it.
        path: String,
        /// Where the read started.
        offset: u64,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file must not be used.
    #[error("{}: {path} at byte {offset}: {what}", check.code())]
    Refused {
        /// Which check failed.
        check: Check,
        /// The file as the caller named it.
        path: String,
        /// File offset of the region (block, meta block, trailer) at fault.
        offset: u64,
        /// What is wrong.
        what: &'static str,
    },
}

impl VerifyError {
    /// The stable code that the message starts with.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            VerifyError::Read { .. } => "VERIFY_READ",
            VerifyError::Refused { check, .. } => check.code(),
        }
    }
}

/// What a check found, before the file's name is added.
#[derive(Debug)]
enum Finding {
    Read(u64, io::Error),
    Refused(Check, u64, &'static str),
}

/// A finding as the result of a check.
fn refuse<T>(check: Check, offset: u64, what: &'static str) -> Result<T, Finding> {
    Err(Finding::Refused(check, offset, what))
}

/// Verifies a file by path.
///
/// `visibility` says whether a column visibility parses; it is asked once for each run of equal ones. `cells` is given every cell,
/// group by group and in key order inside each group; what it was given counts only if the result is `Ok`.
/// Memory: one block, one index block a level, and 24 bytes for each block of the file.
///
/// # Errors
/// [`VerifyError::Read`], or [`VerifyError::Refused`] with the first check that failed.
pub fn verify_file(
    path: impl AsRef<Path>,
    visibility: &dyn Fn(&[u8]) -> bool,
    cells: &mut dyn FnMut(&Key<'_>, &[u8]),
) -> Result<VerifiedFile, VerifyError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let file = File::open(path).map_err(|e| name_it(&name, Finding::Read(0, e)))?;
    verify(&file, visibility, cells).map_err(|finding| name_it(&name, finding))
}

/// Verifies a file that is in memory; `name` stands for the path in messages. Otherwise as [`verify_file`].
///
/// # Errors
/// As [`verify_file`].
pub fn verify_bytes(
    bytes: &[u8],
    name: &str,
    visibility: &dyn Fn(&[u8]) -> bool,
    cells: &mut dyn FnMut(&Key<'_>, &[u8]),
) -> Result<VerifiedFile, VerifyError> {
    verify(&bytes, visibility, cells).map_err(|finding| name_it(name, finding))
}

fn name_it(path: &str, finding: Finding) -> VerifyError {
    let path = path.to_owned();
    match finding {
        Finding::Read(offset, source) => VerifyError::Read {
            path,
            offset,
            source,
        },
        Finding::Refused(check, offset, what) => VerifyError::Refused {
            check,
            path,
            offset,
            what,
        },
    }
}

fn verify(
    file: &dyn Bytes,
    visibility: &dyn Fn(&[u8]) -> bool,
    cells: &mut dyn FnMut(&Key<'_>, &[u8]),
) -> Result<VerifiedFile, Finding> {
    let mut layout = Layout::read(file)?;
    // The whole file is hashed first: where there is a digest, damage is reported as damage and nothing else is believed.
    let sha256 = layout.hash_and_compare()?;
    let mut totals = Totals::new(visibility, cells);
    groups::check(&mut layout, &mut totals)?;
    layout.check_other_meta_blocks()?;
    layout.check_regions()?;
    Ok(VerifiedFile {
        entries: totals.entries,
        deletes: totals.deletes,
        first_key: totals.first,
        last_key: totals.last,
        groups: totals.groups,
        file_bytes: layout.file_bytes,
        sha256,
        has_digest: layout.has_digest(),
    })
}
