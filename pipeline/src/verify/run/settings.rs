//! Does the settings file of a table say what the manifest says?

use super::error::{VerifyRunError, damaged, read_text};
use crate::load::IteratorFlavour;
use crate::load::manifest::Table;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub(super) fn check(
    run: &Path,
    table: &Table,
    flavour: IteratorFlavour,
) -> Result<(), VerifyRunError> {
    let path = format!("load/{}.properties", table.name);
    let text = read_text(run, &path)?;
    let mut found = parse(&text).map_err(|what| damaged(&path, what))?;
    compare(&mut found, table, flavour).map_err(|what| damaged(&path, what))?;
    match found.first_key_value() {
        Some((key, _)) => Err(damaged(&path, format!("the manifest does not know {key}"))),
        None => Ok(()),
    }
}

/// The lines by key. Nothing is escaped: the value is everything after the first `=`.
fn parse(text: &str) -> Result<BTreeMap<&str, &str>, String> {
    let mut settings = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let Some((key, value)) = line.split_once('=') else {
            return Err(format!("line {} is no key=value", index + 1));
        };
        if settings.insert(key, value).is_some() {
            return Err(format!("line {} sets {key} again", index + 1));
        }
    }
    Ok(settings)
}

/// Takes out of `found` what the manifest knows.
fn compare(
    found: &mut BTreeMap<&str, &str>,
    table: &Table,
    flavour: IteratorFlavour,
) -> Result<(), String> {
    let mut expect = |key: &str, value: &str| match found.remove(key) {
        Some(is) if is == value => Ok(()),
        Some(is) => Err(format!("{key} is {is:?}, the manifest says {value:?}")),
        None => Err(format!("{key} is missing")),
    };
    let iterators = match flavour {
        IteratorFlavour::Native => &table.native_iterators,
        IteratorFlavour::Plain => &table.plain_iterators,
    };
    for iterator in iterators {
        for scope in ["majc", "minc", "scan"] {
            let base = ["table", "iterator", scope, iterator.name.as_str()].join(".");
            expect(
                &base,
                &[
                    iterator.priority.to_string().as_str(),
                    iterator.class.as_str(),
                ]
                .join(","),
            )?;
            for (option, value) in &iterator.options {
                expect(&format!("{base}.opt.{option}"), value)?;
            }
        }
    }
    for (key, value) in &table.properties {
        expect(key, value)?;
    }
    let mut enabled = Vec::new();
    for group in &table.locality_groups {
        enabled.push(group.name.as_str());
        let key = format!("table.group.{}", group.name);
        let value = found
            .remove(key.as_str())
            .ok_or_else(|| format!("{key} is missing"))?;
        let families: BTreeSet<Vec<u8>> = group
            .families
            .iter()
            .map(|family| family.0.clone())
            .collect();
        if decode_families(value) != Some(families) {
            return Err(format!(
                "{key} is {value:?}, which are not the families of the manifest"
            ));
        }
    }
    let groups = found.remove("table.groups.enabled");
    if groups.map_or(Vec::new(), |names| names.split(',').collect()) != enabled {
        return Err(format!(
            "table.groups.enabled is {groups:?}, the manifest says {enabled:?}"
        ));
    }
    Ok(())
}

/// Reads families as Accumulo does: separated by commas; in each, `\\` and `\xNN` stand for a byte, everything else for itself.
fn decode_families(value: &str) -> Option<BTreeSet<Vec<u8>>> {
    value.split(',').map(decode_family).collect()
}

fn decode_family(text: &str) -> Option<Vec<u8>> {
    let mut family = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            family.push(byte);
            continue;
        }
        match bytes.next()? {
            b'\\' => family.push(b'\\'),
            b'x' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                family.push(u8::try_from(high << 4 | low).ok()?);
            }
            _ => return None,
        }
    }
    Some(family)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_decode_as_accumulo_does() {
        let families = decode_families(r",\x2Ca\\,b").unwrap();
        assert_eq!(
            families,
            [b"".to_vec(), b",a\\".to_vec(), b"b".to_vec()].into()
        );
        for wrong in [r"a\", r"\n", r"\x4", r"\xg0"] {
            assert_eq!(decode_families(wrong), None, "{wrong}");
        }
    }
}
