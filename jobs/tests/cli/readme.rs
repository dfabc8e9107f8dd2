//! The README's commands, run as they stand.

use super::support::{folder, workspace};
use std::fs;
use std::process::Command;

/// The bodies of fenced blocks whose opening fence is exactly this.
fn blocks(fence: &str) -> Vec<String> {
    let text = fs::read_to_string(workspace().join("README.md")).unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match &mut open {
            None if line == fence => open = Some(String::new()),
            Some(_) if line == "```" => blocks.extend(open.take()),
            Some(block) => {
                block.push_str(line);
                block.push('\n');
            }
            None => {}
        }
    }
    assert!(open.is_none(), "a fence of README.md is not closed");
    blocks
}

/// Runs a script from the top of the repository, with the program as `shardmill` and results in a folder of their own.
fn run(script: &str) {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_shardmill");
    let script = script.replace("output/", &format!("{}/", folder.path().display()));
    for line in script.lines() {
        let line = line
            .replace("cargo run --release --quiet --", program)
            .replace("cargo run --release --", program);
        let line = line
            .strip_prefix("shardmill")
            .map_or(line.clone(), |rest| format!("{program}{rest}"));
        let output = Command::new("bash")
            .current_dir(workspace())
            .args(["-euo", "pipefail", "-c", &line])
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            output.status.success(),
            "{line}\n{}\n{}",
            text(&output.stdout),
            text(&output.stderr)
        );
        if line.contains(" scan ") || line.contains(" inspect ") {
            assert!(
                output.stdout.len() > 100,
                "{line} shows nothing:\n{}",
                text(&output.stdout)
            );
        }
    }
}

#[test]
fn the_first_command_ingests_the_sample_and_the_second_runs_the_tests() {
    let plain = blocks("```sh");
    assert!(
        plain[0].starts_with("cargo run --release -- ingest sample-data/"),
        "{}",
        plain[0]
    );
    assert!(plain[1].starts_with("cargo test"), "{}", plain[1]);
    run(&plain[0]);
}

#[test]
fn the_tour_works() {
    let tour = blocks("```sh tour");
    assert!(tour.len() >= 2);
    run(&tour.concat());
}

#[test]
fn the_layouts_and_exit_codes_are_all_in_it() {
    let text = fs::read_to_string(workspace().join("README.md")).unwrap();
    for layout in shardmill_schemas::layout::LAYOUTS {
        assert!(
            text.contains(&format!("| `{}` |", layout.name)),
            "README.md does not name the layout {}",
            layout.name
        );
    }
    for code in [
        "| 0 |",
        "| 2 |",
        "| 3 |",
        "| 4 |",
        "| 5 |",
        "| 6 |",
        "| 70 |",
        "| 73 |",
        "| 75 |",
        "| 78 |",
        "| 130, 143 |",
    ] {
        assert!(text.contains(code), "README.md does not explain {code}");
    }
}
