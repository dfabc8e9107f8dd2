//! The job file: TOML with the inputs, the output, the limits and the section of its layout.
//!
//! Every error names file, line and key. What the command line says wins.

mod output;
mod sections;
mod settings;
mod source;

use crate::args::{GrantArgs, JobArgs};
use crate::sizes;
pub(crate) use sections::RunSection;
use sections::Size;
use shardmill_pipeline::limits::Grant;
use shardmill_pipeline::phases::plan::Request;
use shardmill_schemas::layout::ConfigError;
use source::Source;
use std::fs;
use std::path::{Path, PathBuf};

/// A job as asked for.
#[derive(Debug)]
pub(crate) struct JobFile {
    /// What shapes the result.
    pub(crate) request: Request,
    /// Where relative inputs begin.
    pub(crate) base: PathBuf,
    /// What the file says about this machine.
    pub(crate) run: RunSection,
    /// For finding the line of a layout's error.
    source: Source,
}

/// A message with its place in the job file.
type Error = String;

impl JobFile {
    /// Reads a job file and lays the command line over it.
    pub(crate) fn read(args: &JobArgs) -> Result<Self, Error> {
        let path = &args.job;
        let text =
            fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let mut source = Source {
            path: path.clone(),
            text: text.clone(),
            layout: String::new(),
        };
        let (sections, def, config) = source.sections(&text)?;
        source.layout = def.name.into();
        // The parent of a bare name is empty, which is no folder that could be looked into.
        let base = path.parent().filter(|base| !base.as_os_str().is_empty());
        let base = base.unwrap_or(Path::new(".")).to_path_buf();
        let now = source.now(&sections, args)?;
        let output = source.output(&sections.output, args)?;
        let splits = source.splits(&sections.output, args, &base)?;
        let (read, rejects) = source.limits(&sections.limits, args)?;
        let inputs = source.inputs(&sections.input, args)?;
        let task = source.size(
            "task_size",
            args.task_size.as_ref(),
            sections.limits.task_size.as_ref(),
            0,
        )?;
        let task_bytes = (task > 0).then_some(task);
        let request = Request {
            layout: def.name.into(),
            config,
            now,
            inputs,
            read,
            output,
            splits,
            rejects,
            task_bytes,
        };
        Ok(JobFile {
            request,
            base,
            run: sections.run,
            source,
        })
    }

    /// What the process may use: the command line, else the file, else what the machine offers.
    pub(crate) fn grant(&self, args: &GrantArgs) -> Result<Grant, Error> {
        let memory = self.run.memory.as_ref().map(Size::text);
        grant(args, self.run.threads, memory.as_deref())
    }

    /// A layout's errors, each with its line.
    pub(crate) fn explain(&self, errors: &[ConfigError]) -> String {
        let line = |error: &ConfigError| {
            let key = [self.source.layout.as_str(), error.key.as_str()]
                .into_iter()
                .filter(|part| !part.is_empty())
                .collect::<Vec<_>>()
                .join(".");
            self.source
                .message(self.source.find(&key), &key, &error.message)
        };
        errors
            .iter()
            .map(line)
            .collect::<Vec<_>>()
            .join("\n       ")
    }
}

/// What a process may use.
pub(crate) fn grant(
    args: &GrantArgs,
    threads: Option<usize>,
    memory: Option<&str>,
) -> Result<Grant, Error> {
    let threads = args
        .threads
        .or(threads)
        .unwrap_or_else(crate::machine::threads);
    if threads == 0 {
        return Err("--threads: at least one is needed".into());
    }
    let memory = match args.memory.as_deref().or(memory) {
        Some(text) => sizes::parse(text).map_err(|error| format!("memory: {error}"))?,
        None => crate::machine::memory(),
    };
    Ok(Grant {
        threads,
        memory,
        files: crate::machine::files(),
        fan_in: args.fan_in,
    })
}
