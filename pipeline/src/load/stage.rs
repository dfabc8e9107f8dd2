//! Writes the sidecars into the staged folder of a run, the manifest last.

use super::digest::Digest;
use super::error::LoadError;
use super::manifest::{DIGESTS, MANIFEST, Manifest};
use super::names::{check_table_name, plain_file_name, rfile_name};
use super::plan::{file_plan, table_plan};
use super::script::{LOAD_JSH, ShellTable, load_shell};
use super::settings::{IteratorFlavour, render, table_settings};
use super::{FileResult, RunFacts, TableResult};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use walkdir::WalkDir;

/// Writes `load/`, then `manifest.json`, then `manifest.sha256` into the staged folder `root`, which holds `tables/` and perhaps
/// `rejects/`. When it returns, every file that it wrote and every folder are synced; it may be called again after a crash.
///
/// The digests of the RFiles are those in `tables`; their bytes are not read again.
///
/// # Errors
/// Names, settings or facts that cannot be published; a staged folder that does not hold exactly the files of `tables`; I/O errors.
pub fn write_sidecars(
    root: &Path,
    run: &RunFacts,
    tables: &[TableResult],
    flavour: IteratorFlavour,
) -> Result<(), LoadError> {
    check_facts(run)?;
    check_tables(tables)?;
    let sidecars = sidecars(run, tables, flavour)?;
    check_folder(root, tables, &sidecars)?;

    let mut digests = BTreeMap::new();
    for table in tables {
        for file in &table.files {
            digests.insert(rfile_path(table, file), Digest(file.sha256));
        }
    }
    let load = root.join("load");
    std::fs::create_dir_all(&load).map_err(LoadError::io(&load))?;
    for (path, text) in &sidecars {
        write_synced(&root.join(path), text.as_bytes())?;
        digests.insert(path.clone(), Digest(Sha256::digest(text).into()));
    }
    for path in rejects(root)? {
        let digest = file_digest(&root.join(&path))?;
        digests.insert(path, digest);
    }
    let manifest = Manifest::of(run, tables, flavour).to_json();
    write_synced(&root.join(MANIFEST), manifest.as_bytes())?;
    digests.insert(
        MANIFEST.to_owned(),
        Digest(Sha256::digest(&manifest).into()),
    );
    let list: String = digests
        .iter()
        .map(|(path, digest)| format!("{digest}  {path}\n"))
        .collect();
    write_synced(&root.join(DIGESTS), list.as_bytes())?;
    sync_folders(root)
}

/// All files of `load/`, by their path below the run's folder.
fn sidecars(
    run: &RunFacts,
    tables: &[TableResult],
    flavour: IteratorFlavour,
) -> Result<BTreeMap<String, String>, LoadError> {
    let run_id = Digest(run.run_id);
    let mut files = BTreeMap::new();
    let mut put = |name: String, text: String| files.insert(format!("load/{name}"), text);
    let settings = tables
        .iter()
        .map(|table| table_settings(&table.spec, flavour))
        .collect::<Result<Vec<_>, _>>()?;
    let mut shell = Vec::new();
    for (table, settings) in tables.iter().zip(&settings) {
        let name = &table.spec.name;
        let entries: u64 = table.files.iter().map(|file| file.entries).sum();
        put(format!("{name}.plan.json"), table_plan(table).to_json());
        put(format!("{name}.file-plan.json"), file_plan(table).to_json());
        let splits = table.splits.iter().map(|row| STANDARD.encode(row) + "\n");
        put(format!("{name}.splits"), splits.collect());
        put(format!("{name}.properties"), render(settings));
        put(format!("{name}.count"), format!("{entries}\n"));
        shell.push(ShellTable {
            name,
            settings,
            has_splits: !table.splits.is_empty(),
            has_files: !table.files.is_empty(),
        });
    }
    let names: Vec<&str> = shell.iter().map(|table| table.name).collect();
    let names = names.join(",");
    put(
        "run.properties".into(),
        format!("runId={run_id}\ntables={names}\n"),
    );
    put("load.jsh".into(), LOAD_JSH.to_owned());
    put("load.shell".into(), load_shell(&run_id, &shell));
    Ok(files)
}

fn check_facts(run: &RunFacts) -> Result<(), LoadError> {
    for input in &run.inputs {
        let fail = |reason: String| {
            Err(LoadError::Facts {
                what: format!("input {:?}", input.file),
                reason,
            })
        };
        if input.file.contains(['/', '\\']) {
            return fail("the manifest holds names without a folder".into());
        }
        if !input.records.balance() {
            let counts = input.records;
            return fail(format!(
                "the counts of its records do not add up: {counts:?}"
            ));
        }
    }
    Ok(())
}

fn check_tables(tables: &[TableResult]) -> Result<(), LoadError> {
    if tables.is_empty() {
        return Err(LoadError::Facts {
            what: "tables".into(),
            reason: "a run has at least one".into(),
        });
    }
    let mut names = BTreeSet::new();
    for table in tables {
        let name = &table.spec.name;
        check_table_name(name)?;
        if !names.insert(name) {
            return Err(LoadError::table(name, "it is listed twice"));
        }
        let rows = &table.splits;
        if rows.first().is_some_and(Vec::is_empty) || !rows.is_sorted_by(|a, b| a < b) {
            return Err(LoadError::table(
                name,
                "its splits are empty rows or out of order",
            ));
        }
        check_files(table).map_err(|reason| LoadError::table(name, reason))?;
    }
    Ok(())
}

