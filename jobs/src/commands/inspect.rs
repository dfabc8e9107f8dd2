//! `shardmill inspect`: what is in RFiles, and which tables a run has.

use crate::args::InspectArgs;
use crate::exit::{End, Exit};
use crate::print;
use crate::print::{file_facts, run_facts};
use shardmill_pipeline::load::read_manifest;
use shardmill_pipeline::rfile::RFileReader;
use std::path::Path;

pub(crate) fn run(args: &InspectArgs) -> Result<End, End> {
    for path in &args.paths {
        let text = inspect(path, args.json).map_err(|error| {
            End::failed(
                Exit::Input,
                error,
                "give RFiles or the folder of a published run; shardmill verify says more",
            )
        })?;
        print::print(&text)?;
    }
    Ok(End::silent())
}

fn inspect(path: &Path, json: bool) -> Result<String, String> {
    let name = path.display().to_string();
    if path.is_dir() {
        let manifest = read_manifest(path).map_err(|error| error.to_string())?;
        return Ok(if json {
            run_facts::json(&name, &manifest)
        } else {
            run_facts::text(&name, &manifest)
        });
    }
    let info = RFileReader::open(path)
        .and_then(|reader| reader.info())
        .map_err(|error| error.to_string())?;
    Ok(if json {
        file_facts::json(&info)
    } else {
        file_facts::text(&info)
    })
}
