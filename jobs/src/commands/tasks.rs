//! `shardmill map` and `shardmill merge`: tasks of a planned job, in any process.

use super::plan::this_command;
use crate::args::TaskArgs;
use crate::exit::{End, Exit, Word};
use crate::job_file::grant;
use crate::signals;
use shardmill_pipeline::phases::work::{Phase, Work};
use shardmill_pipeline::phases::{Job, JobError};

pub(crate) fn map(args: &TaskArgs) -> Result<End, End> {
    run(args, Phase::Map)
}

pub(crate) fn merge(args: &TaskArgs) -> Result<End, End> {
    run(args, Phase::Merge)
}

fn run(args: &TaskArgs, phase: Phase) -> Result<End, End> {
    let again = this_command();
    let config =
        |error: String| End::failed(Exit::Config, error, format!("mend this, then run: {again}"));
    let shares = grant(&args.grant, None, None)
        .map_err(config)?
        .shares()
        .map_err(|error| config(error.to_string()))?;
    let control = signals::control().map_err(|error| End::failed(Exit::Internal, error, ""))?;
    let work = || -> Result<Job, JobError> {
        let mut job = Job::open(Work::new(&args.work, None))?;
        job.rejects = args.max_rejects.unwrap_or(job.rejects);
        let _shared = job.work.share()?;
        let (first, last) = args.task.unwrap_or((0, job.tasks(phase).saturating_sub(1)));
        let tasks = first
            ..(last + 1).min(
                job.tasks(phase)
                    .max(first + usize::from(args.task.is_some())),
            );
        match phase {
            Phase::Map => job.map(tasks, &shares, &control)?,
            Phase::Merge => job.merge(tasks, &shares, &control)?,
        }
        Ok(job)
    };
    work()
        .map(|job| next(&job))
        .map_err(|error| End::of_job(&error, &again))
}

/// What is left of a job.
pub(crate) fn next(job: &Job) -> End {
    let root = job.root().display();
    let open = |phase| {
        (0..job.tasks(phase))
            .filter(|&task| !job.work.is_committed(phase, task))
            .count()
    };
    match (open(Phase::Map), open(Phase::Merge)) {
        (0, 0) => End::done(
            Word::Complete,
            format!("go on with: shardmill publish {root} --out DIR"),
        ),
        (0, merges) => End::done(
            Word::Incomplete,
            format!("{merges} merge tasks are left; go on with: shardmill merge {root}"),
        ),
        (maps, _) => End::done(
            Word::Incomplete,
            format!("{maps} map tasks are left; go on with: shardmill map {root}"),
        ),
    }
}
