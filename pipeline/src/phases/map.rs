//! A map task: the records of its slices become the sorted cells of one run.

use super::commit::MapCommit;
use super::error::JobError;
use super::job::{Control, Job};
use super::sink::TaskSink;
use super::work::Phase;
use crate::limits::Shares;
use crate::load::manifest::Records;
use crate::read::{self, RecordReader, Slice, Step};
use crate::rejects::{RejectWriter, Rejected};
use shardmill_schemas::layout::{Outcome, Worker};
use shardmill_schemas::record::Record;
use std::path::Path;
use std::sync::atomic::Ordering;

/// Records between two looks at the clock of the outside world: progress and the stop flag.
const TICK: u64 = 256;

/// Runs map task `task` and commits it.
///
/// # Errors
/// An input cannot be read or has changed, too many records are rejected, the disk is full, or the user stopped it.
pub fn run(
    job: &Job,
    task: usize,
    shares: &Shares,
    control: &Control,
) -> Result<MapCommit, JobError> {
    let Some(&(first, end)) = job.plan.map_tasks.get(task) else {
        return Err(JobError::NoSuchTask {
            phase: "map",
            task,
            count: job.plan.map_tasks.len(),
        });
    };
    let mut mapper = Mapper {
        job,
        control,
        sink: TaskSink::new(job, shares.buffer, &control.progress),
        worker: job.layout.worker(),
        rejects: RejectWriter::new(
            job.work
                .fresh("rejects", &format!("map-{task:05}"), "jsonl"),
        ),
        record: Record::default(),
        planned: job.records_planned(),
        commit: MapCommit::default(),
    };
    for slice in job.plan.slices.get(first..end).unwrap_or_default() {
        mapper.slice(slice)?;
    }
    mapper.finish(task)
}

struct Mapper<'j> {
    job: &'j Job,
    control: &'j Control,
    sink: TaskSink<'j>,
    worker: Box<dyn Worker + 'j>,
    rejects: RejectWriter,
    record: Record,
    /// Records of all inputs, where they were counted: a sum over many files, so it is made once a task.
    planned: Option<u64>,
    commit: MapCommit,
}

impl Mapper<'_> {
    fn slice(&mut self, slice: &Slice) -> Result<(), JobError> {
        let Some(input) = self.job.plan.inputs.get(slice.input) else {
            return Err(JobError::Internal(format!(
                "slice of input {} that is not planned",
                slice.input
            )));
        };
        let failed = |error| self.job.input_error(error);
        let limits = &self.job.plan.request.read;
        let mut reader = read::open(&input.file, slice, limits).map_err(failed)?;
        let mut counts = Records::default();
        let mut reported = (0, 0, 0);
        loop {
            match reader.next(&mut self.record).map_err(failed)? {
                Step::End => break,
                Step::Record => self.expand(reader.as_ref(), &mut counts)?,
                Step::Reject(fault) => {
                    let rejected = Rejected::of_fault(
                        &input.file.display,
                        &input.file.data_type,
                        &fault,
                        reader.raw(),
                    );
                    self.reject(&rejected.with_columns(reader.header()))?;
                    counts.rejected += 1;
                }
            }
            counts.read += 1;
            if counts.read % TICK == 0 {
                self.tick(reader.as_ref(), &counts, &mut reported)?;
            }
        }
        self.tick(reader.as_ref(), &counts, &mut reported)?;
        self.commit.bytes += reader.consumed();
        let sum = self.commit.inputs.entry(slice.input).or_default();
        *sum = sum.plus(counts);
        Ok(())
    }

    fn expand(&mut self, reader: &dyn RecordReader, counts: &mut Records) -> Result<(), JobError> {
        self.sink.begin();
        let outcome = self.worker.expand(&self.record, &mut self.sink);
        self.sink.check()?;
        match outcome {
            Ok(Outcome::Written) => counts.written += 1,
            Ok(Outcome::Filtered) => counts.filtered += 1,
            Ok(Outcome::Deduplicated) => counts.deduplicated += 1,
            Err(reject) => {
                self.sink.take_back();
                let column = reject.field.as_ref().and_then(|name| {
                    self.record
                        .schema()
                        .names
                        .iter()
                        .position(|column| column == name)
                });
                let place = column.and_then(|column| reader.locate(column));
                let rejected = Rejected::of_record(&self.record, &reject, place, reader.raw());
                self.reject(&rejected.with_columns(reader.header()))?;
                counts.rejected += 1;
            }
        }
        Ok(())
    }

    fn reject(&mut self, rejected: &Rejected) -> Result<(), JobError> {
        let folder = self.job.work.root().join("rejects");
        self.rejects.write(rejected).map_err(JobError::io(&folder))
    }

    /// Tells how far it is, and stops when it should: on a signal, or when so many are rejected that nothing will be published.
    fn tick(
        &self,
        reader: &dyn RecordReader,
        counts: &Records,
        reported: &mut (u64, u64, u64),
    ) -> Result<(), JobError> {
        let progress = &self.control.progress;
        let now = (reader.consumed(), counts.read, counts.rejected);
        progress
            .bytes_read
            .fetch_add(now.0 - reported.0, Ordering::Relaxed);
        progress
            .records
            .fetch_add(now.1 - reported.1, Ordering::Relaxed);
        let rejected = progress
            .rejected
            .fetch_add(now.2 - reported.2, Ordering::Relaxed)
            + now.2
            - reported.2;
        *reported = now;
        self.control.check()?;
        match self.planned {
            Some(total) => self.job.check_rejects(rejected, total),
            None => Ok(()),
        }
    }

    fn finish(mut self, task: usize) -> Result<MapCommit, JobError> {
        self.sink.begin();
        self.worker.flush(&mut self.sink);
        if let Some((path, bytes, cells)) = self.sink.finish()? {
            self.commit.run = Some(file_name(&path));
            self.commit.run_bytes = bytes;
            self.commit.cells = cells;
        }
        let rejects = self
            .rejects
            .finish()
            .map_err(JobError::io(self.job.work.root()))?;
        self.commit.rejects = rejects.map(|(path, _)| file_name(&path));
        if !self.job.work.commit(Phase::Map, task, &self.commit)? {
            // Another process was first: its run counts, ours goes.
            if let Some(run) = &self.commit.run {
                let _ = std::fs::remove_file(self.job.work.runs().join(run));
            }
        }
        Ok(self.commit)
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}
