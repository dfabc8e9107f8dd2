//! The rules, one by one.

use super::super::check::{self, Standing};
use super::super::model::{Grouping, Member, OnFailure, Resolved, TypeSettings, UidLists};
use super::super::problem::{ConfigProblem, NamedBytes, ProblemKind, Wanted};
use super::super::registry::{self, Class};
use super::{Options, Report, Resolution, inspect, resolve};

const BASE: &[(&str, &str)] = &[
    ("data.name", "t"),
    ("shard.table.name", "shard"),
    ("shard.global.index.table.name", "shardIndex"),
    (
        "all.ingest.policy.enforcer.class",
        "datawave.policy.IngestPolicyEnforcer$NoOpIngestPolicyEnforcer",
    ),
    (
        "t.reader.class",
        "datawave.ingest.csv.mr.input.CSVRecordReader",
    ),
    (
        "t.ingest.helper.class",
        "datawave.ingest.csv.config.helper.ExtendedCSVIngestHelper",
    ),
    (
        "t.handler.classes",
        "datawave.ingest.csv.mr.handler.ContentCSVColumnBasedHandler",
    ),
    ("t.data.header", "ID,A,B"),
    ("t.data.separator", ","),
    ("t.data.category.id.field", "ID"),
];

fn xml(properties: &[(&str, &str)]) -> String {
    let mut text = String::from("<configuration>\n");
    for (name, value) in properties {
        let value = value.replace('&', "&amp;").replace('<', "&lt;");
        text += &format!("<property><name>{name}</name><value>{value}</value></property>\n");
    }
    text + "</configuration>\n"
}

fn file(name: &str, text: &str) -> NamedBytes {
    NamedBytes {
        name: name.into(),
        bytes: text.into(),
    }
}

fn nothing(wanted: Wanted<'_>) -> Result<NamedBytes, String> {
    match wanted.path {
        "stop.txt" => Ok(file("stop.txt", "the\n a \n\nof\n")),
        "edges.xml" => Ok(file("edges.xml", EDGES)),
        _ => Err("no such file".into()),
    }
}

const EDGES: &str = r#"<beans><bean id="t" class="x.EdgeDefinitionConfigurationHelper">
<property name="edgeAttribute2" value="A"/><property name="edgeAttribute3" value="B"/>
<property name="activityDateField" value="C"/><property name="edges"><list/></property>
</bean></beans>"#;

/// The base with further properties, of which the later ones win.
fn with(further: &[(&str, &str)]) -> Report {
    let text = xml(&[BASE, further].concat());
    inspect(&[file("c.xml", &text)], &mut nothing, &Options::default())
}

fn good(further: &[(&str, &str)]) -> TypeSettings {
    let report = with(further);
    assert!(report.faults.is_empty(), "{:#?}", report.faults);
    let Resolved { job, mut types } = report.config.unwrap();
    let mut settings = types.remove("t").unwrap();
    settings.job = Some(Box::new(job));
    settings
}

fn only_fault(further: &[(&str, &str)]) -> ConfigProblem {
    let mut report = with(further);
    assert_eq!(report.faults.len(), 1, "{:#?}", report.faults);
    report.faults.remove(0)
}

