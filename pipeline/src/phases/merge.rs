//! A merge task: one range of a table, from all runs, becomes RFiles.

use super::commit::{CommittedFile, MapCommit, MergeCommit};
use super::error::JobError;
use super::job::{Control, Job};
use super::plan::{MergeTask, TablePlan};
use super::work::{Phase, sync_folder};
use crate::limits::Shares;
use crate::load::digest::Digest;
use crate::rfile::{LocalityGroup, RFileWriter};
use crate::sort::merge::merge_partition;
use crate::sort::run::{Run, Segment};
use shardmill_schemas::combine::Input;
use shardmill_schemas::key::Key;
use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Cells between two looks at progress and the stop flag.
const TICK: u64 = 4096;

/// The runs of all map tasks, in the order of the tasks.
#[derive(Debug)]
pub struct Runs(Vec<Arc<Run>>);

impl Runs {
    /// Opens the runs of a job whose map tasks are all committed.
    ///
    /// # Errors
    /// A map task is missing, or a run cannot be read.
    pub fn open(job: &Job) -> Result<Self, JobError> {
        let mut runs = Vec::new();
        for task in 0..job.tasks(Phase::Map) {
            let commit: Option<MapCommit> = job.work.committed(Phase::Map, task)?;
            let Some(commit) = commit else {
                return Err(JobError::NotReady(format!(
                    "map task {task} is not done; run it first: shardmill map {} --task {task}",
                    job.root().display()
                )));
            };
            if let Some(run) = commit.run {
                runs.push(Run::open(&job.work.runs().join(run))?);
            }
        }
        Ok(Runs(runs))
    }

    fn segments(&self, table: u16, partition: u32) -> Vec<(Arc<Run>, Segment)> {
        let of_run = |run: &Arc<Run>| {
            let wanted = run
                .segments
                .iter()
                .filter(move |segment| segment.table == table && segment.partition == partition);
            wanted
                .map(|segment| (Arc::clone(run), segment.clone()))
                .collect::<Vec<_>>()
        };
        self.0.iter().flat_map(of_run).collect()
    }
}

/// Runs merge task `task` and commits it.
///
/// # Errors
/// A run cannot be read, a file cannot be written, or the user stopped it.
pub fn run(
    job: &Job,
    runs: &Runs,
    task: usize,
    shares: &Shares,
    control: &Control,
) -> Result<MergeCommit, JobError> {
    let Some(part) = job.plan.merge_task(task) else {
        return Err(JobError::NoSuchTask {
            phase: "merge",
            task,
            count: job.plan.merge_tasks(),
        });
    };
    let spec = &job.layout.tables()[part.table];
    let mut files = Files::new(job, part, &job.plan.tables[part.table], control)?;
    let inputs = runs.segments(part.table as u16, part.partition as u32);
    let cells = inputs.iter().map(|(_, segment)| segment.cells).sum();
    let scratch = job.work.fresh_run(&format!("merge-{task:05}"));
    merge_partition(
        spec,
        inputs,
        shares.fan_in,
        &scratch,
        &control.progress.cells_merged,
        &mut |key, input| files.append(key, input),
    )?;
    let commit = MergeCommit {
        files: files.finish()?,
        cells,
    };
    job.work.commit(Phase::Merge, task, &commit)?;
    Ok(commit)
}

/// The files of one merge task. A file ends at the end of a tablet once it is large enough or spans enough tablets, and inside a tablet only
/// when it is very large: so a tablet gets one file a run, and a small load over many tablets is not as many files.
struct Files<'j> {
    job: &'j Job,
    part: MergeTask,
    table: &'j TablePlan,
    folder: PathBuf,
    groups: Vec<LocalityGroup>,
    control: &'j Control,
    open: Option<Open>,
    done: Vec<CommittedFile>,
    cells: u64,
    last_row: Vec<u8>,
}

struct Open {
    path: PathBuf,
    file: Arc<File>,
    writer: RFileWriter<Arc<File>>,
    first_tablet: usize,
    last_tablet: usize,
}

