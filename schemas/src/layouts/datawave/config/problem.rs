//! What is wrong with a configuration, and where.

use serde::Serialize;

/// A file's name and content.
#[derive(Clone, Debug)]
pub struct NamedBytes {
    /// The name as messages show it and as names inside the file are relative to.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Origin {
    /// The file's name as it was given.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The kind of a problem, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemKind {
    /// The file is not what it should be: no XML, or another vocabulary.
    Malformed,
    /// A value that cannot be, or that contradicts another one.
    Invalid,
    /// DataWave has it and this program does not.
    Unsupported,
    /// No property of DataWave, as far as is known here.
    Unknown,
    /// Something that was left out or overruled, as DataWave does it.
    Ignored,
}

/// A fault or a warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{origin}: {}{message}", .property.as_ref().map(|name| format!("{name}: ")).unwrap_or_default())]
pub struct ConfigProblem {
    /// What kind it is.
    pub kind: ProblemKind,
    /// Where.
    pub origin: Origin,
    /// The property at fault, where there is one.
    pub property: Option<String>,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl ConfigProblem {
    /// A problem of a place in a file.
    pub fn new(kind: ProblemKind, origin: Origin, message: impl Into<String>) -> Self {
        ConfigProblem {
            kind,
            origin,
            property: None,
            message: message.into(),
        }
    }

    /// The same problem, of this property.
    #[must_use]
    pub fn of(mut self, property: impl Into<String>) -> Self {
        self.property = Some(property.into());
        self
    }
}

/// A file that another one names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The file that names it; a relative name is relative to the folder of this one.
    pub named_by: &'a str,
    /// The name as it stands there.
    pub path: &'a str,
}

/// Answers a request for a file: the file under the name that it was found by, or why it cannot be had.
pub type Include<'a> = dyn FnMut(Wanted<'_>) -> Result<NamedBytes, String> + 'a;
