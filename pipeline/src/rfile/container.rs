//! BCFile, the container: compressed blocks, named meta blocks, a meta index and a trailer.
//!
//! ```text
//! magic (16) · blocks and meta blocks · meta index · [i32 length, crypto parameters] · trailer
//! trailer of version 3:  i64 meta index, i64 crypto, i16 3, i16 0, magic     (36 bytes)
//! trailer of version 1:  i64 meta index, i16 1, i16 0, magic                 (28 bytes, no crypto part)
//! meta index: bvl count, then per meta block bstr "data:" + name, bstr codec, region
//! region: bvl file offset, bvl packed size, bvl raw size
//! ```
//! Source: Accumulo's `core/file/rfile/bcfile/BCFile.java`.

use std::io::Write;

use super::codec::{BlockCompressor, Codec};
use super::digest::{DIGEST_BLOCK, DIGEST_BYTES, digest_block};
use super::error::{Fault, RFileError};
use super::input::Input;
use super::sink::TrackedWriter;
use super::varint::{read_bstr, read_bvl_size, write_bstr, write_bvl};

/// First and last 16 bytes of every BCFile.
pub(crate) const MAGIC: [u8; 16] = [
    0xd1, 0x11, 0xd3, 0x68, 0x91, 0xb5, 0xd7, 0xb6, 0x39, 0xdf, 0x41, 0x40, 0x92, 0xba, 0xe1, 0x50,
];
/// What stands in the crypto part of a file that is not encrypted; encrypting clusters compare it exactly.
const NO_CRYPTO: &[u8] = b"U+1F47B";
/// Before each name in the meta index.
const NAME_PREFIX: &str = "data:";
/// Name of the meta block that names the codec of all blocks.
pub(crate) const DATA_INDEX: &str = "BCFile.index";

/// The container version: which Accumulo releases can read the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Container {
    /// BCFile 1: for Accumulo 1.8 to 1.10 (and readable by all later ones); codecs `none` and `gz` only.
    BcFile1,
    /// BCFile 3: for Accumulo 2 to 4.
    BcFile3,
}

impl Container {
    /// The major version in the trailer.
    #[must_use]
    pub fn major(self) -> i16 {
        match self {
            Container::BcFile1 => 1,
            Container::BcFile3 => 3,
        }
    }

    /// Size of the trailer in bytes.
    pub(crate) fn trailer_bytes(self) -> u64 {
        match self {
            Container::BcFile1 => 28,
            Container::BcFile3 => 36,
        }
    }
}

/// Where a block stands in the file. All in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) offset: u64,
    pub(crate) packed: u64,
    pub(crate) raw: u64,
}

impl Region {
    /// Appends the region.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for n in [self.offset, self.packed, self.raw] {
            write_bvl(out, n as i64);
        }
    }

    /// Reads a region; whether it lies in the file is for the caller to check.
    pub(crate) fn read(input: &mut Input<'_>) -> Result<Region, Fault> {
        Ok(Region {
            offset: read_bvl_size(input)?,
            packed: read_bvl_size(input)?,
            raw: read_bvl_size(input)?,
        })
    }
}

/// One named meta block.
#[derive(Clone, Debug)]
pub(crate) struct MetaEntry {
    pub(crate) name: String,
    pub(crate) codec: String,
    pub(crate) region: Region,
}

/// Reads the meta index, which must fill `bytes`.
pub(crate) fn read_meta_index(bytes: &[u8]) -> Result<Vec<MetaEntry>, Fault> {
    let mut input = Input::new(bytes, 0);
    let count = read_bvl_size(&mut input)?;
    let mut entries: Vec<MetaEntry> = Vec::new();
    for _ in 0..count {
        let at = input.at();
        let name = read_bstr(&mut input)?
            .strip_prefix(NAME_PREFIX)
            .ok_or(Fault::new(at, "the name of a meta block lacks its prefix"))?;
        if entries.iter().any(|entry| entry.name == name) {
            return Err(Fault::new(at, "two meta blocks have one name"));
        }
        entries.push(MetaEntry {
            name: name.to_owned(),
            codec: read_bstr(&mut input)?.to_owned(),
            region: Region::read(&mut input)?,
        });
    }
    input.end()?;
    Ok(entries)
}

