//! Making a plan: inputs are found, digested, cut into slices and sampled; tables are cut into tablets and merge tasks.

use super::boundaries::Sample;
use super::error::JobError;
use super::job::{Control, build_layout};
use super::plan::{FORMAT, InputRequest, Plan, PlannedInput, Request, TablePlan, versions};
use crate::escape::Escaped;
use crate::limits::{SAMPLED_RECORDS, map_task_bytes};
use crate::load::check_table_name;
use crate::read::{self, InputFile, Pattern, ReadError, ReadLimits, Slice};
use rayon::prelude::*;
use shardmill_schemas::layout::{ConfigError, Layout};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use xxhash_rust::xxh3::Xxh3;

/// Published bytes are at most so many times the input bytes, for deciding whether a sample can matter at all.
const SWELL: u64 = 8;
/// Decompressed bytes of a compressed input, as a rule of thumb: its records are not counted before they are read.
const UNPACKED: u64 = 5;

/// Finds the inputs of a request, in order, with the digests of their bytes. Relative patterns begin at `base`.
///
/// # Errors
/// A pattern matches nothing, or an input cannot be read.
pub fn find_inputs(
    requests: &[InputRequest],
    base: &Path,
    control: &Control,
) -> Result<Vec<PlannedInput>, JobError> {
    let pattern = |input: &InputRequest| Pattern {
        path: input.pattern.clone(),
        data_type: input.data_type.clone(),
        format: input.format.clone(),
    };
    let here = Path::new(".");
    let base = if base.as_os_str().is_empty() {
        here
    } else {
        base
    };
    let base = std::path::absolute(base).map_err(JobError::io(base))?;
    let files = read::resolve(&base, &requests.iter().map(pattern).collect::<Vec<_>>())?;
    let digested = |file: InputFile| {
        let xxh3 = digest(&file, control)?;
        Ok(PlannedInput {
            file,
            xxh3,
            records: None,
        })
    };
    files.into_par_iter().map(digested).collect()
}

fn digest(input: &InputFile, control: &Control) -> Result<String, JobError> {
    let failed = |error| ReadError::from_io(&input.display, 0, error);
    let mut file = File::open(&input.path).map_err(failed)?;
    let mut hash = Xxh3::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        control.check()?;
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(format!("{:032x}", hash.digest128())),
            length => hash.update(&buffer[..length]),
        }
    }
}

/// Plans a job. `clock` is the moment of planning in milliseconds since the epoch: the job's `now` unless the request has one.
///
/// # Errors
/// The layout does not accept its configuration, a table or split is not usable, or an input cannot be read.
pub fn plan(
    request: Request,
    mut inputs: Vec<PlannedInput>,
    clock: i64,
    control: &Control,
) -> Result<Plan, JobError> {
    let now = request.now.unwrap_or(clock);
    let layout = build_layout(&request.layout, &request.config, now)?;
    check_tables(layout.as_ref(), &request)?;
    let total: u64 = inputs.iter().map(|input| input.file.size).sum();
    let task_bytes = request.task_bytes.unwrap_or_else(|| map_task_bytes(total));
    let sampling =
        total.saturating_mul(SWELL) >= request.output.tablet_size || !request.splits.is_empty();
    let survey = Survey {
        layout: layout.as_ref(),
        limits: &request.read,
        task_bytes,
        per_input: per_input(inputs.len(), sampling),
        control,
    };
    let surveyed = inputs
        .par_iter()
        .enumerate()
        .map(|(index, input)| survey.input(index, &input.file))
        .collect::<Result<Vec<_>, _>>()?;
    let mut sample = Sample::new(layout.tables().len());
    let (mut slices, mut bytes, mut sampled_bytes) = (Vec::new(), 0, 0);
    for (input, part) in inputs.iter_mut().zip(surveyed) {
        input.records = part.records;
        slices.extend(part.slices);
        bytes += part.bytes;
        sampled_bytes += part.sampled_bytes;
        sample.extend(part.sample);
    }
    let scale = if sampled_bytes == 0 {
        1.0
    } else {
        bytes as f64 / sampled_bytes as f64
    };
    let tables = layout.tables().iter().enumerate().map(|(index, spec)| {
        let ends = match request.splits.get(&spec.name) {
            Some(given) => given.iter().map(|end| end.0.clone()).collect(),
            None => sample.cut(index, scale, request.output.tablet_size),
        };
        let merges = sample.merges(index, scale, &ends);
        TablePlan {
            name: spec.name.clone(),
            ends: ends.into_iter().map(Escaped).collect(),
            merges,
        }
    });
    let tables = tables.collect();
    let map_tasks = group(&slices, &inputs, task_bytes);
    Ok(Plan {
        format: FORMAT,
        versions: versions(),
        request,
        now,
        inputs,
        slices,
        map_tasks,
        tables,
    })
}

