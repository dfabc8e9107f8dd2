//! How a type's input is read, and what identifies and dates its events.

use super::super::classes::{Does, Kind};
use super::super::model::{Flattener, Format, IdParser, ReaderSettings, TypeSettings};
use super::reader::{Reader, Setting};
use crate::java_date::DatePattern;

fn format(reader: &mut Reader<'_>) -> Option<Format> {
    let mut formats = Vec::new();
    for (name, kind) in [
        ("reader.class", Kind::Reader),
        ("ingest.helper.class", Kind::Helper),
    ] {
        let name = reader.own(name);
        let Some(setting) = reader.get(&name) else {
            reader.missing(&name, "needed: how is the type read?");
            continue;
        };
        match reader.class(kind, &setting, &setting.value) {
            Some(Does::Csv) => formats.push((Format::Csv, setting)),
            Some(Does::Json) => formats.push((Format::Json, setting)),
            Some(_) => reader.fault(
                &setting,
                format!("{} is for failed records only", setting.value),
            ),
            None => {}
        }
    }
    match formats.as_slice() {
        [(left, _), (right, setting)] if left != right => {
            let message = format!("{} does not go with the reader class", setting.value);
            reader.fault(setting, message);
            None
        }
        [(format, _), _] => Some(*format),
        _ => None,
    }
}

/// How the type's input is read.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<ReaderSettings> {
    let format = format(reader);
    let flatteners = [
        ("SIMPLE", Flattener::Simple),
        ("NORMAL", Flattener::Normal),
        ("GROUPED", Flattener::Grouped),
        ("GROUPED_AND_NORMAL", Flattener::GroupedAndNormal),
    ];
    let flattener = reader.own_word("data.json.flattener.mode", &flatteners);
    let extra_fields = reader.own_flag("data.process.extra.fields", false);
    let enabled = reader.own_flag("data.header.enabled", true);
    let header_name = reader.own("data.header");
    let header = reader.own_names("data.header").filter(|_| enabled);
    if enabled && header.is_none() {
        reader.missing(&header_name, "needed unless data.header.enabled is false");
    }
    if !enabled && !extra_fields {
        reader.missing(
            &header_name,
            "without a header data.process.extra.fields must be true",
        );
    }
    let separator_name = reader.own("data.separator");
    let separator = reader
        .raw(&separator_name)
        .filter(|setting| !setting.value.is_empty());
    if separator.is_none() {
        reader.missing(&separator_name, "needed: what separates columns?");
    }
    let only_fields = reader.own_names("data.field.allowlist");
    let except = reader.own_names("data.field.disallowlist");
    Some(ReaderSettings {
        format: format?,
        header,
        separator: separator.map_or_else(|| ",".into(), |setting| setting.value),
        skip_header: reader.own_flag("skip.csv.header.row", false),
        extra_fields,
        // DataWave fills the one set from the other list.
        except_fields: except.and(only_fields.clone()).unwrap_or_default(),
        only_fields,
        flattener: flattener.unwrap_or(Flattener::Normal),
    })
}

/// The ids of an event, into `settings`.
pub(super) fn ids(reader: &mut Reader<'_>, settings: &mut TypeSettings) {
    settings.id_field = reader.own_text("data.category.id.field");
    settings.id_downcase = reader.own_flag("data.category.id.field.downcase", false);
    settings.uid_fields = reader
        .own_list("data.category.uid.fields")
        .unwrap_or_default();
    settings.uuid_fields = reader
        .own_list("data.category.uuid.fields")
        .unwrap_or_default();
    let time = "ingest.uid.include.time.component";
    let of_all = reader.flag(time, false);
    settings.uid_time = reader.own_flag(time, of_all);
    let csv = settings
        .reader
        .as_ref()
        .is_some_and(|input| input.format == Format::Csv);
    if csv && settings.id_field.is_none() {
        let name = reader.own("data.category.id.field");
        reader.missing(
            &name,
            "needed: DataWave's CSV reader makes UIDs of this field",
        );
    }
    let prefix = reader.own("data.id.parser.");
    let mut parsers = Vec::new();
    for (rest, setting) in reader.between(&prefix, "") {
        match (rest.rsplit_once('.'), id_parser(reader, &setting)) {
            (Some((field, number)), Some((regex, format))) => {
                let order: u32 = number.parse().unwrap_or(u32::MAX);
                let field = field.to_owned();
                parsers.push((
                    order,
                    IdParser {
                        field,
                        regex,
                        format,
                    },
                ));
            }
            (None, _) => reader.fault(&setting, "the name ends with FIELD.N"),
            (_, None) => {}
        }
    }
    parsers.sort_by(|(a, left), (b, right)| (&left.field, a).cmp(&(&right.field, b)));
    settings.id_parsers = parsers.into_iter().map(|(_, parser)| parser).collect();
}

