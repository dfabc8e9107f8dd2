//! From the patterns of a job to its files, in an order that no directory listing decides.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use walkdir::{DirEntry, WalkDir};

use super::source::modified_nanos;
use super::{Format, InputFile, ReadError, rejects};

/// An input of a job: a file, a folder or a glob, and how its files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// A path or a glob (`*`, `?`, `[..]`, `{..}` within a name, `**` for any folders).
    pub path: String,
    /// The name of the data type that the job gives to the records.
    pub data_type: String,
    /// How the files are read.
    pub format: Format,
}

/// The files of these patterns: pattern by pattern in the given order, by name within each. Relative patterns begin at `base`; an
/// [`InputFile::display`] stays relative to it.
///
/// A path that exists is that file or folder, whatever characters it has. A folder stands for all files in it and in its folders, but
/// those whose names begin with `.` or `_`; a glob stands for the files whose path it matches, but those whose names begin with `.`.
///
/// # Errors
///
/// When a pattern matches nothing, a file is found twice, or a file or folder cannot be looked at.
pub fn resolve(base: &Path, patterns: &[Pattern]) -> Result<Vec<InputFile>, ReadError> {
    let here = Path::new(".");
    let base = if base.as_os_str().is_empty() {
        here
    } else {
        base
    };
    let mut files = Vec::new();
    let mut found_by: HashMap<PathBuf, &str> = HashMap::new();
    for pattern in patterns {
        let mut paths = matches(base, &pattern.path)?;
        if paths.is_empty() {
            let pattern = pattern.path.clone();
            return Err(ReadError::NoMatch { pattern });
        }
        paths.sort_unstable();
        for display in paths {
            let path = base.join(&display);
            // Links and `..` lead to a file by several names.
            let file =
                fs::canonicalize(&path).map_err(|error| ReadError::from_io(&display, 0, error))?;
            if let Some(first) = found_by.insert(file, &pattern.path) {
                return Err(ReadError::Twice {
                    path: display,
                    first: first.to_owned(),
                    second: pattern.path.clone(),
                });
            }
            files.push(describe(path, display, pattern)?);
        }
    }
    Ok(files)
}

fn describe(path: PathBuf, display: String, pattern: &Pattern) -> Result<InputFile, ReadError> {
    let metadata = metadata(&path, &display)?;
    if !metadata.is_file() {
        return Err(ReadError::NotAFile { path: display });
    }
    let mut input = InputFile {
        path,
        display,
        size: metadata.len(),
        modified_nanos: modified_nanos(&metadata),
        data_type: pattern.data_type.clone(),
        format: pattern.format.clone(),
    };
    if rejects::recognised(&input)? {
        input.format = Format::Rejects(Box::new(input.format));
    }
    Ok(input)
}

fn metadata(path: &Path, display: &str) -> Result<Metadata, ReadError> {
    fs::metadata(path).map_err(|error| ReadError::from_io(display, 0, error))
}

/// The paths that a pattern stands for, as it names them.
fn matches(base: &Path, pattern: &str) -> Result<Vec<String>, ReadError> {
    match metadata(&base.join(pattern), pattern) {
        Ok(metadata) if metadata.is_dir() => {
            let wanted = |entry: &DirEntry| !starts_with(entry, b"._");
            return walk(base, Path::new(pattern), usize::MAX, wanted);
        }
        Ok(_) => return Ok(vec![pattern.to_owned()]),
        Err(ReadError::Missing { .. }) if pattern.contains(['*', '?', '[', '{']) => {}
        Err(ReadError::Missing { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    }
    let glob = glob(pattern)?;
    let root = literal_root(pattern);
    if !base.join(&root).is_dir() {
        return Ok(Vec::new());
    }
    let wanted = |entry: &DirEntry| !starts_with(entry, b".");
    let mut paths = walk(base, &root, depth(pattern, &root), wanted)?;
    paths.retain(|path| glob.is_match(path));
    Ok(paths)
}

fn glob(pattern: &str) -> Result<GlobMatcher, ReadError> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    match glob {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(ReadError::Pattern {
            pattern: pattern.to_owned(),
            message: error.kind().to_string(),
        }),
    }
}

/// The folders in front of the first name that has a wildcard.
fn literal_root(pattern: &str) -> PathBuf {
    let literal = |component: &Component| {
        !component
            .as_os_str()
            .to_string_lossy()
            .contains(['*', '?', '[', '{'])
    };
    Path::new(pattern)
        .components()
        .take_while(literal)
        .collect()
}

/// How many folders deep a glob can match, so that no others are walked or need to be readable.
fn depth(pattern: &str, root: &Path) -> usize {
    if pattern.contains("**") {
        return usize::MAX;
    }
    let names = Path::new(pattern).components().count();
    names - root.components().count()
}

/// All files under `root`, a folder relative to `base`, without the entries that are not `wanted`.
fn walk(
    base: &Path,
    root: &Path,
    depth: usize,
    wanted: impl Fn(&DirEntry) -> bool,
) -> Result<Vec<String>, ReadError> {
    let top = base.join(root);
    let entries = WalkDir::new(&top).follow_links(true).max_depth(depth);
    let entries = entries.into_iter();
    let mut paths = Vec::new();
    for entry in entries.filter_entry(|entry| entry.depth() == 0 || wanted(entry)) {
        let entry = entry.map_err(|error| unreadable(&top, error))?;
        if entry.file_type().is_dir() {
            continue;
        }
        let below = entry.path().strip_prefix(&top).unwrap_or(entry.path());
        let path = root.join(below);
        match path.to_str() {
            Some(path) => paths.push(path.to_owned()),
            None => {
                let path = path.display().to_string();
                return Err(ReadError::NameNotUtf8 { path });
            }
        }
    }
    Ok(paths)
}

fn unreadable(top: &Path, error: walkdir::Error) -> ReadError {
    let path = error.path().unwrap_or(top).display().to_string();
    // A loop of links has no error of the system behind it.
    ReadError::from_io(&path, 0, error.into())
}

fn starts_with(entry: &DirEntry, marks: &[u8]) -> bool {
    let name = entry.file_name().as_encoded_bytes();
    name.first().is_some_and(|first| marks.contains(first))
}

#[cfg(test)]
mod tests;
