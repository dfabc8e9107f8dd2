//! Where a map task's cells go: into the sort buffer, and from there into its run.

use super::error::JobError;
use super::job::{Job, Progress};
use crate::sort::buffer::{Mark, SortBuffer};
use crate::sort::run::RunWriter;
use crate::sort::spill::{Partitions, spill};
use shardmill_schemas::cell::{Cell, CellSink, TableId};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// The sink of one map task.
pub(super) struct TaskSink<'j> {
    job: &'j Job,
    progress: &'j Progress,
    partitions: Vec<Partitions>,
    buffer: SortBuffer,
    run: Option<(PathBuf, RunWriter)>,
    cells: u64,
    /// Where the current record began in the buffer.
    mark: Mark,
    /// A record that is larger than the buffer spills before it is known to be good: how many segments and cells the run had before it.
    unsure: Option<(usize, u64)>,
    failure: Option<JobError>,
}

impl<'j> TaskSink<'j> {
    pub(super) fn new(job: &'j Job, budget: usize, progress: &'j Progress) -> Self {
        let tables = job.layout.tables().len();
        TaskSink {
            job,
            progress,
            partitions: job
                .plan
                .tables
                .iter()
                .map(super::plan::TablePlan::partitions)
                .collect(),
            buffer: SortBuffer::new(tables, budget),
            run: None,
            cells: 0,
            mark: Mark::default(),
            unsure: None,
            failure: None,
        }
    }

    /// Begins a record: what was put before stays, whatever becomes of it.
    pub(super) fn begin(&mut self) {
        self.buffer.mark(&mut self.mark);
        self.unsure = None;
    }

    /// Takes back what was put since `begin`.
    pub(super) fn take_back(&mut self) {
        if let (Some((segments, cells)), Some((_, run))) = (self.unsure.take(), &mut self.run) {
            run.truncate(segments);
            self.cells = cells;
            self.buffer.clear();
        } else {
            self.buffer.rollback(&self.mark);
        }
    }

    /// The failure that the sink kept, if there is one.
    pub(super) fn check(&mut self) -> Result<(), JobError> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Spills the rest; the run's path, its bytes and its cells, when there are any.
    pub(super) fn finish(mut self) -> Result<Option<(PathBuf, u64, u64)>, JobError> {
        self.check()?;
        self.spill()?;
        let Some((path, run)) = self.run else {
            return Ok(None);
        };
        let bytes = run.finish()?;
        self.progress
            .bytes_spilled
            .fetch_add(bytes, Ordering::Relaxed);
        Ok(Some((path, bytes, self.cells)))
    }

    fn spill(&mut self) -> Result<(), JobError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let run = match &mut self.run {
            Some((_, run)) => run,
            None => {
                let path = self.job.work.fresh_run("map");
                let run = RunWriter::create(&path)?;
                &mut self.run.insert((path, run)).1
            }
        };
        let written = spill(
            &mut self.buffer,
            self.job.layout.tables(),
            &self.partitions,
            run,
        )?;
        self.cells += written;
        self.progress
            .cells_spilled
            .fetch_add(written, Ordering::Relaxed);
        Ok(())
    }

    /// Makes room in the middle of a record: the records before it are spilled alone, so that it can still be taken back.
    fn make_room(&mut self) -> Result<(), JobError> {
        let own = self.buffer.split_off(&self.mark);
        if self.buffer.is_empty() {
            // The record alone is larger than the buffer.
            self.buffer.append(&own);
            let segments = self.run.as_ref().map_or(0, |(_, run)| run.segments());
            self.unsure.get_or_insert((segments, self.cells));
            self.spill()?;
        } else {
            self.spill()?;
            self.buffer.append(&own);
        }
        self.mark = Mark::start(self.buffer.tables());
        Ok(())
    }
}

impl CellSink for TaskSink<'_> {
    fn put(&mut self, table: TableId, cell: &Cell<'_>) {
        if self.failure.is_some() {
            return;
        }
        while !self.buffer.has_room(cell) {
            if let Err(error) = self.make_room() {
                self.failure = Some(error);
                return;
            }
        }
        if self.buffer.put(table, cell).is_err() {
            self.failure = Some(JobError::Internal("a cell of more than 4 GiB".into()));
        }
    }
}
