//! A planned job in this process: its plan, its layout, its folders; and running its tasks.

use super::commit::{MapCommit, MergeCommit};
use super::error::JobError;
use super::plan::{FORMAT, Plan};
use super::work::{Phase, Work};
use super::{map, merge};
use crate::limits::Shares;
use crate::load::manifest::Records;
use crate::read::ReadError;
use crate::rejects::RejectLimit;
use rayon::prelude::*;
use shardmill_schemas::layout::{self, JobFacts, Layout};
use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A planned job, ready to run tasks.
pub struct Job {
    /// The plan.
    pub plan: Plan,
    /// Its layout.
    pub layout: Arc<dyn Layout>,
    /// Its folders.
    pub work: Work,
    /// How many rejects are too many: the plan's, unless the caller has another.
    pub rejects: RejectLimit,
}

impl fmt::Debug for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Job")
            .field("work", &self.work)
            .field("layout", &self.plan.request.layout)
            .finish_non_exhaustive()
    }
}

/// What tasks tell and are told while they run.
#[derive(Debug, Default)]
pub struct Control {
    /// Set by a signal handler: tasks end at the next record or cell with [`JobError::Stopped`].
    pub stop: Arc<AtomicBool>,
    /// What has been done.
    pub progress: Progress,
}

/// Counters for whoever watches. Every task adds to them as it goes; a committed task that is skipped adds its whole share.
#[derive(Debug, Default)]
pub struct Progress {
    /// Input bytes read by map tasks, as stored.
    pub bytes_read: AtomicU64,
    /// Records read.
    pub records: AtomicU64,
    /// Records rejected.
    pub rejected: AtomicU64,
    /// Cells written to runs.
    pub cells_spilled: AtomicU64,
    /// Bytes of runs written.
    pub bytes_spilled: AtomicU64,
    /// Cells read by merge tasks.
    pub cells_merged: AtomicU64,
    /// Bytes of RFiles written.
    pub bytes_published: AtomicU64,
}

impl Control {
    /// An error when the user asked to stop.
    ///
    /// # Errors
    /// [`JobError::Stopped`].
    pub fn check(&self) -> Result<(), JobError> {
        if self.stop.load(Ordering::Relaxed) {
            Err(JobError::Stopped)
        } else {
            Ok(())
        }
    }
}

impl Job {
    /// Opens the job that is planned in a work folder.
    ///
    /// # Errors
    /// There is no plan, it is of another format or version, or its layout does not accept it.
    pub fn open(work: Work) -> Result<Self, JobError> {
        let path = work.plan();
        let bytes = std::fs::read(&path).map_err(JobError::io(&path))?;
        let bad = |reason: String| JobError::BadPlan {
            path: path.clone(),
            reason,
        };
        let value: serde_json::Value =
            serde_json::from_slice(&bytes).map_err(|error| bad(format!("not a plan: {error}")))?;
        if value["format"] != FORMAT {
            return Err(bad(format!(
                "a plan of format {}, this version reads format {FORMAT}; use the version that made it",
                value["format"]
            )));
        }
        let plan: Plan =
            serde_json::from_value(value).map_err(|error| bad(format!("not a plan: {error}")))?;
        let versions = super::plan::versions();
        if plan.versions != versions {
            return Err(bad(format!(
                "planned by other versions ({:?}, here {versions:?}), whose bytes may differ; plan anew",
                plan.versions
            )));
        }
        let layout = build_layout(&plan.request.layout, &plan.request.config, plan.now)?;
        Ok(Job {
            rejects: plan.request.rejects,
            plan,
            layout,
            work,
        })
    }

