//! `shardmill verify`: whether a run or file may be loaded.

use crate::args::VerifyArgs;
use crate::exit::{End, Exit};
use crate::{print, sizes};
use serde_json::json;
use shardmill_pipeline::escape::key_text;
use shardmill_pipeline::load::Digest;
use shardmill_pipeline::load::manifest::{Manifest, ManifestError, Table};
use shardmill_pipeline::verify::rfile::{VerifiedFile, VerifyError, verify_file};
use shardmill_pipeline::verify::run::{VerifyRunError, verify_run};
use shardmill_schemas::key::KeyBuf;
use shardmill_schemas::visibility;
use std::fmt::Write as _;

pub(crate) fn run(args: &VerifyArgs) -> Result<End, End> {
    let parses = |expression: &[u8]| visibility::validate(expression).is_ok();
    let path = args.path.display().to_string();
    let text = if args.path.is_dir() {
        let manifest = verify_run(&args.path, &parses).map_err(|error| {
            let exit = exit_of_run(&error);
            failed(exit, format!("{path}: {error}"))
        })?;
        if args.json {
            run_json(&path, &manifest)
        } else {
            run_text(&path, &manifest)
        }
    } else {
        let file = verify_file(&args.path, &parses, &mut |_, _| ())
            .map_err(|error| failed(exit_of_file(&error), error.to_string()))?;
        if args.json {
            file_json(&path, &file)
        } else {
            file_text(&path, &file)
        }
    };
    print::print(&text)?;
    Ok(End::silent())
}

fn failed(exit: Exit, error: String) -> End {
    let next = match exit {
        Exit::Refused => "refused; do not load it, make it again",
        _ => "give the folder of a published run or an RFile that can be read",
    };
    End::failed(exit, error, next)
}

fn exit_of_run(error: &VerifyRunError) -> Exit {
    match error {
        VerifyRunError::RFile(error) => exit_of_file(error),
        VerifyRunError::Damaged { .. } | VerifyRunError::Manifest(ManifestError::Syntax { .. }) => {
            Exit::Refused
        }
        VerifyRunError::Manifest(_) | VerifyRunError::Read { .. } => Exit::Input,
    }
}

fn exit_of_file(error: &VerifyError) -> Exit {
    match error {
        VerifyError::Refused { .. } => Exit::Refused,
        VerifyError::Read { .. } => Exit::Input,
    }
}

fn run_text(path: &str, manifest: &Manifest) -> String {
    let totals = &manifest.totals;
    let mut text = format!(
        "{path}: run {}, layout {}\n",
        manifest.run_id, manifest.layout
    );
    for table in &manifest.tables {
        let Table {
            name,
            entries,
            bytes,
            files,
            ..
        } = table;
        let _ = writeln!(
            text,
            "  {name:28} {:>14} cells  {:>10}  {}",
            sizes::count(*entries),
            sizes::show(*bytes),
            plural(files.len() as u64, "file")
        );
    }
    let records = totals.records;
    let _ = writeln!(
        text,
        "  checked: digest of every file, order, indexes, counts, locality groups and visibilities of every RFile;\n  \
           load plans, splits, settings and counts of every table; rejects"
    );
    let _ = writeln!(
        text,
        "OK: {}, {}, {} cells ({} deletes), {}; {} records read: {} written, {} rejected, {} filtered, {} deduplicated",
        plural(manifest.tables.len() as u64, "table"),
        plural(totals.files, "file"),
        sizes::count(totals.entries),
        sizes::count(totals.deletes),
        sizes::show(totals.bytes),
        sizes::count(records.read),
        sizes::count(records.written),
        sizes::count(records.rejected),
        sizes::count(records.filtered),
        sizes::count(records.deduplicated)
    );
    text
}

fn plural(number: u64, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {what}{s}", sizes::count(number))
}

fn run_json(path: &str, manifest: &Manifest) -> String {
    let value = json!({
        "path": path,
        "result": "ok",
        "run_id": manifest.run_id,
        "tables": manifest.tables.len(),
        "totals": manifest.totals,
    });
    format!("{value:#}\n")
}

fn file_text(path: &str, file: &VerifiedFile) -> String {
    let key = |key: &Option<KeyBuf>| {
        key.as_ref()
            .map_or_else(|| "none".to_owned(), |key| key_text(&key.as_key()))
    };
    let digest = if file.has_digest {
        "present, and agrees with every byte"
    } else {
        "none of ours: structure, order and counts were checked, a changed value would not show"
    };
    format!(
        "{path}\n  first    {}\n  last     {}\n  sha256   {}\n  digest   {digest}\n  \
         checked: trailer, meta index, regions, indexes, order, counts, families, visibilities\n\
         OK: {} cells ({} deletes), {}\n",
        key(&file.first_key),
        key(&file.last_key),
        Digest(file.sha256),
        sizes::count(file.entries),
        sizes::count(file.deletes),
        sizes::show(file.file_bytes),
    )
}

fn file_json(path: &str, file: &VerifiedFile) -> String {
    let key = |key: &Option<KeyBuf>| key.as_ref().map(|key| key_text(&key.as_key()));
    let value = json!({
        "path": path,
        "result": "ok",
        "entries": file.entries,
        "deletes": file.deletes,
        "bytes": file.file_bytes,
        "first_key": key(&file.first_key),
        "last_key": key(&file.last_key),
        "sha256": Digest(file.sha256),
        "digest": file.has_digest,
    });
    format!("{value:#}\n")
}
