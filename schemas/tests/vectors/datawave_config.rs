//! The configurations of the golden cases.

use crate::golden::golden;
use shardmill_schemas::layouts::datawave::FailurePolicy;
use shardmill_schemas::layouts::datawave::config::check::Standing;
use shardmill_schemas::layouts::datawave::config::edges_xml::Duration;
use shardmill_schemas::layouts::datawave::config::model::{
    Beyond, Composite, Flattener, Format, Member, Policy,
};
use shardmill_schemas::layouts::datawave::config::problem::{NamedBytes, Wanted};
use shardmill_schemas::layouts::datawave::config::resolve::{Options, Resolution, resolve};
use shardmill_schemas::layouts::datawave::jexl::{Expression, FieldValue};
use std::path::{Path, PathBuf};

fn folder() -> Option<PathBuf> {
    golden("datawave")
}

fn load(path: &Path) -> NamedBytes {
    NamedBytes {
        name: path.display().to_string(),
        bytes: std::fs::read(path).unwrap(),
    }
}

fn include(wanted: Wanted<'_>) -> Result<NamedBytes, String> {
    let folder = Path::new(wanted.named_by).parent().unwrap();
    let path = folder.join(wanted.path);
    let bytes = std::fs::read(&path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    Ok(NamedBytes { name, bytes })
}

fn case(files: &[&str]) -> Option<Resolution> {
    let folder = folder()?;
    let files: Vec<_> = files.iter().map(|file| load(&folder.join(file))).collect();
    Some(resolve(&files, &mut include, &Options::default()).unwrap())
}

fn every_config(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            every_config(&path, found);
        } else if path.extension().is_some_and(|end| end == "xml") && !path.ends_with("edges.xml") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn every_case_resolves() {
    let Some(folder) = folder() else {
        return;
    };
    let mut configs = Vec::new();
    every_config(&folder, &mut configs);
    println!("{} configurations", configs.len());
    assert!(configs.len() >= 22);
    for config in configs {
        let resolved = resolve(&[load(&config)], &mut include, &Options::default());
        let resolved = resolved.unwrap_or_else(|faults| panic!("{faults:#?}"));
        let known = |standing| matches!(standing, Standing::Effective | Standing::Inert);
        for row in &resolved.rows {
            assert!(known(row.standing), "{row:?}");
        }
        // The one thing to warn of is a relationship that the case leaves out on purpose.
        for warning in &resolved.warnings {
            assert!(warning.message.contains("\"UNLISTED\""), "{warning}");
        }
        // The model stands in the plan as it is.
        let text = serde_json::to_string(&resolved.config).unwrap();
        let back = serde_json::from_str(&text).unwrap();
        assert_eq!(resolved.config, back);
        // And a job file can say the same.
        let text = toml::to_string(&resolved.config).unwrap();
        assert_eq!(resolved.config, toml::from_str(&text).unwrap());
    }
}

#[test]
fn cars() {
    let Some(resolved) = case(&["cars/config.xml"]) else {
        return;
    };
    let cars = &resolved.config.types["cars"];
    let job = resolved.config.job_of(cars);
    assert_eq!(job.tables.shard.as_deref(), Some("shard"));
    assert_eq!(job.tables.load_dates.as_deref(), Some("LoadDates"));
    assert_eq!(job.tables.edge.as_deref(), Some("edge"));
    assert!(job.count_load_dates && job.edges.dictionary && job.edges.evaluate_preconditions);
    let reader = cars.reader.as_ref().unwrap();
    assert_eq!(
        (reader.format, reader.separator.as_str()),
        (Format::Csv, ",")
    );
    assert_eq!(cars.index.as_deref().unwrap(), ["MAKE", "MODEL", "YEAR"]);
    assert_eq!(cars.reverse_index.as_deref().unwrap(), ["MODEL"]);
    assert_eq!(cars.tokens.fields, ["DESCRIPTION"]);
    assert_eq!(cars.tokens.designator, "");
    assert_eq!(cars.fields["YEAR"].types, ["datawave.data.type.NumberType"]);
    let policy = cars.fields["LISTED"].failure_policy;
    assert_eq!(policy, Some(FailurePolicy::Leave));
    let edges = cars.edges.as_ref().unwrap();
    let pairs = edges.definitions.iter().map(|edge| {
        (
            edge.source.field.as_str(),
            edge.sink.field.as_str(),
            edge.bidirectional,
        )
    });
    let pairs: Vec<_> = pairs.collect();
    assert_eq!(pairs, [("MODEL", "MAKE", true), ("MODEL", "YEAR", false)]);
    assert_eq!(
        (edges.attribute2.as_str(), edges.attribute3.as_str()),
        ("REGION", "DEALER")
    );
}

#[test]
fn people() {
    let Some(resolved) = case(&["people/config.xml"]) else {
        return;
    };
    let people = &resolved.config.types["people"];
    let job = resolved.config.job_of(people);
    assert_eq!((job.num_shards, job.policy), (5, Policy::Example));
    let errors = job.errors.as_ref().unwrap();
    assert_eq!(
        (errors.shard.as_str(), errors.metadata.as_str()),
        ("error_s", "error_m")
    );
    assert!(errors.count_fields && errors.replace_malformed);
    assert_eq!(errors.marking.as_deref(), Some("PRIVATE"));
    assert_eq!(
        people.multi_valued.as_deref().unwrap(),
        ["ALIAS", "EMAILS:EMAIL"]
    );
    assert_eq!(people.visibility_field.as_deref(), Some("VIS"));
    assert_eq!(people.date_formats.len(), 4);
    assert_eq!(people.fields["EMAILS"].marking.as_deref(), Some("A&B"));
    assert_eq!(
        people.fields["HEXID"].types,
        ["datawave.data.type.HexStringType"]
    );
    assert_eq!(
        people.fields["SCORE"].failure_policy,
        Some(FailurePolicy::Fail)
    );
    assert_eq!(people.failure_policy, FailurePolicy::Leave);
    let combined = &people.virtual_fields[0];
    assert_eq!(combined.name, "NAME_CITY");
    assert_eq!(combined.separator, ":");
    let fields = ["NAME", "CITY"].map(|name| Member::Field(name.into()));
    assert_eq!(combined.members, fields);
    let composite = Composite {
        fields: vec!["CITY".into(), "STATUS".into()],
        separator: ",".into(),
        allow_missing: false,
    };
    assert_eq!(people.composites["CITY_STATUS"], composite);
    assert_eq!(
        (people.lists.delimiters.as_str(), people.lists.reverse.len()),
        ("|", 1)
    );
    assert_eq!(people.aliases["HOMETOWN"], "CITY");
    assert_eq!(people.shard_except, ["HIDDEN"]);
    assert_eq!(
        people.date_index,
        ["BORN=BORN", "LOGIN=LASTLOGIN", "LOADED=LOAD_DATE"]
    );
    assert_eq!(people.downcase, ["MD5", "SHA1", "SHA256"]);
    assert!(!people.writes.edges && people.edges.is_none());
}

#[test]
fn mycsv_and_tvmaze() {
    let (Some(mycsv), Some(tvmaze)) = (case(&["mycsv/config.xml"]), case(&["tvmaze/config.xml"]))
    else {
        return;
    };
    let mycsv = &mycsv.config.types["mycsv"];
    assert_eq!(mycsv.output_name.as_deref(), Some("csv"));
    let parser = &mycsv.id_parsers[0];
    assert_eq!(parser.field, "EVENT_ID");
    assert_eq!(parser.regex, r"....\.[a-zA-Z]([0-9]{7}).*");
    assert_eq!(parser.format, "yyyyDDD");
    assert_eq!(
        (mycsv.max_values, mycsv.max_length),
        (Some(100_000), Some(10_000))
    );
    assert_eq!(mycsv.beyond_max, Beyond::Truncate);
    assert_eq!(mycsv.index, None);
    assert_eq!(mycsv.index_except.as_ref().unwrap().len(), 1);
    assert_eq!(mycsv.tokens.except.len(), 8);
    // The bean of the output name is another name of the type's own.
    assert_eq!(mycsv.edges.as_ref().unwrap().attribute2, "FOO_FIELD");

    let tvmaze = &tvmaze.config.types["myjson"];
    let reader = tvmaze.reader.as_ref().unwrap();
    assert_eq!(reader.format, Format::Json);
    assert_eq!(reader.flattener, Flattener::GroupedAndNormal);
    assert!(tvmaze.trim_groups);
    assert_eq!(tvmaze.edges.as_ref().unwrap().definitions.len(), 3);
    assert_eq!(tvmaze.tokens.designator, "_TOKEN");
}

#[test]
fn edges() {
    let Some(resolved) = case(&["edges/config.xml"]) else {
        return;
    };
    let edges = resolved.config.types["links"].edges.clone().unwrap();
    let of = |kind: &str| {
        let found = edges
            .definitions
            .iter()
            .filter(|edge| edge.edge_type == kind);
        found.cloned().collect::<Vec<_>>()
    };
    assert_eq!(of("BI")[0].duration, Some(Duration::Elapsed("SECS".into())));
    let both = Duration::UpDown {
        up: "UP".into(),
        down: "DOWN".into(),
    };
    assert_eq!(of("UPDOWN")[0].duration, Some(both));
    assert_eq!(of("ENR")[0].enrichment_field.as_deref(), Some("KIND"));
    assert_eq!(edges.enrichment["chat"], "ENR_CHAT");
    assert_eq!(
        of("PRE")[0].precondition.as_deref(),
        Some("TEAM == 'blue' && LEVEL > 10")
    );
    assert_eq!(of("TRI").len(), 3);
    assert_eq!(of("GP").len(), 2);
    assert_eq!(of("REALM")[0].sink.realm.as_deref(), Some("Rtwo"));
    assert!(!of("NODIR")[0].bidirectional);
    assert!(of("BADREL").is_empty());
    assert_eq!(resolved.warnings.len(), 1);
}

#[test]
fn each_type_is_a_world_of_its_own() {
    let Some(resolved) = case(&["two-types/one.xml", "two-types/two.xml"]) else {
        return;
    };
    let (one, two) = (&resolved.config.types["one"], &resolved.config.types["two"]);
    // Said in the second file, not of the first type.
    assert_ne!(one.orig_file, two.orig_file);
    assert_eq!(one.fields["N_*"].types, ["datawave.data.type.NumberType"]);
    assert_eq!(two.reader.as_ref().unwrap().separator, "|");
    assert!(one.job.is_none() && two.job.is_none());
}

#[test]
fn small_cases() {
    for (folder, action) in [
        ("DROP", Beyond::Drop),
        ("REPLACE", Beyond::Replace),
        ("TRUNCATE", Beyond::Truncate),
    ] {
        let Some(resolved) = case(&[&format!("thresholds/{folder}/config.xml")]) else {
            return;
        };
        assert_eq!(resolved.config.types["thr"].beyond_max, action);
    }
    let tsv = case(&["separators/tsv/config.xml"]).unwrap();
    assert_eq!(
        tsv.config.types["tabbed"]
            .reader
            .as_ref()
            .unwrap()
            .separator,
        "\\t"
    );
    let uid = case(&["uid-time/config.xml"]).unwrap();
    let uid = &uid.config.types["ut"];
    assert!(uid.uid_time && uid.id_downcase);
}

/// The golden edges have `PRE` of e17 only (`pre1` to `pre3`) and `PRE2` of e18 only, though the team of e16 and e17 begins with a `b`.
#[test]
fn preconditions() {
    let Some(resolved) = case(&["edges/config.xml"]) else {
        return;
    };
    let edges = resolved.config.types["links"].edges.clone().unwrap();
    for (record, team, level, expected) in [
        ("e01", "red", None, [false, false]),
        ("e16", "blue", Some("5"), [false, false]),
        ("e17", "blue", Some("50"), [true, false]),
        ("e18", "green", None, [false, true]),
    ] {
        let value = |text: &str| FieldValue {
            value: text.into(),
            group: None,
            sub_group: None,
        };
        let team = [value(team)];
        let level: Vec<_> = level.into_iter().map(value).collect();
        let field = |name: &str| match name {
            "TEAM" => &team[..],
            "LEVEL" => &level[..],
            _ => &[],
        };
        let holds = ["PRE", "PRE2"].map(|kind| {
            let edge = edges.definitions.iter().find(|edge| edge.edge_type == kind);
            let precondition = edge.unwrap().precondition.clone().unwrap();
            let expression = Expression::parse(&precondition).unwrap();
            expression.evaluate(&field).unwrap().holds
        });
        assert_eq!(holds, expected, "{record}");
    }
}
