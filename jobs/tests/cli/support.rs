//! What the modules share: the program, the golden data, folders of their own.

#![allow(dead_code, reason = "not every module needs everything")]

use assert_cmd::Command;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The program.
pub(crate) fn shardmill() -> Command {
    let mut command = Command::cargo_bin("shardmill").unwrap();
    command.current_dir(workspace());
    command
}

/// The top of the repository.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap()
}

/// Whether `SHARDMILL_REQUIRE` names this: then its absence is a failure, no skip.
pub(crate) fn required(what: &str) -> bool {
    std::env::var("SHARDMILL_REQUIRE")
        .is_ok_and(|list| list.split(',').any(|name| name.trim() == what))
}

/// Says that a test is skipped, or fails when it may not be.
pub(crate) fn skip(what: &str, reason: &str) {
    assert!(!required(what), "{what} is required: {reason}");
    // Not by a macro, whose output the test harness keeps to itself.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
}

/// A file of the golden data; `None` when they are absent and may be.
pub(crate) fn golden(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("SHARDMILL_GOLDEN")
        .map_or_else(|| workspace().join("../shared/golden"), PathBuf::from);
    let file = root.join(path);
    if file.exists() {
        return Some(file);
    }
    skip(
        "golden",
        &format!(
            "no golden data at {} (SHARDMILL_GOLDEN names another place)",
            file.display()
        ),
    );
    None
}

/// A folder that is removed at the end.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// What a command printed, as text: stdout, stderr and its exit code.
pub(crate) fn run(command: &mut Command) -> (String, String, i32) {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (
        text(output.stdout),
        text(output.stderr),
        output.status.code().unwrap_or(-1),
    )
}
