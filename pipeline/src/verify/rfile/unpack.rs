//! Decompresses blocks for the verifier, by other crates than the reader where there are any, and strictly: a block must end where
//! its compressed stream ends, and chunks must fit the buffers of Hadoop's readers.

use flate2::{Decompress, FlushDecompress, Status};

use super::parse::Rest;

/// Buffers of Hadoop's decompressors: no chunk may be larger, packed or not.
const SNAPPY_BUFFER: usize = 64 << 10;
const LZ4_BUFFER: usize = 256 << 10;
/// Largest block that Java can address.
const MAX_RAW: u64 = i32::MAX as u64;

/// Decompresses blocks of one codec.
pub(super) enum Unpacker {
    Plain,
    Zlib(Decompress),
    Snappy(snap::raw::Decoder),
    Lz4,
    Zstd(zstd::bulk::Decompressor<'static>),
}

impl Unpacker {
    /// The unpacker of a codec name; `None` for names that are not verified.
    pub(super) fn for_name(name: &[u8]) -> Option<Unpacker> {
        Some(match name {
            b"none" => Unpacker::Plain,
            b"gz" => Unpacker::Zlib(Decompress::new(true)),
            b"snappy" => Unpacker::Snappy(snap::raw::Decoder::new()),
            b"lz4" => Unpacker::Lz4,
            b"zstd" => Unpacker::Zstd(zstd::bulk::Decompressor::new().ok()?),
            _ => return None,
        })
    }

    /// The most bytes that one packed byte can stand for.
    fn most(&self) -> u64 {
        match self {
            Unpacker::Plain => 1,
            Unpacker::Zlib(_) => 1032,
            Unpacker::Snappy(_) => 22,
            Unpacker::Lz4 => 256,
            Unpacker::Zstd(_) => 32_768,
        }
    }

    /// Sets `out` to the `raw` bytes of a block; `None` if it has not exactly as many.
    pub(super) fn unpack(&mut self, packed: &[u8], raw: u64, out: &mut Vec<u8>) -> Option<()> {
        let possible = (packed.len() as u64)
            .saturating_mul(self.most())
            .min(MAX_RAW);
        let size = usize::try_from(raw).ok().filter(|_| raw <= possible)?;
        if size > out.capacity() {
            // Zeroed pages come untouched from the system, so only what a block really holds takes memory.
            *out = vec![0; size];
        }
        out.resize(size, 0);
        let exact = match self {
            Unpacker::Plain => {
                (packed.len() == size).then(|| out.copy_from_slice(packed))?;
                true
            }
            Unpacker::Zlib(stream) => unzlib(stream, packed, out)?,
            Unpacker::Snappy(decoder) => unframe(packed, out, SNAPPY_BUFFER, |chunk, room| {
                let n = snap::raw::decompress_len(chunk).ok()?;
                decoder.decompress(chunk, room.get_mut(..n)?).ok()
            })?,
            Unpacker::Lz4 => unframe(packed, out, LZ4_BUFFER, |chunk, room| {
                lz4_flex::block::decompress_into(chunk, room).ok()
            })?,
            Unpacker::Zstd(decoder) => {
                let frame = zstd::zstd_safe::find_frame_compressed_size(packed).ok()?;
                let n = decoder.decompress_to_buffer(packed, out.as_mut_slice());
                frame == packed.len() && n.ok()? == size
            }
        };
        exact.then_some(())
    }
}

/// One zlib stream that uses all of `packed` and fills all of `out`.
fn unzlib(stream: &mut Decompress, packed: &[u8], out: &mut [u8]) -> Option<bool> {
    stream.reset(true);
    let status = stream.decompress(packed, out, FlushDecompress::Finish);
    Some(
        status.ok()? == Status::StreamEnd
            && stream.total_in() == packed.len() as u64
            && stream.total_out() == out.len() as u64,
    )
}

/// Hadoop's block framing.
fn unframe(
    packed: &[u8],
    out: &mut [u8],
    buffer: usize,
    mut open: impl FnMut(&[u8], &mut [u8]) -> Option<usize>,
) -> Option<bool> {
    let mut rest = Rest(packed);
    let mut room = out;
    while !rest.is_empty() {
        let (mut part, after) = room.split_at_mut_checked(rest.count()?)?;
        room = after;
        while !part.is_empty() {
            let chunk = rest.counted()?;
            let limit = part.len().min(buffer);
            let n = open(chunk, &mut part[..limit])?;
            if n == 0 || chunk.len() > buffer {
                return None;
            }
            part = &mut part[n..];
        }
    }
    Some(room.is_empty())
}
