//! What was typed.

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use shardmill_pipeline::escape::{EscapeError, Escaped, unescape};
use shardmill_pipeline::rejects::RejectLimit;
use std::path::PathBuf;

/// Batch ingest and bulk load for Accumulo: CSV in, sorted and combined RFiles, load plans and a manifest out.
#[derive(Debug, Parser)]
#[command(name = "shardmill", version, max_term_width = 110)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Plan, map, merge and publish a job in one go; goes on where an earlier try stopped.
    #[command(
        after_help = "Example:\n  shardmill ingest sample-data/cars/cars.toml --out output/cars"
    )]
    Ingest(IngestArgs),
    /// Plan a job, to run its tasks one by one with `map`, `merge` and `publish`.
    #[command(
        after_help = "Example:\n  shardmill plan sample-data/cars/cars.toml --work-dir /tmp/cars.work"
    )]
    Plan(PlanArgs),
    /// Run map tasks of a planned job.
    #[command(after_help = "Example:\n  shardmill map /tmp/cars.work --task 0-3")]
    Map(TaskArgs),
    /// Run merge tasks of a planned job whose map tasks are done.
    #[command(after_help = "Example:\n  shardmill merge /tmp/cars.work")]
    Merge(TaskArgs),
    /// Publish a job whose tasks are done.
    #[command(after_help = "Example:\n  shardmill publish /tmp/cars.work --out output/cars")]
    Publish(PublishArgs),
    /// Show how far a planned job is.
    #[command(after_help = "Example:\n  shardmill status /tmp/cars.work --json")]
    Status(StatusArgs),
    /// Show the cells of a published run or an RFile.
    #[command(
        after_help = "Example:\n  shardmill scan output/cars --table shard --prefix 2013 --limit 5",
        after_long_help = SCAN_HELP
    )]
    Scan(ScanArgs),
    /// Show what is in RFiles, or which tables a published run has.
    #[command(after_help = "Example:\n  shardmill inspect output/cars/tables/shard/*.rf")]
    Inspect(InspectArgs),
    /// Check a published run, or an RFile by itself: order, indexes, counts, digests, load plans.
    #[command(after_help = "Example:\n  shardmill verify output/cars")]
    Verify(VerifyArgs),
}

const SCAN_HELP: &str = "\
A run is shown as a scan of the loaded tables would show it: deletes applied, through the tables' iterators. \
A lone file is shown as it is, its folder's name as the table.

Bytes are escaped: a backslash is \\\\, every byte outside 0x20-0x7e is \\xNN, everything else is itself.
  pretty  a line a cell under a headline a table; values that the table's iterators know are decoded
  tsv     table, row, family, qualifier, visibility, timestamp, deleted 0/1, value; no header
  json    an object a line: table, row, family, qualifier, visibility, timestamp, deleted, value

Example:
  shardmill scan output/cars --table shard --prefix 2013 --limit 5";