/// Properties that reach every rule at once.
const EVERYTHING: &[(&str, &str)] = &[
    ("multiple.numshards.enable", "true"),
    (
        "preteched.multiple.shard.configuration",
        "20170101_13,20171101_17",
    ),
    (
        "datawave.data.hash.uid.uidType",
        "datawave.data.hash.HashUID",
    ),
    ("metadata.table.name", "meta"),
    ("metadata.loaddates.table.name", "loads"),
    ("metadata.loaddates.table.locality.groups", "g:a;b"),
    ("date.index.table.name", "dates"),
    (
        "date.index.table.locality.groups",
        "activity:ACTIVITY,loaded:LOADED",
    ),
    ("protobufedge.table.name", "edge"),
    ("protobufedge.spring.config", "edges.xml"),
    ("protobufedge.process.default.failurepolicy", "CONTINUE"),
    ("index.tables.keep.count.only.entries", "true"),
    ("ingest.value.dedup.by.timestamp", "edge"),
    ("edge.table.aggregate", "false"),
    ("shard.disable.versioning.iterator", "true"),
    (
        "t.handler.classes",
        "datawave.ingest.csv.mr.handler.ContentCSVColumnBasedHandler,datawave.ingest.mapreduce.handler.dateindex.DateIndexDataTypeHandler,datawave.ingest.mapreduce.handler.error.Other",
    ),
    (
        "excluded.handler.classes",
        "datawave.ingest.mapreduce.handler.error.Other",
    ),
    (
        "all.handler.classes",
        "datawave.ingest.mapreduce.handler.edge.ProtobufEdgeDataTypeHandler",
    ),
    (
        "error.handler.classes",
        "datawave.ingest.mapreduce.handler.error.ErrorShardedDataTypeHandler",
    ),
    ("error.shard.table.name", "e_s"),
    ("error.shard.global.index.table.name", "e_i"),
    ("error.shard.global.rindex.table.name", "e_r"),
    ("error.metadata.table.name", "e_m"),
    ("t.output.name", "out"),
    ("t.data.category.date", "A"),
    ("t.data.category.date.format", "yyyy-MM-dd"),
    ("event.discard.interval", "5"),
    ("t.event.discard.interval", "7"),
    ("event.discard.future.interval", "9"),
    ("ingest.uid.include.time.component", "true"),
    ("ingest.fatal.errors", "X"),
    ("t.ingest.fatal.errors", "Y"),
    ("t.data.category.uid.fields", "A, B"),
    ("t.data.field.allowlist", "A,B"),
    ("t.data.field.disallowlist", "B"),
    ("t.data.fields.multivalued", "A,B:BEE"),
    ("t.data.category.field.aliases", "OLD*:NEW*"),
    ("t.data.category.index.aliases.enabled", "true"),
    ("t.data.category.index.aliases", "F:A1,A2;G:A3"),
    (
        "t.data.default.type.class",
        "datawave.data.type.LcType,datawave.data.type.NoOpType",
    ),
    (
        "t.A.data.field.type.class",
        "datawave.data.type.NumberType, datawave.data.type.LcType",
    ),
    ("t.A.event.field.type.class", "datawave.data.type.LcType"),
    ("t.data.fieldname.filter", "A:B"),
    ("t.data.combine.name", "V,W"),
    ("t.data.combine.fields", "A.' , .'.B,A.B*"),
    ("t.VirtualFieldNormalizer.data.combine.start.separator", "<"),
    ("all.data.combine.separator", ":"),
    (
        "t.data.combine.grouping.policy",
        "IGNORE_GROUPS,SAME_GROUP_ONLY",
    ),
    ("t.data.combine.allow.missing", "true"),
    ("t.data.combine.ignore.normalization.on.fields", "W"),
    ("all.C.data.composite.field.map", "A,B"),
    ("t.D.data.composite.field.map", "A,B"),
    ("t.D.data.composite.field.separator", "-"),
    ("out.stopword.list.file", "stop.txt"),
    ("t.term.length.limit", "20"),
    ("t.data.saveRawDataOption", "true"),
    (
        "all.date.index.type.to.field.map",
        "LOADED=LOAD_DATE,ACTIVITY=A",
    ),
    ("t.date.index.type.to.field.map", "MINE=B,LOADED=LOAD_DATE"),
];

