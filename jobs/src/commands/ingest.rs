//! `shardmill ingest`: all phases in one process.

use super::plan;
use crate::args::IngestArgs;
use crate::exit::{End, Exit, Word};
use crate::job_file::JobFile;
use crate::{progress, report, signals};
use shardmill_pipeline::limits::Shares;
use shardmill_pipeline::load::codec_notice;
use shardmill_pipeline::phases::job::{Control, Job};
use shardmill_pipeline::phases::planner::find_inputs;
use shardmill_pipeline::phases::publish::{self, Published};
use shardmill_pipeline::phases::work::Work;
use shardmill_pipeline::phases::{JobError, work};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

pub(crate) fn run(args: &IngestArgs) -> Result<End, End> {
    let started = Instant::now();
    let again = super::plan::this_command();
    let config =
        |error: String| End::failed(Exit::Config, error, format!("mend this, then run: {again}"));
    let job = JobFile::read(&args.job).map_err(config)?;
    let shares = job
        .grant(&args.grant)
        .map_err(config)?
        .shares()
        .map_err(|error| config(error.to_string()))?;
    let Some(out) = args.out.clone().or_else(|| job.run.out.clone()) else {
        return Err(config("no folder for the result: give --out DIR".into()));
    };
    if let Some(notice) = codec_notice(&job.request.output.codec) {
        eprintln!("note: {notice}");
    }
    let control = signals::control().map_err(|error| End::failed(Exit::Internal, error, ""))?;
    let runs = args.work_dir.clone().or_else(|| job.run.work_dir.clone());
    let paths = Paths {
        work: publish::beside(&out),
        out,
        runs,
    };
    let published = all_phases(&job, &paths, &shares, &control, started)
        .map_err(|error| plan::end(&job, &error, &again))?;
    if published.found {
        return Ok(End::done(
            Word::Published,
            format!(
                "{} holds this result already, nothing to do",
                paths.out.display()
            ),
        ));
    }
    report::published(&published, &paths.work, started);
    Ok(published_end(&published, args.rejects_ok))
}

struct Paths {
    out: PathBuf,
    work: PathBuf,
    runs: Option<PathBuf>,
}

fn all_phases(
    job: &JobFile,
    paths: &Paths,
    shares: &Shares,
    control: &Arc<Control>,
    started: Instant,
) -> Result<Published, JobError> {
    let work = Work::new(&paths.work, paths.runs.as_deref());
    let planned = if work.plan().exists() {
        let planned = plan::reopen(job, work)?;
        planned.check_inputs()?;
        planned
    } else {
        let inputs = find_inputs(&job.request.inputs, &job.base, control)?;
        if let Some(found) = publish::find(&paths.out, &job.request, &inputs)? {
            return Ok(found);
        }
        check_can_create(&paths.out)?;
        plan::make(job, inputs, work, control)?
    };
    let _lock = planned.work.lock()?;
    let work = || -> Result<Published, JobError> {
        planned.sweep()?;
        run_tasks(&planned, shares, control)?;
        publish::publish(&planned, &paths.out)
    };
    let published = work();
    // Only who holds the lock says how the job stands.
    published.inspect_err(|error| report::unpublished(&planned, error, started))
}

/// Map and merge tasks that are not committed, with progress.
fn run_tasks(job: &Job, shares: &Shares, control: &Arc<Control>) -> Result<(), JobError> {
    let total = job.plan.inputs.iter().map(|input| input.file.size).sum();
    let watch = progress::watch(progress::Phase::Map(total), control);
    job.map(0..job.tasks(work::Phase::Map), shares, control)?;
    drop(watch);
    let cells = control.progress.cells_spilled.load(Ordering::Relaxed);
    let _watch = progress::watch(progress::Phase::Merge(cells), control);
    job.merge(0..job.tasks(work::Phase::Merge), shares, control)
}

/// Whether the result's folder can be made is found out before hours of work.
fn check_can_create(out: &Path) -> Result<(), JobError> {
    let parent = out
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(|source| JobError::Output {
        path: parent.into(),
        source,
    })
}

/// The end of a command that published.
pub(crate) fn published_end(published: &Published, rejects_ok: bool) -> End {
    let exit = if published.manifest.totals.records.rejected > 0 && !rejects_ok {
        Exit::Rejects
    } else {
        Exit::Done
    };
    let path = published.path.display();
    End {
        exit,
        word: Word::Published,
        error: None,
        next: format!("{path}, look at it with: shardmill scan {path}"),
    }
}
