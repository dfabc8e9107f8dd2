//! The summary at the end: on the screen and, with the machine's figures, in `summary.json` of the work folder.

use crate::exit::{End, Word};
use crate::{machine, sizes};
use serde_json::json;
use shardmill_pipeline::load::manifest::Manifest;
use shardmill_pipeline::phases::publish::{Published, REJECTS};
use shardmill_pipeline::phases::{Job, JobError};
use shardmill_pipeline::rejects;
use std::fs;
use std::path::Path;
use std::time::Instant;

/// So many rejects are shown; the file has all of them.
const SHOWN: usize = 5;

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
        let path = published.path.join(REJECTS);
        eprintln!("  rejects: {}", path.display());
        show_rejects(&path, records.rejected);
    }
    summary(work, Word::Published, None, Some(manifest), seconds);
}

/// Says how a job ended that published nothing.
pub(crate) fn unpublished(job: &Job, error: &JobError, started: Instant) {
    let work = job.root();
    if let JobError::TooManyRejects { rejected, kept, .. } = error {
        let files = fs::read_dir(kept).into_iter().flatten().flatten();
        if let Some(file) = files.map(|entry| entry.path()).min() {
            show_rejects(&file, *rejected);
        }
    }
    let end = End::of_job(error, "");
    let message = error.to_string();
    summary(
        work,
        end.word,
        Some(&message),
        None,
        started.elapsed().as_secs_f64(),
    );
}

/// The first rejects of so many, a line each. One that cannot be shown is in the file all the same.
fn show_rejects(path: &Path, total: u64) {
    let first = rejects::first(path, SHOWN).unwrap_or_default();
    for rejected in &first {
        eprintln!("    {}", rejected.line());
    }
    match total.saturating_sub(first.len() as u64) {
        0 => {}
        more => eprintln!("    and {} more", sizes::count(more)),
    }
}

/// Writes `summary.json`.
fn summary(
    work: &Path,
    word: Word,
    error: Option<&str>,
    manifest: Option<&Manifest>,
    seconds: f64,
) {
    let summary = json!({
        "result": word.to_string(),
        "error": error,
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
