//! Which names may stand in a published run.

use super::error::LoadError;

/// Room for the longest suffix that a sidecar adds, inside the 255 bytes of a file name.
const LONGEST_NAME: usize = 240;

/// Checks the name of a table that the loader is to create: `table` or `namespace.table`, each of letters, digits and `_`.
///
/// # Errors
/// [`LoadError::TableName`] says what Accumulo would refuse, before hours of work end in it.
pub fn check_table_name(name: &str) -> Result<(), LoadError> {
    let fail = |reason| {
        Err(LoadError::TableName {
            name: name.to_owned(),
            reason,
        })
    };
    let (namespace, table) = match name.split_once('.') {
        Some((namespace, table)) => (Some(namespace), table),
        None => (None, name),
    };
    if namespace.is_some_and(str::is_empty) {
        return fail("there must be a namespace before the dot");
    }
    if table.is_empty() {
        return fail("it must have at least one letter, digit or _");
    }
    if table.contains('.') {
        return fail("it has more than one dot; the form is table or namespace.table");
    }
    // Java's \w is ASCII, so é or a hyphen is refused there too.
    let word = |part: &str| part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !word(table) || !namespace.is_none_or(word) {
        return fail(
            "only the letters a-z and A-Z, digits, _ and one dot after a namespace may stand in it",
        );
    }
    if namespace == Some("accumulo") {
        return fail("the namespace accumulo is reserved");
    }
    if name.len() > LONGEST_NAME {
        return fail("it is longer than 240 characters, the limit of the file names made from it");
    }
    Ok(())
}

/// The namespace of a table name, where it has one.
#[must_use]
pub fn namespace(table: &str) -> Option<&str> {
    table.split_once('.').map(|(namespace, _)| namespace)
}

/// Whether every tool takes this as a file name as it is: no space, quote, separator, control character or leading dot. `sha256sum`
/// would escape a backslash, Hadoop a colon, a shell most of the rest.
pub(crate) fn plain_file_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['.', '-'])
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._-+=@,".contains(&b))
}

/// Whether this can be the name of an RFile in `tables/<table>/`.
pub(crate) fn rfile_name(name: &str) -> bool {
    plain_file_name(name) && name.len() > ".rf".len() && name.ends_with(".rf")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_accumulo_takes() {
        for name in [
            "t",
            "shardIndex",
            "_",
            "datawave.shard",
            "a1.b_2",
            &"x".repeat(240),
        ] {
            assert!(check_table_name(name).is_ok(), "{name}");
        }
        assert_eq!(namespace("datawave.shard"), Some("datawave"));
        assert_eq!(namespace("shard"), None);
    }

    #[test]
    fn names_that_accumulo_refuses() {
        for (name, part) in [
            ("", "at least one"),
            (".t", "namespace before the dot"),
            ("n.", "at least one"),
            ("a.b.c", "more than one dot"),
            ("my-table", "only the letters"),
            ("n-s.t", "only the letters"),
            ("größe", "only the letters"),
            ("../t", "namespace before"),
            ("accumulo.metadata", "reserved"),
            (&"x".repeat(241), "240"),
        ] {
            let error = check_table_name(name).unwrap_err();
            assert_eq!(error.code(), "LOAD_TABLE_NAME");
            assert!(error.to_string().contains(part), "{error}");
        }
    }

    #[test]
    fn file_names() {
        for name in ["a.rf", "I0001.rf", "a-b_c+d=e@f,g.rf"] {
            assert!(rfile_name(name), "{name}");
        }
        for name in [
            "", ".rf", ".a.rf", "-a.rf", "a b.rf", "a\\b.rf", "a/b.rf", "a:b.rf", "a.rf.crc",
            "é.rf",
        ] {
            assert!(!rfile_name(name), "{name}");
        }
    }
}
