//! How one block is compressed: the codecs that Accumulo knows, in Hadoop's framings.
//!
//! Every block of a BCFile is one independent compressed unit:
//! * `none`: the bytes themselves.
//! * `gz`: one zlib stream (RFC 1950), in spite of the name.
//! * `zstd`: one zstd frame.
//! * `snappy`, `lz4`: Hadoop's block framing, repeated { u32 raw length, then { u32 packed length, raw codec block }… until
//!   that many bytes came out }. Hadoop's readers have buffers of 64 KiB and 256 KiB, so chunks are limited.

use std::ops::RangeInclusive;

use libdeflater::{CompressionLvl, Compressor as Deflate, Decompressor as Inflate};
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};
use zstd::zstd_safe::{self, CParameter};

use super::error::{Fault, RFileError};
use super::input::Input;

/// Largest raw chunk that Hadoop's `SnappyCodec` writes: 65536 − (65536/6 + 32).
const SNAPPY_CHUNK: usize = 54_582;
/// Largest raw chunk that Hadoop's `Lz4Codec` writes with Accumulo's buffer: 262144 − 262144/255 − 16.
const LZ4_CHUNK: usize = 261_100;

/// A compression codec, by the name that stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Codec {
    /// `none`: no compression.
    None,
    /// `gz`: zlib streams; readable by every Accumulo. The default of its tables.
    Gz,
    /// `snappy`: needs snappy-java or libhadoop on the servers.
    Snappy,
    /// `lz4`: needs lz4-java or libhadoop on the servers.
    Lz4,
    /// `zstd`: needs a libhadoop built with zstd on the servers; without it they cannot open the file.
    Zstd,
}

impl Codec {
    /// All codecs.
    pub const ALL: [Codec; 5] = [
        Codec::None,
        Codec::Gz,
        Codec::Snappy,
        Codec::Lz4,
        Codec::Zstd,
    ];

    /// The name in the file and in `table.file.compress.type`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Codec::None => "none",
            Codec::Gz => "gz",
            Codec::Snappy => "snappy",
            Codec::Lz4 => "lz4",
            Codec::Zstd => "zstd",
        }
    }

    /// The codec of a name; `None` for those that are not supported (`bzip2`, `lzo`) or unknown.
    #[must_use]
    pub fn parse(name: &str) -> Option<Codec> {
        Codec::ALL.into_iter().find(|codec| codec.name() == name)
    }

    /// The levels that may be asked for; `None` where the codec has none.
    #[must_use]
    pub fn levels(self) -> Option<RangeInclusive<i32>> {
        match self {
            Codec::Gz => Some(1..=12),
            Codec::Zstd => Some(1..=19),
            Codec::None | Codec::Snappy | Codec::Lz4 => None,
        }
    }

    /// The level when nobody asks: 1, which is several times faster than 6 for a few percent of size.
    #[must_use]
    pub fn default_level(self) -> Option<i32> {
        self.levels().map(|_| 1)
    }

    /// No correct block of this codec expands by more than this factor; what claims to is refused before memory is taken.
    fn max_ratio(self) -> u64 {
        match self {
            Codec::None => 1,
            // 258 bytes from 2 bits.
            Codec::Gz => 1032,
            // 64 bytes from 3.
            Codec::Snappy => 22,
            // One byte of length for 255.
            Codec::Lz4 => 256,
            // A run-length block: 128 KiB from 4 bytes.
            Codec::Zstd => 32_768,
        }
    }
}

/// What compresses, with everything that can be reused from block to block.
enum Engine {
    None,
    Gz(Deflate),
    Snappy(Box<snap::raw::Encoder>),
    Lz4(CompressTable),
    Zstd(zstd::bulk::Compressor<'static>),
}

/// Compresses blocks of one file; owns the codec's context.
pub(crate) struct BlockCompressor {
    codec: Codec,
    engine: Engine,
}

impl BlockCompressor {
    /// A compressor for `codec`; `None` takes the default level.
    pub(crate) fn new(codec: Codec, level: Option<i32>) -> Result<BlockCompressor, RFileError> {
        if let Some(level) = level
            && !codec.levels().is_some_and(|range| range.contains(&level))
        {
            return Err(RFileError::Options {
                what: format!("codec {} has no level {level}", codec.name()),
            });
        }
        let level = level.or(codec.default_level()).unwrap_or(1);
        let engine = match codec {
            Codec::None => Engine::None,
            Codec::Gz => {
                let level = CompressionLvl::new(level).map_err(|_| RFileError::Options {
                    what: format!("gz has no level {level}"),
                })?;
                Engine::Gz(Deflate::new(level))
            }
            Codec::Snappy => Engine::Snappy(Box::new(snap::raw::Encoder::new())),
            // The small table would change with the size of earlier blocks; the large one never does.
            Codec::Lz4 => Engine::Lz4(CompressTable::large()),
            Codec::Zstd => Engine::Zstd(zstd_engine(level).map_err(|e| RFileError::Options {
                what: format!("zstd level {level}: {e}"),
            })?),
        };
        Ok(BlockCompressor { codec, engine })
    }

