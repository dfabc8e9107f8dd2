//! The cells of a published run or of a lone RFile, as they stand in the files or as a scan of the loaded tables would show them.
//!
//! [`open`] finds the tables, [`TableView::cells`] streams one of them: its files one after another, through the table's iterators
//! ([`shardmill_schemas::iterators`] says what each of them does). Memory is one open file and the cells of one column's fold.

mod chain;
mod error;

pub use error::ViewError;

use crate::escape::key_text;
use crate::load::manifest::{self, MANIFEST, Manifest};
use crate::load::{IteratorFlavour, read_manifest};
use crate::rfile::{RFileReader, Scan};
use chain::Chain;
use shardmill_schemas::iterators::{Emit, ScanError, ScanIterator};
use shardmill_schemas::key::{Key, KeyBuf};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What is to be seen of a run or file.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// This table only; of a lone file, its name.
    pub table: Option<String>,
    /// The files' own cells, not what iterators make of them. A lone file always shows its own.
    pub raw: bool,
}

/// The tables of a run in the order of their names, or a lone file as a table.
///
/// # Errors
/// There is no manifest where one is needed, it is broken, or it does not have the table.
pub fn open(path: &Path, options: &Options) -> Result<Vec<TableView>, ViewError> {
    if !path.is_dir() {
        return Ok(vec![lone_file(path, options)]);
    }
    let manifest = read_manifest(path)?;
    let flavour = manifest.iterators;
    let mut names: Vec<String> = Vec::new();
    let mut tables = Vec::new();
    for table in manifest.tables {
        names.push(table.name.clone());
        if options
            .table
            .as_ref()
            .is_none_or(|name| *name == table.name)
        {
            tables.push(TableView::of(path, table, flavour, options.raw));
        }
    }
    tables.sort_by(|a, b| a.name.cmp(&b.name));
    match &options.table {
        Some(table) if tables.is_empty() => Err(ViewError::NoTable {
            path: path.display().to_string(),
            table: table.clone(),
            tables: names,
        }),
        _ => Ok(tables),
    }
}

/// A file by itself. Its folder names the table; if the folder stands in a run, the run's manifest says how values are to be read.
fn lone_file(path: &Path, options: &Options) -> TableView {
    let absolute = path.canonicalize();
    let absolute = absolute.as_deref().unwrap_or(path);
    let folder = absolute.parent();
    let name = folder
        .and_then(Path::file_name)
        .map(|name| name.to_string_lossy().into_owned());
    let manifest: Option<Manifest> = folder
        .and_then(Path::parent)
        .and_then(Path::parent)
        .filter(|run| run.join(MANIFEST).is_file())
        .and_then(|run| read_manifest(run).ok());
    let table = manifest
        .iter()
        .flat_map(|manifest| &manifest.tables)
        .find(|table| Some(&table.name) == name.as_ref());
    TableView {
        readers: table.map_or_else(Vec::new, |table| readers(&table.native_iterators)),
        name: options.table.clone().or(name).unwrap_or_default(),
        files: vec![FileView {
            path: path.to_owned(),
            rows: None,
        }],
        iterators: None,
    }
}

/// Iterators of the layout's own system, for what they know of values.
fn readers(iterators: &[manifest::Iterator]) -> Vec<Box<dyn ScanIterator>> {
    iterators
        .iter()
        .filter_map(|iterator| {
            shardmill_schemas::iterators::build(&iterator.class, &iterator.options).ok()
        })
        .collect()
}

/// One table to be seen.
pub struct TableView {
    /// Its name.
    pub name: String,
    files: Vec<FileView>,
    /// What its cells go through; `None`: nothing.
    iterators: Option<Vec<manifest::Iterator>>,
    readers: Vec<Box<dyn ScanIterator>>,
}

struct FileView {
    path: PathBuf,
    /// First and last row, where a manifest says so.
    rows: Option<(Vec<u8>, Vec<u8>)>,
}

impl FileView {
    /// Whether the file may hold rows that begin with `prefix`.
    fn may_hold(&self, prefix: &[u8]) -> bool {
        self.rows.as_ref().is_none_or(|(first, last)| {
            last.as_slice() >= prefix && (first.as_slice() <= prefix || first.starts_with(prefix))
        })
    }
}

/// Takes one cell, and says whether more are wanted.
pub type Show<'s, E> = dyn FnMut(&Key<'_>, &[u8]) -> Result<ControlFlow<()>, E> + 's;

