//! Files with the splits of a live table.
//!
//! Three forms: `getsplits` prints a row a line, bytes that are not printable as `\xNN`; `getsplits -b64` prints Base64; DataWave keeps all
//! tables in one file, `table TAB Base64 [TAB location]` a line. Text that reads as Base64 too, like `2024`, is not guessed at: a name
//! written as `b64:FILE` or `text:FILE` says which it is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use shardmill_pipeline::escape::{Escaped, unescape};
use std::fs;
use std::path::{Path, PathBuf};

/// `file`, which may begin with `b64:` or `text:`, in the folder `base`.
pub(crate) fn beside(base: &Path, file: &str) -> PathBuf {
    let (form, file) = form(file);
    PathBuf::from(format!("{form}{}", base.join(file).display()))
}

fn form(file: &str) -> (&str, &str) {
    let prefix = ["b64:", "text:"]
        .into_iter()
        .find(|prefix| file.starts_with(prefix))
        .unwrap_or("");
    file.split_at(prefix.len())
}

/// The end rows of a table's tablets, ascending.
pub(crate) fn read(file: &Path, table: &str) -> Result<Vec<Escaped>, String> {
    let named = file.to_string_lossy();
    let (form, path) = form(&named);
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut rows = rows(form, path, &text, table)?;
    rows.sort_unstable();
    rows.dedup();
    Ok(rows.into_iter().map(Escaped).collect())
}

fn rows(form: &str, path: &str, text: &str, table: &str) -> Result<Vec<Vec<u8>>, String> {
    let lines: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(index, line)| (index + 1, line))
        .collect();
    let base64 = |(number, line): &(usize, &str)| {
        STANDARD
            .decode(line)
            .map_err(|error| format!("{path}:{number}: not Base64: {error}"))
    };
    let plain = |(number, line): &(usize, &str)| {
        unescape(line).map_err(|error| format!("{path}:{number}: {error}"))
    };
    if lines.iter().any(|(_, line)| line.contains('\t')) {
        let own = lines.iter().filter_map(|(number, line)| {
            let mut fields = line.split('\t');
            (fields.next() == Some(table)).then(|| (*number, fields.next().unwrap_or_default()))
        });
        return own.map(|line| base64(&line)).collect();
    }
    let all: Result<Vec<_>, _> = lines.iter().map(base64).collect();
    match (form, all) {
        ("b64:", all) => all,
        ("text:", _) | (_, Err(_)) => lines.iter().map(plain).collect(),
        // Padding does not occur in rows that only happen to read as Base64.
        (_, Ok(rows)) if rows.is_empty() || lines.iter().any(|(_, line)| line.ends_with('=')) => {
            Ok(rows)
        }
        (_, Ok(_)) => Err(format!(
            "{path}: these rows can be text or Base64; say which: text:{path} or b64:{path}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(form: &str, text: &str) -> Result<Vec<Vec<u8>>, String> {
        rows(form, "f", text, "t")
    }

    #[test]
    fn every_form_that_tools_print() {
        assert_eq!(
            read_as("", "20240101_0\n20240101_1\n"),
            Ok(vec![b"20240101_0".to_vec(), b"20240101_1".to_vec()])
        );
        assert_eq!(read_as("", "\\x00\\xff\n"), Ok(vec![vec![0, 0xff]]));
        assert_eq!(
            read_as("", "MjAyNDAxMDFfMA==\nYWJj\n"),
            Ok(vec![b"20240101_0".to_vec(), b"abc".to_vec()])
        );
        assert_eq!(
            read_as("", "u\tYWI=\nt\tYWJj\thost:1\n"),
            Ok(vec![b"abc".to_vec()])
        );
        assert_eq!(read_as("", ""), Ok(vec![]));
    }

    #[test]
    fn what_can_be_both_is_not_guessed() {
        assert!(
            read_as("", "2024\n2025\n")
                .unwrap_err()
                .contains("text:f or b64:f")
        );
        assert_eq!(read_as("text:", "2024\n"), Ok(vec![b"2024".to_vec()]));
        assert_eq!(read_as("b64:", "YWJj\n"), Ok(vec![b"abc".to_vec()]));
        assert!(
            read_as("b64:", "a_b\n")
                .unwrap_err()
                .starts_with("f:1: not Base64")
        );
        assert!(read_as("", "a\\q\n").unwrap_err().starts_with("f:1: "));
    }
}