/// Catches what would make a plan untrue, in the values at hand; `verify` looks into the files.
fn check_files(table: &TableResult) -> Result<(), String> {
    let mut names = BTreeSet::new();
    for file in &table.files {
        let fail = |reason: &str| Err(format!("file {}: {reason}", file.name));
        if !rfile_name(&file.name) {
            return fail("this is no name for an RFile");
        }
        if !names.insert(&file.name) {
            return fail("it is listed twice");
        }
        if file.entries == 0 {
            return fail("it is empty, and an import would map it to no tablet");
        }
        if file.first_tablet > file.last_tablet || file.last_tablet > table.splits.len() {
            return fail("its range of tablets does not exist");
        }
        let before = file
            .first_tablet
            .checked_sub(1)
            .and_then(|i| table.splits.get(i));
        let end = table.splits.get(file.last_tablet);
        let (first, last) = (file.first_key.as_key(), file.last_key.as_key());
        if first > last
            || before.is_some_and(|row| first.row <= row.as_slice())
            || end.is_some_and(|row| last.row > row.as_slice())
        {
            return fail("its keys are outside of its range of tablets");
        }
    }
    for pair in table.files.windows(2) {
        if pair[0].last_key.as_key() >= pair[1].first_key.as_key() {
            return Err(format!(
                "files {} and {} overlap or are out of order",
                pair[0].name, pair[1].name
            ));
        }
    }
    Ok(())
}

/// Whether the staged folder holds every RFile at its full length and nothing that no manifest would explain.
fn check_folder(
    root: &Path,
    tables: &[TableResult],
    sidecars: &BTreeMap<String, String>,
) -> Result<(), LoadError> {
    let fail = |path: &str, reason: &str| {
        Err(LoadError::Folder {
            path: path.to_owned(),
            reason: reason.to_owned(),
        })
    };
    let mut rfiles = BTreeMap::new();
    for table in tables {
        rfiles.extend(
            table
                .files
                .iter()
                .map(|file| (rfile_path(table, file), file.bytes)),
        );
    }
    for (path, length) in staged_files(root)? {
        match rfiles.remove(&path) {
            Some(bytes) if bytes == length => {}
            Some(_) => return fail(&path, "its length is not that of its result"),
            None if path == MANIFEST || path == DIGESTS || sidecars.contains_key(&path) => {}
            None if is_reject(&path) => {}
            None => return fail(&path, "it is no part of the run"),
        }
    }
    match rfiles.first_key_value() {
        Some((path, _)) => fail(path, "it is missing"),
        None => Ok(()),
    }
}

fn rfile_path(table: &TableResult, file: &FileResult) -> String {
    format!("tables/{}/{}", table.spec.name, file.name)
}

fn is_reject(path: &str) -> bool {
    path.strip_prefix("rejects/")
        .is_some_and(|name| plain_file_name(name) && name.ends_with(".jsonl"))
}

fn rejects(root: &Path) -> Result<Vec<String>, LoadError> {
    let mut paths: Vec<String> = staged_files(root)?.into_keys().collect();
    paths.retain(|path| is_reject(path));
    Ok(paths)
}

/// Every file below `root` with its length, by its path with `/`.
fn staged_files(root: &Path) -> Result<BTreeMap<String, u64>, LoadError> {
    let mut files = BTreeMap::new();
    for entry in WalkDir::new(root).min_depth(1) {
        let entry = entry.map_err(|error| walk_error(root, error))?;
        let relative = entry.path().strip_prefix(root).unwrap_or(entry.path());
        let path = relative.to_string_lossy().into_owned();
        if entry.file_type().is_file() {
            let metadata = entry.metadata().map_err(|error| walk_error(root, error))?;
            files.insert(path, metadata.len());
        } else if !entry.file_type().is_dir() {
            return Err(LoadError::Folder {
                path,
                reason: "it is neither a file nor a folder".into(),
            });
        }
    }
    Ok(files)
}

fn walk_error(root: &Path, error: walkdir::Error) -> LoadError {
    let path = error.path().unwrap_or(root).to_path_buf();
    LoadError::io(&path)(error.into())
}

fn file_digest(path: &Path) -> Result<Digest, LoadError> {
    let mut hash = Sha256::new();
    let mut file = File::open(path).map_err(LoadError::io(path))?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Digest(hash.finalize().into())),
            Ok(read) => hash.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(LoadError::io(path)(error)),
        }
    }
}

/// The staged tree becomes visible by one rename later, so a file that is half written under its name is seen by nobody.
fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), LoadError> {
    let write = || {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(LoadError::io(path))
}

fn sync_folders(root: &Path) -> Result<(), LoadError> {
    // Contents first: a folder is on disk only after the folders in it.
    for entry in WalkDir::new(root).contents_first(true) {
        let entry = entry.map_err(|error| walk_error(root, error))?;
        if entry.file_type().is_dir() {
            let sync = File::open(entry.path()).and_then(|folder| folder.sync_all());
            sync.map_err(LoadError::io(entry.path()))?;
        }
    }
    Ok(())
}
