//! Publishing: the staged files get their sidecars and the result appears by one rename.

use super::commit::{MapCommit, MergeCommit};
use super::error::JobError;
use super::job::Job;
use super::plan::{Plan, PlannedInput, Request};
use super::work::{Phase, Work, rename_new, sync_folder};
use crate::load::manifest::{FileSettings, Input, Records};
use crate::load::{self, FileResult, Manifest, RunFacts, TableResult};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Name of the rejects file in a published run.
pub const REJECTS: &str = "rejects/rejects.jsonl";

/// What was published, or was there already.
#[derive(Clone, Debug)]
pub struct Published {
    /// The run's folder.
    pub path: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// It was there before.
    pub found: bool,
}

/// Looks for the result of an equal request at `out`.
///
/// # Errors
/// Something else is there.
pub fn find(
    out: &Path,
    request: &Request,
    inputs: &[PlannedInput],
) -> Result<Option<Published>, JobError> {
    let there = out.try_exists().map_err(|source| JobError::Output {
        path: out.into(),
        source,
    })?;
    if !there {
        return Ok(None);
    }
    match load::read_manifest(out) {
        Ok(manifest)
            if manifest.request_id == Plan::request_id(request, inputs)
                && request.now.is_none_or(|now| now == manifest.now) =>
        {
            Ok(Some(Published {
                path: out.into(),
                manifest,
                found: true,
            }))
        }
        _ => Err(JobError::OutputExists(out.into())),
    }
}

/// Publishes a job whose tasks are all committed as `out`, and removes its work folder.
///
/// # Errors
/// Tasks are missing, records are lost or too many are rejected, `out` exists, or a file cannot be written.
pub fn publish(job: &Job, out: &Path) -> Result<Published, JobError> {
    let maps: Vec<MapCommit> = commits(job, Phase::Map)?;
    let merges: Vec<MergeCommit> = commits(job, Phase::Merge)?;
    let records = account(job, &maps, &merges)?;
    let total = records
        .iter()
        .fold(Records::default(), |sum, records| sum.plus(*records));
    job.check_rejects(total.rejected, total.read)?;
    let staged = job.work.out();
    stage_rejects(job, &maps, &staged)?;
    let facts = facts(job, records);
    let tables = tables(job, merges);
    load::write_sidecars(&staged, &facts, &tables, job.plan.request.output.iterators)?;
    let manifest =
        load::read_manifest(&staged).map_err(|error| JobError::Internal(error.to_string()))?;
    appear(&staged, out)?;
    job.work.clear()?;
    Ok(Published {
        path: out.into(),
        manifest,
        found: false,
    })
}

fn commits<T: serde::de::DeserializeOwned>(job: &Job, phase: Phase) -> Result<Vec<T>, JobError> {
    let missing = |task| {
        let name = phase.name();
        JobError::NotReady(format!(
            "{name} task {task} is not done; run it first: shardmill {name} {} --task {task}",
            job.root().display()
        ))
    };
    (0..job.tasks(phase))
        .map(|task| {
            job.work
                .committed(phase, task)?
                .ok_or_else(|| missing(task))
        })
        .collect()
}

/// What became of every record, by input. No record and no cell may be unaccounted for.
fn account(
    job: &Job,
    maps: &[MapCommit],
    merges: &[MergeCommit],
) -> Result<Vec<Records>, JobError> {
    let mut records = vec![Records::default(); job.plan.inputs.len()];
    for (input, counts) in maps.iter().flat_map(|commit| &commit.inputs) {
        let Some(sum) = records.get_mut(*input) else {
            return Err(JobError::Internal(format!(
                "records of input {input}, which is not planned"
            )));
        };
        *sum = sum.plus(*counts);
    }
    for (input, counts) in job.plan.inputs.iter().zip(&records) {
        if !counts.balance() || input.records.is_some_and(|planned| planned != counts.read) {
            let planned = input.records;
            return Err(JobError::Internal(format!(
                "{}: records do not add up: {planned:?} planned, {counts:?}",
                input.file.display
            )));
        }
    }
    let (mapped, merged) = (
        maps.iter().map(|commit| commit.cells).sum::<u64>(),
        merges.iter().map(|commit| commit.cells).sum::<u64>(),
    );
    if mapped != merged {
        return Err(JobError::Internal(format!(
            "{mapped} cells were mapped, {merged} merged"
        )));
    }
    Ok(records)
}

