//! Results on standard output: cells in three formats, and what the commands that look have in common.

pub(crate) mod cells;
pub(crate) mod file_facts;
mod pretty;
pub(crate) mod run_facts;

use crate::exit::{End, Exit};
use jiff::Timestamp;
use std::io::{self, BufWriter, StdoutLock, Write as _};

/// Standard output behind a buffer.
pub(crate) type Out = BufWriter<StdoutLock<'static>>;

/// Standard output.
pub(crate) fn out() -> Out {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// How a command ends whose output did not get through: when whoever reads it had enough, well.
pub(crate) fn unwritten(error: &io::Error) -> End {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return End::silent();
    }
    End::failed(
        Exit::Temporary,
        format!("standard output: {error}"),
        "mend this, then try again",
    )
}

/// Prints one text.
pub(crate) fn print(text: &str) -> Result<(), End> {
    let mut out = out();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| unwritten(&error))
}

/// A timestamp as RFC 3339 in UTC; `None` for what no calendar holds.
pub(crate) fn moment(milliseconds: i64) -> Option<String> {
    let moment = Timestamp::from_millisecond(milliseconds).ok()?;
    Some(moment.to_string())
}
