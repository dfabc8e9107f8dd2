//! `shardmill publish`: a job whose tasks are done becomes a published run.

use super::ingest::published_end;
use super::plan::this_command;
use crate::args::PublishArgs;
use crate::exit::End;
use crate::report;
use shardmill_pipeline::phases::work::Work;
use shardmill_pipeline::phases::{Job, JobError, publish};
use std::time::Instant;

pub(crate) fn run(args: &PublishArgs) -> Result<End, End> {
    let started = Instant::now();
    let work = || -> Result<_, JobError> {
        let mut job = Job::open(Work::new(&args.work, None))?;
        job.rejects = args.max_rejects.unwrap_or(job.rejects);
        let _lock = job.work.lock()?;
        publish::publish(&job, &args.out)
    };
    let published = work().map_err(|error| End::of_job(&error, &this_command()))?;
    report::published(&published, &args.work, started);
    Ok(published_end(&published, args.rejects_ok))
}
