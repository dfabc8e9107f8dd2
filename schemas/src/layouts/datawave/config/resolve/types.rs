//! The settings of a type.

use super::super::classes::{Does, Kind};
use super::super::edges_xml::EdgeType;
use super::super::model::{self, Beyond, FieldFilter, JobSettings, TypeSettings, Writes};
use super::super::problem::{ConfigProblem, ProblemKind};
use super::super::registry::ALL_TYPES;
use super::reader::Reader;
use super::{NamedFiles, combined, fields, input, job};

/// Reads all settings of the reader's type.
pub(super) fn read(reader: &mut Reader<'_>, files: &mut NamedFiles<'_, '_>) -> TypeSettings {
    reader.text("data.name");
    let mut settings = TypeSettings {
        output_name: reader.own_text("output.name"),
        ..TypeSettings::default()
    };
    let job = job::read(reader);
    settings.writes = writes(reader, &job);
    settings.reader = input::read(reader);
    input::ids(reader, &mut settings);
    input::dates(reader, &mut settings);
    settings.visibility_field = visibility_field(reader);
    values(reader, &mut settings);
    fields::read(reader, files, &mut settings);
    settings.virtual_fields = combined::virtual_fields(reader);
    settings.composites = combined::composites(reader, &settings.index_only);
    errors(reader, &mut settings);
    added(reader, &mut settings);
    settings.date_index = date_index(reader);
    let output = settings.output_name.clone();
    let output = output.unwrap_or_else(|| reader.type_name.to_owned());
    let of_type = reader.own_flag("trim.field.group", false);
    settings.trim_groups = reader.flag(&format!("{output}.trim.field.group"), of_type);
    settings.edges = edges(reader, files, &settings, &output);
    settings.job = Some(Box::new(job));
    settings
}

fn writes(reader: &mut Reader<'_>, job: &JobSettings) -> Writes {
    let mut writes = Writes {
        shard: false,
        tokens: false,
        date_index: false,
        edges: false,
    };
    let excluded = reader
        .raw("excluded.handler.classes")
        .map(|setting| setting.list());
    let excluded = excluded.unwrap_or_default();
    for name in [
        reader.own("handler.classes"),
        format!("{ALL_TYPES}.handler.classes"),
    ] {
        let Some(setting) = reader.get(&name) else {
            continue;
        };
        for class in setting
            .list()
            .iter()
            .filter(|class| !excluded.contains(class))
        {
            let Some(does) = reader.class(Kind::Handler, &setting, class) else {
                continue;
            };
            let table = match does {
                Does::Content | Does::Columns => {
                    writes.shard = true;
                    writes.tokens |= does == Does::Content;
                    ("shard.table.name", &job.tables.shard)
                }
                Does::DateIndex => {
                    writes.date_index = true;
                    ("date.index.table.name", &job.tables.date_index)
                }
                Does::Edges => {
                    writes.edges = true;
                    ("protobufedge.table.name", &job.tables.edge)
                }
                _ => {
                    reader.fault(&setting, format!("{class} is for failed records only"));
                    continue;
                }
            };
            if table.1.is_none() {
                reader.fault(&setting, format!("{class} needs {}", table.0));
            }
        }
    }
    if !(writes.shard || writes.date_index || writes.edges) {
        let name = reader.own("handler.classes");
        reader.missing(&name, "no handler writes anything of this type");
    }
    writes
}

/// The field whose value is the event's visibility. Markings of other domains have no influence on it.
fn visibility_field(reader: &mut Reader<'_>) -> Option<String> {
    let field = reader.own_text("data.category.marking.visibility.field");
    let names = reader
        .own_list("data.category.security.field.names")
        .unwrap_or_default();
    let domains_name = reader.own("data.category.security.field.domains");
    let domains = reader
        .own_list("data.category.security.field.domains")
        .unwrap_or_default();
    if names.len() != domains.len() {
        let message = format!("{} domains for {} fields", domains.len(), names.len());
        match reader.raw(&domains_name) {
            Some(setting) => reader.fault(&setting, message),
            None => reader.missing(&domains_name, message),
        }
    }
    let mut found = field;
    for (name, domain) in names.into_iter().zip(domains) {
        let Some(setting) = reader.raw(&domains_name) else {
            break;
        };
        if domain != "columnVisibility" {
            let message = format!("the domain {domain:?} of {name} is not supported");
            reader.problem(ProblemKind::Unsupported, &setting, message);
        } else if found.is_some() {
            reader.fault(&setting, "a second field for the visibility of events");
        } else {
            found = Some(name);
        }
    }
    found
}