/// The two arguments of `class("regex", "format")`.
fn id_parser(reader: &mut Reader<'_>, setting: &Setting) -> Option<(String, String)> {
    let text = setting.value.trim();
    let parts = text
        .split_once('(')
        .and_then(|(class, rest)| Some((class, rest.strip_suffix(')')?)));
    let Some((class, arguments)) = parts else {
        reader.fault(setting, "the form is CLASS(\"ARGUMENT\", …)");
        return None;
    };
    reader.class(Kind::IdParser, setting, class.trim())?;
    let arguments = quoted(arguments);
    let Some([regex, format]) = arguments.as_deref() else {
        reader.fault(
            setting,
            "a regular expression and a date format are needed, each in quotes",
        );
        return None;
    };
    if let Err(error) = fancy_regex::Regex::new(regex) {
        reader.fault(setting, format!("no regular expression: {error}"));
    }
    date_format(reader, setting, format);
    Some((regex.clone(), format.clone()))
}

/// The texts of a list of quoted texts with Java's escapes; none if it is no such list.
fn quoted(text: &str) -> Option<Vec<String>> {
    let mut texts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let mut chars = rest.strip_prefix('"')?.chars();
        let mut inside = String::new();
        loop {
            match chars.next()? {
                '"' => break,
                '\\' => match chars.next()? {
                    c @ ('\\' | '"') => inside.push(c),
                    c => inside.extend(['\\', c]),
                },
                c => inside.push(c),
            }
        }
        texts.push(inside);
        rest = chars.as_str().trim_start();
        if let Some(next) = rest.strip_prefix(',') {
            rest = next.trim_start();
        } else if !rest.is_empty() {
            return None;
        }
    }
    Some(texts)
}

fn date_format(reader: &mut Reader<'_>, setting: &Setting, format: &str) {
    // Which century two digits of a year mean depends on the clock; whether the format can be read does not.
    if let Err(error) = DatePattern::compile(format, 0) {
        reader.fault(setting, format!("{format:?} is no date format: {error}"));
    }
}

/// The date of an event, into `settings`.
pub(super) fn dates(reader: &mut Reader<'_>, settings: &mut TypeSettings) {
    settings.date_field = reader.own_text("data.category.date");
    let one = reader.own("data.category.date.format");
    let several = reader.own("data.category.date.formats");
    match (reader.get(&one), reader.get(&several)) {
        (Some(one), Some(several)) => {
            let message = format!("not together with {} ({})", one.name, one.origin);
            reader.fault(&several, message);
        }
        (Some(one), None) => {
            date_format(reader, &one, &one.value);
            settings.date_formats = vec![one.value];
        }
        (None, Some(several)) => {
            settings.date_formats = several.list();
            for format in &settings.date_formats {
                date_format(reader, &several, format);
            }
        }
        (None, None) if settings.date_field.is_some() => {
            reader.missing(&several, "needed: in which format is the date?");
        }
        (None, None) => {}
    }
    for (name, limit) in [
        ("event.discard.interval", &mut settings.discard_older),
        ("event.discard.future.interval", &mut settings.discard_newer),
    ] {
        let of_all = reader.number(name).unwrap_or(0);
        *limit = reader.own_number(name).unwrap_or(of_all);
    }
}
