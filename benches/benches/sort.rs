//! The sort buffer next to a sort of whole keys by comparison.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use shardmill_benches::field_index;
use shardmill_pipeline::sort::buffer::SortBuffer;
use shardmill_schemas::cell::{Cell, TableId};
use std::hint::black_box;

const CELLS: usize = 200_000;

fn sort(criterion: &mut Criterion) {
    let cells = field_index(CELLS);
    let mut group = criterion.benchmark_group("sort");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(CELLS as u64));
    group.bench_function("buffer: put and sort", |bencher| {
        let mut buffer = SortBuffer::new(1, 64 << 20);
        bencher.iter(|| {
            buffer.clear();
            for [row, family, qualifier] in &cells {
                let pieces = [row.as_bytes(), family.as_bytes(), qualifier.as_bytes()];
                let [row, family, qualifier] = [&pieces[..1], &pieces[1..2], &pieces[2..]];
                let cell = Cell {
                    row,
                    family,
                    qualifier,
                    visibility: b"PUBLIC",
                    timestamp: 0,
                    deleted: false,
                    value: b"",
                };
                buffer.put(TableId(0), &cell).ok();
            }
            let mut bytes = 0;
            buffer
                .sorted(TableId(0), |key, _| {
                    bytes += key.size();
                    Ok::<_, ()>(())
                })
                .ok();
            black_box(bytes)
        });
    });
    group.bench_function("reference: sort_unstable of owned keys", |bencher| {
        bencher.iter_batched(
            || cells.clone(),
            |mut cells| {
                cells.sort_unstable();
                cells
            },
            BatchSize::LargeInput,
        );
    });
    group.finish();
}

criterion_group!(benches, sort);
criterion_main!(benches);
