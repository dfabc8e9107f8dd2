//! The summary at the end: on the screen and, with the machine's figures, in `summary.json` of the work folder.

use crate::exit::Word;
use crate::{machine, sizes};
use serde_json::json;
use shardmill_pipeline::load::manifest::Manifest;
use shardmill_pipeline::phases::publish::{Published, REJECTS};
use std::fs;
use std::path::Path;
use std::time::Instant;

/// Prints what was made and writes `summary.json`; that it cannot be written is a warning, no failure of the job.
pub(crate) fn published(published: &Published, work: &Path, started: Instant) {
    let manifest = &published.manifest;
    let seconds = started.elapsed().as_secs_f64();
    for table in &manifest.tables {
        let files = table.files.len();
        eprintln!(
            "  {:28} {:>14} cells  {:>10}  {files} file{}",
            table.name,
            sizes::count(table.entries),
            sizes::show(table.bytes),
            if files == 1 { "" } else { "s" }
        );
    }
    let records = manifest.totals.records;
    let read: u64 = manifest.inputs.iter().filter_map(|input| input.bytes).sum();
    eprintln!(
        "  {} records read: {} written, {} rejected, {} filtered, {} deduplicated",
        sizes::count(records.read),
        sizes::count(records.written),
        sizes::count(records.rejected),
        sizes::count(records.filtered),
        sizes::count(records.deduplicated)
    );
    let speed = read as f64 / 1e6 / seconds.max(1e-9);
    eprintln!(
        "  {} in, {} out, {seconds:.1} s ({speed:.1} MB/s), {:.1} s CPU, peak memory {}",
        sizes::show(read),
        sizes::show(manifest.totals.bytes),
        machine::cpu_seconds(),
        sizes::show(machine::peak_memory())
    );
    if records.rejected > 0 {
        eprintln!("  rejects: {}", published.path.join(REJECTS).display());
    }
    summary(work, Word::Published, Some(manifest), seconds);
}

/// Writes `summary.json`.
pub(crate) fn summary(work: &Path, word: Word, manifest: Option<&Manifest>, seconds: f64) {
    let summary = json!({
        "result": word.to_string(),
        "seconds": seconds,
        "cpu_seconds": machine::cpu_seconds(),
        "peak_memory_bytes": machine::peak_memory(),
        "threads_available": machine::threads(),
        "run_id": manifest.map(|manifest| manifest.run_id),
        "totals": manifest.map(|manifest| manifest.totals),
    });
    let path = work.join("summary.json");
    let text = format!("{summary:#}\n");
    if let Err(error) = fs::write(&path, text) {
        eprintln!("warning: {}: {error}", path.display());
    }
}
