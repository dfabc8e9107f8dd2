//! Fields that are made of others: virtual and composite ones.

use super::super::model::{Composite, Grouping, Member, VirtualField};
use super::super::registry::ALL_TYPES;
use super::reader::{Reader, Setting};
use std::collections::BTreeMap;

const GROUPINGS: &[(&str, Grouping)] = &[
    ("SAME_GROUP_ONLY", Grouping::SameGroupOnly),
    ("GROUPED_WITH_NON_GROUPED", Grouping::GroupedWithNonGrouped),
    ("IGNORE_GROUPS", Grouping::IgnoreGroups),
];

/// The setting of a virtual field's property: the type's own, the type's with the normalizer's name, or that of all types.
fn setting(reader: &mut Reader<'_>, name: &str) -> Option<Setting> {
    let own = reader.own(&format!("data.combine.{name}"));
    let long = reader.own(&format!("VirtualFieldNormalizer.data.combine.{name}"));
    let all = format!("{ALL_TYPES}.data.combine.{name}");
    [own, long, all].iter().find_map(|name| reader.raw(name))
}

/// Reads the virtual fields.
pub(super) fn virtual_fields(reader: &mut Reader<'_>) -> Vec<VirtualField> {
    let separator = setting(reader, "separator").map_or_else(|| " ".into(), |s| s.value);
    let start = setting(reader, "start.separator")
        .map(|s| s.value)
        .unwrap_or_default();
    let end = setting(reader, "end.separator")
        .map(|s| s.value)
        .unwrap_or_default();
    let missing = setting(reader, "allow.missing");
    let groupings = setting(reader, "grouping.policy");
    let ignored = setting(reader, "ignore.normalization.on.fields");
    let ignored = ignored.map(|setting| setting.list()).unwrap_or_default();
    let members = setting(reader, "fields");
    let Some(names) = setting(reader, "name").filter(|names| !names.value.trim().is_empty()) else {
        return Vec::new();
    };
    let lists = members
        .as_ref()
        .map(|s| split(&s.value, ','))
        .unwrap_or_default();
    let given = names.list();
    if lists.len() != given.len() {
        let message = format!(
            "{} names, and data.combine.fields has {}",
            given.len(),
            lists.len()
        );
        reader.fault(&names, message);
    }
    let mut fields = Vec::new();
    for (at, (name, list)) in given.into_iter().zip(lists).enumerate() {
        let allow = word_of(
            reader,
            missing.as_ref(),
            at,
            &[("true", true), ("false", false)],
        );
        let grouping = word_of(reader, groupings.as_ref(), at, GROUPINGS);
        fields.push(VirtualField {
            members: split(&list, '.')
                .iter()
                .map(|part| member(part.trim()))
                .collect(),
            separator: separator.clone(),
            start: start.clone(),
            end: end.clone(),
            allow_missing: allow.unwrap_or(false),
            grouping: grouping.unwrap_or_default(),
            normalize: !ignored.contains(&name),
            name,
        });
    }
    fields
}

/// The word for the field at this place, where one word may stand for all.
fn word_of<T: Copy>(
    reader: &mut Reader<'_>,
    setting: Option<&Setting>,
    at: usize,
    words: &[(&str, T)],
) -> Option<T> {
    let setting = setting?;
    let list = setting.list();
    let word = match list.as_slice() {
        [only] => only,
        several => several.get(at)?,
    };
    let found = words
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(word));
    if found.is_none() {
        let known: Vec<&str> = words.iter().map(|(known, _)| *known).collect();
        reader.fault(setting, format!("{word:?} is none of {}", known.join(", ")));
    }
    found.map(|(_, value)| *value)
}

fn member(part: &str) -> Member {
    for quote in ['\'', '"'] {
        let inside = part
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(text) = inside {
            return Member::Text(text.to_owned());
        }
    }
    Member::Field(part.to_owned())
}

/// Splits at a character that is not inside quotes.
fn split(text: &str, at: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => {}
        }
        if c == at && quote.is_none() {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

/// Reads the composite fields. Their separator is the field's own, or the type's, or that of all types, or Unicode's last code point.
pub(super) fn composites(
    reader: &mut Reader<'_>,
    index_only: &[String],
) -> BTreeMap<String, Composite> {
    let common = |reader: &mut Reader<'_>, name: &str| {
        let own = reader.own(name);
        let all = format!("{ALL_TYPES}.{name}");
        [own, all].iter().find_map(|name| reader.raw(name))
    };
    let separator = common(reader, "data.composite.separator").map(|setting| setting.value);
    let missing = common(reader, "data.composite.allow.missing");
    let missing = missing.is_some_and(|setting| reader.flag(&setting.name, false));
    let separators = reader.of_fields("data.composite.field.separator", true);
    let missings = reader.of_fields("data.composite.field.allow.missing", true);
    let mut composites = BTreeMap::new();
    for (name, setting) in reader.of_fields("data.composite.field.map", true) {
        let fields = setting.list();
        if fields.len() < 2 {
            reader.fault(&setting, "a composite field needs at least two members");
        }
        if let Some(field) = fields.iter().find(|field| index_only.contains(field)) {
            reader.fault(
                &setting,
                format!("{field} is index-only and cannot be part of it"),
            );
        }
        let own = separators.iter().find(|(field, _)| *field == name);
        let own = own.map(|(_, setting)| setting.value.clone());
        let allow = missings.iter().find(|(field, _)| *field == name);
        let allow = allow.map(|(_, setting)| reader.flag(&setting.name, false));
        let last = char::MAX.to_string();
        composites.insert(
            name,
            Composite {
                fields,
                separator: own.or_else(|| separator.clone()).unwrap_or(last),
                allow_missing: allow.unwrap_or(missing),
            },
        );
    }
    composites
}