#[test]
fn every_rule_at_once() {
    let settings = good(EVERYTHING);
    let job = settings.job.as_ref().unwrap();
    assert_eq!(job.num_shards_from["20171101"], 17);
    assert_eq!(job.uid_lists, UidLists::KeepCounts);
    assert_eq!(job.uncombined_tables, ["edge"]);
    assert_eq!(job.unversioned_tables, ["shard"]);
    assert_eq!(
        job.locality_groups["dates"],
        "activity:ACTIVITY,loaded:LOADED"
    );
    assert_eq!(job.edges.on_failure, OnFailure::Continue);
    assert!(settings.edges.is_some() && settings.writes.date_index);
    assert_eq!((settings.discard_older, settings.discard_newer), (7, 9));
    assert_eq!(settings.fatal_errors, ["X", "Y"]);
    assert!(settings.uid_time);
    let reader = settings.reader.as_ref().unwrap();
    // The set of fields to leave out comes from the list of fields to take.
    assert_eq!(reader.except_fields, ["A", "B"]);
    assert_eq!(settings.index_aliases["F"], ["A1", "A2"]);
    assert_eq!(settings.default_type, "datawave.data.type.NoOpType");
    assert_eq!(settings.fields["A"].types.len(), 2);
    let [v, w] = settings.virtual_fields.as_slice() else {
        panic!()
    };
    let text = Member::Text(" , .".into());
    let field = |name: &str| Member::Field(name.into());
    assert_eq!(v.members, [field("A"), text, field("B")]);
    assert_eq!(w.members, [field("A"), field("B*")]);
    assert_eq!((v.separator.as_str(), v.start.as_str()), (":", "<"));
    assert_eq!(
        (v.grouping, w.grouping),
        (Grouping::IgnoreGroups, Grouping::SameGroupOnly)
    );
    assert!(v.allow_missing && w.allow_missing && v.normalize && !w.normalize);
    assert_eq!(settings.composites["C"].separator, "\u{10ffff}");
    assert_eq!(settings.composites["D"].separator, "-");
    assert_eq!(
        settings.tokens.stop_words.as_deref().unwrap(),
        ["the", "a", "of"]
    );
    assert_eq!(settings.tokens.max_length, 20);
    assert_eq!(settings.document_view.as_deref(), Some("RAW"));
    assert_eq!(
        settings.date_index,
        ["MINE=B", "LOADED=LOAD_DATE", "ACTIVITY=A"]
    );
}

#[test]
fn every_effective_property_is_read() {
    let mut properties: Vec<(String, String)> = Vec::new();
    let handler = "datawave.ingest.mapreduce.handler.error.ErrorShardedDataTypeHandler";
    properties.push(("error.handler.classes".into(), handler.into()));
    let known = |name: &str| {
        let all = [BASE, EVERYTHING].concat();
        let found = all.iter().rev().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value).to_owned()
    };
    for def in registry::all().filter(|def| def.class == Class::Effective) {
        let name = def
            .pattern()
            .replace("<type|all>", "t")
            .replace("<type>", "t");
        let name = name
            .replace("<FIELD>", "F")
            .replace("<table>", "x")
            .replace('*', "F.1");
        let value = known(&name);
        properties.push((name, value));
    }
    let properties: Vec<_> = properties
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let report = with(&properties);
    let idle = |standing| {
        matches!(
            standing,
            Standing::Idle | Standing::Unknown | Standing::Unsupported
        )
    };
    let rows = report.rows.iter().filter(|row| idle(row.standing));
    let rows: Vec<_> = rows.map(|row| row.property.as_str()).collect();
    assert!(rows.is_empty(), "{rows:?}");
}