#[derive(Debug, ClapArgs)]
pub(crate) struct IngestArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Folder of the result; must not exist (the same job's result is left as it is).
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Where runs are kept while the job works, for a disk of their own [default: DIR.work beside DIR].
    #[arg(long, value_name = "DIR")]
    pub(crate) work_dir: Option<PathBuf>,
    /// Exit with 0 when records were rejected inside the limit, not with 3.
    #[arg(long)]
    pub(crate) rejects_ok: bool,
    #[command(flatten)]
    pub(crate) grant: GrantArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) job: JobArgs,
    /// Work folder of the job.
    #[arg(long, value_name = "DIR")]
    pub(crate) work_dir: PathBuf,
    #[command(flatten)]
    pub(crate) grant: GrantArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct TaskArgs {
    /// Work folder of the job.
    #[arg(value_name = "WORK")]
    pub(crate) work: PathBuf,
    /// One task or a range, from 0 [default: all that are open].
    #[arg(long, value_name = "A[-B]", value_parser = parse_range)]
    pub(crate) task: Option<(usize, usize)>,
    /// Another limit than the plan's: publish nothing when more records are rejected.
    #[arg(long, value_name = "N|P%", value_parser = parse_rejects)]
    pub(crate) max_rejects: Option<RejectLimit>,
    #[command(flatten)]
    pub(crate) grant: GrantArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PublishArgs {
    /// Work folder of the job.
    #[arg(value_name = "WORK")]
    pub(crate) work: PathBuf,
    /// Folder of the result; must not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Another limit than the plan's: publish nothing when more records are rejected.
    #[arg(long, value_name = "N|P%", value_parser = parse_rejects)]
    pub(crate) max_rejects: Option<RejectLimit>,
    /// Exit with 0 when records were rejected inside the limit, not with 3.
    #[arg(long)]
    pub(crate) rejects_ok: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct StatusArgs {
    /// Work folder of the job.
    #[arg(value_name = "WORK")]
    pub(crate) work: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ScanArgs {
    /// Folder of a published run, or an RFile.
    #[arg(value_name = "RUN_OR_FILE")]
    pub(crate) path: PathBuf,
    /// This table only; of a lone file, what to call its table.
    #[arg(long, value_name = "T")]
    pub(crate) table: Option<String>,
    /// Rows that begin with this, escaped as they are printed.
    #[arg(long, value_name = "P", value_parser = parse_bytes)]
    pub(crate) prefix: Option<Escaped>,
    /// The cells as they stand in the files, without deletes and iterators applied.
    #[arg(long)]
    pub(crate) raw: bool,
    /// How cells are printed.
    #[arg(long, value_enum, default_value_t = Format::Pretty)]
    pub(crate) format: Format,
    /// At most so many cells, of all tables together.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
}

/// How `scan` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Pretty,
    /// Eight columns, escaped.
    Tsv,
    /// An object a line.
    Json,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InspectArgs {
    /// RFiles, or folders of published runs.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Print JSON, an object a line for each of them.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct VerifyArgs {
    /// Folder of a published run, or an RFile.
    #[arg(value_name = "RUN_OR_FILE")]
    pub(crate) path: PathBuf,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What shapes the result. All of it can stand in the job file too; the command line wins.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct JobArgs {
    /// The job file (TOML).
    #[arg(value_name = "JOB.toml")]
    pub(crate) job: PathBuf,
    /// Read these instead of the job's inputs: a file, folder or glob, relative to where you are; TYPE= names a data type of the job.
    #[arg(long, value_name = "[TYPE=]GLOB")]
    pub(crate) input: Vec<String>,
    /// The job's clock value: milliseconds since 1970, or RFC 3339.
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<String>,
    /// Codec of the files: gz, none, snappy, lz4 or zstd.
    #[arg(long, value_name = "CODEC")]
    pub(crate) codec: Option<String>,
    /// Level of the codec.
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub(crate) level: Option<i32>,
    /// Container version: 3 for Accumulo 2 to 4, 1 for 1.8 to 1.10.
    #[arg(long, value_name = "1|3")]
    pub(crate) bcfile: Option<u32>,
    /// Raw size of a data block.
    #[arg(long, value_name = "SIZE")]
    pub(crate) block_size: Option<String>,
    /// Size of an index block.
    #[arg(long, value_name = "SIZE")]
    pub(crate) index_block_size: Option<String>,
    /// Iterators of the tables: native, as the layout's own system has them, or plain, what any Accumulo has.
    #[arg(long, value_name = "native|plain")]
    pub(crate) iterators: Option<String>,
    /// Splits of a live table, one a line: as `getsplits` or `getsplits -b64` prints them.
    #[arg(long, value_name = "TABLE=FILE")]
    pub(crate) splits: Vec<String>,
    /// Published size of a tablet where no splits are given.
    #[arg(long, value_name = "SIZE")]
    pub(crate) tablet_size: Option<String>,
    /// A file ends at a tablet's end once it is so large.
    #[arg(long, value_name = "SIZE")]
    pub(crate) min_file: Option<String>,
    /// A file ends inside a tablet when it is so large.
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_file: Option<String>,
    /// A file spans at most so many tablets.
    #[arg(long, value_name = "N")]
    pub(crate) max_tablets_per_file: Option<u32>,
    /// Publish nothing when more records are rejected [default: 100 or 0.1%, whichever is more].
    #[arg(long, value_name = "N|P%", value_parser = parse_rejects)]
    pub(crate) max_rejects: Option<RejectLimit>,
    /// The longest record.
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_record: Option<String>,
    /// Input bytes of a map task [default: by the size of the whole input].
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    pub(crate) task_size: Option<String>,
}

/// What the process may use. None of it changes the result.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct GrantArgs {
    /// Threads that work at a time [default: all].
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Memory for all of them [default: 70 % of what is available].
    #[arg(long, value_name = "SIZE")]
    pub(crate) memory: Option<String>,
    /// Runs that are merged at a time, at most [default: what memory and open files allow].
    #[arg(long, value_name = "N", hide = true)]
    pub(crate) fan_in: Option<usize>,
}

fn parse_bytes(text: &str) -> Result<Escaped, EscapeError> {
    unescape(text).map(Escaped)
}

fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| {
        text.parse::<usize>()
            .map_err(|_| format!("{text:?} is no task number; write A or A-B"))
    };
    let (first, last) = (number(first)?, number(last)?);
    if first <= last {
        Ok((first, last))
    } else {
        Err(format!("{first}-{last} is empty"))
    }
}

fn parse_rejects(text: &str) -> Result<RejectLimit, String> {
    RejectLimit::parse(text)
        .ok_or_else(|| format!("{text:?} is neither a number of records nor a share like 0.1%"))
}
