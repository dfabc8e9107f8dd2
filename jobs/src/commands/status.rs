//! `shardmill status`: how far a planned job is.

use super::tasks::next;
use crate::args::StatusArgs;
use crate::exit::{End, Exit};
use serde_json::json;
use shardmill_pipeline::phases::Job;
use shardmill_pipeline::phases::work::{Phase, Work};

pub(crate) fn run(args: &StatusArgs) -> Result<End, End> {
    let job = Job::open(Work::new(&args.work, None)).map_err(|error| {
        End::failed(Exit::Input, error, "give the work folder of a planned job")
    })?;
    let phase = |phase| {
        let done = (0..job.tasks(phase))
            .filter(|&task| job.work.is_committed(phase, task))
            .count();
        (done, job.tasks(phase))
    };
    let (map, merge, next) = (phase(Phase::Map), phase(Phase::Merge), next(&job));
    if args.json {
        let status = json!({
            "run_id": job.plan.run_id(),
            "layout": job.plan.request.layout,
            "now": job.plan.now,
            "inputs": job.plan.inputs.len(),
            "map": { "done": map.0, "tasks": map.1 },
            "merge": { "done": merge.0, "tasks": merge.1 },
            "status": next.word.to_string(),
            "next": next.next,
        });
        println!("{status:#}");
    } else {
        println!("run    {}", job.plan.run_id());
        println!(
            "layout {}, now {}, {} inputs",
            job.plan.request.layout,
            job.plan.now,
            job.plan.inputs.len()
        );
        println!("map    {} of {} tasks", map.0, map.1);
        println!("merge  {} of {} tasks", merge.0, merge.1);
        println!("{}: {}", next.word, next.next);
    }
    Ok(End::silent())
}
