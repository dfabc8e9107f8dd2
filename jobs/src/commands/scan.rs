//! `shardmill scan`: the cells of a run or file.

use crate::args::ScanArgs;
use crate::exit::{End, Exit};
use crate::print::cells::CellPrinter;
use crate::print::{out, unwritten};
use shardmill_pipeline::view::{self, TableView, ViewError};
use std::io;
use std::ops::ControlFlow;

pub(crate) fn run(args: &ScanArgs) -> Result<End, End> {
    let options = view::Options {
        table: args.table.clone(),
        raw: args.raw,
    };
    let tables = view::open(&args.path, &options).map_err(|error| Stop::View(error).end())?;
    for note in tables.iter().flat_map(TableView::notes) {
        eprintln!("note: {note}");
    }
    let mut printer = CellPrinter::new(out(), args.format);
    let shown = show(&tables, args, &mut printer);
    // What was read before a fault is shown; the fault comes after it.
    let flushed = printer.finish().map_err(Stop::Output);
    shown.and(flushed).map_err(|stop| stop.end())?;
    Ok(End::silent())
}

fn show(tables: &[TableView], args: &ScanArgs, printer: &mut CellPrinter) -> Result<(), Stop> {
    let prefix = args
        .prefix
        .as_ref()
        .map_or(&[][..], |prefix| prefix.0.as_slice());
    let mut left = args.limit.unwrap_or(u64::MAX);
    for table in tables {
        if left == 0 {
            break;
        }
        printer.table(table).map_err(Stop::Output)?;
        let _ = table.cells::<Stop>(prefix, &mut |key, value| {
            printer.cell(table, key, value).map_err(Stop::Output)?;
            left -= 1;
            Ok(match left {
                0 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })
        })?;
    }
    Ok(())
}

/// What ends a scan early.
enum Stop {
    View(ViewError),
    Output(io::Error),
}

impl From<ViewError> for Stop {
    fn from(error: ViewError) -> Self {
        Stop::View(error)
    }
}

impl Stop {
    fn end(self) -> End {
        match self {
            Stop::Output(error) => unwritten(&error),
            Stop::View(error @ ViewError::NoTable { .. }) => {
                End::failed(Exit::Usage, error, "name one of its tables")
            }
            Stop::View(error) => End::failed(
                Exit::Input,
                error,
                "give the folder of a published run or an RFile; shardmill verify says whether it is whole",
            ),
        }
    }
}
