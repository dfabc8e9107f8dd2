//! Table settings: iterators, locality groups and properties, as Accumulo's table configuration names them.

use super::error::LoadError;
use serde::{Deserialize, Serialize};
use shardmill_schemas::layout::{IteratorSetting, LocalityGroup, TableSpec};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Which iterator classes a table is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IteratorFlavour {
    /// As the system that the layout belongs to has them; its jars must be on the servers.
    Native,
    /// What any Accumulo has, to the same effect as far as it goes.
    Plain,
}

impl IteratorFlavour {
    /// The iterators of a table in this flavour; a layout that names no plain ones has the same in both.
    #[must_use]
    pub fn iterators(self, spec: &TableSpec) -> &[IteratorSetting] {
        match self {
            IteratorFlavour::Plain if !spec.plain_iterators.is_empty() => &spec.plain_iterators,
            IteratorFlavour::Native | IteratorFlavour::Plain => &spec.iterators,
        }
    }
}

/// All properties of a table, in the order in which they are set: iterators by scope, families of each locality group, the list of
/// groups (after them: the servers complain about a listed group without families), the rest.
///
/// # Errors
/// [`LoadError::Setting`] for whatever the settings file, the shell or Accumulo would not take as it is.
pub fn table_settings(
    spec: &TableSpec,
    flavour: IteratorFlavour,
) -> Result<Vec<(String, String)>, LoadError> {
    let mut settings = Vec::new();
    for scope in ["scan", "minc", "majc"] {
        for iterator in flavour.iterators(spec) {
            let key = format!("table.iterator.{scope}.{}", iterator.name);
            let value = format!("{},{}", iterator.priority, iterator.class);
            let options = iterator.options.iter();
            let options = options.map(|(name, value)| (format!("{key}.opt.{name}"), value.clone()));
            settings.extend(std::iter::once((key.clone(), value)).chain(options));
        }
    }
    for group in &spec.locality_groups {
        settings.push((
            format!("table.group.{}", group.name),
            encode_families(&group.families),
        ));
    }
    if !spec.locality_groups.is_empty() {
        let names: Vec<&str> = spec
            .locality_groups
            .iter()
            .map(|g| g.name.as_str())
            .collect();
        settings.push(("table.groups.enabled".to_owned(), names.join(",")));
    }
    settings.extend(spec.properties.iter().cloned());
    check(spec, flavour, &settings)?;
    Ok(settings)
}

/// One `key=value` a line; the value is everything after the first `=`, with no escapes.
#[must_use]
pub fn render(settings: &[(String, String)]) -> String {
    settings
        .iter()
        .fold(String::new(), |mut text, (key, value)| {
            let _ = writeln!(text, "{key}={value}");
            text
        })
}

/// Families as `table.group.<name>` holds them: sorted as text and joined by commas; in each, a backslash is `\\`, a comma and every byte
/// outside 0x20–0x7e is `\xNN` with capital digits (`LocalityGroupUtil.encodeColumnFamilies`).
#[must_use]
pub fn encode_families(families: &[Vec<u8>]) -> String {
    let encoded: BTreeSet<String> = families
        .iter()
        .map(|family| encode_family(family))
        .collect();
    encoded.into_iter().collect::<Vec<_>>().join(",")
}

fn encode_family(family: &[u8]) -> String {
    family.iter().fold(String::new(), |mut text, &byte| {
        match byte {
            b'\\' => text.push_str("\\\\"),
            0x20..=0x7e if byte != b',' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\x{byte:02X}");
            }
        }
        text
    })
}

