//! How the program ends: exit codes, and the last line on stderr.

use crate::signals;
use shardmill_pipeline::phases::{JobError, Kind};
use std::fmt;
use std::process::ExitCode;

/// Exit codes; README has the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done, or nothing to do.
    Done = 0,
    /// Something was asked for that is not there, such as a table; other usage errors are clap's.
    Usage = 2,
    /// Done, with rejected records inside the limits.
    Rejects = 3,
    /// Too many rejects, nothing published.
    TooManyRejects = 4,
    /// Input missing, unreadable or corrupt.
    Input = 5,
    /// Verification failed.
    Refused = 6,
    /// Internal error.
    Internal = 70,
    /// Cannot create the output.
    Output = 73,
    /// Temporary: trying again helps.
    Temporary = 75,
    /// Configuration wrong.
    Config = 78,
    /// SIGINT; SIGTERM is 143.
    Interrupted = 130,
    /// SIGTERM.
    Terminated = 143,
}

/// The word that the last line begins with and `summary.json` carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// The result is there.
    Published,
    /// All tasks are done; `publish` is left.
    Complete,
    /// Tasks are left.
    Incomplete,
    /// The same command would fail again.
    Failed,
    /// A command that only looks: no last line when it went well.
    Silent,
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Word::Published => "PUBLISHED",
            Word::Complete => "COMPLETE (not published)",
            Word::Incomplete => "INCOMPLETE",
            Word::Failed => "FAILED",
            Word::Silent => "",
        })
    }
}

/// The end of a command.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) exit: Exit,
    pub(crate) word: Word,
    /// What went wrong, when something did.
    pub(crate) error: Option<String>,
    /// What to type next, or the place of the result.
    pub(crate) next: String,
}

impl End {
    /// All went well.
    pub(crate) fn done(word: Word, next: impl Into<String>) -> Self {
        End {
            exit: Exit::Done,
            word,
            error: None,
            next: next.into(),
        }
    }

    /// A command that only looks went well.
    pub(crate) fn silent() -> Self {
        Self::done(Word::Silent, "")
    }

    /// It cannot work like this.
    pub(crate) fn failed(exit: Exit, error: impl fmt::Display, next: impl Into<String>) -> Self {
        End {
            exit,
            word: Word::Failed,
            error: Some(error.to_string()),
            next: next.into(),
        }
    }

    /// What stopped a job. `again` is the command that goes on where it stopped.
    pub(crate) fn of_job(error: &JobError, again: &str) -> Self {
        let (exit, word) = match error.kind() {
            Kind::Input => (Exit::Input, Word::Failed),
            Kind::Config => (Exit::Config, Word::Failed),
            Kind::Output => (Exit::Output, Word::Failed),
            Kind::Rejects => (Exit::TooManyRejects, Word::Failed),
            Kind::Temporary => (Exit::Temporary, Word::Incomplete),
            Kind::Internal => (Exit::Internal, Word::Failed),
            Kind::Stopped if signals::terminated() => (Exit::Terminated, Word::Incomplete),
            Kind::Stopped => (Exit::Interrupted, Word::Incomplete),
        };
        let next = match word {
            Word::Incomplete => format!("go on with: {again}"),
            _ if error.kind() == Kind::Rejects => format!(
                "look at the rejects; then raise --max-rejects, or mend the input and remove the work folder, and run: {again}"
            ),
            _ => format!("mend this, then run: {again}"),
        };
        End {
            exit,
            word,
            error: Some(error.to_string()),
            next,
        }
    }
}

/// Prints the error and the last line, and gives the exit code.
pub(crate) fn report(end: Result<End, End>) -> ExitCode {
    let end = end.unwrap_or_else(|end| end);
    if let Some(error) = &end.error {
        eprintln!("error: {error}");
    }
    match end.word {
        Word::Silent => {}
        word if end.next.is_empty() => eprintln!("{word}"),
        word => eprintln!("{word}: {}", end.next),
    }
    ExitCode::from(end.exit as u8)
}

/// Help and version, or what is wrong with the command line: exit code 2.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    // Where the message itself cannot be printed there is nobody to tell.
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "{}: mend the command line; shardmill help shows the commands",
        Word::Failed
    );
    ExitCode::from(2)
}
