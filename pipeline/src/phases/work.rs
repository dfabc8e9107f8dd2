//! The work folder: where a planned job lives between its tasks.
//!
//! ```text
//! WORK/plan.json               the plan; created once, never changed
//! WORK/lock                    held by the process that runs the whole job
//! WORK/map/NNNNN.json          commit record of a map task; its exclusive creation is the commit
//! WORK/merge/NNNNN.json        commit record of a merge task
//! WORK/rejects/                rejects of map tasks
//! WORK/tmp/                    files of tasks that are not committed
//! WORK/out/                    the result as it is staged: tables/, later load/, rejects/, manifest
//! WORK/summary.json            times, machine and memory; stays when the rest is removed
//! RUNS/                        run containers: WORK/runs, or a folder of this job's own on another disk
//! ```

use super::error::JobError;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// The folders of a job.
#[derive(Clone, Debug)]
pub struct Work {
    root: PathBuf,
    runs: PathBuf,
}

/// Which commit records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Those of map tasks.
    Map,
    /// Those of merge tasks.
    Merge,
}

impl Phase {
    /// Its folder.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Map => "map",
            Phase::Merge => "merge",
        }
    }
}

impl Work {
    /// The work folder at `root`. Its runs are in it, or in a folder of its own below `runs`, which several jobs may share. Nothing is created
    /// yet.
    #[must_use]
    pub fn new(root: &Path, runs: Option<&Path>) -> Self {
        let own = |runs: &Path| {
            let whole = std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf());
            let name = xxh3_64(whole.as_os_str().as_encoded_bytes());
            runs.join(format!("shardmill-{name:016x}"))
        };
        Work {
            root: root.into(),
            runs: runs.map_or_else(|| root.join("runs"), own),
        }
    }

    /// The folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where runs are.
    #[must_use]
    pub fn runs(&self) -> &Path {
        &self.runs
    }

    /// Where the result is staged.
    #[must_use]
    pub fn out(&self) -> PathBuf {
        self.root.join("out")
    }

    /// Where the plan is.
    #[must_use]
    pub fn plan(&self) -> PathBuf {
        self.root.join("plan.json")
    }

    /// Creates the folders that are missing.
    ///
    /// # Errors
    /// One of them cannot be created.
    pub fn create(&self) -> Result<(), JobError> {
        let folders =
            ["map", "merge", "rejects", "tmp", "out/tables"].map(|name| self.root.join(name));
        for folder in folders.iter().chain([&self.runs]) {
            fs::create_dir_all(folder).map_err(|source| JobError::Output {
                path: folder.clone(),
                source,
            })?;
        }
        Ok(())
    }

    /// Takes the folder for this process alone; it is given back when the file is dropped or the process dies.
    ///
    /// # Errors
    /// Another process has it.
    pub fn lock(&self) -> Result<File, JobError> {
        self.locked(File::try_lock)
    }

    /// Takes the folder together with other processes that run single tasks of it.
    ///
    /// # Errors
    /// Another process has it for itself.
    pub fn share(&self) -> Result<File, JobError> {
        self.locked(File::try_lock_shared)
    }

    fn locked(&self, lock: impl Fn(&File) -> Result<(), TryLockError>) -> Result<File, JobError> {
        let path = self.root.join("lock");
        let file = File::options()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(JobError::io(&path))?;
        match lock(&file) {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(JobError::Locked(self.root.clone())),
            Err(TryLockError::Error(source)) => Err(JobError::Io { path, source }),
        }
    }

    /// Removes what tasks left that died before they were committed, for whoever has the folder alone. `kept` are the names that commit
    /// records refer to.
    ///
    /// # Errors
    /// Something cannot be looked at or removed.
    pub fn sweep(&self, kept: &HashSet<String>) -> Result<(), JobError> {
        for (folder, extension) in [
            (self.root.join("tmp"), ""),
            (self.root.join("rejects"), "jsonl"),
            (self.runs.clone(), "run"),
        ] {
            for entry in fs::read_dir(&folder).map_err(JobError::io(&folder))? {
                let path = entry.map_err(JobError::io(&folder))?.path();
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                let ours = extension.is_empty()
                    || path.extension().is_some_and(|found| found == extension);
                if ours && !kept.contains(&name) {
                    fs::remove_file(&path).map_err(JobError::io(&path))?;
                }
            }
        }
        Ok(())
    }

    /// A name that no other attempt uses, below `folder` of the work folder.
    #[must_use]
    pub fn fresh(&self, folder: &str, stem: &str, extension: &str) -> PathBuf {
        Self::fresh_in(&self.root.join(folder), stem, extension)
    }

    /// A name for a run that no other attempt uses.
    #[must_use]
    pub fn fresh_run(&self, stem: &str) -> PathBuf {
        Self::fresh_in(&self.runs, stem, "run")
    }

    fn fresh_in(folder: &Path, stem: &str, extension: &str) -> PathBuf {
        static ATTEMPT: AtomicU64 = AtomicU64::new(0);
        loop {
            let attempt = ATTEMPT.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!(
                "{stem}-{}-{attempt}.{extension}",
                std::process::id()
            ));
            // A process id can come again after a crash; its files are still there then.
            if !path.exists() {
                return path;
            }
        }
    }

    /// Commits a task: its record appears complete, or not at all. `false`: another process committed it first, and its record counts.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn commit(
        &self,
        phase: Phase,
        task: usize,
        record: &impl Serialize,
    ) -> Result<bool, JobError> {
        let path = self.record_path(phase, task);
        self.create_exclusive(&path, record)
    }

    /// Writes the plan; `false` when there is one.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_plan(&self, plan: &impl Serialize) -> Result<bool, JobError> {
        self.create_exclusive(&self.plan(), plan)
    }

    fn create_exclusive(&self, path: &Path, content: &impl Serialize) -> Result<bool, JobError> {
        let temporary = self.fresh("tmp", "record", "json");
        let bytes = serde_json::to_vec_pretty(content)
            .map_err(|error| JobError::Internal(error.to_string()))?;
        write_synced(&temporary, &bytes)?;
        let created = rename_new(&temporary, path);
        if !matches!(created, Ok(true)) {
            // Whoever was first has the name; ours is of no use.
            let _ = fs::remove_file(&temporary);
        }
        sync_folder(path.parent().unwrap_or(Path::new(".")))?;
        created.map_err(JobError::io(path))
    }

    fn record_path(&self, phase: Phase, task: usize) -> PathBuf {
        self.root.join(phase.name()).join(format!("{task:05}.json"))
    }

    /// The record of a committed task; `None` when it is not committed.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn committed<T: DeserializeOwned>(
        &self,
        phase: Phase,
        task: usize,
    ) -> Result<Option<T>, JobError> {
        let path = self.record_path(phase, task);
        match fs::read(&path) {
            Ok(bytes) => {
                serde_json::from_slice(&bytes)
                    .map(Some)
                    .map_err(|error| JobError::BadPlan {
                        path,
                        reason: format!("not a commit record: {error}"),
                    })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(JobError::Io { path, source }),
        }
    }

    /// Whether a task is committed.
    #[must_use]
    pub fn is_committed(&self, phase: Phase, task: usize) -> bool {
        self.record_path(phase, task).exists()
    }

    /// Removes what this job put into the folder, but for its summary.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub fn clear(&self) -> Result<(), JobError> {
        for file in ["plan.json", "lock"] {
            remove_if_there(&self.root.join(file), |path| fs::remove_file(path))?;
        }
        for folder in ["map", "merge", "rejects", "tmp", "out"] {
            remove_if_there(&self.root.join(folder), |path| fs::remove_dir_all(path))?;
        }
        self.remove_runs()
    }

    fn remove_runs(&self) -> Result<(), JobError> {
        let entries = match fs::read_dir(&self.runs) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(source) => {
                return Err(JobError::Io {
                    path: self.runs.clone(),
                    source,
                });
            }
        };
        for entry in entries {
            let path = entry.map_err(JobError::io(&self.runs))?.path();
            if path.extension().is_some_and(|extension| extension == "run") {
                fs::remove_file(&path).map_err(JobError::io(&path))?;
            }
        }
        let _ = fs::remove_dir(&self.runs);
        Ok(())
    }
}

fn remove_if_there(path: &Path, remove: impl Fn(&Path) -> io::Result<()>) -> Result<(), JobError> {
    match remove(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(JobError::Io {
            path: path.into(),
            source: error,
        }),
        _ => Ok(()),
    }
}

/// Renames without ever replacing; `false` when the new name is taken.
pub(crate) fn rename_new(from: &Path, to: &Path) -> io::Result<bool> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::EXIST | rustix::io::Errno::NOTEMPTY) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Writes a new file and syncs it.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> Result<(), JobError> {
    let write = || {
        let mut file = File::create(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(JobError::io(path))
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(path: &Path) -> Result<(), JobError> {
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .map_err(JobError::io(path))
}