    /// The codec it was made for.
    pub(crate) fn codec(&self) -> Codec {
        self.codec
    }

    /// Replaces the content of `out` by the compressed form of `raw`.
    pub(crate) fn compress(&mut self, raw: &[u8], out: &mut Vec<u8>) -> Result<(), RFileError> {
        out.clear();
        let done = match &mut self.engine {
            Engine::None => {
                out.extend_from_slice(raw);
                Ok(())
            }
            Engine::Gz(deflate) => {
                out.resize(deflate.zlib_compress_bound(raw.len()), 0);
                let packed = deflate.zlib_compress(raw, out);
                packed.map(|n| out.truncate(n)).map_err(|e| e.to_string())
            }
            Engine::Snappy(encoder) => chunked(raw, SNAPPY_CHUNK, out, |chunk, out| {
                let start = out.len();
                out.resize(start + snap::raw::max_compress_len(chunk.len()), 0);
                let packed = encoder.compress(chunk, &mut out[start..]);
                packed.map_err(|e| e.to_string())
            }),
            Engine::Lz4(table) => chunked(raw, LZ4_CHUNK, out, |chunk, out| {
                let start = out.len();
                out.resize(start + get_maximum_output_size(chunk.len()), 0);
                let packed = compress_into_with_table(chunk, &mut out[start..], table);
                packed.map_err(|e| e.to_string())
            }),
            Engine::Zstd(encoder) => {
                out.reserve(zstd_safe::compress_bound(raw.len()));
                let packed = encoder.compress_to_buffer(raw, out);
                packed.map(|_| ()).map_err(|e| e.to_string())
            }
        };
        done.map_err(|what| RFileError::Codec {
            codec: self.codec.name(),
            bytes: raw.len() as u64,
            what,
        })
    }
}

/// A zstd context that adds a checksum to each frame: four bytes, and Accumulo's own reader notices damage.
fn zstd_engine(level: i32) -> std::io::Result<zstd::bulk::Compressor<'static>> {
    let mut encoder = zstd::bulk::Compressor::new(level)?;
    encoder.set_parameter(CParameter::ChecksumFlag(true))?;
    Ok(encoder)
}

/// Hadoop's block framing with one chunk per header; `pack` appends the packed chunk and room, and returns its size.
fn chunked(
    raw: &[u8],
    limit: usize,
    out: &mut Vec<u8>,
    mut pack: impl FnMut(&[u8], &mut Vec<u8>) -> Result<usize, String>,
) -> Result<(), String> {
    for chunk in raw.chunks(limit) {
        let header = out.len();
        out.extend_from_slice(&(chunk.len() as u32).to_be_bytes());
        out.extend_from_slice(&[0; 4]);
        let size = pack(chunk, out)?;
        out[header + 4..header + 8].copy_from_slice(&(size as u32).to_be_bytes());
        out.truncate(header + 8 + size);
    }
    Ok(())
}

/// What decompresses, reused from block to block.
enum Opener {
    None,
    Gz(Inflate),
    Snappy(snap::raw::Decoder),
    Lz4,
    Zstd(zstd::bulk::Decompressor<'static>),
}

/// Decompresses blocks of one codec.
pub(crate) struct BlockDecompressor {
    codec: Codec,
    opener: Opener,
}

impl BlockDecompressor {
    /// A decompressor for `codec`.
    pub(crate) fn new(codec: Codec) -> Result<BlockDecompressor, Fault> {
        let opener = match codec {
            Codec::None => Opener::None,
            Codec::Gz => Opener::Gz(Inflate::new()),
            Codec::Snappy => Opener::Snappy(snap::raw::Decoder::new()),
            Codec::Lz4 => Opener::Lz4,
            Codec::Zstd => Opener::Zstd(
                zstd::bulk::Decompressor::new()
                    .map_err(|_| Fault::new(0, "zstd has no memory for a context"))?,
            ),
        };
        Ok(BlockDecompressor { codec, opener })
    }