fn check_tables(layout: &dyn Layout, request: &Request) -> Result<(), JobError> {
    let mut errors = Vec::new();
    for (index, spec) in layout.tables().iter().enumerate() {
        if let Err(error) = check_table_name(&spec.name) {
            errors.push(ConfigError::new("", error.to_string()));
        }
        if layout.tables()[..index]
            .iter()
            .any(|other| other.name == spec.name)
        {
            errors.push(ConfigError::new(
                "",
                format!("two tables have the name {:?}", spec.name),
            ));
        }
    }
    for (table, ends) in &request.splits {
        let names = || {
            layout
                .tables()
                .iter()
                .map(|spec| spec.name.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        };
        if !layout.tables().iter().any(|spec| spec.name == *table) {
            errors.push(ConfigError::new("", format!("splits are given for table {table:?}, which this layout does not write; it writes {}", names())));
        }
        if !ends.is_sorted_by(|a, b| a < b) {
            errors.push(ConfigError::new(
                "",
                format!("splits of table {table:?} must be ascending and different"),
            ));
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(JobError::Config(errors))
    }
}

/// How many records each input may give to the sample, and the stride between inputs that are sampled.
fn per_input(inputs: usize, sampling: bool) -> (u64, usize) {
    if !sampling || inputs == 0 {
        return (0, 1);
    }
    let stride = inputs.div_ceil(SAMPLED_RECORDS as usize);
    (SAMPLED_RECORDS / inputs.div_ceil(stride) as u64, stride)
}

struct Survey<'a> {
    layout: &'a dyn Layout,
    limits: &'a ReadLimits,
    task_bytes: u64,
    per_input: (u64, usize),
    control: &'a Control,
}

struct Surveyed {
    slices: Vec<Slice>,
    records: Option<u64>,
    bytes: u64,
    sample: Sample,
    sampled_bytes: u64,
}

impl Survey<'_> {
    fn input(&self, index: usize, file: &InputFile) -> Result<Surveyed, JobError> {
        self.control.check()?;
        let (limit, stride) = self.per_input;
        let limit = if index.is_multiple_of(stride) {
            limit
        } else {
            0
        };
        // The scan hands out up to 2,000 evenly spread records; of these every so many are expanded.
        let every = if limit == 0 {
            u64::MAX
        } else {
            2000_u64.div_ceil(limit)
        };
        let mut worker = self.layout.worker();
        let mut sample = Sample::new(self.layout.tables().len());
        let (mut seen, mut sampled_bytes) = (0_u64, 0);
        let scanned = read::scan(file, index, self.task_bytes, self.limits, &mut |record| {
            if limit > 0 && seen % every == 0 {
                sampled_bytes += record.position().length;
                // A record that will be rejected says nothing about tables.
                let _ = worker.expand(record, &mut sample);
            }
            seen += 1;
        })?;
        let bytes = scanned.bytes.unwrap_or(file.size.saturating_mul(UNPACKED));
        Ok(Surveyed {
            slices: scanned.slices,
            records: scanned.records,
            bytes,
            sample,
            sampled_bytes,
        })
    }
}

/// Map tasks: neighbouring slices, until a task has about `task_bytes`.
fn group(slices: &[Slice], inputs: &[PlannedInput], task_bytes: u64) -> Vec<(usize, usize)> {
    let mut tasks = Vec::new();
    let (mut first, mut bytes) = (0, 0);
    for (index, slice) in slices.iter().enumerate() {
        let open_end = slice.end == u64::MAX;
        bytes += if open_end {
            inputs[slice.input].file.size * UNPACKED
        } else {
            slice.end - slice.start
        };
        if bytes >= task_bytes || index + 1 == slices.len() {
            tasks.push((first, index + 1));
            (first, bytes) = (index + 1, 0);
        }
    }
    tasks
}
