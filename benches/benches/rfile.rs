//! Writing RFiles next to compressing the same bytes alone.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use libdeflater::{CompressionLvl, Compressor};
use shardmill_benches::field_index;
use shardmill_pipeline::rfile::{Codec, RFileWriter, WriterOptions};
use shardmill_schemas::key::Key;
use std::hint::black_box;
use std::io;

const CELLS: usize = 200_000;

fn write(codec: Codec, cells: &[[String; 3]]) -> Option<u64> {
    let options = WriterOptions {
        codec,
        ..WriterOptions::default()
    };
    let mut writer = RFileWriter::new(io::sink(), &options, &[]).ok()?;
    for [row, family, qualifier] in cells {
        let key = Key {
            row: row.as_bytes(),
            family: family.as_bytes(),
            qualifier: qualifier.as_bytes(),
            visibility: b"PUBLIC",
            timestamp: 1_709_251_200_000,
            deleted: false,
        };
        writer.append(&key, b"").ok()?;
    }
    writer.finish().ok().map(|summary| summary.raw_bytes)
}

fn rfile(criterion: &mut Criterion) {
    let mut cells = field_index(CELLS);
    cells.sort_unstable();
    let mut group = criterion.benchmark_group("rfile");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(CELLS as u64));
    for codec in [Codec::None, Codec::Gz, Codec::Zstd, Codec::Snappy] {
        group.bench_function(format!("write {}", codec.name()), |bencher| {
            bencher.iter(|| black_box(write(codec, &cells)))
        });
    }
    // As many bytes as the blocks have before compression, of the same text, through the same library at the same level.
    let raw = write(Codec::None, &cells).unwrap_or(0) as usize;
    let bytes: Vec<u8> = cells
        .iter()
        .flat_map(|cell| cell[2].as_bytes())
        .copied()
        .cycle()
        .take(raw)
        .collect();
    assert!(raw > CELLS, "{raw} bytes in blocks");
    group.bench_function("reference: zlib level 1 alone", |bencher| {
        let mut compressor = Compressor::new(CompressionLvl::fastest());
        let mut out = vec![0; compressor.zlib_compress_bound(102_400)];
        bencher.iter(|| {
            let packed = |block: &[u8]| compressor.zlib_compress(block, &mut out).unwrap_or(0);
            let sizes: usize = bytes.chunks(102_400).map(packed).sum();
            assert!(sizes > 0);
            sizes
        });
    });
    group.finish();
}

criterion_group!(benches, rfile);
criterion_main!(benches);
