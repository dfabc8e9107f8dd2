//! Opens an RFile: trailer, meta index, codec and the groups of `RFile.index`.
//!
//! Every length and offset of the file is checked before it is used; memory is taken only for what the file can hold.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use shardmill_schemas::key::KeyBuf;

use super::codec::{BlockDecompressor, Codec};
use super::container::{Container, DATA_INDEX, MAGIC, MetaEntry, Region, read_meta_index};
use super::cursor::Scan;
use super::error::{Fault, RFileError};
use super::index::IndexBlock;
use super::info::FileInfo;
use super::input::Input;
use super::relative_key::read_key;
use super::source::Source;
use super::varint::read_bstr;
use super::writer::{INDEX_MAGIC, RFILE_INDEX};

/// Largest meta index that is read; it holds a handful of names.
const MAX_META_INDEX: u64 = 16 << 20;
/// More index levels than any file needs: three levels already hold more data blocks than fit on a disk.
const MAX_LEVELS: u32 = 16;

/// What `RFile.index` says of one locality group.
#[derive(Clone, Debug)]
pub(crate) struct GroupMeta {
    /// `None` for the default group.
    pub(crate) name: Option<String>,
    /// Families with their counts; `None` when they are not tracked.
    pub(crate) families: Option<Vec<(Vec<u8>, i64)>>,
    pub(crate) first: Option<KeyBuf>,
    /// Number of data blocks.
    pub(crate) blocks: u64,
    pub(crate) root: IndexBlock,
}

/// An open RFile, of container version 1 or 3 and RFile version 7 or 8.
///
/// It holds no cursor: any number of [`Scan`]s may read through it, from any thread.
#[derive(Clone, Debug)]
pub struct RFileReader {
    source: Source,
    pub(crate) path: String,
    pub(crate) file_bytes: u64,
    pub(crate) container: Container,
    pub(crate) version: i32,
    pub(crate) codec: Codec,
    pub(crate) groups: Vec<GroupMeta>,
    pub(crate) has_sample: bool,
    pub(crate) meta: Vec<MetaEntry>,
    /// Where the blocks end and the meta index starts.
    pub(crate) blocks_end: u64,
    /// Where `RFile.index` starts, as the place of faults in it.
    pub(crate) index_at: u64,
}

