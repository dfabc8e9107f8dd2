use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::{Pattern, resolve};
use crate::read::{CsvOptions, Format, ReadError};

fn folder(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    folder
}

fn found(base: &Path, patterns: &[&str]) -> Result<Vec<String>, ReadError> {
    let pattern = |path: &&str| Pattern {
        path: (*path).to_owned(),
        data_type: "cars".to_owned(),
        format: Format::Csv(CsvOptions::default()),
    };
    let patterns: Vec<_> = patterns.iter().map(pattern).collect();
    let files = resolve(base, &patterns)?;
    Ok(files.into_iter().map(|file| file.display).collect())
}

fn code(base: &Path, patterns: &[&str]) -> (&'static str, String) {
    let error = found(base, patterns).unwrap_err();
    (error.code(), error.to_string())
}

#[test]
fn patterns_keep_the_order_of_the_job_and_names_are_sorted_within_each() {
    let folder = folder(&[
        "b/2.csv", "b/1.csv", "b/10.csv", "a.csv", "z.csv", "b/x.json",
    ]);
    let base = folder.path();
    assert_eq!(
        found(base, &["z.csv", "b/*.csv", "a.csv"]).unwrap(),
        ["z.csv", "b/1.csv", "b/10.csv", "b/2.csv", "a.csv"]
    );
    assert_eq!(found(base, &["?.{csv,json}"]).unwrap(), ["a.csv", "z.csv"]);
    assert_eq!(
        found(base, &["**/[1a]*.csv"]).unwrap(),
        ["a.csv", "b/1.csv", "b/10.csv"]
    );
    let absolute = base.join("a.csv").display().to_string();
    assert_eq!(found(Path::new("/"), &[&absolute]).unwrap(), [absolute]);
}

#[test]
fn a_description_has_what_tells_a_later_change() {
    let folder = folder(&["a.csv"]);
    let pattern = Pattern {
        path: "a.csv".to_owned(),
        data_type: "cars".to_owned(),
        format: Format::Csv(CsvOptions::default()),
    };
    let files = resolve(folder.path(), &[pattern]).unwrap();
    assert_eq!(files[0].path, folder.path().join("a.csv"));
    assert_eq!((files[0].size, files[0].data_type.as_str()), (5, "cars"));
    assert!(files[0].modified_nanos > 1_000_000_000_000_000_000);
    let json = serde_json::to_string(&files[0]).unwrap();
    assert!(
        json.contains(r#""format":{"csv":{"separator":",","#),
        "{json}"
    );
    assert_eq!(
        serde_json::from_str::<super::InputFile>(&json).unwrap(),
        files[0]
    );
}

#[test]
fn a_folder_is_all_its_files_but_the_hidden_and_the_marked() {
    let folder = folder(&[
        "in/b.csv",
        "in/deep/er/a.csv",
        "in/.hidden",
        "in/_SUCCESS",
        "in/_tmp/x.csv",
        "in/.git/y.csv",
    ]);
    let base = folder.path();
    let all = ["in/b.csv", "in/deep/er/a.csv"];
    assert_eq!(found(base, &["in"]).unwrap(), all);
    assert_eq!(found(base, &["in/"]).unwrap(), all);
    assert_eq!(found(&base.join("in/deep"), &["er"]).unwrap(), ["er/a.csv"]);
    assert_eq!(found(base, &["in/**"]).unwrap().len(), 4);
    assert_eq!(found(base, &["in/_SUCCESS"]).unwrap(), ["in/_SUCCESS"]);
}

#[test]
fn a_name_with_wildcard_characters_is_itself_when_it_exists() {
    let folder = folder(&["a[1].csv", "a1.csv"]);
    assert_eq!(found(folder.path(), &["a[1].csv"]).unwrap(), ["a[1].csv"]);
}

#[test]
fn a_pattern_that_finds_nothing_is_named() {
    let folder = folder(&["in/a.csv", "empty/_x"]);
    for pattern in [
        "b.csv",
        "in/*.json",
        "*.csv",
        "no/such/*.csv",
        "empty",
        "in/a.csv/*",
    ] {
        let (code, message) = code(folder.path(), &["in", pattern]);
        assert_eq!(code, "input-no-match", "{message}");
        assert!(message.contains(&format!("{pattern:?}")), "{message}");
    }
    assert_eq!(code(folder.path(), &["in/[a.csv"]).0, "input-pattern");
}

#[test]
fn one_file_twice_is_refused_under_whatever_names() {
    let folder = folder(&["in/a.csv"]);
    symlink(folder.path().join("in/a.csv"), folder.path().join("b.csv")).unwrap();
    for second in ["in/*.csv", "in", "./in/a.csv", "in/../in/a.csv", "b.csv"] {
        let (code, message) = code(folder.path(), &["in/a.csv", second]);
        assert_eq!(code, "input-twice", "{second}");
        assert!(
            message.contains("\"in/a.csv\"") && message.contains(second),
            "{message}"
        );
    }
}

#[test]
fn what_cannot_be_read_as_a_file_is_refused() {
    let folder = folder(&["in/a.csv", "in/deep/b.csv"]);
    let base = folder.path();
    assert_eq!(
        found(Path::new("/dev"), &["null"]).unwrap_err().code(),
        "input-not-a-file"
    );
    symlink("nowhere", base.join("in/dangling.csv")).unwrap();
    assert_eq!(code(base, &["in"]).0, "input-missing");
    fs::remove_file(base.join("in/dangling.csv")).unwrap();
    symlink(base.join("in"), base.join("in/deep/loop")).unwrap();
    assert_eq!(code(base, &["in"]).0, "input-io");
    // A glob walks no deeper than it can match.
    fs::set_permissions(base.join("in/deep"), fs::Permissions::from_mode(0o0)).unwrap();
    assert_eq!(found(base, &["in/*.csv"]).unwrap(), ["in/a.csv"]);
    fs::set_permissions(base.join("in/deep"), fs::Permissions::from_mode(0o700)).unwrap();
}