impl<'j> Files<'j> {
    fn new(
        job: &'j Job,
        part: MergeTask,
        table: &'j TablePlan,
        control: &'j Control,
    ) -> Result<Self, JobError> {
        let folder = job.work.out().join("tables").join(&table.name);
        fs::create_dir_all(&folder).map_err(JobError::io(&folder))?;
        let spec = &job.layout.tables()[part.table];
        let groups = spec.locality_groups.iter().map(|group| LocalityGroup {
            name: group.name.clone(),
            families: group.families.clone(),
        });
        Ok(Files {
            job,
            part,
            table,
            folder,
            groups: groups.collect(),
            control,
            open: None,
            done: Vec::new(),
            cells: 0,
            last_row: Vec::new(),
        })
    }

    fn append(&mut self, key: &Key<'_>, input: Input<'_>) -> Result<(), JobError> {
        let Input::Value(value) = input else {
            return Err(JobError::Internal(
                "a partial state reached an RFile".into(),
            ));
        };
        self.cells += 1;
        if self.cells.is_multiple_of(TICK) {
            self.control.check()?;
        }
        let tablet = match &self.open {
            Some(open)
                if self
                    .table
                    .ends
                    .get(open.last_tablet)
                    .is_none_or(|end| key.row <= end.0.as_slice()) =>
            {
                open.last_tablet
            }
            _ => self
                .table
                .ends
                .partition_point(|end| end.0.as_slice() < key.row),
        };
        if self.is_full(tablet, key.row) {
            self.close()?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                let open = Self::create(self.job, self.part, &self.groups, tablet)?;
                self.open.insert(open)
            }
        };
        open.last_tablet = tablet;
        if self.last_row != key.row {
            self.last_row.clear();
            self.last_row.extend_from_slice(key.row);
        }
        open.writer
            .append(key, value)
            .map_err(JobError::rfile(&open.path))
    }

    /// Whether the open file must end before a cell of this tablet and row. A row is never cut.
    fn is_full(&self, tablet: usize, row: &[u8]) -> bool {
        let Some(open) = &self.open else { return false };
        let output = &self.job.plan.request.output;
        if tablet == open.last_tablet {
            return row != self.last_row && open.writer.file_bytes_so_far() >= output.max_file;
        }
        let spanned = tablet - open.first_tablet;
        open.writer.file_bytes_so_far() >= output.min_file
            || spanned >= output.max_tablets_per_file as usize
    }

    fn create(
        job: &Job,
        part: MergeTask,
        groups: &[LocalityGroup],
        tablet: usize,
    ) -> Result<Open, JobError> {
        let path = job.work.fresh(
            "tmp",
            &format!("merge-{}-{}", part.table, part.partition),
            "rf",
        );
        let file = Arc::new(File::create_new(&path).map_err(JobError::io(&path))?);
        let options = job.plan.request.output.writer();
        let writer = RFileWriter::new(Arc::clone(&file), &options, groups)
            .map_err(JobError::rfile(&path))?;
        Ok(Open {
            path,
            file,
            writer,
            first_tablet: tablet,
            last_tablet: tablet,
        })
    }

    fn close(&mut self) -> Result<(), JobError> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let summary = open.writer.finish().map_err(JobError::rfile(&open.path))?;
        open.file.sync_all().map_err(JobError::io(&open.path))?;
        let (Some(first), Some(last)) = (&summary.first_key, &summary.last_key) else {
            return Err(JobError::Internal("an RFile without cells".into()));
        };
        let name = format!("{:05}-{:03}.rf", self.part.partition, self.done.len());
        let target = self.folder.join(&name);
        // A task that is run again after a crash writes the same bytes under the same name.
        fs::rename(&open.path, &target).map_err(JobError::io(&target))?;
        self.control
            .progress
            .bytes_published
            .fetch_add(summary.file_bytes, Ordering::Relaxed);
        self.done.push(CommittedFile {
            name,
            first_tablet: open.first_tablet,
            last_tablet: open.last_tablet,
            entries: summary.entries,
            deletes: summary.deletes,
            bytes: summary.file_bytes,
            first_key: first.as_key().into(),
            last_key: last.as_key().into(),
            sha256: Digest(summary.sha256),
        });
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<CommittedFile>, JobError> {
        self.close()?;
        sync_folder(&self.folder)?;
        Ok(self.done)
    }
}
