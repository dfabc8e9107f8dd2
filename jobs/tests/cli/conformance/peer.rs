//! Runs the programs of `conformance/`.

use crate::support;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::NamedTempFile;

/// Whether a JDK 17 or later and Maven are here; if not, says that the test is skipped, or fails where it may not be.
pub(super) fn available() -> bool {
    let reason = match (java_version(), output_of("mvn", &["--version"])) {
        (Some(17..), Some(_)) => return true,
        (Some(17..), None) => "no Maven (mvn)".to_owned(),
        (Some(old), _) => format!("the JDK is {old}, 17 is needed"),
        (None, _) => "no JDK (javac)".to_owned(),
    };
    support::skip(
        "peers",
        &format!("{reason}: nothing was compared with real Accumulo"),
    );
    false
}

/// The first number of `javac 17.0.12`; of `javac 1.8.0` that is 1, too old as well.
fn java_version() -> Option<u32> {
    let text = output_of("javac", &["-version"])?;
    let version = text.split_whitespace().nth(1)?;
    version.split(['.', '-']).next()?.parse().ok()
}

fn output_of(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

/// A running program.
pub(super) struct Peer {
    child: Child,
    what: String,
    errors: NamedTempFile,
}

impl Peer {
    /// Starts `conformance/peer ARGS...` with pipes to its input and output.
    pub(super) fn start<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Peer {
        let errors = NamedTempFile::new().unwrap();
        let child = Command::new(support::workspace().join("conformance/peer"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors.reopen().unwrap())
            .spawn()
            .unwrap();
        let words = args.iter().map(|arg| arg.as_ref().to_string_lossy());
        Peer {
            child,
            what: words.collect::<Vec<_>>().join(" "),
            errors,
        }
    }

    /// Where its input goes; dropping it is the end of the input.
    pub(super) fn input(&mut self) -> BufWriter<ChildStdin> {
        BufWriter::new(self.child.stdin.take().unwrap())
    }

    /// What it prints.
    pub(super) fn output(&mut self) -> BufReader<ChildStdout> {
        BufReader::with_capacity(1 << 16, self.child.stdout.take().unwrap())
    }

    /// Waits for its end, which must be a success.
    pub(super) fn finish(mut self) {
        drop(self.child.stdin.take());
        let status = self.child.wait().unwrap();
        let errors = std::fs::read_to_string(self.errors.path()).unwrap();
        assert!(status.success(), "peer {}: {status}\n{errors}", self.what);
    }
}

/// Runs a program to its end and gives what it printed.
pub(super) fn run<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> String {
    let mut peer = Peer::start(args);
    drop(peer.input());
    let text = std::io::read_to_string(peer.output()).unwrap();
    peer.finish();
    text
}

/// Runs a cluster through a script; gives what it printed.
pub(super) fn cluster(work: &Path, script: &str) -> String {
    let commands = work.join("script");
    std::fs::write(&commands, script).unwrap();
    let (log, errors) = (work.join("cluster.log"), work.join("cluster.err"));
    let status = Command::new(support::workspace().join("conformance/peer"))
        .args(["cluster", "--limit", "900", "--work"])
        .arg(work)
        .arg("--script")
        .arg(&commands)
        .stdin(Stdio::null())
        .stdout(File::create(&log).unwrap())
        .stderr(File::create(&errors).unwrap())
        .status()
        .unwrap();
    let text = std::fs::read_to_string(&log).unwrap();
    let errors = std::fs::read_to_string(&errors).unwrap();
    assert!(
        status.success(),
        "the cluster's commands: {status}\n{text}\n{errors}"
    );
    text
}
