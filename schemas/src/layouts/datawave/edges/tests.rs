use super::*;
use crate::cell::{Cell, TableId};
use crate::layouts::datawave::config::edges_xml::{Duration, EdgeNode, EdgeType};
use crate::layouts::datawave::config::model::EdgeSwitches;

const TABLES: EdgeTables = EdgeTables {
    edges: TableId(0),
    dictionary: None,
};

/// Row, family, qualifier and visibility of every cell.
#[derive(Default)]
struct Keys(Vec<String>);

impl CellSink for Keys {
    fn put(&mut self, _table: TableId, cell: &Cell<'_>) {
        let parts = [cell.row, cell.family, cell.qualifier, &[cell.visibility]];
        let parts = parts.map(|part| part.concat().escape_ascii().to_string());
        self.0.push(parts.join(" "));
    }
}

fn node(field: &str) -> EdgeNode {
    EdgeNode {
        field: field.into(),
        relationship: "R".into(),
        collection: "C".into(),
        realm: None,
    }
}

fn definition(source: &str, sink: &str) -> EdgeDefinition {
    EdgeDefinition {
        edge_type: "T".into(),
        bidirectional: false,
        source: node(source),
        sink: node(sink),
        enrichment_field: None,
        duration: None,
        precondition: None,
        group_aware: true,
    }
}

fn edges(definition: EdgeDefinition) -> EdgeType {
    EdgeType {
        attribute2: "A2".into(),
        attribute3: "A3".into(),
        activity_date: "ACT".into(),
        enrichment: BTreeMap::new(),
        definitions: vec![definition],
        disallowed_values: Vec::new(),
        disallowed_fields: Vec::new(),
    }
}

fn field(name: &'static str, text: &'static str) -> EdgeField<'static> {
    EdgeField {
        name,
        group: None,
        indexed: text,
        text,
        marking: None,
    }
}