impl RFileReader {
    /// Opens a file by path.
    ///
    /// # Errors
    /// [`RFileError::Read`], [`RFileError::Corrupt`], or [`RFileError::Unsupported`] for other versions and codecs.
    pub fn open(path: impl AsRef<Path>) -> Result<RFileReader, RFileError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = File::open(path).map_err(|source| RFileError::Read {
            path: name.clone(),
            offset: 0,
            source,
        })?;
        RFileReader::from_source(Source::File(Arc::new(file)), name)
    }

    /// Opens a file that is in memory; `name` stands for the path in messages.
    ///
    /// # Errors
    /// As [`RFileReader::open`].
    pub fn from_bytes(bytes: Arc<[u8]>, name: &str) -> Result<RFileReader, RFileError> {
        RFileReader::from_source(Source::Bytes(bytes), name.to_owned())
    }

    /// A cursor over the cells of all groups in key order, from the first one.
    ///
    /// # Errors
    /// [`RFileError::Corrupt`] when the codec's context cannot be made.
    pub fn scan(&self) -> Result<Scan<'_>, RFileError> {
        Scan::new(self)
    }

    /// The facts of the file; reads all index blocks but no data block.
    ///
    /// # Errors
    /// [`RFileError::Read`], [`RFileError::Corrupt`].
    pub fn info(&self) -> Result<FileInfo, RFileError> {
        FileInfo::gather(self)
    }

    fn from_source(source: Source, path: String) -> Result<RFileReader, RFileError> {
        let file_bytes = source.len().map_err(|source| RFileError::Read {
            path: path.clone(),
            offset: 0,
            source,
        })?;
        let mut reader = RFileReader {
            source,
            path,
            file_bytes,
            container: Container::BcFile3,
            version: 0,
            codec: Codec::None,
            groups: Vec::new(),
            has_sample: false,
            meta: Vec::new(),
            blocks_end: 0,
            index_at: 0,
        };
        reader.read_trailer()?;
        let (_, index) = reader.read_meta(DATA_INDEX)?;
        reader.codec = reader.data_codec(&index)?;
        let (at, index) = reader.read_meta(RFILE_INDEX)?;
        reader.index_at = at;
        reader.read_index(&index)?;
        Ok(reader)
    }

    /// Reads the trailer and the meta index.
    fn read_trailer(&mut self) -> Result<(), RFileError> {
        let end = self.file_bytes;
        let short = Fault::new(0, "the file is too short for an RFile");
        let tail_at = end.checked_sub(20).filter(|&at| at >= MAGIC.len() as u64);
        let tail_at = tail_at.ok_or_else(|| self.corrupt(0, short))?;
        let tail = self.read(tail_at, 20)?;
        if tail[4..] != MAGIC {
            let what = "the file does not end as an RFile does";
            return Err(self.corrupt(tail_at, Fault::new(4, what)));
        }
        let mut input = Input::new(&tail, 0);
        let major = input.i16().map_err(|f| self.corrupt(tail_at, f))?;
        self.container = match major {
            1 => Container::BcFile1,
            3 => Container::BcFile3,
            _ => return Err(self.unsupported(format!("BCFile version {major}"))),
        };
        let trailer_at = end.checked_sub(self.container.trailer_bytes());
        let trailer_at = trailer_at.ok_or_else(|| self.corrupt(0, short))?;
        let trailer = self.read(trailer_at, tail_at - trailer_at)?;
        let mut input = Input::new(&trailer, 0);
        let place = |n: i64| u64::try_from(n).unwrap_or(u64::MAX);
        let offsets = input.i64().and_then(|meta| match self.container {
            Container::BcFile1 => Ok((place(meta), trailer_at)),
            Container::BcFile3 => Ok((place(meta), place(input.i64()?))),
        });
        let (meta, meta_end) = offsets.map_err(|f| self.corrupt(trailer_at, f))?;
        if meta < MAGIC.len() as u64 || meta > meta_end || meta_end > trailer_at {
            let what = "the trailer's offsets lie outside the file";
            return Err(self.corrupt(trailer_at, Fault::new(0, what)));
        }
        if meta_end - meta > MAX_META_INDEX {
            return Err(self.corrupt(meta, Fault::new(0, "the meta index is too large")));
        }
        let index = self.read(meta, meta_end - meta)?;
        self.meta = read_meta_index(&index).map_err(|f| self.corrupt(meta, f))?;
        self.blocks_end = meta;
        Ok(())
    }

    /// Reads a meta block by name; also gives its file offset.
    fn read_meta(&self, name: &str) -> Result<(u64, Vec<u8>), RFileError> {
        let entry = self.meta.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| {
            let what = "the meta index lacks RFile.index or BCFile.index";
            self.corrupt(self.blocks_end, Fault::new(0, what))
        })?;
        let codec = self.known_codec(&entry.codec)?;
        let mut decompressor =
            BlockDecompressor::new(codec).map_err(|f| self.corrupt(entry.region.offset, f))?;
        let (mut packed, mut raw) = (Vec::new(), Vec::new());
        self.read_block(&mut decompressor, &entry.region, &mut packed, &mut raw)?;
        Ok((entry.region.offset, raw))
    }

    fn known_codec(&self, name: &str) -> Result<Codec, RFileError> {
        Codec::parse(name).ok_or_else(|| self.unsupported(format!("codec {name:?}")))
    }

    /// The codec of all blocks, which `BCFile.index` starts with; the list of blocks after it is not needed.
    fn data_codec(&self, index: &[u8]) -> Result<Codec, RFileError> {
        let name = read_bstr(&mut Input::new(index, 0));
        self.known_codec(name.map_err(|f| self.corrupt(self.blocks_end, f))?)
    }

    fn read_index(&mut self, bytes: &[u8]) -> Result<(), RFileError> {
        let mut input = Input::new(bytes, 0);
        let head = (|| Ok((input.i32()?, input.i32()?)))();
        let (magic, version) = head.map_err(|f| self.corrupt(self.index_at, f))?;
        if magic != INDEX_MAGIC {
            return Err(self.corrupt(self.index_at, Fault::new(0, "RFile.index has no magic")));
        }
        if !matches!(version, 7 | 8) {
            return Err(self.unsupported(format!("RFile version {version}")));
        }
        self.version = version;
        let groups = read_groups(&mut input, version, self.file_bytes);
        (self.groups, self.has_sample) = groups.map_err(|f| self.corrupt(self.index_at, f))?;
        Ok(())
    }

    /// Reads and decompresses the block at `region` into `raw`.
    pub(crate) fn read_block(
        &self,
        decompressor: &mut BlockDecompressor,
        region: &Region,
        packed: &mut Vec<u8>,
        raw: &mut Vec<u8>,
    ) -> Result<(), RFileError> {
        let end = region.offset.checked_add(region.packed);
        let inside =
            region.offset >= MAGIC.len() as u64 && end.is_some_and(|end| end <= self.blocks_end);
        let size = usize::try_from(region.packed).ok().filter(|_| inside);
        let size = size.ok_or_else(|| {
            let what = "a block lies outside the file's blocks";
            self.corrupt(region.offset, Fault::new(0, what))
        })?;
        packed.resize(size, 0);
        self.read_into(packed, region.offset)?;
        decompressor
            .decompress(packed, region.raw, raw)
            .map_err(|f| self.corrupt(region.offset, f))
    }

    fn read(&self, offset: u64, size: u64) -> Result<Vec<u8>, RFileError> {
        let mut bytes = vec![0; size as usize];
        self.read_into(&mut bytes, offset)?;
        Ok(bytes)
    }

    fn read_into(&self, bytes: &mut [u8], offset: u64) -> Result<(), RFileError> {
        let done = self.source.read_at(bytes, offset);
        done.map_err(|source: io::Error| RFileError::Read {
            path: self.path.clone(),
            offset,
            source,
        })
    }

    /// A fault in the region at `offset` as an error that names this file.
    #[cold]
    pub(crate) fn corrupt(&self, offset: u64, fault: Fault) -> RFileError {
        RFileError::Corrupt {
            path: self.path.clone(),
            offset,
            within: fault.at as u64,
            what: fault.what,
        }
    }

    fn unsupported(&self, what: String) -> RFileError {
        RFileError::Unsupported {
            path: self.path.clone(),
            what,
        }
    }
}

