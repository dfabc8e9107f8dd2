//! The `shardmill` program: what did the user ask for?

mod args;
mod commands;
mod exit;
mod job_file;
mod machine;
mod print;
mod progress;
mod report;
mod signals;
mod sizes;
mod splits;

use clap::Parser as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(usage) => return exit::usage(&usage),
    };
    let end = match args.command {
        args::Command::Ingest(args) => commands::ingest::run(&args),
        args::Command::Plan(args) => commands::plan::run(&args),
        args::Command::Map(args) => commands::tasks::map(&args),
        args::Command::Merge(args) => commands::tasks::merge(&args),
        args::Command::Publish(args) => commands::publish::run(&args),
        args::Command::Status(args) => commands::status::run(&args),
        args::Command::Scan(args) => commands::scan::run(&args),
        args::Command::Inspect(args) => commands::inspect::run(&args),
        args::Command::Verify(args) => commands::verify::run(&args),
    };
    exit::report(end)
}
