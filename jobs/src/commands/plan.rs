//! `shardmill plan`, and what `ingest` needs of it: making a plan and finding the one that is there.

use crate::args::PlanArgs;
use crate::exit::{End, Exit, Word};
use crate::job_file::JobFile;
use crate::signals;
use jiff::Timestamp;
use shardmill_pipeline::phases::plan::{PlannedInput, difference};
use shardmill_pipeline::phases::planner::{self, find_inputs};
use shardmill_pipeline::phases::work::{Phase, Work};
use shardmill_pipeline::phases::{Control, Job, JobError};
use shardmill_pipeline::read::Format;

pub(crate) fn run(args: &PlanArgs) -> Result<End, End> {
    let again = this_command();
    let config =
        |error: String| End::failed(Exit::Config, error, format!("mend this, then run: {again}"));
    let job = JobFile::read(&args.job).map_err(config)?;
    job.grant(&args.grant)
        .map_err(config)?
        .shares()
        .map_err(|error| config(error.to_string()))?;
    let control = signals::control().map_err(|error| End::failed(Exit::Internal, error, ""))?;
    let planned = planned(&job, args, &control).map_err(|error| end(&job, &error, &again))?;
    let work = args.work_dir.display();
    eprintln!(
        "  {} inputs, {} map tasks, {} merge tasks",
        planned.plan.inputs.len(),
        planned.tasks(Phase::Map),
        planned.tasks(Phase::Merge)
    );
    Ok(End::done(
        Word::Incomplete,
        format!("planned; go on with: shardmill map {work}"),
    ))
}

fn planned(job: &JobFile, args: &PlanArgs, control: &Control) -> Result<Job, JobError> {
    let work = Work::new(&args.work_dir, None);
    if work.plan().exists() {
        return reopen(job, work);
    }
    let inputs = find_inputs(&job.request.inputs, &job.base, control)?;
    make(job, inputs, work, control)
}

/// Plans a job into its work folder.
pub(crate) fn make(
    job: &JobFile,
    inputs: Vec<PlannedInput>,
    work: Work,
    control: &Control,
) -> Result<Job, JobError> {
    for input in &inputs {
        if matches!(input.file.format, Format::Rejects(_)) {
            let name = &input.file.display;
            eprintln!("note: {name} is a rejects file: the records that it keeps are read again");
        }
    }
    let plan = planner::plan(
        job.request.clone(),
        inputs,
        Timestamp::now().as_millisecond(),
        control,
    )?;
    work.create()?;
    work.write_plan(&plan)?;
    // Another process may have been first; its plan counts then.
    reopen(job, work)
}

/// Opens the plan of a work folder, which must be for the same request.
pub(crate) fn reopen(job: &JobFile, work: Work) -> Result<Job, JobError> {
    let mut planned = Job::open(work)?;
    planned.rejects = job.request.rejects;
    match difference(&job.request, &planned.plan.request) {
        Some(difference) => Err(JobError::OtherPlan {
            work: planned.root().into(),
            difference,
        }),
        None => Ok(planned),
    }
}

/// How a job's error ends the program: errors of the layout get their lines in the job file.
pub(crate) fn end(job: &JobFile, error: &JobError, again: &str) -> End {
    let end = End::of_job(error, again);
    match error {
        JobError::Config(errors) => End {
            error: Some(job.explain(errors)),
            ..end
        },
        _ => end,
    }
}

/// The command as it was typed, for typing it again.
pub(crate) fn this_command() -> String {
    let quote = |word: String| {
        let plain = !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_./=,:@%+".contains(c));
        if plain {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = std::env::args_os()
        .skip(1)
        .map(|word| quote(word.to_string_lossy().into_owned()));
    std::iter::once("shardmill".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}