/// Writes blocks, and at the end everything that makes a file of them.
pub(crate) struct ContainerWriter<W> {
    sink: TrackedWriter<W>,
    container: Container,
    compressor: BlockCompressor,
    /// The compressed form of the current block.
    packed: Vec<u8>,
    meta: Vec<(&'static str, Region)>,
}

impl<W: Write> ContainerWriter<W> {
    /// Writes the leading magic.
    pub(crate) fn new(
        sink: W,
        container: Container,
        compressor: BlockCompressor,
        digest: bool,
    ) -> Result<ContainerWriter<W>, RFileError> {
        let mut sink = TrackedWriter::new(sink, digest);
        sink.write_all(&MAGIC)?;
        Ok(ContainerWriter {
            sink,
            container,
            compressor,
            packed: Vec::new(),
            meta: Vec::new(),
        })
    }

    /// Bytes that the sink has taken.
    pub(crate) fn position(&self) -> u64 {
        self.sink.position()
    }

    /// Compresses and writes one block. Java addresses blocks by `i32`, so a larger one (an index of giant keys) is refused.
    pub(crate) fn write_block(&mut self, raw: &[u8]) -> Result<Region, RFileError> {
        if raw.len() > i32::MAX as usize {
            return Err(RFileError::Codec {
                codec: self.compressor.codec().name(),
                bytes: raw.len() as u64,
                what: "a block must stay below 2^31 bytes".to_owned(),
            });
        }
        let offset = self.sink.position();
        let block = if self.compressor.codec() == Codec::None {
            raw
        } else {
            self.compressor.compress(raw, &mut self.packed)?;
            &self.packed
        };
        self.sink.write_all(block)?;
        Ok(Region {
            offset,
            packed: block.len() as u64,
            raw: raw.len() as u64,
        })
    }

    /// Writes a named meta block with the file's codec.
    pub(crate) fn write_meta(&mut self, name: &'static str, raw: &[u8]) -> Result<(), RFileError> {
        let region = self.write_block(raw)?;
        self.meta.push((name, region));
        Ok(())
    }

    /// Writes the data index, the digest, the meta index and the trailer; gives the file's length and sha256.
    pub(crate) fn finish(mut self) -> Result<(u64, [u8; 32]), RFileError> {
        let mut index = Vec::new();
        write_bstr(&mut index, self.compressor.codec().name());
        // Data blocks are found by the RFile's own index; Accumulo leaves this list empty, too.
        write_bvl(&mut index, 0);
        self.write_meta(DATA_INDEX, &index)?;
        if let Some(xxh3) = self.sink.xxh3() {
            let offset = self.sink.position();
            let size = DIGEST_BYTES as u64;
            let region = Region {
                offset,
                packed: size,
                raw: size,
            };
            let tail = self.tail(offset + size, Some(region));
            let block = digest_block(xxh3, &tail, offset + size + tail.len() as u64);
            self.sink.write_all(&block)?;
            self.sink.write_all(&tail)?;
        } else {
            let tail = self.tail(self.sink.position(), None);
            self.sink.write_all(&tail)?;
        }
        self.sink.finish()
    }

    /// Meta index, crypto part and trailer of a file whose last meta block ends at `offset`.
    fn tail(&self, offset: u64, digest: Option<Region>) -> Vec<u8> {
        let codec = self.compressor.codec().name();
        let mut entries: Vec<(&str, &str, Region)> = self
            .meta
            .iter()
            .map(|&(name, region)| (name, codec, region))
            .chain(digest.map(|region| (DIGEST_BLOCK, Codec::None.name(), region)))
            .collect();
        entries.sort_by_key(|entry| entry.0);
        let mut out = Vec::new();
        write_bvl(&mut out, entries.len() as i64);
        for (name, codec, region) in entries {
            write_bstr(&mut out, &format!("{NAME_PREFIX}{name}"));
            write_bstr(&mut out, codec);
            region.write(&mut out);
        }
        let crypto = offset + out.len() as u64;
        if self.container == Container::BcFile3 {
            out.extend_from_slice(&(NO_CRYPTO.len() as i32).to_be_bytes());
            out.extend_from_slice(NO_CRYPTO);
        }
        out.extend_from_slice(&offset.to_be_bytes());
        if self.container == Container::BcFile3 {
            out.extend_from_slice(&crypto.to_be_bytes());
        }
        out.extend_from_slice(&self.container.major().to_be_bytes());
        out.extend_from_slice(&0_i16.to_be_bytes());
        out.extend_from_slice(&MAGIC);
        out
    }
}
