//! From sections and command line to how files are made.

use super::Error;
use super::sections::OutputSection;
use super::source::Source;
use crate::args::JobArgs;
use shardmill_pipeline::load::IteratorFlavour;
use shardmill_pipeline::phases::plan::OutputSettings;
use shardmill_pipeline::rfile::{Codec, RFileError, RFileWriter, WriterOptions};
use toml::Spanned;

impl Source {
    pub(super) fn output(
        &self,
        section: &OutputSection,
        args: &JobArgs,
    ) -> Result<OutputSettings, Error> {
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
    pub(super) fn check_output(
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
}
