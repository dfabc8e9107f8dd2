//! Writes one RFile in one pass: cells come in key order and are routed to locality groups by family.

use std::collections::HashMap;
use std::io::Write;

use shardmill_schemas::key::{Key, KeyBuf};

use super::block::GroupWriter;
use super::codec::{BlockCompressor, Codec};
use super::container::{Container, ContainerWriter};
use super::error::RFileError;
use super::families::FamilyCounts;

/// First bytes of `RFile.index`.
pub(crate) const INDEX_MAGIC: i32 = 0x2063_7474;
/// The RFile version that is written: since Accumulo 1.8.
pub(crate) const VERSION: i32 = 8;
/// Name of the meta block with the indexes.
pub(crate) const RFILE_INDEX: &str = "RFile.index";

/// Largest cell: Accumulo keeps a block, and so a cell, below 2³¹ bytes.
const MAX_CELL: u64 = i32::MAX as u64 - 128;

/// How a file is written. The defaults are Accumulo's, except for the compression level (1, see [`Codec::default_level`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterOptions {
    /// Codec of all blocks; default `gz`.
    pub codec: Codec,
    /// Compression level, `None` for the codec's default; see [`Codec::levels`].
    pub level: Option<i32>,
    /// Container version; default [`Container::BcFile3`].
    pub container: Container,
    /// Raw bytes after which a data block is closed; `table.file.compress.blocksize`, default 102,400.
    pub block_size: usize,
    /// Bytes after which an index block is closed; `table.file.compress.blocksize.index`, default 131,072.
    pub index_block_size: usize,
    /// Whether the file carries our own `shardmill.digest` meta block; default true.
    pub digest: bool,
}

impl Default for WriterOptions {
    fn default() -> WriterOptions {
        WriterOptions {
            codec: Codec::Gz,
            level: None,
            container: Container::BcFile3,
            block_size: 102_400,
            index_block_size: 131_072,
            digest: true,
        }
    }
}

/// A named locality group: the families whose cells stand together in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalityGroup {
    /// Its name; informational, unique in the file.
    pub name: String,
    /// Its column families, each in one group only.
    pub families: Vec<Vec<u8>>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSummary {
    /// Number of cells, deletes included.
    pub entries: u64,
    /// Number of delete markers.
    pub deletes: u64,
    /// Length of the file in bytes.
    pub file_bytes: u64,
    /// Bytes of all data blocks before compression.
    pub raw_bytes: u64,
    /// Number of data blocks.
    pub blocks: u64,
    /// The highest number of index levels of any group, at least 1.
    pub index_levels: usize,
    /// Smallest key of all groups; `None` when the file is empty.
    pub first_key: Option<KeyBuf>,
    /// Largest key of all groups.
    pub last_key: Option<KeyBuf>,
    /// SHA-256 of the file: of the bytes that the sink took.
    pub sha256: [u8; 32],
}

/// Writes an RFile to `W`.
///
/// After an error every further call fails with [`RFileError::Broken`]. A writer that is dropped without
/// [`RFileWriter::finish`] leaves bytes that no reader accepts; names and syncing are the caller's (pass `&File` to keep it).
pub struct RFileWriter<W: Write> {
    file: ContainerWriter<W>,
    /// The named groups, then the default group.
    groups: Vec<GroupWriter>,
    /// Group of each family of a named group.
    routes: HashMap<Vec<u8>, usize>,
    /// The group of the cell before.
    last: usize,
    entries: u64,
    deletes: u64,
    broken: bool,
}

impl<W: Write> RFileWriter<W> {
    /// Starts a file with the given groups and the default group, which takes all other families.
    ///
    /// # Errors
    /// [`RFileError::Options`] for a level, codec, size or group that the format does not allow; [`RFileError::Write`].
    pub fn new(
        sink: W,
        options: &WriterOptions,
        groups: &[LocalityGroup],
    ) -> Result<RFileWriter<W>, RFileError> {
        check_options(options)?;
        let routes = route(groups)?;
        let compressor = BlockCompressor::new(options.codec, options.level)?;
        let named = groups.iter().map(|group| {
            let families = FamilyCounts::named(&group.families);
            (Some(group.name.clone()), families)
        });
        let groups: Vec<GroupWriter> = named
            .chain([(None, FamilyCounts::default_group())])
            .map(|(name, families)| {
                GroupWriter::new(name, families, options.block_size, options.index_block_size)
            })
            .collect();
        Ok(RFileWriter {
            file: ContainerWriter::new(sink, options.container, compressor, options.digest)?,
            last: groups.len() - 1,
            groups,
            routes,
            entries: 0,
            deletes: 0,
            broken: false,
        })
    }

    /// Appends a cell, which must not sort before the one appended last; equal keys are kept in the order given.
    ///
    /// # Errors
    /// [`RFileError::OutOfOrder`], [`RFileError::TooLarge`], [`RFileError::Write`], [`RFileError::Broken`].
    pub fn append(&mut self, key: &Key<'_>, value: &[u8]) -> Result<(), RFileError> {
        if self.broken {
            return Err(RFileError::Broken);
        }
        let done = self.try_append(key, value);
        self.broken = done.is_err();
        done
    }

