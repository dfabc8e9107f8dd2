//! The outer layout of a file: which bytes belong to what, and the hashes of all of them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use sha2::{Digest, Sha256};
use xxhash_rust::xxh3::Xxh3;

use super::parse::{Place, Rest};
use super::unpack::Unpacker;
use super::{Check, Finding, refuse};

/// Both ends of every BCFile.
const MAGIC: &[u8; 16] = b"\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50";
/// The crypto part of a file that is not encrypted: i32 length and this text.
const PLAIN: &[u8] = b"\0\0\0\x07U+1F47B";
/// Bytes hashed at a time.
const STRIDE: usize = 1 << 20;
/// Largest meta index that is believed.
const MAX_META: u64 = 16 << 20;

/// Bytes that can be read at any offset.
pub(super) trait Bytes {
    fn size(&self) -> io::Result<u64>;
    fn fill(&self, out: &mut [u8], offset: u64) -> io::Result<()>;
}

impl Bytes for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn fill(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        self.read_exact_at(out, offset)
    }
}

impl Bytes for &[u8] {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }

    fn fill(&self, out: &mut [u8], offset: u64) -> io::Result<()> {
        let tail = usize::try_from(offset).ok().and_then(|at| self.get(at..));
        let found = tail.and_then(|tail| tail.get(..out.len()));
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// A meta block of the file.
struct Meta {
    name: Vec<u8>,
    codec: Vec<u8>,
    place: Place,
}

/// A file with its outer layout; collects the places of all blocks that are reached.
pub(super) struct Layout<'f> {
    file: &'f dyn Bytes,
    pub(super) file_bytes: u64,
    /// Where blocks end and the meta index starts.
    blocks_end: u64,
    meta: Vec<Meta>,
    /// Blocks reached through the indexes.
    blocks: Vec<Place>,
    /// The sum of their packed sizes.
    reached: u64,
    /// Blocks that `BCFile.index` lists: none since Accumulo 2, all of them before.
    listed: Vec<Place>,
    unpacker: Unpacker,
    packed: Vec<u8>,
}

