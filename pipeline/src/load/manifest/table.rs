//! Tables and files as the manifest describes them.

use crate::escape::Escaped;
use crate::load::{Digest, FileResult, IteratorFlavour, TableResult};
use serde::{Deserialize, Serialize};
use shardmill_schemas::key::Key;
use shardmill_schemas::layout::{IteratorSetting, LocalityGroup, TableSpec};

/// One table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Name in Accumulo.
    pub name: String,
    /// Cells in its files, delete markers included.
    pub entries: u64,
    /// Delete markers in its files.
    pub deletes: u64,
    /// Length of its files.
    pub bytes: u64,
    /// The end rows of all tablets but the last, ascending.
    pub splits: Vec<Escaped>,
    /// Iterators as the system that the layout belongs to has them.
    pub native_iterators: Vec<Iterator>,
    /// Iterators that any Accumulo has.
    pub plain_iterators: Vec<Iterator>,
    /// Locality groups of its files.
    pub locality_groups: Vec<Group>,
    /// Further properties.
    pub properties: Vec<(String, String)>,
    /// In the order of their rows.
    pub files: Vec<File>,
}

/// An iterator, set in all three scopes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iterator {
    /// Its name in `table.iterator.<scope>.<name>`.
    pub name: String,
    /// Lower runs nearer to the data.
    pub priority: u32,
    /// Java class.
    pub class: String,
    /// Options in the order in which they are set.
    pub options: Vec<(String, String)>,
}

/// A locality group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its families.
    pub families: Vec<Escaped>,
}

/// One RFile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Its name in the folder of its table.
    pub name: String,
    /// Cells, delete markers included.
    pub entries: u64,
    /// Delete markers.
    pub deletes: u64,
    /// Length.
    pub bytes: u64,
    /// The first tablet of its range, counted from 0.
    pub first_tablet: usize,
    /// The last tablet of its range.
    pub last_tablet: usize,
    /// The least key.
    pub first_key: KeyText,
    /// The greatest key.
    pub last_key: KeyText,
    /// SHA-256 of the file.
    pub sha256: Digest,
}

/// A key as the manifest holds it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyText {
    /// Row.
    pub row: Escaped,
    /// Column family.
    pub family: Escaped,
    /// Column qualifier.
    pub qualifier: Escaped,
    /// Column visibility.
    pub visibility: Escaped,
    /// Milliseconds since the epoch by convention.
    pub timestamp: i64,
    /// A delete marker.
    pub deleted: bool,
}

impl KeyText {
    /// The key.
    #[must_use]
    pub fn as_key(&self) -> Key<'_> {
        Key {
            row: &self.row.0,
            family: &self.family.0,
            qualifier: &self.qualifier.0,
            visibility: &self.visibility.0,
            timestamp: self.timestamp,
            deleted: self.deleted,
        }
    }
}

impl From<Key<'_>> for KeyText {
    fn from(key: Key<'_>) -> Self {
        KeyText {
            row: Escaped(key.row.to_vec()),
            family: Escaped(key.family.to_vec()),
            qualifier: Escaped(key.qualifier.to_vec()),
            visibility: Escaped(key.visibility.to_vec()),
            timestamp: key.timestamp,
            deleted: key.deleted,
        }
    }
}

impl Table {
    pub(super) fn of(table: &TableResult) -> Table {
        let TableResult {
            spec,
            splits,
            files,
        } = table;
        Table {
            name: spec.name.clone(),
            entries: files.iter().map(|file| file.entries).sum(),
            deletes: files.iter().map(|file| file.deletes).sum(),
            bytes: files.iter().map(|file| file.bytes).sum(),
            splits: splits.iter().cloned().map(Escaped).collect(),
            native_iterators: iterators(spec, IteratorFlavour::Native),
            plain_iterators: iterators(spec, IteratorFlavour::Plain),
            locality_groups: groups(spec),
            properties: spec.properties.clone(),
            files: files.iter().map(File::of).collect(),
        }
    }
}

fn iterators(spec: &TableSpec, flavour: IteratorFlavour) -> Vec<Iterator> {
    let iterator = |setting: &IteratorSetting| Iterator {
        name: setting.name.clone(),
        priority: setting.priority,
        class: setting.class.clone(),
        options: setting.options.clone(),
    };
    flavour.iterators(spec).iter().map(iterator).collect()
}

fn groups(spec: &TableSpec) -> Vec<Group> {
    let group = |group: &LocalityGroup| Group {
        name: group.name.clone(),
        families: group.families.iter().cloned().map(Escaped).collect(),
    };
    spec.locality_groups.iter().map(group).collect()
}

impl File {
    fn of(file: &FileResult) -> File {
        File {
            name: file.name.clone(),
            entries: file.entries,
            deletes: file.deletes,
            bytes: file.bytes,
            first_tablet: file.first_tablet,
            last_tablet: file.last_tablet,
            first_key: file.first_key.as_key().into(),
            last_key: file.last_key.as_key().into(),
            sha256: Digest(file.sha256),
        }
    }
}
