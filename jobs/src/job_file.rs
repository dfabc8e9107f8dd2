//! The job file: TOML with the inputs, the output, the limits and the section of its layout.
//!
//! Every error names file, line and key. What the command line says wins.

use crate::args::{GrantArgs, JobArgs};
use crate::{sizes, splits};
use jiff::Timestamp;
use serde::Deserialize;
use shardmill_pipeline::escape::Escaped;
use shardmill_pipeline::limits::Grant;
use shardmill_pipeline::load::IteratorFlavour;
use shardmill_pipeline::phases::plan::{InputRequest, OutputSettings, Request};
use shardmill_pipeline::read::{CsvOptions, Format, ReadLimits};
use shardmill_pipeline::rejects::RejectLimit;
use shardmill_pipeline::rfile::{Codec, RFileError, RFileWriter, WriterOptions};
use shardmill_schemas::layout::{self, ConfigError, LayoutDef};
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

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

#[derive(Debug)]
struct Source {
    path: PathBuf,
    text: String,
    layout: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sections {
    now: Option<Spanned<Moment>>,
    input: Vec<Spanned<InputSection>>,
    #[serde(default)]
    output: OutputSection,
    #[serde(default)]
    limits: LimitsSection,
    #[serde(default)]
    run: RunSection,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Moment {
    Millis(i64),
    Text(String),
    Date(toml::value::Datetime),
}

/// `[[input]]`: files and how they are read.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct InputSection {
    /// Files, folders or globs, relative to the job file.
    files: Vec<String>,
    #[serde(default, rename = "type")]
    data_type: String,
    #[serde(default = "csv")]
    format: String,
    separator: Option<char>,
    header: Option<Vec<String>>,
    #[serde(default)]
    skip_header: bool,
    null: Option<String>,
}

impl InputSection {
    fn format(&self) -> Format {
        Format::Csv(self.csv())
    }

    fn csv(&self) -> CsvOptions {
        let default = CsvOptions::default();
        CsvOptions {
            separator: self.separator.unwrap_or(default.separator),
            header: self.header.clone(),
            skip_header: self.skip_header,
            null: self.null.clone(),
        }
    }
}

fn csv() -> String {
    "csv".into()
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputSection {
    codec: Option<Spanned<String>>,
    level: Option<Spanned<i32>>,
    bcfile: Option<Spanned<u32>>,
    block_size: Option<Spanned<Size>>,
    index_block_size: Option<Spanned<Size>>,
    iterators: Option<IteratorFlavour>,
    tablet_size: Option<Spanned<Size>>,
    min_file: Option<Spanned<Size>>,
    max_file: Option<Spanned<Size>>,
    max_tablets_per_file: Option<u32>,
    /// Files with the splits of live tables, relative to the job file.
    #[serde(default)]
    splits: BTreeMap<String, Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsSection {
    task_size: Option<Spanned<Size>>,
    max_rejects: Option<Spanned<Size>>,
    max_record: Option<Spanned<Size>>,
}

/// `[run]`: what the process may use and where it works. It does not change the result.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunSection {
    threads: Option<usize>,
    memory: Option<Size>,
    /// Folder of the result, relative to where the program runs.
    pub(crate) out: Option<PathBuf>,
    /// Folder of the runs.
    pub(crate) work_dir: Option<PathBuf>,
}

/// A number, or a number with a unit.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Size {
    Number(u64),
    Text(String),
}

impl Size {
    fn text(&self) -> String {
        match self {
            Size::Number(number) => number.to_string(),
            Size::Text(text) => text.clone(),
        }
    }
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

impl Source {
    fn sections(
        &self,
        text: &str,
    ) -> Result<(Sections, &'static LayoutDef, serde_json::Value), Error> {
        let mut table = DeTable::parse(text).map_err(|error| self.toml(&error))?;
        let def = self.layout_of(table.get_ref())?;
        table.get_mut().remove("layout");
        for other in layout::LAYOUTS
            .iter()
            .filter(|other| other.name != def.name)
        {
            if let Some((key, _)) = table.get_ref().get_key_value(other.name) {
                let message = format!(
                    "this section belongs to the layout {:?}, the job's layout is {:?}",
                    other.name, def.name
                );
                return Err(self.message(Some(key.span()), other.name, &message));
            }
        }
        let end = text.len()..text.len();
        let section = table
            .get_mut()
            .remove(def.name)
            .unwrap_or_else(|| Spanned::new(end, DeValue::Table(DeTable::new())));
        let config =
            (def.configure)(ValueDeserializer::from(section)).map_err(|error| self.toml(&error))?;
        let rest = toml::de::Deserializer::from(table);
        let sections = Sections::deserialize(rest).map_err(|error| self.toml(&error))?;
        Ok((sections, def, config))
    }