#[test]
fn all_faults_come_at_once_and_name_file_line_and_property() {
    let report = with(&[
        ("t.data.category.index", "A"),
        ("t.data.category.index.disallowlist", "B"),
        ("t.A.data.field.type.class", "com.site.MyType"),
        ("t.data.threshold.action", "EXPLODE"),
        ("t.data.process.extra.fields", "yes"),
        ("t.data.multivalued.threshold", "-3"),
        ("t.data.category.date", "A"),
        ("t.data.category.date.formats", "QQQ"),
        ("t.data.category.marking.default", "A&|B"),
        (
            "t.data.id.parser.ID.1",
            "datawave.ingest.metadata.id.DateIdParser(\"(\", \"yyyy\")",
        ),
    ]);
    let faults: Vec<_> = report.faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 8, "{faults:#?}");
    let line = |property: &str, part: &str| {
        let wanted = format!("{property}: ");
        let found = faults.iter().find(|fault| fault.contains(&wanted));
        let found = found.unwrap_or_else(|| panic!("{property} in {faults:#?}"));
        assert!(
            found.starts_with("c.xml:") && found.contains(part),
            "{found}"
        );
    };
    line("t.data.category.index.disallowlist", "c.xml:12");
    line(
        "t.A.data.field.type.class",
        "com.site.MyType is no data type of DataWave",
    );
    line("t.data.threshold.action", "FAIL, DROP, REPLACE, TRUNCATE");
    line("t.data.process.extra.fields", "true or false");
    line("t.data.multivalued.threshold", "-3");
    line("t.data.category.date.formats", "no date format");
    line("t.data.category.marking.default", "no visibility");
    line("t.data.id.parser.ID.1", "no regular expression");
}

#[test]
fn classes_of_others_are_faults() {
    for (property, class) in [
        ("t.reader.class", "com.site.Reader"),
        ("t.ingest.helper.class", "com.site.Helper"),
        ("t.handler.classes", "com.site.Handler"),
        ("all.ingest.policy.enforcer.class", "com.site.Policy"),
        ("t.data.id.parser.ID.1", "com.site.Parser(\"a\", \"yyyy\")"),
        ("datawave.data.hash.uid.uidType", "com.site.Uid"),
    ] {
        let report = with(&[(property, class)]);
        let named = |fault: &ConfigProblem| {
            fault.property.as_deref() == Some(property) && fault.message.contains("com.site.")
        };
        assert!(report.faults.iter().any(named), "{property}");
    }
    let fault = only_fault(&[("datawave.data.hash.uid.uidType", "SnowflakeUID")]);
    assert_eq!(fault.kind, ProblemKind::Unsupported);
}

#[test]
fn unsupported_and_unknown() {
    let fault = only_fault(&[("t.filter.classes", "x")]);
    assert_eq!(fault.kind, ProblemKind::Unsupported);
    let fault = only_fault(&[("t.event.validators", "com.site.Check")]);
    assert_eq!(fault.kind, ProblemKind::Unsupported);
    let text = xml(&[BASE, &[("t.filter.classes", "x")]].concat());
    let options = Options {
        ignore_unsupported: true,
        ..Options::default()
    };
    let Resolution { warnings, .. } = resolve(&[file("c", &text)], &mut nothing, &options).unwrap();
    assert_eq!(warnings[0].kind, ProblemKind::Unsupported);

    for (name, nearest) in [
        ("t.data.heeder", "t.data.header"),
        ("num.shard", "num.shards"),
        ("t.A.data.field.type.clas", "t.A.data.field.type.class"),
        (
            "t.data.category.indx.reverse",
            "t.data.category.index.reverse",
        ),
        ("tt.data.header", "\"t\""),
    ] {
        let report = with(&[(name, "x")]);
        assert!(report.faults.is_empty());
        let warning = &report.warnings[0];
        assert_eq!(warning.kind, ProblemKind::Unknown);
        assert!(
            warning
                .message
                .contains(&format!("did you mean {nearest}?")),
            "{warning}"
        );
    }
    let report = with(&[("site.own.flag", "x")]);
    assert!(!report.warnings[0].message.contains("did you mean"));
    assert_eq!(
        with(&[("t.data.category.index.aliases", "A:B")]).warnings[0].kind,
        ProblemKind::Ignored
    );
}