    /// Replaces the content of `out` by exactly `raw_len` decompressed bytes.
    ///
    /// `raw_len` comes from an index and is not trusted: memory is taken only for what `packed` can really hold.
    pub(crate) fn decompress(
        &mut self,
        packed: &[u8],
        raw_len: u64,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        const WRONG: &str = "a block does not decompress to the size in its index";
        let most = (packed.len() as u64).saturating_mul(self.codec.max_ratio());
        let raw_len = usize::try_from(raw_len)
            .ok()
            .filter(|&n| n as u64 <= most && n <= i32::MAX as usize)
            .ok_or(Fault::new(0, "a block claims to expand impossibly"))?;
        if let Opener::Zstd(_) = self.opener {
            check_frame(packed, raw_len)?;
        }
        fit(out, raw_len);
        let bad = Fault::new(0, WRONG);
        let produced = match &mut self.opener {
            Opener::None if packed.len() == raw_len => {
                out.copy_from_slice(packed);
                raw_len
            }
            Opener::None => return Err(bad),
            Opener::Gz(inflate) => inflate.zlib_decompress(packed, out).map_err(|_| bad)?,
            Opener::Snappy(decoder) => unchunk(packed, out, |chunk, room| {
                // The decoder wants to be told the exact room, and the chunk says it.
                let n = snap::raw::decompress_len(chunk).ok()?;
                decoder.decompress(chunk, room.get_mut(..n)?).ok()
            })?,
            Opener::Lz4 => unchunk(packed, out, |chunk, room| {
                lz4_flex::block::decompress_into(chunk, room).ok()
            })?,
            Opener::Zstd(decoder) => decoder
                .decompress_to_buffer(packed, out.as_mut_slice())
                .map_err(|_| bad)?,
        };
        if produced == raw_len {
            Ok(())
        } else {
            Err(bad)
        }
    }
}

/// Sets the length of `out`. New memory comes zeroed from the system, untouched, so a false size costs address space only.
fn fit(out: &mut Vec<u8>, length: usize) {
    if out.capacity() < length {
        *out = vec![0; length];
    } else {
        out.resize(length, 0);
    }
}

/// A zstd block must be one whole frame and, where the frame says its size, have that size.
fn check_frame(packed: &[u8], raw_len: usize) -> Result<(), Fault> {
    let whole = zstd_safe::find_frame_compressed_size(packed) == Ok(packed.len());
    let size = match zstd_safe::get_frame_content_size(packed) {
        Ok(size) => size.is_none_or(|n| n == raw_len as u64),
        Err(_) => false,
    };
    if whole && size {
        Ok(())
    } else {
        Err(Fault::new(
            0,
            "a block is not one zstd frame of the size in its index",
        ))
    }
}

/// Undoes Hadoop's block framing; `open` decompresses one chunk into the room that is left.
fn unchunk(
    packed: &[u8],
    out: &mut [u8],
    mut open: impl FnMut(&[u8], &mut [u8]) -> Option<usize>,
) -> Result<usize, Fault> {
    let mut input = Input::new(packed, 0);
    let mut done = 0;
    while input.left() > 0 {
        let end = done + input.count()?;
        if end > out.len() {
            return Err(input.fault("a chunk reaches past the size in the index"));
        }
        while done < end {
            let at = input.at();
            let length = input.count()?;
            let chunk = input.take(length)?;
            let produced = open(chunk, &mut out[done..end])
                .filter(|&n| n > 0)
                .ok_or(Fault::new(at, "a chunk does not decompress"))?;
            done += produced;
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfile_blocks_of_every_codec_round_trip() {
        let noise: Vec<u8> = (0..700_000_u64)
            .map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u8)
            .collect();
        let zeros = vec![0; 3_000_000];
        for codec in Codec::ALL {
            let mut compressor = BlockCompressor::new(codec, None).unwrap();
            let mut decompressor = BlockDecompressor::new(codec).unwrap();
            let (mut packed, mut raw) = (Vec::new(), Vec::new());
            for block in [&noise[..], &noise[..1], &zeros, &noise[..54_583], b"abcabc"] {
                compressor.compress(block, &mut packed).unwrap();
                let size = block.len() as u64;
                decompressor.decompress(&packed, size, &mut raw).unwrap();
                assert!(raw == block, "{codec:?}");
                for wrong in [size - 1, size + 1, u64::MAX, 1 << 40] {
                    assert!(decompressor.decompress(&packed, wrong, &mut raw).is_err());
                }
                packed.pop();
                assert!(decompressor.decompress(&packed, size, &mut raw).is_err());
            }
        }
    }

    #[test]
    fn rfile_hadoop_chunks_keep_the_limits_of_its_readers() {
        for (codec, limit) in [(Codec::Snappy, 54_582), (Codec::Lz4, 261_100)] {
            let mut packed = Vec::new();
            let raw = vec![7; limit + 1];
            BlockCompressor::new(codec, None)
                .unwrap()
                .compress(&raw, &mut packed)
                .unwrap();
            let mut input = Input::new(&packed, 0);
            assert_eq!(input.count(), Ok(limit));
            let first = input.count().unwrap();
            input.take(first).unwrap();
            assert_eq!(input.count(), Ok(1));
        }
    }

    #[test]
    fn rfile_levels_outside_the_range_are_refused() {
        assert!(BlockCompressor::new(Codec::Gz, Some(13)).is_err());
        assert!(BlockCompressor::new(Codec::Snappy, Some(1)).is_err());
        assert!(BlockCompressor::new(Codec::Zstd, Some(3)).is_ok());
        assert_eq!(Codec::parse("gz"), Some(Codec::Gz));
        assert_eq!(Codec::parse("lzo"), None);
    }
}
