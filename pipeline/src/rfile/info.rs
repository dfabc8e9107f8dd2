//! The facts of an RFile that `inspect` shows, gathered from its indexes.

use shardmill_schemas::key::KeyBuf;

use super::codec::Codec;
use super::container::Container;
use super::cursor::{Found, IndexWalk, Loader};
use super::digest::DIGEST_BLOCK;
use super::error::RFileError;
use super::reader::{GroupMeta, RFileReader};

/// What an RFile says of itself. Sizes are in bytes.
#[derive(Clone, Debug)]
pub struct FileInfo {
    /// The file as the caller named it.
    pub path: String,
    /// Length of the file.
    pub file_bytes: u64,
    /// Container version.
    pub container: Container,
    /// RFile version: 7 or 8.
    pub rfile_version: i32,
    /// Codec of data and index blocks.
    pub codec: Codec,
    /// The locality groups in the order of the file.
    pub groups: Vec<GroupInfo>,
    /// Number of cells of all groups, as the indexes say.
    pub entries: u64,
    /// Number of data blocks of all groups.
    pub data_blocks: u64,
    /// Smallest first key of all groups; `None` when the file is empty.
    pub first_key: Option<KeyBuf>,
    /// Largest last index key of all groups. Writers put the true last key there.
    pub last_key: Option<KeyBuf>,
    /// The named meta blocks in the order of the meta index.
    pub meta_blocks: Vec<MetaBlockInfo>,
    /// Whether the file carries our own digest.
    pub has_digest: bool,
    /// Whether the file carries a sample (which is not read).
    pub has_sample: bool,
}

/// What an RFile says of one locality group.
#[derive(Clone, Debug)]
pub struct GroupInfo {
    /// Its name; `None` for the default group.
    pub name: Option<String>,
    /// Families with their counts; `None` when they are not tracked.
    pub families: Option<Vec<(Vec<u8>, i64)>>,
    /// Number of cells.
    pub entries: u64,
    /// Number of data blocks.
    pub data_blocks: u64,
    /// Data blocks after compression, in bytes.
    pub packed_bytes: u64,
    /// Data blocks before compression, in bytes.
    pub raw_bytes: u64,
    /// Index levels, level 0 first.
    pub index_levels: Vec<LevelInfo>,
    /// First key; `None` when the group is empty.
    pub first_key: Option<KeyBuf>,
    /// Key of the last index entry.
    pub last_key: Option<KeyBuf>,
}

/// The index blocks of one level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LevelInfo {
    /// Number of blocks, the root included.
    pub blocks: u64,
    /// Bytes after compression; the root, which stands inside `RFile.index`, counts with its raw size.
    pub packed_bytes: u64,
    /// Bytes before compression.
    pub raw_bytes: u64,
}

/// One named meta block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaBlockInfo {
    /// Its name, without the prefix `data:` of the file.
    pub name: String,
    /// The name of its codec, known or not.
    pub codec: String,
    /// Bytes after compression.
    pub packed_bytes: u64,
    /// Bytes before compression.
    pub raw_bytes: u64,
}

impl FileInfo {
    /// Reads the indexes of all groups.
    pub(crate) fn gather(reader: &RFileReader) -> Result<FileInfo, RFileError> {
        let mut loader = Loader::new(reader)?;
        let groups = reader.groups.iter();
        let groups = groups
            .map(|group| gather_group(reader, group, &mut loader))
            .collect::<Result<Vec<_>, _>>()?;
        let first = groups.iter().filter_map(|group| group.first_key.as_ref());
        let last = groups.iter().filter_map(|group| group.last_key.as_ref());
        Ok(FileInfo {
            path: reader.path.clone(),
            file_bytes: reader.file_bytes,
            container: reader.container,
            rfile_version: reader.version,
            codec: reader.codec,
            entries: groups.iter().map(|group| group.entries).sum(),
            data_blocks: groups.iter().map(|group| group.data_blocks).sum(),
            first_key: first.min_by(|a, b| a.as_key().cmp(&b.as_key())).cloned(),
            last_key: last.max_by(|a, b| a.as_key().cmp(&b.as_key())).cloned(),
            groups,
            meta_blocks: reader
                .meta
                .iter()
                .map(|entry| MetaBlockInfo {
                    name: entry.name.clone(),
                    codec: entry.codec.clone(),
                    packed_bytes: entry.region.packed,
                    raw_bytes: entry.region.raw,
                })
                .collect(),
            has_digest: reader.meta.iter().any(|entry| entry.name == DIGEST_BLOCK),
            has_sample: reader.has_sample,
        })
    }
}

fn gather_group(
    reader: &RFileReader,
    group: &GroupMeta,
    loader: &mut Loader<'_>,
) -> Result<GroupInfo, RFileError> {
    let root_bytes = group.root.size() as u64;
    let mut levels = vec![LevelInfo::default(); group.root.level as usize + 1];
    levels[group.root.level as usize] = LevelInfo {
        blocks: 1,
        packed_bytes: root_bytes,
        raw_bytes: root_bytes,
    };
    let mut info = GroupInfo {
        name: group.name.clone(),
        families: group.families.clone(),
        entries: 0,
        data_blocks: 0,
        packed_bytes: 0,
        raw_bytes: 0,
        index_levels: Vec::new(),
        first_key: group.first.clone(),
        last_key: None,
    };
    let mut last = KeyBuf::default();
    let mut walk = IndexWalk::new(reader, group);
    loop {
        match walk.step(loader)? {
            Found::Data { cells, region } => {
                info.data_blocks += 1;
                info.entries += cells.unsigned_abs() as u64;
                // A false index may claim any size; sums of sizes must not overflow for it.
                info.packed_bytes = info.packed_bytes.saturating_add(region.packed);
                info.raw_bytes = info.raw_bytes.saturating_add(region.raw);
                if let Some(key) = walk.data_key() {
                    last.set(&key);
                }
            }
            Found::Index { level, region } => {
                let level = &mut levels[level as usize];
                level.blocks += 1;
                level.packed_bytes += region.packed;
                level.raw_bytes += region.raw;
            }
            Found::End => break,
        }
    }
    info.index_levels = levels;
    info.last_key = (info.data_blocks > 0).then_some(last);
    Ok(info)
}