#[test]
fn contradictions() {
    let parts = |further: &[(&str, &str)]| only_fault(further).to_string();
    assert!(parts(&[("t.data.category.date", "A")]).contains("in which format"));
    let both = [
        ("t.data.category.date.format", "yyyy"),
        ("t.data.category.date.formats", "yyyy"),
    ];
    assert!(parts(&both).contains("not together"));
    assert!(parts(&[("t.data.category.id.field", " ")]).contains("CSV reader"));
    assert!(parts(&[("t.data.header", "")]).contains("needed unless"));
    assert!(parts(&[("t.data.header.enabled", "false")]).contains("extra.fields must be true"));
    let json = "datawave.ingest.json.config.helper.JsonIngestHelper";
    assert!(parts(&[("t.ingest.helper.class", json)]).contains("does not go with"));
    assert!(parts(&[("shard.table.name", "")]).contains("needs shard.table.name"));
    assert!(parts(&[("num.shards", "0")]).contains("at least 1"));
    let names = [("t.data.category.security.field.names", "A,B")];
    assert!(parts(&names).contains("0 domains for 2 fields"));
    assert!(parts(&[("t.data.combine.name", "A,B")]).contains("has 0"));
    let edges = "datawave.ingest.mapreduce.handler.edge.ProtobufEdgeDataTypeHandler";
    let edges = [
        ("all.handler.classes", edges),
        ("protobufedge.table.name", "edge"),
    ];
    assert!(parts(&edges).contains("spring.config"));
    let named = [
        edges[0],
        edges[1],
        ("protobufedge.spring.config", "none.xml"),
    ];
    assert!(parts(&named).contains("no such file"));
}

#[test]
fn common_files_and_types() {
    let common = xml(&[("num.shards", "7"), ("ingest.mode.delete", "true")]);
    let own = xml(BASE);
    let files = [file("a.xml", &common), file("b.xml", &own)];
    let resolved = resolve(&files, &mut nothing, &Options::default()).unwrap();
    assert_eq!(resolved.config.job.num_shards, 7);
    assert!(resolved.config.job.delete);
    let other = own
        .replace("<name>t.", "<name>u.")
        .replace(">t<", ">u<")
        .replace("</configuration>", "")
        + "<property><name>num.shards</name><value>3</value></property></configuration>";
    let files = [
        file("a.xml", &common),
        file("b.xml", &own),
        file("c.xml", &other),
    ];
    let resolved = resolve(&files, &mut nothing, &Options::default()).unwrap();
    let types = &resolved.config.types;
    assert_eq!(resolved.config.job_of(&types["t"]).num_shards, 7);
    assert_eq!(resolved.config.job_of(&types["u"]).num_shards, 3);

    let nothing_named = inspect(&files[..1], &mut nothing, &Options::default());
    assert!(nothing_named.faults[0].to_string().contains("data.name"));
}

#[test]
fn the_table() {
    let rows = with(&[
        ("t.data.heeder", "x"),
        ("num.shards", "7"),
        ("sharded.table.names", "s"),
    ])
    .rows;
    let table = check::table(&rows);
    assert!(table.contains("num.shards"), "{table}");
    for word in ["effective", "inert", "unknown", "c.xml:12"] {
        assert!(table.contains(word), "{word} in\n{table}");
    }
}

/// What the section of a job file says today keeps its meaning.
#[test]
fn a_section_of_today_is_a_model() {
    let text = r#"
        num_shards = 4
        [tables]
        shard = "s"
        [types.t]
        id_field = "ID"
        date_field = "WHEN"
        date_formats = ["yyyy-MM-dd"]
        marking = "A"
        index = ["A", "B*"]
        multi_valued = ["A:B"]
        default_type = "number"
        failure_policy = "leave"
        [types.t.aliases]
        A = "B"
        [types.t.fields.A]
        types = ["date"]
    "#;
    let model: Resolved = toml::from_str(text).unwrap();
    assert_eq!(model.job.num_shards, 4);
    assert_eq!(model.job.tables.shard.as_deref(), Some("s"));
    assert_eq!(
        model.job.tables.index.as_deref(),
        Some("datawave.shardIndex")
    );
    assert_eq!(model.types["t"].fields["A"].types, ["date"]);
    for wrong in [
        "num_shard = 1\n[types.t]",
        "[types.t]\nid_feeld = \"A\"",
        "[tables]\nsharrd = \"x\"\n[types.t]",
    ] {
        assert!(toml::from_str::<Resolved>(wrong).is_err(), "{wrong}");
    }
}
