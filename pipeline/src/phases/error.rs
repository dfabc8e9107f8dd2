//! What stops a job, and what the caller should do about it.

use crate::load::LoadError;
use crate::read::ReadError;
use crate::rfile::RFileError;
use crate::sort::fold::FoldError;
use crate::sort::run::RunError;
use shardmill_schemas::combine::CombineError;
use shardmill_schemas::layout::ConfigError;
use std::io;
use std::path::{Path, PathBuf};

/// What stopped a job.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// An input cannot be used.
    #[error(transparent)]
    Input(#[from] ReadError),
    /// An input is not what was planned.
    #[error("{source}; remove {work} to plan anew")]
    InputChanged {
        /// Which input, and how it differs.
        source: ReadError,
        /// The work folder.
        work: PathBuf,
    },
    /// The layout does not accept its configuration.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Config(Vec<ConfigError>),
    /// The work folder was planned for something else.
    #[error(
        "{work} holds a plan with another {difference}; use its settings, or remove it to plan anew"
    )]
    OtherPlan {
        /// The work folder.
        work: PathBuf,
        /// The first setting that differs, with both values.
        difference: String,
    },
    /// A plan of a format that this version does not know.
    #[error("{path}: {reason}")]
    BadPlan {
        /// The plan.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// Something is where the result should go.
    #[error(
        "{0} exists and is not the result of this job; choose another name (nothing was touched)"
    )]
    OutputExists(PathBuf),
    /// A path for output cannot be used at all.
    #[error("{path}: {source}")]
    Output {
        /// The path.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another process has the work folder.
    #[error("{0} is in use by another process; wait until it ends")]
    Locked(PathBuf),
    /// More records were rejected than allowed.
    #[error(
        "{rejected} of {read} records rejected, {allowed} allowed (--max-rejects); nothing was published, they are kept in {kept}"
    )]
    TooManyRejects {
        /// How many.
        rejected: u64,
        /// Of how many that were read.
        read: u64,
        /// The limit.
        allowed: u64,
        /// Where they are.
        kept: PathBuf,
    },
    /// Tasks are missing that this phase builds on.
    #[error("{0}")]
    NotReady(String),
    /// There is no such task.
    #[error("there is no {phase} task {task}; the plan has {count}, from 0")]
    NoSuchTask {
        /// `map` or `merge`.
        phase: &'static str,
        /// What was asked for.
        task: usize,
        /// How many there are.
        count: usize,
    },
    /// The operating system said no while working: disk full, I/O error. What is committed stays.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// A run of this job is damaged.
    #[error(transparent)]
    Run(RunError),
    /// The loader's files could not be written.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The user asked to stop.
    #[error("stopped; the same command goes on from here")]
    Stopped,
    /// A defect of Shardmill.
    #[error("internal error: {0}; please report it")]
    Internal(String),
}

/// What kind of end that is; the program's exit code follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An input is missing, unreadable or corrupt.
    Input,
    /// The configuration is wrong.
    Config,
    /// The output cannot be created.
    Output,
    /// Too many records were rejected.
    Rejects,
    /// Trying again may help.
    Temporary,
    /// A defect.
    Internal,
    /// A signal came.
    Stopped,
}

impl JobError {
    /// What kind of end this is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            JobError::Input(_) | JobError::InputChanged { .. } => Kind::Input,
            JobError::Config(_)
            | JobError::OtherPlan { .. }
            | JobError::BadPlan { .. }
            | JobError::NoSuchTask { .. }
            | JobError::NotReady(_) => Kind::Config,
            JobError::OutputExists(_) | JobError::Output { .. } => Kind::Output,
            JobError::TooManyRejects { .. } => Kind::Rejects,
            JobError::Locked(_) | JobError::Io { .. } | JobError::Run(_) | JobError::Load(_) => {
                Kind::Temporary
            }
            JobError::Internal(_) => Kind::Internal,
            JobError::Stopped => Kind::Stopped,
        }
    }

    /// What kept an RFile from being written: the disk; anything else is a defect of ours.
    pub(crate) fn rfile(path: &Path) -> impl FnOnce(RFileError) -> JobError + '_ {
        move |error| match error {
            RFileError::Write { source, .. } => JobError::io(path)(source),
            other => JobError::Internal(format!("{}: {other}", path.display())),
        }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> JobError + '_ {
        move |source| JobError::Io {
            path: path.into(),
            source,
        }
    }
}

impl From<RunError> for JobError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Io { path, source } => JobError::Io { path, source },
            corrupt @ RunError::Corrupt { .. } => JobError::Run(corrupt),
        }
    }
}

impl From<CombineError> for JobError {
    fn from(error: CombineError) -> Self {
        JobError::Internal(error.to_string())
    }
}

impl<E: Into<JobError>> From<FoldError<E>> for JobError {
    fn from(error: FoldError<E>) -> Self {
        match error {
            FoldError::Combine(error) => error.into(),
            FoldError::Emit(error) => error.into(),
        }
    }
}
