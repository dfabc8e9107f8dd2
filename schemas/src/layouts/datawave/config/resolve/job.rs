//! The settings of the job, as one type's properties have them.

use super::super::classes::{Does, Kind};
use super::super::model::{
    EdgeSwitches, ErrorSettings, JobSettings, OnFailure, Policy, TableNames, UidLists,
};
use super::reader::Reader;
use std::collections::BTreeMap;

/// Reads them.
pub(super) fn read(reader: &mut Reader<'_>) -> JobSettings {
    let defaults = JobSettings::default();
    let num_shards: u32 = reader.number("num.shards").unwrap_or(defaults.num_shards);
    for name in ["num.shards", "date.index.num.shards"] {
        if let Some(setting) = reader.get(name).filter(|setting| setting.value == "0") {
            reader.fault(&setting, "at least 1 is needed");
        }
    }
    if let Some(setting) = reader.get("datawave.data.hash.uid.uidType") {
        reader.class(Kind::Uid, &setting, &setting.value);
    }
    JobSettings {
        num_shards,
        num_shards_from: num_shards_from(reader),
        tables: tables(reader),
        delete: reader.flag("ingest.mode.delete", false),
        event_columns: !reader.flag("shard.suppress.event.key", false),
        uid_lists: uid_lists(reader),
        index_uids: reader.flag("shard.index.create.uids", true),
        documents: !reader.flag("content.ingest.documents.disable", false),
        documents_base64: reader.flag("content.ingest.base64.dcolumn", true),
        count_fields: reader.flag("metadata.term.frequency.enabled", true),
        count_load_dates: reader.flag("metadata.loaddates.enabled", false),
        date_index_shards: reader
            .number("date.index.num.shards")
            .unwrap_or(defaults.date_index_shards),
        policy: policy(reader),
        day_timestamps: list(reader, "ingest.value.dedup.by.timestamp"),
        day_timestamps_except: list(reader, "ingest.value.dedup.aggregation"),
        uncombined_tables: flagged(reader, ".table.aggregate", "false"),
        unversioned_tables: flagged(reader, ".disable.versioning.iterator", "true"),
        locality_groups: locality_groups(reader),
        shard_balancer: reader.text("shard.table.balancer.class"),
        edges: edges(reader),
        errors: errors(reader),
    }
}

fn list(reader: &mut Reader<'_>, name: &str) -> Vec<String> {
    reader
        .raw(name)
        .map(|setting| setting.list())
        .unwrap_or_default()
}

/// The tables whose property has this value.
fn flagged(reader: &mut Reader<'_>, suffix: &str, value: &str) -> Vec<String> {
    let found = reader.between("", suffix).into_iter();
    let found = found.filter(|(_, setting)| setting.value.trim().eq_ignore_ascii_case(value));
    found.map(|(table, _)| table).collect()
}

fn num_shards_from(reader: &mut Reader<'_>) -> BTreeMap<String, u32> {
    let mut from = BTreeMap::new();
    if !reader.flag("multiple.numshards.enable", false) {
        return from;
    }
    let name = "preteched.multiple.shard.configuration";
    let Some(setting) = reader.get(name) else {
        reader.missing(
            name,
            "needed, as the numbers of partitions in a cluster's cache cannot be read",
        );
        return from;
    };
    for member in setting.list() {
        let parts = member.split_once('_');
        let day = |day: &str| day.len() == 8 && day.bytes().all(|b| b.is_ascii_digit());
        let parts = parts.filter(|(from, _)| day(from));
        match parts.and_then(|(day, number)| Some((day, number.parse::<u32>().ok()?))) {
            Some((day, number)) if number > 0 => {
                from.insert(day.to_owned(), number);
            }
            _ => reader.fault(
                &setting,
                format!("{member:?} is not of the form yyyyMMdd_N"),
            ),
        }
    }
    from
}

fn tables(reader: &mut Reader<'_>) -> TableNames {
    TableNames {
        shard: reader.text("shard.table.name"),
        index: reader.text("shard.global.index.table.name"),
        reverse_index: reader.text("shard.global.rindex.table.name"),
        metadata: reader.text("metadata.table.name"),
        load_dates: reader.text("metadata.loaddates.table.name"),
        date_index: reader.text("date.index.table.name"),
        edge: reader.text("protobufedge.table.name"),
    }
}