    fn layout_of(&self, table: &DeTable<'_>) -> Result<&'static LayoutDef, Error> {
        let names = || {
            layout::LAYOUTS
                .iter()
                .map(|def| def.name)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let Some(value) = table.get("layout") else {
            return Err(format!(
                "{}: layout is missing; the layouts are {}",
                self.path.display(),
                names()
            ));
        };
        let name = value.get_ref().as_str().unwrap_or_default();
        layout::find(name).ok_or_else(|| {
            self.message(
                Some(value.span()),
                "layout",
                &format!("there is no layout {name:?}; the layouts are {}", names()),
            )
        })
    }

    fn now(&self, sections: &Sections, args: &JobArgs) -> Result<Option<i64>, Error> {
        if let Some(text) = &args.now {
            return moment(text)
                .map(Some)
                .map_err(|error| format!("--now: {error}"));
        }
        let Some(now) = &sections.now else {
            return Ok(None);
        };
        let parsed = match now.get_ref() {
            Moment::Millis(millis) => Ok(*millis),
            Moment::Text(text) => moment(text),
            Moment::Date(date) => moment(&date.to_string()),
        };
        parsed
            .map(Some)
            .map_err(|error| self.message(Some(now.span()), "now", &error))
    }

    fn size(
        &self,
        key: &str,
        arg: Option<&String>,
        setting: Option<&Spanned<Size>>,
        default: u64,
    ) -> Result<u64, Error> {
        if let Some(text) = arg {
            return sizes::parse(text)
                .map_err(|error| format!("--{}: {error}", key.replace('_', "-")));
        }
        let Some(setting) = setting else {
            return Ok(default);
        };
        sizes::parse(&setting.get_ref().text())
            .map_err(|error| self.message(Some(setting.span()), key, &error))
    }

    fn output(&self, section: &OutputSection, args: &JobArgs) -> Result<OutputSettings, Error> {
        let default = OutputSettings::default();
        let codec = args
            .codec
            .clone()
            .or_else(|| section.codec.as_ref().map(|codec| codec.get_ref().clone()))
            .unwrap_or(default.codec);
        let iterators = match args.iterators.as_deref() {
            None => section.iterators.unwrap_or(default.iterators),
            Some("native") => IteratorFlavour::Native,
            Some("plain") => IteratorFlavour::Plain,
            Some(other) => {
                return Err(format!(
                    "--iterators: {other:?} is neither native nor plain"
                ));
            }
        };
        let bcfile = args
            .bcfile
            .or_else(|| section.bcfile.as_ref().map(|bcfile| *bcfile.get_ref()))
            .unwrap_or(default.bcfile);
        let output = OutputSettings {
            level: args
                .level
                .or_else(|| section.level.as_ref().map(|level| *level.get_ref())),
            bcfile,
            block_size: self.size(
                "block_size",
                args.block_size.as_ref(),
                section.block_size.as_ref(),
                default.block_size,
            )?,
            index_block_size: self.size(
                "index_block_size",
                args.index_block_size.as_ref(),
                section.index_block_size.as_ref(),
                default.index_block_size,
            )?,
            tablet_size: self
                .size(
                    "tablet_size",
                    args.tablet_size.as_ref(),
                    section.tablet_size.as_ref(),
                    default.tablet_size,
                )?
                .max(1),
            min_file: self.size(
                "min_file",
                args.min_file.as_ref(),
                section.min_file.as_ref(),
                default.min_file,
            )?,
            max_file: self.size(
                "max_file",
                args.max_file.as_ref(),
                section.max_file.as_ref(),
                default.max_file,
            )?,
            max_tablets_per_file: args
                .max_tablets_per_file
                .or(section.max_tablets_per_file)
                .unwrap_or(default.max_tablets_per_file)
                .max(1),
            iterators,
            codec,
        };
        self.check_output(section, &output, args)?;
        Ok(output)
    }

    /// Names and combinations that no file can be written with are found here, not by the first merge task.
    fn check_output(
        &self,
        section: &OutputSection,
        output: &OutputSettings,
        args: &JobArgs,
    ) -> Result<(), Error> {
        // What the command line says is no fault of the file.
        let message = |option: &str, typed: bool, span, message: &str| {
            if typed {
                format!("--{option}: {message}")
            } else {
                self.message(span, &format!("output.{option}"), message)
            }
        };
        let codec = |text: &str| {
            let span = section.codec.as_ref().map(Spanned::span);
            message("codec", args.codec.is_some(), span, text)
        };
        let bcfile = |text: &str| {
            let span = section.bcfile.as_ref().map(Spanned::span);
            message("bcfile", args.bcfile.is_some(), span, text)
        };
        if Codec::parse(&output.codec).is_none() {
            let names = Codec::ALL.map(Codec::name).join(", ");
            let name = &output.codec;
            return Err(codec(&format!(
                "there is no codec {name:?}; the codecs are {names}"
            )));
        }
        if ![1, 3].contains(&output.bcfile) {
            return Err(bcfile(
                "the container versions are 3, for Accumulo 2 to 4, and 1, for 1.8 to 1.10",
            ));
        }
        let fits = |level| {
            let options = WriterOptions {
                level,
                ..output.writer()
            };
            match RFileWriter::new(std::io::sink(), &options, &[]) {
                Ok(_) => Ok(()),
                Err(RFileError::Options { what }) => Err(what),
                Err(error) => Err(error.to_string()),
            }
        };
        match fits(None) {
            Err(what) if output.bcfile == 1 => return Err(bcfile(&what)),
            Err(what) => return Err(self.message(None, "output", &what)),
            Ok(()) => {}
        }
        fits(output.level).map_err(|what| {
            let span = section.level.as_ref().map(Spanned::span);
            message("level", args.level.is_some(), span, &what)
        })
    }

    fn splits(
        &self,
        section: &OutputSection,
        args: &JobArgs,
        base: &Path,
    ) -> Result<BTreeMap<String, Vec<Escaped>>, Error> {
        let mut splits = BTreeMap::new();
        for (table, file) in &section.splits {
            let path = splits::beside(base, file.get_ref());
            let rows = splits::read(&path, table)
                .map_err(|error| self.message(Some(file.span()), "output.splits", &error))?;
            splits.insert(table.clone(), rows);
        }
        for arg in &args.splits {
            let (table, file) = arg
                .split_once('=')
                .ok_or_else(|| format!("--splits {arg}: write TABLE=FILE"))?;
            splits.insert(
                table.into(),
                splits::read(Path::new(file), table)
                    .map_err(|error| format!("--splits: {error}"))?,
            );
        }
        Ok(splits)
    }

    fn limits(
        &self,
        section: &LimitsSection,
        args: &JobArgs,
    ) -> Result<(ReadLimits, RejectLimit), Error> {
        let default = ReadLimits::default();
        let longest = self.size(
            "max_record",
            args.max_record.as_ref(),
            section.max_record.as_ref(),
            default.max_record_bytes as u64,
        )?;
        let read = ReadLimits {
            max_record_bytes: longest as usize,
            ..default
        };
        let rejects = match (args.max_rejects, &section.max_rejects) {
            (Some(limit), _) => limit,
            (None, Some(setting)) => {
                let text = setting.get_ref().text();
                let wrong =
                    format!("{text:?} is neither a number of records nor a share like 0.1%");
                RejectLimit::parse(&text).ok_or_else(|| {
                    self.message(Some(setting.span()), "limits.max_rejects", &wrong)
                })?
            }
            (None, None) => RejectLimit::default(),
        };
        Ok((read, rejects))
    }

    fn inputs(
        &self,
        sections: &[Spanned<InputSection>],
        args: &JobArgs,
    ) -> Result<Vec<InputRequest>, Error> {
        let mut inputs = Vec::new();
        for (index, section) in sections.iter().enumerate() {
            let format = self.format(index, section.get_ref())?;
            for pattern in section
                .get_ref()
                .files
                .iter()
                .filter(|_| args.input.is_empty())
            {
                inputs.push(InputRequest {
                    pattern: pattern.clone(),
                    data_type: section.get_ref().data_type.clone(),
                    format: format.clone(),
                });
            }
        }
        for arg in &args.input {
            let of_type = |name: &str| {
                sections
                    .iter()
                    .find(|section| section.get_ref().data_type == name)
            };
            let typed = arg
                .split_once('=')
                .and_then(|(name, pattern)| Some((of_type(name)?, pattern)));
            let (section, pattern) = match (typed, sections) {
                (Some(typed), _) => typed,
                (None, [only]) => (only, arg.as_str()),
                (None, _) => {
                    return Err(format!(
                        "--input {arg}: the job has several inputs; name the type: TYPE=GLOB"
                    ));
                }
            };
            let here =
                std::path::absolute(pattern).map_err(|error| format!("--input {arg}: {error}"))?;
            let pattern = here.to_string_lossy().into_owned();
            inputs.push(InputRequest {
                pattern,
                data_type: section.get_ref().data_type.clone(),
                format: section.get_ref().format(),
            });
        }
        if inputs.is_empty() {
            return Err(format!("{}: no input files", self.path.display()));
        }
        Ok(inputs)
    }

    fn format(&self, index: usize, input: &InputSection) -> Result<Format, Error> {
        let wrong = |key: &str, message: &str| {
            let key = format!("input.{index}.{key}");
            self.message(self.find(&key), &key, message)
        };
        if input.format != "csv" {
            let name = &input.format;
            let message = format!("there is no format {name:?}; the formats are csv");
            return Err(wrong("format", &message));
        }
        match input.csv().problem() {
            Some((key, message)) => Err(wrong(key, &message)),
            None => Ok(input.format()),
        }
    }

    fn toml(&self, error: &toml::de::Error) -> Error {
        let place = error
            .span()
            .map(|span| format!(":{}", self.line(span.start)))
            .unwrap_or_default();
        format!("{}{place}: {}", self.path.display(), error.message().trim())
    }

    fn message(&self, span: Option<Range<usize>>, key: &str, message: &str) -> Error {
        let place = span
            .map(|span| format!(":{}", self.line(span.start)))
            .unwrap_or_default();
        format!("{}{place}: {key}: {message}", self.path.display())
    }

    fn line(&self, at: usize) -> usize {
        self.text
            .as_bytes()
            .iter()
            .take(at)
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1
    }

    /// Where a dotted key stands; the nearest table above it when it is not there.
    fn find(&self, key: &str) -> Option<Range<usize>> {
        let table = DeTable::parse(&self.text).ok()?;
        let mut value = DeValue::Table(table.into_inner());
        let mut span = None;
        for part in key.split('.') {
            let next = match &value {
                DeValue::Table(table) => {
                    let (name, value) = table.get_key_value(part)?;
                    span = Some(name.span());
                    value.get_ref().clone()
                }
                DeValue::Array(list) => {
                    let value = list.get(part.parse::<usize>().ok()?)?;
                    span = Some(value.span());
                    value.get_ref().clone()
                }
                _ => return span,
            };
            value = next;
        }
        span
    }
}

fn moment(text: &str) -> Result<i64, Error> {
    if let Ok(millis) = text.parse::<i64>() {
        return Ok(millis);
    }
    let parsed = text.parse::<Timestamp>();
    parsed.map(Timestamp::as_millisecond).map_err(|_| {
        format!("{text:?} is neither milliseconds since 1970 nor a time like 2024-01-31T23:00:00Z")
    })
}
