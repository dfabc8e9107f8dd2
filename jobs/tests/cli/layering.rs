//! The arrows of the house: jobs → pipeline → schemas, benches sees all; layouts do not know one another, nor do read, sort and rfile.

use std::fs;
use std::path::{Path, PathBuf};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All `.rs` files below a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

/// Fails when a source below `folder` names one of `banned`.
fn must_not_name(folder: &str, banned: &[&str]) {
    let sources = sources(&workspace().join(folder));
    assert!(!sources.is_empty(), "{folder} has no sources");
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for name in banned {
                assert!(
                    !line.contains(name),
                    "{}:{}: {folder} must not know {name}",
                    path.display(),
                    number + 1
                );
            }
        }
    }
}

#[test]
fn crates_depend_downwards() {
    for (folder, banned) in [
        (
            "schemas",
            &["shardmill-pipeline", "shardmill-jobs", "shardmill-benches"][..],
        ),
        ("pipeline", &["shardmill-jobs", "shardmill-benches"]),
        ("jobs", &["shardmill-benches"]),
    ] {
        let manifest = fs::read_to_string(workspace().join(folder).join("Cargo.toml")).unwrap();
        for line in manifest.lines().filter(|line| !line.starts_with("name")) {
            assert!(
                !banned.iter().any(|name| line.contains(name)),
                "{folder}/Cargo.toml: {line}"
            );
        }
    }
}

#[test]
fn schemas_do_no_input_or_output() {
    must_not_name(
        "schemas/src",
        &[
            "std::fs",
            "std::net::Tcp",
            "std::net::Udp",
            "std::thread",
            "SystemTime",
            "Instant::now",
            "std::env",
            "rayon",
        ],
    );
}

#[test]
fn layouts_do_not_know_one_another() {
    let layouts: Vec<String> = fs::read_dir(workspace().join("schemas/src/layouts"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert!(layouts.len() >= 3, "{layouts:?}");
    for layout in &layouts {
        let others: Vec<String> = layouts
            .iter()
            .filter(|other| *other != layout)
            .map(|other| format!("layouts::{other}"))
            .collect();
        must_not_name(
            &format!("schemas/src/layouts/{layout}"),
            &others.iter().map(String::as_str).collect::<Vec<_>>(),
        );
    }
    // The engine knows no layout by name.
    must_not_name("pipeline/src", &["layouts::"]);
}

#[test]
fn reading_sorting_and_writing_do_not_import_one_another() {
    must_not_name(
        "pipeline/src/read",
        &[
            "crate::sort",
            "crate::rfile",
            "crate::load",
            "crate::phases",
            "crate::verify",
        ],
    );
    must_not_name(
        "pipeline/src/sort",
        &[
            "crate::read",
            "crate::rfile",
            "crate::load",
            "crate::phases",
            "crate::verify",
        ],
    );
    must_not_name(
        "pipeline/src/rfile",
        &[
            "crate::read",
            "crate::sort",
            "crate::load",
            "crate::phases",
            "crate::verify",
        ],
    );
}