    /// The work folder's path.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.work.root()
    }

    /// Looks whether the inputs are still those that were planned, by size and modification time.
    ///
    /// # Errors
    /// One is gone or another.
    pub fn check_inputs(&self) -> Result<(), JobError> {
        let mut files = self.plan.inputs.iter().map(|input| &input.file);
        files.try_for_each(|file| file.check().map_err(|error| self.input_error(error)))
    }

    /// An error of reading, with what to do where the plan no longer fits.
    pub(crate) fn input_error(&self, error: ReadError) -> JobError {
        match error {
            source @ ReadError::Changed { .. } => JobError::InputChanged {
                source,
                work: self.root().into(),
            },
            error => error.into(),
        }
    }

    /// Runs the map tasks of `tasks` that are not committed, as many at a time as there are workers.
    ///
    /// # Errors
    /// The first task that failed; the others have been asked to stop.
    pub fn map(
        &self,
        tasks: impl IntoIterator<Item = usize>,
        shares: &Shares,
        control: &Control,
    ) -> Result<(), JobError> {
        self.run(Phase::Map, tasks, shares, control, &|task| {
            map::run(self, task, shares, control).map(drop)
        })
    }

    /// Runs the merge tasks of `tasks` that are not committed. All map tasks must be.
    ///
    /// # Errors
    /// As [`Job::map`]; or a map task is missing.
    pub fn merge(
        &self,
        tasks: impl IntoIterator<Item = usize>,
        shares: &Shares,
        control: &Control,
    ) -> Result<(), JobError> {
        let runs = merge::Runs::open(self)?;
        self.run(Phase::Merge, tasks, shares, control, &|task| {
            merge::run(self, &runs, task, shares, control).map(drop)
        })
    }

    fn run(
        &self,
        phase: Phase,
        tasks: impl IntoIterator<Item = usize>,
        shares: &Shares,
        control: &Control,
        task: &(dyn Fn(usize) -> Result<(), JobError> + Sync),
    ) -> Result<(), JobError> {
        let count = self.tasks(phase);
        let mut open = Vec::new();
        for number in tasks {
            if number >= count {
                return Err(JobError::NoSuchTask {
                    phase: phase.name(),
                    task: number,
                    count,
                });
            }
            if self.work.is_committed(phase, number) {
                self.count_committed(phase, number, control)?;
            } else {
                open.push(number);
            }
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(shares.workers)
            .thread_name(move |index| format!("{}-{index}", phase.name()));
        let pool = pool
            .build()
            .map_err(|error| JobError::Internal(error.to_string()))?;
        // `with_max_len(1)`: tasks are coarse, so each is a unit of stealing.
        pool.install(|| open.into_par_iter().with_max_len(1).try_for_each(task))
    }

    /// Adds what a committed task did to the progress, so that a resumed job does not begin at nothing.
    fn count_committed(
        &self,
        phase: Phase,
        task: usize,
        control: &Control,
    ) -> Result<(), JobError> {
        let progress = &control.progress;
        let add = |counter: &AtomicU64, more| counter.fetch_add(more, Ordering::Relaxed);
        match phase {
            Phase::Map => {
                let commit: Option<MapCommit> = self.work.committed(phase, task)?;
                let commit = commit.unwrap_or_default();
                let records = commit
                    .inputs
                    .values()
                    .fold(Records::default(), |sum, more| sum.plus(*more));
                add(&progress.bytes_read, commit.bytes);
                add(&progress.records, records.read);
                add(&progress.rejected, records.rejected);
                add(&progress.cells_spilled, commit.cells);
                add(&progress.bytes_spilled, commit.run_bytes);
            }
            Phase::Merge => {
                if let Some(commit) = self.work.committed::<MergeCommit>(phase, task)? {
                    add(&progress.cells_merged, commit.cells);
                    add(
                        &progress.bytes_published,
                        commit.files.iter().map(|file| file.bytes).sum(),
                    );
                }
            }
        }
        Ok(())
    }

    /// Removes what tasks left that died before they were committed. The caller has the work folder alone.
    ///
    /// # Errors
    /// A commit record cannot be read, or a file cannot be removed.
    pub fn sweep(&self) -> Result<(), JobError> {
        let mut kept = HashSet::new();
        for task in 0..self.tasks(Phase::Map) {
            if let Some(commit) = self.work.committed::<MapCommit>(Phase::Map, task)? {
                kept.extend(commit.run.into_iter().chain(commit.rejects));
            }
        }
        self.work.sweep(&kept)
    }

    /// How many records the inputs hold, where all were counted.
    #[must_use]
    pub fn records_planned(&self) -> Option<u64> {
        self.plan.inputs.iter().map(|input| input.records).sum()
    }

    /// An error when so many of so many records are rejected that nothing may be published.
    ///
    /// # Errors
    /// [`JobError::TooManyRejects`].
    pub fn check_rejects(&self, rejected: u64, read: u64) -> Result<(), JobError> {
        let allowed = self.rejects.allowed(read);
        if rejected <= allowed {
            return Ok(());
        }
        Err(JobError::TooManyRejects {
            rejected,
            read,
            allowed,
            kept: self.root().join("rejects"),
        })
    }

    /// How many tasks a phase has.
    #[must_use]
    pub fn tasks(&self, phase: Phase) -> usize {
        match phase {
            Phase::Map => self.plan.map_tasks.len(),
            Phase::Merge => self.plan.merge_tasks(),
        }
    }
}

/// Builds a layout from its resolved configuration.
///
/// # Errors
/// There is no such layout, or it does not accept the configuration.
pub fn build_layout(
    name: &str,
    config: &serde_json::Value,
    now: i64,
) -> Result<Arc<dyn Layout>, JobError> {
    let def =
        layout::find(name).ok_or_else(|| JobError::Internal(format!("no layout {name:?}")))?;
    (def.build)(config, JobFacts { now }).map_err(JobError::Config)
}
