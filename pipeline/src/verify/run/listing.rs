//! The files of the folder against the list of digests.

use super::error::{VerifyRunError, damaged, read_text, unreadable};
use crate::load::manifest::DIGESTS;
use crate::load::{Digest, plain_file_name};
use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Deeper than any path of a run, so that a folder in a folder cannot exhaust the stack.
const MAX_DEPTH: usize = 3;

/// What is in the folder of a run; its files are those of `manifest.sha256`, no more and no less.
pub(super) struct Listing {
    /// Digest by path, as the list has it.
    pub(super) files: BTreeMap<String, Digest>,
    /// Folders below the run's.
    pub(super) folders: BTreeSet<String>,
}

impl Listing {
    /// Reads the list and the folder and compares the names.
    pub(super) fn read(run: &Path) -> Result<Listing, VerifyRunError> {
        let mut found = BTreeSet::new();
        let mut folders = BTreeSet::new();
        walk(run, "", MAX_DEPTH, &mut found, &mut folders)?;
        if !found.remove(DIGESTS) {
            return Err(damaged(DIGESTS, "it is missing: this is no published run"));
        }
        let files = parse(&read_text(run, DIGESTS)?)?;
        if let Some(path) = found.iter().find(|path| !files.contains_key(*path)) {
            return Err(damaged(
                path,
                "manifest.sha256 does not list it: it was added",
            ));
        }
        if let Some(path) = files.keys().find(|path| !found.contains(*path)) {
            return Err(damaged(path, "manifest.sha256 lists it, but it is missing"));
        }
        Ok(Listing { files, folders })
    }

    /// Reads every file and compares its digest.
    pub(super) fn check_digests(&self, run: &Path) -> Result<(), VerifyRunError> {
        let checked: Vec<_> = self
            .files
            .par_iter()
            .map(|(path, listed)| match digest(&run.join(path)) {
                Ok(found) if found == *listed => Ok(()),
                Ok(found) => Err(damaged(
                    path,
                    format!("its sha256 is {found}, not {listed}: it was changed"),
                )),
                Err(error) => Err(unreadable(path)(error)),
            })
            .collect();
        checked.into_iter().collect()
    }
}

/// The lines of `sha256sum`: digest, two spaces, path; here also sorted, each path once.
fn parse(text: &str) -> Result<BTreeMap<String, Digest>, VerifyRunError> {
    let mut files = BTreeMap::new();
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let fail = |what: &str| damaged(DIGESTS, format!("line {}: {what}", index + 1));
        let line = line
            .strip_suffix('\n')
            .ok_or_else(|| fail("it is cut short"))?;
        let (digest, path) = line
            .split_once("  ")
            .and_then(|(digest, path)| Some((Digest::parse(digest)?, path)))
            .ok_or_else(|| fail("it is not a sha256, two spaces and a path"))?;
        if !path.split('/').all(plain_file_name) || path == DIGESTS {
            return Err(fail("this path cannot be in a run"));
        }
        if files
            .last_key_value()
            .is_some_and(|(last, _): (&String, _)| last.as_str() >= path)
        {
            return Err(fail("the paths are not in order"));
        }
        files.insert(path.to_owned(), digest);
    }
    Ok(files)
}

fn walk(
    folder: &Path,
    prefix: &str,
    depth: usize,
    files: &mut BTreeSet<String>,
    folders: &mut BTreeSet<String>,
) -> Result<(), VerifyRunError> {
    let here = if prefix.is_empty() { "." } else { prefix };
    for entry in fs::read_dir(folder).map_err(unreadable(here))? {
        let entry = entry.map_err(unreadable(here))?;
        let name = entry.file_name();
        let path = format!("{prefix}{}", name.to_string_lossy());
        if !name.to_str().is_some_and(plain_file_name) {
            return Err(damaged(
                &path,
                "no file of a run has such a name: it was added",
            ));
        }
        // The type of the entry itself: a link is no file, wherever it leads.
        let kind = entry.file_type().map_err(unreadable(&path))?;
        if kind.is_file() {
            files.insert(path);
        } else if kind.is_dir() && depth > 1 {
            walk(
                &entry.path(),
                &format!("{path}/"),
                depth - 1,
                files,
                folders,
            )?;
            folders.insert(path);
        } else if kind.is_dir() {
            return Err(damaged(&path, "this folder is no part of a run"));
        } else {
            return Err(damaged(&path, "it is a link or device, not a file"));
        }
    }
    Ok(())
}

fn digest(path: &Path) -> io::Result<Digest> {
    let mut hash = Sha256::new();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(Digest(hash.finalize().into())),
            Ok(read) => hash.update(&buffer[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
