//! What becomes of single fields: indexes, types, markings, tokens.

use super::super::classes::{Does, Kind};
use super::super::model::{
    FailurePolicy, FieldSettings, ListSettings, TokenSettings, TypeSettings,
};
use super::NamedFiles;
use super::reader::{Reader, Setting};
use crate::visibility;
use std::collections::BTreeMap;

/// The type of values for which nothing is configured.
const NO_OP: &str = "datawave.data.type.NoOpType";

const POLICIES: &[(&str, FailurePolicy)] = &[
    ("FAIL", FailurePolicy::Fail),
    ("LEAVE", FailurePolicy::Leave),
    ("DROP", FailurePolicy::Drop),
];

/// Reads them into `settings`.
pub(super) fn read(
    reader: &mut Reader<'_>,
    files: &mut NamedFiles<'_, '_>,
    settings: &mut TypeSettings,
) {
    indexes(reader, settings);
    settings.shard_except = reader
        .own_list("data.shard.field.exclusions")
        .unwrap_or_default();
    settings.normalized = reader
        .own_list("data.category.normalized")
        .unwrap_or_default();
    settings.aliases = aliases(reader);
    settings.index_aliases = index_aliases(reader);
    let name = reader.own("data.default.type.class");
    settings.default_type = last_type(reader, &name);
    settings.most_precise_type = reader.own_flag("use.most.precise.field.type.regex", false);
    let policy = reader.own_word("data.default.normalization.failure.policy", POLICIES);
    settings.failure_policy = policy.unwrap_or_default();
    if let Some(name) = reader.own_text("data.normalization.failure.field") {
        settings.failure_field = name;
    }
    let name = reader.own("data.category.marking.default");
    settings.marking = marking(reader, &name);
    settings.fields = single(reader);
    settings.tokens = tokens(reader, files, settings);
    settings.lists = lists(reader);
}

fn indexes(reader: &mut Reader<'_>, settings: &mut TypeSettings) {
    settings.index = reader.own_list("data.category.index");
    settings.index_except = reader.own_names("data.category.index.disallowlist");
    settings.reverse_index = reader.own_list("data.category.index.reverse");
    settings.reverse_index_except = reader.own_names("data.category.index.reverse.disallowlist");
    settings.index_only = reader
        .own_list("data.category.index.only")
        .unwrap_or_default();
    not_both(
        reader,
        "data.category.index",
        "data.category.index.disallowlist",
    );
    not_both(
        reader,
        "data.category.index.reverse",
        "data.category.index.reverse.disallowlist",
    );
}

/// Two lists of which only one may have members.
pub(super) fn not_both(reader: &mut Reader<'_>, only: &str, except: &str) {
    let (only, except) = (reader.own(only), reader.own(except));
    if let (Some(only), Some(except)) = (reader.get(&only), reader.get(&except)) {
        let message = format!("not together with {} ({})", only.name, only.origin);
        reader.fault(&except, message);
    }
}

fn aliases(reader: &mut Reader<'_>) -> BTreeMap<String, String> {
    let mut aliases = BTreeMap::new();
    let name = reader.own("data.category.field.aliases");
    let Some(setting) = reader.get(&name) else {
        return aliases;
    };
    for member in setting.list() {
        match member.split_once(':') {
            Some((old, new)) if !old.is_empty() && !new.is_empty() => {
                aliases.insert(old.trim().to_owned(), new.trim().to_owned());
            }
            _ => reader.fault(&setting, format!("{member:?} is not of the form OLD:NEW")),
        }
    }
    aliases
}

fn index_aliases(reader: &mut Reader<'_>) -> BTreeMap<String, Vec<String>> {
    let mut aliases = BTreeMap::new();
    if !reader.own_flag("data.category.index.aliases.enabled", false) {
        return aliases;
    }
    let name = reader.own("data.category.index.aliases");
    let Some(setting) = reader.get(&name) else {
        return aliases;
    };
    for member in setting
        .value
        .split(';')
        .filter(|member| !member.trim().is_empty())
    {
        match member.split_once(':') {
            Some((field, names)) => {
                let names = names.split(',').map(|name| name.trim().to_owned());
                aliases.insert(field.trim().to_owned(), names.collect());
            }
            None => reader.fault(
                &setting,
                format!("{member:?} is not of the form FIELD:NAME,NAME"),
            ),
        }
    }
    aliases
}

/// The data types of a comma list.
fn types(reader: &mut Reader<'_>, setting: &Setting) -> Vec<String> {
    let classes = setting.list();
    let known = |class: &String| {
        matches!(
            reader.class(Kind::DataType, setting, class),
            Some(Does::Normalizes)
        )
    };
    classes.into_iter().filter(known).collect()
}

/// A default type: of several classes the last stays.
pub(super) fn last_type(reader: &mut Reader<'_>, name: &str) -> String {
    let setting = reader.get(name);
    let classes = setting
        .map(|setting| types(reader, &setting))
        .unwrap_or_default();
    classes.into_iter().last().unwrap_or_else(|| NO_OP.into())
}