fn stage_rejects(job: &Job, maps: &[MapCommit], staged: &Path) -> Result<(), JobError> {
    let target = staged.join(REJECTS);
    let folder = staged.join("rejects");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(JobError::io(&folder))?;
    }
    let mut names = maps
        .iter()
        .filter_map(|commit| commit.rejects.as_ref())
        .peekable();
    if names.peek().is_none() {
        return Ok(());
    }
    fs::create_dir_all(&folder).map_err(JobError::io(&folder))?;
    let mut file = BufWriter::new(File::create(&target).map_err(JobError::io(&target))?);
    for name in names {
        let path = job.root().join("rejects").join(name);
        let mut part = File::open(&path).map_err(JobError::io(&path))?;
        io::copy(&mut part, &mut file).map_err(JobError::io(&target))?;
    }
    file.flush()
        .and_then(|()| file.get_ref().sync_all())
        .map_err(JobError::io(&target))?;
    sync_folder(&folder)
}

fn facts(job: &Job, records: Vec<Records>) -> RunFacts {
    let output = &job.plan.request.output;
    let input = |(input, records): (&PlannedInput, Records)| Input {
        file: input
            .file
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        data_type: input.file.data_type.clone(),
        bytes: Some(input.file.size),
        records,
    };
    RunFacts {
        run_id: job.plan.run_id().0,
        request_id: Plan::request_id(&job.plan.request, &job.plan.inputs).0,
        versions: job.plan.versions.clone(),
        layout: job.plan.request.layout.clone(),
        now: job.plan.now,
        files: FileSettings {
            codec: output.codec.clone(),
            level: output.level,
            bcfile: output.bcfile,
            block_size: output.block_size,
            index_block_size: output.index_block_size,
        },
        inputs: job.plan.inputs.iter().zip(records).map(input).collect(),
    }
}

fn tables(job: &Job, merges: Vec<MergeCommit>) -> Vec<TableResult> {
    let mut merges = merges.into_iter();
    let tables = job.layout.tables().iter().zip(&job.plan.tables);
    let table = |(spec, plan): (
        &shardmill_schemas::layout::TableSpec,
        &super::plan::TablePlan,
    )| TableResult {
        spec: spec.clone(),
        splits: plan.ends.iter().map(|end| end.0.clone()).collect(),
        files: merges
            .by_ref()
            .take(plan.merges.len())
            .flat_map(|commit| commit.files)
            .map(FileResult::from)
            .collect(),
    };
    tables.map(table).collect()
}

/// One rename makes the run visible; across file systems the files are copied beside it first.
fn appear(staged: &Path, out: &Path) -> Result<(), JobError> {
    let failed = |source| JobError::Output {
        path: out.into(),
        source,
    };
    let parent = out
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(failed)?;
    let renamed = match rename_new(staged, out) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let beside = Work::new(&beside(out), None);
            copy_tree(staged, &beside.out())?;
            let renamed = rename_new(&beside.out(), out);
            if matches!(renamed, Ok(true)) {
                beside.clear()?;
            }
            renamed
        }
        renamed => renamed,
    };
    match renamed {
        Ok(true) => sync_folder(parent),
        Ok(false) => Err(JobError::OutputExists(out.into())),
        Err(source) => Err(failed(source)),
    }
}

/// The default work folder of a result: `OUT.work` beside `OUT`.
#[must_use]
pub fn beside(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".work");
    out.with_file_name(name)
}

fn copy_tree(from: &Path, to: &Path) -> Result<(), JobError> {
    let failed = |error: walkdir::Error| JobError::Io {
        path: from.into(),
        source: error.into(),
    };
    let mut folders = Vec::new();
    for entry in WalkDir::new(from) {
        let entry = entry.map_err(failed)?;
        let target = to.join(entry.path().strip_prefix(from).unwrap_or(entry.path()));
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target).map_err(JobError::io(&target))?;
            folders.push(target);
        } else {
            fs::copy(entry.path(), &target)
                .and_then(|_| File::open(&target)?.sync_all())
                .map_err(JobError::io(&target))?;
        }
    }
    folders
        .iter()
        .rev()
        .try_for_each(|folder| sync_folder(folder))
}