fn check(
    spec: &TableSpec,
    flavour: IteratorFlavour,
    settings: &[(String, String)],
) -> Result<(), LoadError> {
    let fail = |key: &str, reason| {
        Err(LoadError::Setting {
            table: spec.name.clone(),
            key: key.to_owned(),
            reason,
        })
    };
    for iterator in flavour.iterators(spec) {
        if !is_word(&iterator.name) {
            return fail(
                &iterator.name,
                "the name of an iterator is letters, digits, _ and - only",
            );
        }
    }
    let mut families = BTreeSet::new();
    for LocalityGroup {
        name,
        families: members,
    } in &spec.locality_groups
    {
        if !is_word(name) {
            return fail(
                name,
                "the name of a locality group is letters, digits, _ and - only",
            );
        }
        if members.is_empty() {
            return fail(name, "a locality group needs at least one family");
        }
        if members.iter().any(|family| !families.insert(family)) {
            return fail(name, "a family is in two locality groups or twice in one");
        }
    }
    let mut keys = BTreeSet::new();
    for (key, value) in settings {
        if !key.starts_with("table.")
            || key.contains('=')
            || !key.bytes().all(|b| b.is_ascii_graphic())
        {
            return fail(
                key,
                "a table property starts with table. and is ASCII without = or spaces",
            );
        }
        if value.chars().any(char::is_control) {
            return fail(
                key,
                "its value has a line break or another control character",
            );
        }
        if !keys.insert(key) {
            return fail(key, "it is set twice");
        }
    }
    Ok(())
}

fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> TableSpec {
        TableSpec {
            locality_groups: vec![
                LocalityGroup {
                    name: "index".into(),
                    families: vec![b"fi\0A".to_vec(), b"a,b".to_vec()],
                },
                LocalityGroup {
                    name: "tf".into(),
                    families: vec![b"tf".to_vec()],
                },
            ],
            properties: vec![("table.split.threshold".into(), "1G".into())],
            ..TableSpec::plain("t")
        }
    }

    #[test]
    fn settings_of_all_scopes_groups_and_properties() {
        let text = render(&table_settings(&spec(), IteratorFlavour::Native).unwrap());
        let expected = "\
table.iterator.scan.vers=20,org.apache.accumulo.core.iterators.user.VersioningIterator
table.iterator.scan.vers.opt.maxVersions=1
table.iterator.minc.vers=20,org.apache.accumulo.core.iterators.user.VersioningIterator
table.iterator.minc.vers.opt.maxVersions=1
table.iterator.majc.vers=20,org.apache.accumulo.core.iterators.user.VersioningIterator
table.iterator.majc.vers.opt.maxVersions=1
table.group.index=a\\x2Cb,fi\\x00A
table.group.tf=tf
table.groups.enabled=index,tf
table.split.threshold=1G
";
        assert_eq!(text, expected);
    }

    #[test]
    fn families_are_encoded_as_accumulo_does() {
        let families: [&[u8]; 6] = [b"z", b"", b"\\", b" ~", b"\x7f\x1f\xff", b"z"];
        let families: Vec<Vec<u8>> = families.iter().map(|f| f.to_vec()).collect();
        assert_eq!(encode_families(&families), r", ~,\\,\x7F\x1F\xFF,z");
    }

    #[test]
    fn the_plain_flavour_falls_back_to_the_native_iterators() {
        let mut spec = spec();
        assert_eq!(IteratorFlavour::Plain.iterators(&spec)[0].name, "vers");
        spec.plain_iterators = vec![IteratorSetting {
            name: "sum".into(),
            ..IteratorSetting::versioning(1)
        }];
        assert_eq!(IteratorFlavour::Plain.iterators(&spec)[0].name, "sum");
        assert_eq!(IteratorFlavour::Native.iterators(&spec)[0].name, "vers");
    }

    #[test]
    fn what_no_settings_file_can_hold_is_refused() {
        let group = |name: &str, families: &[&[u8]]| LocalityGroup {
            name: name.into(),
            families: families.iter().map(|f| f.to_vec()).collect(),
        };
        let property = |key: &str, value: &str| TableSpec {
            properties: vec![(key.into(), value.into())],
            ..spec()
        };
        let groups = |locality_groups| TableSpec {
            locality_groups,
            ..spec()
        };
        for (spec, part) in [
            (property("table.a=b", "1"), "without ="),
            (property("tserver.x", "1"), "starts with table."),
            (property("table.x", "a\nb"), "control character"),
            (property("table.group.tf", "x"), "set twice"),
            (groups(vec![group("a.b", &[b"f"])]), "locality group is"),
            (groups(vec![group("a", &[])]), "at least one family"),
            (
                groups(vec![group("a", &[b"f"]), group("b", &[b"f"])]),
                "two locality groups",
            ),
        ] {
            let error = table_settings(&spec, IteratorFlavour::Native).unwrap_err();
            assert!(error.to_string().contains(part), "{error}");
        }
    }
}