    fn try_append(&mut self, key: &Key<'_>, value: &[u8]) -> Result<(), RFileError> {
        let bytes = (key.size() + value.len()) as u64;
        if bytes >= MAX_CELL {
            return Err(RFileError::TooLarge {
                cell: self.entries,
                bytes,
            });
        }
        let route = match self.routes.is_empty() {
            true => self.last,
            false => self.route_of(key.family),
        };
        let delta = self.groups[route].delta(key);
        // The group's own predecessor is the file's only if the last cell went to the same group.
        let wrong = if route == self.last {
            delta.as_ref().is_some_and(|delta| delta.order.is_lt())
        } else {
            let previous = self.groups[self.last].range();
            previous.is_some_and(|(_, previous)| *key < previous)
        };
        if wrong {
            return Err(self.out_of_order(key));
        }
        self.groups[route].push(&mut self.file, key, value, delta)?;
        self.last = route;
        self.entries += 1;
        self.deletes += u64::from(key.deleted);
        Ok(())
    }

    /// The group of a family; neighbours mostly share theirs, but asking the map is as cheap as remembering the family.
    fn route_of(&self, family: &[u8]) -> usize {
        let default = self.groups.len() - 1;
        self.routes.get(family).copied().unwrap_or(default)
    }

    #[cold]
    fn out_of_order(&self, key: &Key<'_>) -> RFileError {
        let previous = self.groups[self.last].range();
        RFileError::OutOfOrder {
            cell: self.entries,
            key: show(key),
            previous: previous.map_or_else(String::new, |(_, last)| show(&last)),
        }
    }

    /// Number of cells appended.
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// An estimate of the file's length if it were finished now, in bytes: what is written, open blocks at the compression
    /// reached so far (none before the first block), and the index that is still held in memory.
    #[must_use]
    pub fn file_bytes_so_far(&self) -> u64 {
        let (mut open, mut index, mut raw) = (0, 0, 0);
        for group in &self.groups {
            let (block, held) = group.open_bytes();
            open += block as u64;
            index += held as u64;
            raw += group.raw_bytes;
        }
        let written = self.file.position();
        let packed = match raw {
            0 => open,
            _ => (u128::from(open) * u128::from(written) / u128::from(raw)) as u64,
        };
        written + packed.min(open) + index
    }

    /// Completes the file and flushes the sink; the caller syncs and renames.
    ///
    /// # Errors
    /// [`RFileError::Write`]; [`RFileError::Broken`] after an earlier failure; [`RFileError::Options`] for a group name that
    /// is too long.
    pub fn finish(mut self) -> Result<FileSummary, RFileError> {
        if self.broken {
            return Err(RFileError::Broken);
        }
        for group in &mut self.groups {
            group.finish(&mut self.file)?;
        }
        self.file.write_meta(RFILE_INDEX, &self.index()?)?;
        let ranges = self.groups.iter().filter_map(GroupWriter::range);
        let first = ranges.clone().map(|(first, _)| first).min();
        let last = ranges.map(|(_, last)| last).max();
        let (first_key, last_key) = (first.map(|k| k.to_buf()), last.map(|k| k.to_buf()));
        let (file_bytes, sha256) = self.file.finish()?;
        let groups = self.groups.iter();
        Ok(FileSummary {
            entries: self.entries,
            deletes: self.deletes,
            file_bytes,
            raw_bytes: groups.clone().map(|group| group.raw_bytes).sum(),
            blocks: groups.clone().map(|group| group.blocks).sum(),
            index_levels: groups.map(GroupWriter::index_levels).max().unwrap_or(1),
            first_key,
            last_key,
            sha256,
        })
    }

    /// The content of `RFile.index`: magic, version, groups, and "no sample".
    fn index(&self) -> Result<Vec<u8>, RFileError> {
        let mut out = Vec::new();
        for n in [INDEX_MAGIC, VERSION, self.groups.len() as i32] {
            out.extend_from_slice(&n.to_be_bytes());
        }
        for group in &self.groups {
            group
                .write_metadata(&mut out)
                .ok_or_else(|| RFileError::Options {
                    what: "the name of a locality group has more than 65,535 bytes".to_owned(),
                })?;
        }
        out.push(0);
        Ok(out)
    }
}

/// Refuses options that no reader could follow.
fn check_options(options: &WriterOptions) -> Result<(), RFileError> {
    let refuse = |what: &str| {
        Err(RFileError::Options {
            what: what.to_owned(),
        })
    };
    let sizes = 1..=(1 << 30);
    if !sizes.contains(&options.block_size) || !sizes.contains(&options.index_block_size) {
        return refuse("block sizes must be between 1 byte and 1 GiB");
    }
    if options.container == Container::BcFile1 && !matches!(options.codec, Codec::None | Codec::Gz)
    {
        return refuse("container version 1 takes only the codecs none and gz");
    }
    Ok(())
}

/// The group of each family; a family or a name in two groups would make the file unreadable.
fn route(groups: &[LocalityGroup]) -> Result<HashMap<Vec<u8>, usize>, RFileError> {
    let mut routes = HashMap::new();
    for (place, group) in groups.iter().enumerate() {
        if groups[..place].iter().any(|other| other.name == group.name) {
            return Err(RFileError::Options {
                what: format!("two locality groups are named {:?}", group.name),
            });
        }
        for family in &group.families {
            if routes.insert(family.clone(), place).is_some() {
                return Err(RFileError::Options {
                    what: format!("family {} is listed twice", family.escape_ascii()),
                });
            }
        }
    }
    Ok(routes)
}

/// A key for messages.
pub(crate) fn show(key: &Key<'_>) -> String {
    format!(
        "{} {}:{} [{}] {}{}",
        key.row.escape_ascii(),
        key.family.escape_ascii(),
        key.qualifier.escape_ascii(),
        key.visibility.escape_ascii(),
        key.timestamp,
        if key.deleted { " deleted" } else { "" }
    )
}