/// Reads the groups after magic and version; samples are recognised but not read.
fn read_groups(
    input: &mut Input<'_>,
    version: i32,
    file_bytes: u64,
) -> Result<(Vec<GroupMeta>, bool), Fault> {
    let mut groups = Vec::new();
    for _ in 0..input.count()? {
        groups.push(read_group(input, version, file_bytes)?);
    }
    let has_sample = version >= 8 && input.bool()?;
    if !has_sample {
        input.end()?;
    }
    Ok((groups, has_sample))
}

fn read_group(input: &mut Input<'_>, version: i32, file_bytes: u64) -> Result<GroupMeta, Fault> {
    let is_default = input.bool()?;
    let name = if is_default { None } else { Some(input.utf()?) };
    if version < 8 {
        // The first block of the group, which nobody needs.
        input.i32()?;
    }
    let at = input.at();
    let families = match input.i32()? {
        -1 if is_default => None,
        n if n < 0 => return Err(Fault::new(at, "a number of families is negative")),
        n => {
            let mut families = Vec::new();
            for _ in 0..n {
                let length = input.count()?;
                families.push((input.take(length)?.to_vec(), input.i64()?));
            }
            Some(families)
        }
    };
    let first = match input.bool()? {
        true => Some(read_key(input)?.to_buf()),
        false => None,
    };
    let at = input.at();
    let blocks = input.count()? as u64;
    let root = IndexBlock::read(input)?;
    if blocks > file_bytes || root.level > MAX_LEVELS {
        return Err(Fault::new(
            at,
            "a group has more blocks or levels than the file",
        ));
    }
    if (blocks == 0) != (root.count() == 0) || first.is_some() != (blocks > 0) {
        return Err(Fault::new(
            at,
            "a group disagrees with itself on whether it is empty",
        ));
    }
    Ok(GroupMeta {
        name,
        families,
        first,
        blocks,
        root,
    })
}