fn run(
    edges: &EdgeType,
    switches: &EdgeSwitches,
    fields: &[EdgeField<'_>],
) -> Result<Vec<String>, Reject> {
    let rules = EdgeRules::build(edges, switches, false, TABLES).unwrap();
    let event = EdgeEvent {
        date: 0,
        load_date: 0,
        id: None,
        visibility: b"V",
        deleting: false,
        fields,
    };
    let mut keys = Keys::default();
    rules.put(&event, &mut EdgeScratch::default(), &mut keys)?;
    Ok(keys.0)
}

/// The rows of the edges alone.
fn rows(edges: &EdgeType, switches: &EdgeSwitches, fields: &[EdgeField<'_>]) -> Vec<String> {
    let keys = run(edges, switches, fields).unwrap();
    let rows = keys.iter().filter(|key| !key.contains("STATS/"));
    rows.map(|key| key.split(' ').next().unwrap().replace("\\x00", "-"))
        .collect()
}

#[test]
fn a_field_paired_with_itself() {
    let plain = [field("F", "a"), field("F", "b"), field("F", "a")];
    let switches = EdgeSwitches::default();
    let found = rows(&edges(definition("F", "F")), &switches, &plain);
    assert_eq!(found, ["a-a", "a-b", "b-a", "b-b"]);
    let grouped = plain.map(|field| EdgeField {
        group: Some("G"),
        ..field
    });
    let found = rows(&edges(definition("F.G", "F.G")), &switches, &grouped);
    assert_eq!(found, ["a-b", "b-a"]);
}

#[test]
fn lists_that_refuse_edges() {
    let fields = [field("F", "bad"), field("G", "bad"), field("G", "good")];
    let mut listed = edges(definition("F", "G"));
    listed.disallowed_values = vec!["bad".into()];
    let off = EdgeSwitches::default();
    let on = EdgeSwitches {
        disallow: true,
        ..EdgeSwitches::default()
    };
    // Sinks are looked up even when the lists are off.
    assert_eq!(rows(&listed, &off, &fields), ["bad-good"]);
    assert!(rows(&listed, &on, &fields).is_empty());
    listed.disallowed_values.clear();
    listed.disallowed_fields = vec!["G".into()];
    assert_eq!(rows(&listed, &off, &fields), ["bad-bad", "bad-good"]);
    assert!(rows(&listed, &on, &fields).is_empty());
}

#[test]
fn preconditions_by_switch() {
    let mut listed = edges(definition("F", "G"));
    // It holds without any value that fits.
    listed.definitions[0].precondition = Some("!(F == 'x')".into());
    let fields = [field("F", "a"), field("G", "b")];
    let count = |edges: &EdgeType, evaluate_preconditions, include_all| {
        let switches = EdgeSwitches {
            evaluate_preconditions,
            include_all,
            ..EdgeSwitches::default()
        };
        rows(edges, &switches, &fields).len()
    };
    assert_eq!(count(&listed, false, false), 0);
    assert_eq!(count(&listed, false, true), 1);
    assert_eq!(count(&listed, true, false), 0);
    listed.definitions[0].group_aware = false;
    assert_eq!(count(&listed, true, false), 1);
}

#[test]
fn values_that_make_no_edge() {
    let switches = EdgeSwitches {
        evaluate_preconditions: true,
        ..EdgeSwitches::default()
    };
    let mut listed = edges(definition("F", "G"));
    let mut fields = vec![field("F", "a"), field("G", "b"), field("A3", "x/y")];
    let code = |edges: &EdgeType, fields: &[EdgeField<'_>]| {
        run(edges, &switches, fields).map_err(|fault| fault.code)
    };
    assert_eq!(code(&listed, &fields), Err("bad-edge-attribute"));
    // No edge, no fault.
    assert_eq!(code(&listed, &fields[1..]), Ok(Vec::new()));
    fields[2] = field("S", "1.5");
    listed.definitions[0].duration = Some(Duration::Elapsed("S".into()));
    assert_eq!(code(&listed, &fields), Err("bad-duration"));
    listed.definitions[0].duration = None;
    listed.definitions[0].precondition = Some("F > 3".into());
    assert_eq!(code(&listed, &fields), Err("bad-precondition"));
    listed.definitions[0].precondition = None;
    listed.definitions[0].sink.collection = "C/D".into();
    let refused = EdgeRules::build(&listed, &switches, false, TABLES);
    assert!(refused.unwrap_err()[0].contains("collection \"C/D\""));
}

#[test]
fn visibility_of_both_ends() {
    let listed = edges(definition("F", "G"));
    let marked = |source: Option<&'static [u8]>, sink: Option<&'static [u8]>| {
        let mut fields = [field("F", "a"), field("G", "b")];
        (fields[0].marking, fields[1].marking) = (source, sink);
        let keys = run(&listed, &EdgeSwitches::default(), &fields).unwrap();
        keys[0].rsplit(' ').next().unwrap().to_owned()
    };
    assert_eq!(marked(None, None), "V");
    assert_eq!(marked(Some(b"A"), None), "A");
    assert_eq!(marked(Some(b"A&B"), Some(b"A")), "A&B");
    assert_eq!(marked(Some(b"A|B"), Some(b"C")), "C&(A|B)");
}

#[test]
fn fields_whose_terms_are_needed() {
    let mut listed = edges(definition("F.X", "G"));
    listed.definitions[0].enrichment_field = Some("E".into());
    listed.definitions[0].duration = Some(Duration::UpDown {
        up: "U".into(),
        down: "D".into(),
    });
    let rules = EdgeRules::build(&listed, &EdgeSwitches::default(), true, TABLES).unwrap();
    for name in ["A2", "A3", "F", "G", "E", "U", "D"] {
        assert!(rules.wants_terms_of(name), "{name}");
    }
    for name in ["ACT", "X", ""] {
        assert!(!rules.wants_terms_of(name), "{name}");
    }
}
