//! From sections and command line to what shapes the records: clock, inputs, limits, splits.

use super::Error;
use super::sections::{InputSection, LimitsSection, Moment, OutputSection, Sections, Size};
use super::source::Source;
use crate::args::JobArgs;
use crate::{sizes, splits};
use jiff::Timestamp;
use shardmill_pipeline::escape::Escaped;
use shardmill_pipeline::phases::plan::InputRequest;
use shardmill_pipeline::read::{Format, ReadLimits};
use shardmill_pipeline::rejects::RejectLimit;
use std::collections::BTreeMap;
use std::path::Path;
use toml::Spanned;

impl Source {
    pub(super) fn now(&self, sections: &Sections, args: &JobArgs) -> Result<Option<i64>, Error> {
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

    pub(super) fn size(
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

    pub(super) fn splits(
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

    pub(super) fn limits(
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

    pub(super) fn inputs(
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

    pub(super) fn format(&self, index: usize, input: &InputSection) -> Result<Format, Error> {
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
