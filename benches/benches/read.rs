//! Reading CSV next to the bare `csv` crate with every field touched.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shardmill_benches::Numbers;
use shardmill_pipeline::read::{
    CsvOptions, Format, Pattern, ReadLimits, Step, open, resolve, scan,
};
use shardmill_schemas::record::Record;
use std::fmt::Write as _;
use std::path::Path;

const RECORDS: usize = 50_000;

fn input(quoted: bool) -> String {
    let mut numbers = Numbers(7);
    let mut csv = String::from("a,b,c,d,e,f,g,h,i,j,k,l\n");
    for _ in 0..RECORDS {
        for column in 0..12 {
            let (number, end) = (numbers.draw(), if column == 11 { '\n' } else { ',' });
            let quoted = quoted && number % 3 == 0;
            let written = if quoted {
                write!(csv, "\"text, {number} \"\"x\"\"\"{end}")
            } else {
                write!(csv, "text {number}{end}")
            };
            written.ok();
        }
    }
    csv
}

fn ours(folder: &Path) -> Option<usize> {
    let pattern = Pattern {
        path: "input.csv".into(),
        data_type: String::new(),
        format: Format::Csv(CsvOptions::default()),
    };
    let files = resolve(folder, &[pattern]).ok()?;
    let limits = ReadLimits::default();
    let scanned = scan(&files[0], 0, u64::MAX, &limits, &mut |_| {}).ok()?;
    let mut record = Record::default();
    let mut touched = 0;
    for slice in &scanned.slices {
        let mut reader = open(&files[0], slice, &limits).ok()?;
        while let Step::Record = reader.next(&mut record).ok()? {
            touched += record
                .fields()
                .filter_map(|field| field.value)
                .map(str::len)
                .sum::<usize>();
        }
    }
    Some(touched)
}

fn reference(folder: &Path) -> Option<usize> {
    let mut reader = csv::Reader::from_path(folder.join("input.csv")).ok()?;
    let mut record = csv::StringRecord::new();
    let mut touched = 0;
    while reader.read_record(&mut record).ok()? {
        touched += record.iter().map(str::len).sum::<usize>();
    }
    Some(touched)
}

fn read(criterion: &mut Criterion) {
    for (name, quoted) in [("plain", false), ("quoted", true)] {
        let Ok(folder) = tempfile::tempdir() else {
            return;
        };
        let text = input(quoted);
        if std::fs::write(folder.path().join("input.csv"), &text).is_err() {
            return;
        }
        assert_eq!(
            ours(folder.path()),
            reference(folder.path()),
            "both read the same"
        );
        let mut group = criterion.benchmark_group(format!("read csv {name}"));
        group
            .sample_size(10)
            .throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("scan and read", |bencher| {
            bencher.iter(|| ours(folder.path()))
        });
        group.bench_function("reference: csv crate", |bencher| {
            bencher.iter(|| reference(folder.path()))
        });
        group.finish();
    }
}

criterion_group!(benches, read);
criterion_main!(benches);