/// A visibility expression.
pub(super) fn marking(reader: &mut Reader<'_>, name: &str) -> Option<String> {
    let setting = reader.get(name)?;
    checked_marking(reader, &setting)
}

fn checked_marking(reader: &mut Reader<'_>, setting: &Setting) -> Option<String> {
    let text = setting.value.trim();
    if let Err(error) = visibility::flatten(text.as_bytes()) {
        reader.fault(setting, format!("no visibility expression: {error}"));
    }
    (!text.is_empty()).then(|| text.to_owned())
}

fn single(reader: &mut Reader<'_>) -> BTreeMap<String, FieldSettings> {
    let mut fields: BTreeMap<String, FieldSettings> = BTreeMap::new();
    for (field, setting) in reader.of_fields("data.field.type.class", false) {
        fields.entry(field).or_default().types = types(reader, &setting);
    }
    for (field, setting) in reader.of_fields("event.field.type.class", false) {
        fields.entry(field).or_default().event_types = types(reader, &setting);
    }
    for (field, setting) in reader.of_fields("data.field.marking", false) {
        fields.entry(field).or_default().marking = checked_marking(reader, &setting);
    }
    for (field, setting) in reader.of_fields("data.field.normalization.failure.policy", false) {
        let policy = reader.word(&setting.name, POLICIES);
        fields.entry(field).or_default().failure_policy = policy;
    }
    fields
}

fn tokens(
    reader: &mut Reader<'_>,
    files: &mut NamedFiles<'_, '_>,
    settings: &TypeSettings,
) -> TokenSettings {
    let defaults = TokenSettings::default();
    let names = |reader: &mut Reader<'_>, name: &str| reader.own_names(name).unwrap_or_default();
    let enabled = reader.own_flag("data.category.token.fieldname.designator.enabled", true);
    let designator = reader.own_text("data.category.token.fieldname.designator");
    TokenSettings {
        fields: names(reader, "data.category.index.tokenize.allowlist"),
        except: names(reader, "data.category.index.tokenize.disallowlist"),
        reverse: names(reader, "data.category.index.reverse.tokenize.allowlist"),
        reverse_except: names(reader, "data.category.index.reverse.tokenize.disallowlist"),
        designator: if enabled {
            designator.unwrap_or(defaults.designator)
        } else {
            String::new()
        },
        stop_words: stop_words(reader, files, settings),
        max_length: reader
            .own_number("term.length.limit")
            .unwrap_or(defaults.max_length),
        min_length: reader
            .own_number("term.length.minimum")
            .unwrap_or(defaults.min_length),
        except_kinds: names(reader, "term.type.disallowlist"),
        synonyms: reader.own_flag("token.synonyms.create", true),
        next_value_position: reader
            .own_number("token.interfield.position.increment")
            .unwrap_or(defaults.next_value_position),
        words: reader.own_flag("term.word.tokens.enabled", true),
        dirty_words: reader.own_flag("term.dirty.word.tokens.enabled", true),
        file_words: reader.own_flag("term.file.word.tokens.enabled", true),
        url_words: reader.own_flag("term.url.word.tokens.enabled", true),
        email_words: reader.own_flag("term.email.word.tokens.enabled", true),
        email_domains: reader.own_flag("term.email.domain.word.tokens.enabled", true),
    }
}

/// The words of the file that the output name's property or else the type's names, one a line.
fn stop_words(
    reader: &mut Reader<'_>,
    files: &mut NamedFiles<'_, '_>,
    settings: &TypeSettings,
) -> Option<Vec<String>> {
    let output = settings.output_name.as_deref().unwrap_or(reader.type_name);
    let of_output = format!("{output}.stopword.list.file");
    let of_type = reader.own("stopword.list.file");
    let setting = match reader.get(&of_output) {
        Some(setting) => setting,
        None => reader.get(&of_type)?,
    };
    match files.bytes(&setting.origin.file, &setting.value) {
        Ok(file) => {
            let text = String::from_utf8_lossy(&file.bytes);
            let words = text.lines().map(str::trim).filter(|word| !word.is_empty());
            Some(words.map(Into::into).collect())
        }
        Err(reason) => {
            reader.fault(
                &setting,
                format!("cannot read {:?}: {reason}", setting.value),
            );
            None
        }
    }
}

fn lists(reader: &mut Reader<'_>) -> ListSettings {
    let delimiters = reader.own("data.category.list.delimiters");
    let delimiters = reader
        .raw(&delimiters)
        .filter(|setting| !setting.value.is_empty());
    ListSettings {
        fields: reader
            .own_list("data.category.index.list.fields")
            .unwrap_or_default(),
        reverse: reader
            .own_list("data.category.index.reverse.list.fields")
            .unwrap_or_default(),
        delimiters: delimiters.map_or_else(|| ListSettings::default().delimiters, |s| s.value),
    }
}