impl TableView {
    fn of(run: &Path, table: manifest::Table, flavour: IteratorFlavour, raw: bool) -> Self {
        let folder = run.join("tables").join(&table.name);
        let file = |file: manifest::File| FileView {
            path: folder.join(file.name),
            rows: Some((file.first_key.row.0, file.last_key.row.0)),
        };
        let readers = readers(&table.native_iterators);
        let mut iterators = match flavour {
            IteratorFlavour::Native => table.native_iterators,
            IteratorFlavour::Plain => table.plain_iterators,
        };
        iterators.sort_by_key(|iterator| iterator.priority);
        TableView {
            name: table.name,
            files: table.files.into_iter().map(file).collect(),
            iterators: (!raw).then_some(iterators),
            readers,
        }
    }

    /// The value for people, where the table's iterators tell how to read it.
    #[must_use]
    pub fn describe(&self, key: &Key<'_>, value: &[u8]) -> Option<String> {
        let mut readers = self.readers.iter();
        readers.find_map(|reader| reader.describe(key, value))
    }

    /// Iterators that the view cannot apply, as messages; cells are shown without them.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let iterators = self.iterators.iter().flatten();
        iterators
            .filter_map(|it| {
                let reason = shardmill_schemas::iterators::build(&it.class, &it.options).err()?;
                Some(format!(
                    "table {} is shown without its iterator {} ({}): {reason}",
                    self.name, it.name, it.class
                ))
            })
            .collect()
    }

    /// Gives the cells whose rows begin with `prefix` to `show`, in key order, until it breaks.
    ///
    /// # Errors
    /// A file is missing or corrupt, two files are out of order, an iterator cannot read a value; or what `show` gives.
    pub fn cells<E: From<ViewError>>(
        &self,
        prefix: &[u8],
        show: &mut Show<'_, E>,
    ) -> Result<ControlFlow<()>, E> {
        let mut ended = None;
        let mut sink = |key: &Key<'_>, value: &[u8]| match show(key, value) {
            Ok(ControlFlow::Continue(())) => Ok(()),
            end => {
                ended = Some(end);
                Err(ScanError::Stopped)
            }
        };
        match self.stream(prefix, &mut sink) {
            Ok(()) => Ok(ControlFlow::Continue(())),
            Err(error) => ended.unwrap_or_else(|| Err(error.into())),
        }
    }

    fn stream(&self, prefix: &[u8], sink: &mut Emit<'_>) -> Result<(), ViewError> {
        let mut chain = Chain::of(self.iterators.as_deref());
        let mut last = Last::default();
        for file in self.files.iter().filter(|file| file.may_hold(prefix)) {
            last.path.clone_from(&file.path);
            let reader = RFileReader::open(&file.path)?;
            let mut scan = reader.scan()?;
            if !prefix.is_empty() {
                scan.seek_row(prefix)?;
            }
            self.stream_file(&mut scan, prefix, &mut last, &mut |key, value| {
                chain.put(key, value, sink)
            })?;
        }
        // What is left belongs to the last cell that was read.
        chain
            .finish(sink)
            .map_err(|error| self.value_error(&last, error))
    }

    fn stream_file(
        &self,
        scan: &mut Scan<'_>,
        prefix: &[u8],
        last: &mut Last,
        put: &mut Emit<'_>,
    ) -> Result<(), ViewError> {
        // Within a file the reader checks the order.
        let mut first = true;
        while let Some((key, value)) = scan.next()? {
            if !key.row.starts_with(prefix) {
                break;
            }
            if first && last.key.as_ref().is_some_and(|last| key < last.as_key()) {
                return Err(ViewError::Order {
                    path: last.path.display().to_string(),
                });
            }
            first = false;
            last.key.get_or_insert_default().set(&key);
            if let Err(error) = put(&key, value) {
                last.offset = scan.block_offset();
                return Err(self.value_error(last, error));
            }
        }
        last.offset = scan.block_offset();
        Ok(())
    }

    fn value_error(&self, last: &Last, error: ScanError) -> ViewError {
        let key = last.key.as_ref();
        ViewError::Value {
            path: last.path.display().to_string(),
            offset: last.offset,
            table: self.name.clone(),
            key: key.map_or_else(String::new, |key| key_text(&key.as_key())),
            error,
        }
    }
}

/// The cell that was read last, and where.
#[derive(Default)]
struct Last {
    path: PathBuf,
    offset: u64,
    key: Option<KeyBuf>,
}

#[cfg(test)]
mod tests;