fn uid_lists(reader: &mut Reader<'_>) -> UidLists {
    let keep = reader.flag("index.tables.keep.count.only.entries", false);
    if reader.flag("index.tables.keep.count.only.no.uids", false) {
        UidLists::CountsOnly
    } else if keep {
        UidLists::KeepCounts
    } else {
        UidLists::Uids
    }
}

fn policy(reader: &mut Reader<'_>) -> Policy {
    let name = "all.ingest.policy.enforcer.class";
    let Some(setting) = reader.get(name) else {
        reader.missing(name, "needed: which events are faulty?");
        return Policy::None;
    };
    match reader.class(Kind::Policy, &setting, &setting.value) {
        Some(Does::Example) => Policy::Example,
        _ => Policy::None,
    }
}

fn locality_groups(reader: &mut Reader<'_>) -> BTreeMap<String, String> {
    let mut groups = BTreeMap::new();
    for table in ["date.index", "metadata.loaddates"] {
        let name = reader.text(&format!("{table}.table.name"));
        let setting = reader.get(&format!("{table}.table.locality.groups"));
        if let (Some(name), Some(setting)) = (name, setting) {
            let well_formed = |group: &String| {
                group
                    .split_once(':')
                    .is_some_and(|(name, _)| !name.is_empty())
            };
            if !setting.list().iter().all(well_formed) {
                reader.fault(&setting, "the form is GROUP:FAMILY;FAMILY,GROUP:FAMILY");
            }
            groups.insert(name, setting.value);
        }
    }
    groups
}

fn edges(reader: &mut Reader<'_>) -> EdgeSwitches {
    let defaults = EdgeSwitches::default();
    let policies = [
        ("FAIL_JOB", OnFailure::FailJob),
        ("CONTINUE", OnFailure::Continue),
    ];
    EdgeSwitches {
        dictionary: reader.flag("protobufedge.table.metadata.enable", false),
        disallow: reader.flag("protobufedge.table.disallowlist.enable", defaults.disallow),
        evaluate_preconditions: reader.flag(
            "protobufedge.evaluate.preconditions",
            defaults.evaluate_preconditions,
        ),
        include_all: reader.flag("protobufedge.include.all.edges", defaults.include_all),
        on_failure: reader
            .word("protobufedge.process.default.failurepolicy", &policies)
            .unwrap_or(defaults.on_failure),
        activity_past: reader
            .number("protobufedge.valid.activitytime.past.delta")
            .unwrap_or(defaults.activity_past),
        activity_future: reader
            .number("protobufedge.valid.activitytime.future.delta")
            .unwrap_or(defaults.activity_future),
    }
}

/// The settings of failed records, if a handler of theirs is named.
fn errors(reader: &mut Reader<'_>) -> Option<ErrorSettings> {
    let handlers = reader.get("error.handler.classes")?;
    for class in handlers.list() {
        match reader.class(Kind::Handler, &handlers, &class) {
            Some(Does::Errors) | None => {}
            Some(_) => reader.fault(&handlers, format!("{class} writes no error tables")),
        }
    }
    if let Some(helper) = reader.get("error.ingest.helper.class") {
        reader.class(Kind::Helper, &helper, &helper.value);
    }
    // Failed records have no reader of their own: the property is there and blank.
    if let Some(setting) = reader.get("error.reader.class") {
        reader.class(Kind::Reader, &setting, &setting.value);
    }
    let mut table = |name: &str| {
        let name = format!("error.{name}.table.name");
        let found = reader.text(&name);
        if found.is_none() {
            reader.missing(&name, "needed, as error.handler.classes is set");
        }
        found.unwrap_or_default()
    };
    let (shard, index) = (table("shard"), table("shard.global.index"));
    let (reverse_index, metadata) = (table("shard.global.rindex"), table("metadata"));
    let default_type = super::fields::last_type(reader, "error.data.default.type.class");
    Some(ErrorSettings {
        shard,
        index,
        reverse_index,
        metadata,
        count_fields: reader.flag("error.metadata.term.frequency.enabled", false),
        default_type,
        marking: super::fields::marking(reader, "error.data.category.marking.default"),
        replace_malformed: reader.flag("error.data.replace.malformed.utf8", false),
    })
}