impl<'f> Layout<'f> {
    /// Reads magic, trailer, meta index and `BCFile.index`.
    pub(super) fn read(file: &'f dyn Bytes) -> Result<Layout<'f>, Finding> {
        let file_bytes = file.size().map_err(|e| Finding::Read(0, e))?;
        let mut layout = Layout {
            file,
            file_bytes,
            blocks_end: file_bytes,
            meta: Vec::new(),
            blocks: Vec::new(),
            reached: 0,
            listed: Vec::new(),
            unpacker: Unpacker::Plain,
            packed: Vec::new(),
        };
        let (start, end) = layout.read_trailer()?;
        if end - start > MAX_META {
            return refuse(Check::MetaIndex, start, "the meta index is too large");
        }
        let index = layout.bytes(start, end)?;
        match read_meta_index(&index) {
            Some(meta) => layout.meta = meta,
            None => return refuse(Check::MetaIndex, start, "the meta index is malformed"),
        }
        layout.blocks_end = start;
        for meta in &layout.meta {
            check_name(meta)?;
        }
        layout.read_data_index()?;
        Ok(layout)
    }

    /// Checks both magics, version and crypto part; gives the range of the meta index.
    fn read_trailer(&self) -> Result<(u64, u64), Finding> {
        let size = self.file_bytes;
        if size < 16 + 28 || self.bytes(0, 16)? != MAGIC {
            return refuse(Check::Trailer, 0, "the file does not start as an RFile");
        }
        let tail = self.bytes(size - 20, size)?;
        let crypto_bytes = match tail.split_at(4) {
            (b"\0\x03\0\0", magic) if magic == MAGIC => PLAIN.len() as u64,
            (b"\0\x01\0\0", magic) if magic == MAGIC => 0,
            (_, magic) if magic == MAGIC => {
                return refuse(Check::Unsupported, size - 20, "container version");
            }
            _ => {
                return refuse(
                    Check::Trailer,
                    size - 16,
                    "the file does not end as an RFile",
                );
            }
        };
        let numbers = if crypto_bytes == 0 { 8 } else { 16 };
        let wrong = "the trailer's offsets are false";
        let Some(crypto) = (size - 20).checked_sub(numbers + crypto_bytes) else {
            return refuse(Check::Trailer, size - 20, wrong);
        };
        let bytes = self.bytes(crypto, size - 20)?;
        let (marker, offsets) = bytes.split_at(crypto_bytes as usize);
        let mut offsets = Rest(offsets);
        let start = offsets.fixed(8).and_then(|n| u64::try_from(n).ok());
        // Version 1 has no second offset; the meta index then ends with the trailer.
        let second = offsets
            .fixed(8)
            .map_or(Some(crypto), |n| u64::try_from(n).ok());
        if crypto_bytes > 0 && (marker != PLAIN || second != Some(crypto)) {
            let what = "the file is encrypted, or its crypto part is malformed";
            return refuse(Check::Trailer, crypto, what);
        }
        match start {
            Some(start) if (16..=crypto).contains(&start) => Ok((start, crypto)),
            _ => refuse(Check::Trailer, size - 20 - numbers, wrong),
        }
    }

    /// Reads the data codec and the list of blocks from `BCFile.index`.
    fn read_data_index(&mut self) -> Result<(), Finding> {
        let (offset, index) = self.meta_block(b"BCFile.index")?;
        let mut rest = Rest(&index);
        let name = rest.tfile_string();
        let parsed = name.zip(rest.tfile_size()).and_then(|(name, n)| {
            for _ in 0..n {
                self.listed.push(rest.place()?);
            }
            rest.is_empty().then_some(name)
        });
        let Some(name) = parsed else {
            return refuse(Check::MetaIndex, offset, "BCFile.index is malformed");
        };
        match Unpacker::for_name(name) {
            Some(unpacker) => self.unpacker = unpacker,
            None => return refuse(Check::Unsupported, offset, "codec of the blocks"),
        }
        Ok(())
    }

    /// A meta block's offset and content.
    pub(super) fn meta_block(&mut self, name: &[u8]) -> Result<(u64, Vec<u8>), Finding> {
        let Some(meta) = self.meta.iter().find(|meta| meta.name == name) else {
            let what = "the meta index lacks RFile.index or BCFile.index";
            return refuse(Check::MetaIndex, self.blocks_end, what);
        };
        let place = meta.place;
        let Some(mut unpacker) = Unpacker::for_name(&meta.codec) else {
            return refuse(Check::Unsupported, place.offset, "codec of a meta block");
        };
        let mut content = Vec::new();
        self.load(place)?;
        match unpacker.unpack(&self.packed, place.raw, &mut content) {
            Some(()) => Ok((place.offset, content)),
            None => refuse(Check::Codec, place.offset, "a meta block has another size"),
        }
    }

    /// A block that an index refers to; `out` becomes its content.
    pub(super) fn block(&mut self, place: Place, out: &mut Vec<u8>) -> Result<(), Finding> {
        self.load(place)?;
        self.blocks.push(place);
        self.reached += place.packed;
        // Each block has bytes of its own; this ends the work on a false index that refers to one block again and again.
        if place.packed == 0 || self.reached > self.blocks_end {
            let what = "a block is empty, or blocks overlap";
            return refuse(Check::Regions, place.offset, what);
        }
        match self.unpacker.unpack(&self.packed, place.raw, out) {
            Some(()) => Ok(()),
            None => refuse(
                Check::Codec,
                place.offset,
                "a block does not decompress to the size in its index",
            ),
        }
    }

    fn load(&mut self, place: Place) -> Result<(), Finding> {
        let end = place.offset.checked_add(place.packed);
        let end = end.filter(|&end| place.offset >= 16 && end <= self.blocks_end);
        let Some(end) = end else {
            let what = "a block lies outside the file's blocks";
            return refuse(Check::Regions, place.offset, what);
        };
        self.packed.resize((end - place.offset) as usize, 0);
        let read = self.file.fill(&mut self.packed, place.offset);
        read.map_err(|e| Finding::Read(place.offset, e))
    }

    /// Decompresses the meta blocks that nothing else looks into.
    pub(super) fn check_other_meta_blocks(&mut self) -> Result<(), Finding> {
        let names: Vec<Vec<u8>> = self.meta.iter().map(|meta| meta.name.clone()).collect();
        for name in names {
            self.meta_block(&name)?;
        }
        Ok(())
    }

    /// Checks that blocks and meta blocks cover everything between the magic and the meta index, once.
    pub(super) fn check_regions(&mut self) -> Result<(), Finding> {
        self.blocks.sort_unstable();
        for listed in &self.listed {
            if self.blocks.binary_search(listed).is_err() {
                let what = "BCFile.index lists a block that no index refers to";
                return refuse(Check::Regions, listed.offset, what);
            }
        }
        self.blocks.extend(self.meta.iter().map(|meta| meta.place));
        self.blocks.sort_unstable();
        let mut covered = MAGIC.len() as u64;
        for place in &self.blocks {
            match place.offset.cmp(&covered) {
                std::cmp::Ordering::Less => {
                    return refuse(Check::Regions, place.offset, "two blocks overlap");
                }
                std::cmp::Ordering::Greater => {
                    return refuse(Check::Regions, covered, "bytes that belong to no block");
                }
                std::cmp::Ordering::Equal => covered += place.packed,
            }
        }
        if covered != self.blocks_end {
            return refuse(Check::Regions, covered, "bytes that belong to no block");
        }
        Ok(())
    }

    fn digest_place(&self) -> Option<Place> {
        let found = self
            .meta
            .iter()
            .find(|meta| meta.name == b"shardmill.digest");
        found.map(|meta| meta.place)
    }

    /// Whether the file carries our own digest.
    pub(super) fn has_digest(&self) -> bool {
        self.digest_place().is_some()
    }

    /// Hashes the file; gives its sha256 and compares the digest block, where there is one, with all bytes around it.
    pub(super) fn hash_and_compare(&mut self) -> Result<[u8; 32], Finding> {
        let digest = self.digest_place();
        let hole = digest.map_or(0..0, |place| {
            place.offset..place.offset.saturating_add(place.packed)
        });
        let (mut sha256, mut around) = (Sha256::new(), Xxh3::new());
        let mut buffer = vec![0; STRIDE.min(self.file_bytes as usize)];
        let mut at = 0;
        while at < self.file_bytes {
            let n = (self.file_bytes - at).min(STRIDE as u64);
            let part = &mut buffer[..n as usize];
            self.file.fill(part, at).map_err(|e| Finding::Read(at, e))?;
            sha256.update(&*part);
            // Positions of the hole inside this part.
            let inside = |offset: u64| (offset.clamp(at, at + n) - at) as usize;
            around.update(&part[..inside(hole.start)]);
            around.update(&part[inside(hole.end)..]);
            at += n;
        }
        if let Some(place) = digest {
            let (_, block) = self.meta_block(b"shardmill.digest")?;
            let mut expected = b"shmdigst\0\0\0\x01".to_vec();
            expected.extend_from_slice(&self.file_bytes.to_be_bytes());
            expected.extend_from_slice(&around.digest128().to_be_bytes());
            if block != expected {
                let what = "the file is damaged: its digest disagrees";
                return refuse(Check::Digest, place.offset, what);
            }
        }
        Ok(sha256.finalize().into())
    }

    fn bytes(&self, start: u64, end: u64) -> Result<Vec<u8>, Finding> {
        let mut bytes = vec![0; (end - start) as usize];
        let read = self.file.fill(&mut bytes, start);
        read.map_err(|e| Finding::Read(start, e))?;
        Ok(bytes)
    }
}

fn read_meta_index(bytes: &[u8]) -> Option<Vec<Meta>> {
    let mut rest = Rest(bytes);
    let mut all: Vec<Meta> = Vec::new();
    for _ in 0..rest.tfile_size()? {
        let meta = Meta {
            name: rest.tfile_string()?.strip_prefix(b"data:")?.to_vec(),
            codec: rest.tfile_string()?.to_vec(),
            place: rest.place()?,
        };
        if all.iter().any(|other| other.name == meta.name) {
            return None;
        }
        all.push(meta);
    }
    rest.is_empty().then_some(all)
}

/// Refuses names that neither Accumulo nor Shardmill writes; our digest must be as it is written.
fn check_name(meta: &Meta) -> Result<(), Finding> {
    let known = match &meta.name[..] {
        b"RFile.index" | b"BCFile.index" | b"acu_bloom" => true,
        b"shardmill.digest" => meta.codec == b"none" && meta.place.packed == 36,
        other => other.starts_with(b"accumulo.summaries"),
    };
    if known {
        Ok(())
    } else {
        refuse(Check::MetaIndex, meta.place.offset, "an unknown meta block")
    }
}