fn values(reader: &mut Reader<'_>, settings: &mut TypeSettings) {
    settings.drop = reader.own_list("data.field.drop").unwrap_or_default();
    settings.required = reader.own_list("data.fields.required").unwrap_or_default();
    if let Some(fields) = reader.own_list("data.fields.to.downcase") {
        settings.downcase = fields;
    }
    settings.name_filters = filters(reader, "data.fieldname.filter");
    settings.value_filters = filters(reader, "data.fieldvalue.filter");
    settings.multi_valued = reader.own_names("data.fields.multivalued");
    settings.multi_valued_except = reader.own_names("data.fields.multivalued.disallowlist");
    fields::not_both(
        reader,
        "data.fields.multivalued",
        "data.fields.multivalued.disallowlist",
    );
    let name = reader.own("data.multivalued.separator");
    if let Some(setting) = reader
        .raw(&name)
        .filter(|setting| !setting.value.is_empty())
    {
        settings.multi_valued_separator = setting.value;
    }
    settings.max_values = reader.own_number("data.multivalued.threshold");
    settings.max_length = reader.own_number("data.field.length.threshold");
    let actions = [
        ("FAIL", Beyond::Fail),
        ("DROP", Beyond::Drop),
        ("REPLACE", Beyond::Replace),
        ("TRUNCATE", Beyond::Truncate),
    ];
    let action = reader.own_word("data.threshold.action", &actions);
    settings.beyond_max = action.unwrap_or(Beyond::Fail);
}

fn filters(reader: &mut Reader<'_>, name: &str) -> Vec<FieldFilter> {
    let name = reader.own(name);
    let Some(setting) = reader.get(&name) else {
        return Vec::new();
    };
    let mut filters = Vec::new();
    for member in setting.list() {
        match member.split_once(':') {
            Some((keep, drop)) => filters.push(FieldFilter {
                keep: keep.trim().to_owned(),
                drop: drop.trim().to_owned(),
            }),
            None => reader.fault(&setting, format!("{member:?} is not of the form KEEP:DROP")),
        }
    }
    filters
}

fn errors(reader: &mut Reader<'_>, settings: &mut TypeSettings) {
    let of_all = reader
        .raw("ingest.fatal.errors")
        .map(|setting| setting.list());
    settings.fatal_errors = of_all.unwrap_or_else(model::default_fatal_errors);
    let further = reader.own_list("ingest.fatal.errors").unwrap_or_default();
    settings.fatal_errors.extend(further);
    let ignorable = reader.own_list("ingest.ignorable.fatal.errors");
    settings.ignorable_errors = ignorable.unwrap_or_default();
    settings.replace_malformed = reader.own_flag("data.replace.malformed.utf8", false);
    let view = reader.own_text("data.rawDocumentViewName");
    if reader.own_flag("data.saveRawDataOption", false) {
        settings.document_view = Some(view.unwrap_or_else(|| "RAW".into()));
    }
}

/// Fields that the ingest adds.
fn added(reader: &mut Reader<'_>, settings: &mut TypeSettings) {
    settings.orig_file = reader.flag("ingest.event.mapper.load.seq.filename", true);
    settings.raw_file = reader.flag("ingest.event.mapper.load.raw.filename", true);
    settings.trim_file_name = reader.flag("ingest.event.mapper.trim.sequence.filename", true);
}

fn date_index(reader: &mut Reader<'_>) -> Vec<String> {
    let mut pairs: Vec<String> = Vec::new();
    let name = "date.index.type.to.field.map";
    for name in [reader.own(name), format!("{ALL_TYPES}.{name}")] {
        let Some(setting) = reader.get(&name) else {
            continue;
        };
        for member in setting.list() {
            match member.split_once('=') {
                Some((kind, field)) if !kind.is_empty() && !field.is_empty() => {
                    if !pairs.contains(&member) {
                        pairs.push(member);
                    }
                }
                _ => reader.fault(
                    &setting,
                    format!("{member:?} is not of the form TYPE=FIELD"),
                ),
            }
        }
    }
    pairs
}

fn edges(
    reader: &mut Reader<'_>,
    files: &mut NamedFiles<'_, '_>,
    settings: &TypeSettings,
    output: &str,
) -> Option<EdgeType> {
    let name = "protobufedge.spring.config";
    let setting = reader.get(name);
    if !settings.writes.edges {
        return None;
    }
    let Some(setting) = setting else {
        reader.missing(name, "needed, as the handlers write edges");
        return None;
    };
    match files.edges(&setting.origin, &setting.value) {
        Ok(file) => {
            let found = file.of_type(output, reader.type_name).cloned();
            if found.is_none() {
                let message = format!("{} defines no edges of {}", setting.value, reader.type_name);
                let origin = setting.origin.clone();
                reader.warn(ConfigProblem::new(ProblemKind::Ignored, origin, message).of(name));
            }
            file.warnings
                .into_iter()
                .for_each(|warning| reader.warn(warning));
            found
        }
        Err(problems) => {
            reader.problems(problems);
            None
        }
    }
}
