//! The manual's designs against the cells that Accumulo's client wrote, from the same input.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use shardmill_schemas::cell::{Cell, CellSink, TableId};
use shardmill_schemas::combine::Input;
use shardmill_schemas::key::{Key, KeyBuf};
use shardmill_schemas::layout::{self, JobFacts, Layout, Outcome};
use shardmill_schemas::record::{Position, Record, Schema};

use crate::golden;

/// The cells of a layout, as the engine would keep them: in key order, values of equal keys descending.
#[derive(Default)]
struct Cells(Vec<(u16, KeyBuf, Vec<u8>)>);

impl CellSink for Cells {
    fn put(&mut self, table: TableId, cell: &Cell<'_>) {
        let (row, family, qualifier) = (
            cell.row.concat(),
            cell.family.concat(),
            cell.qualifier.concat(),
        );
        let key = Key {
            row: &row,
            family: &family,
            qualifier: &qualifier,
            visibility: cell.visibility,
            timestamp: cell.timestamp,
            deleted: cell.deleted,
        };
        self.0.push((table.0, key.to_buf(), cell.value.to_vec()));
    }
}

impl Cells {
    fn sort(&mut self) {
        self.0.sort_by(|a, b| {
            let keys = a.1.as_key().cmp(&b.1.as_key());
            a.0.cmp(&b.0).then(keys).then_with(|| b.2.cmp(&a.2))
        });
    }

    /// Lines as in `expected.tsv.gz`.
    fn lines(&self, layout: &dyn Layout) -> Vec<String> {
        let line = |(table, key, value): &(u16, KeyBuf, Vec<u8>)| {
            let key = key.as_key();
            let name = &layout.tables()[usize::from(*table)].name;
            let columns = [key.row, key.family, key.qualifier, key.visibility].map(printable);
            let (timestamp, deleted) = (key.timestamp, u8::from(key.deleted));
            let value = printable(value);
            format!(
                "{name}\t{}\t{timestamp}\t{deleted}\t{value}",
                columns.join("\t")
            )
        };
        self.0.iter().map(line).collect()
    }

    /// What the combiners of the tables make of the sorted cells.
    fn combined(&self, layout: &dyn Layout) -> Cells {
        let mut made = Cells::default();
        let mut cells = self.0.as_slice();
        while let Some((table, first, value)) = cells.first() {
            let key = first.as_key();
            let rule = layout.tables()[usize::from(*table)].combiner(key.family);
            let Some(combiner) = rule else {
                made.0.push((*table, first.clone(), value.clone()));
                cells = &cells[1..];
                continue;
            };
            let same = |cell: &&(u16, KeyBuf, Vec<u8>)| {
                cell.0 == *table && combiner.grouping().same(&key, &cell.1.as_key())
            };
            let length = cells.iter().take_while(same).count();
            let mut folder = combiner.folder();
            for (_, key, value) in &cells[..length] {
                folder.add(&key.as_key(), Input::Value(value)).unwrap();
            }
            folder.finish(&key, &mut |key, value| {
                made.0.push((*table, key.to_buf(), value.to_vec()));
            });
            cells = &cells[length..];
        }
        made
    }
}

fn printable(bytes: &[u8]) -> String {
    let mut text = String::new();
    for &byte in bytes {
        match byte {
            b'\\' => text.push_str("\\\\"),
            0x20..=0x7e => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text
}

/// The input of a case: its header and its objects.
fn graph(case: &str) -> Option<(Value, Vec<Value>)> {
    let path = golden::golden(&format!("accumulo-manual/{case}/graph.jsonl"))?;
    let text = golden::read(&path);
    let mut lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let header = lines.next().unwrap();
    Some((header, lines.collect()))
}

fn expected(case: &str) -> Vec<String> {
    let path = golden::golden(&format!("accumulo-manual/{case}/expected.tsv.gz")).unwrap();
    golden::read(&path)
        .lines()
        .skip(1)
        .map(str::to_owned)
        .collect()
}

fn build(config: &Value) -> Arc<dyn Layout> {
    let def = layout::find("manual").unwrap();
    match (def.build)(config, JobFacts { now: 0 }) {
        Ok(layout) => layout,
        Err(faults) => panic!("{faults:?}"),
    }
}

/// Feeds objects to a worker through the record model. Fields are all members but those that say what the object is, and its `fields`.
fn expand(layout: &dyn Layout, objects: &[&Value]) -> Cells {
    let mut schema = Arc::new(Schema::default());
    let mut cells = Cells::default();
    let mut worker = layout.worker();
    let mut record = Record::new(Arc::default(), Arc::clone(&schema));
    for (ordinal, object) in objects.iter().enumerate() {
        record.begin(Position {
            record: ordinal as u64,
            ..Position::default()
        });
        let mut push = |record: &mut Record, name: &str, value: &Value, mark: Option<&str>| {
            let known = schema.names.iter().position(|known| known == name);
            let column = known.unwrap_or_else(|| {
                let mut names = schema.names.clone();
                names.push(name.to_owned());
                schema = Arc::new(Schema { names });
                record.set_schema(Arc::clone(&schema));
                schema.names.len() - 1
            });
            let number = value.as_i64().map(|number| number.to_string());
            record.push_marked(column, value.as_str().or(number.as_deref()), mark);
        };
        for (name, value) in object.as_object().unwrap() {
            if !matches!(
                name.as_str(),
                "kind" | "table" | "ts" | "vis" | "row_id" | "fields"
            ) {
                push(&mut record, name, value, None);
            }
        }
        if let Some(suffix) = object["row_id"].get("suffix") {
            push(&mut record, "suffix", suffix, None);
        }
        for field in object["fields"].as_array().into_iter().flatten() {
            let name = field["name"].as_str().unwrap();
            push(&mut record, name, &field["value"], field["vis"].as_str());
        }
        record.set_timestamp(object["ts"].as_i64().unwrap());
        if let Some(visibility) = object["vis"].as_str() {
            record.set_visibility(visibility);
        }
        let outcome = worker.expand(&record, &mut cells);
        assert_eq!(outcome, Ok(Outcome::Written), "{object}");
    }
    worker.flush(&mut cells);
    drop(worker);
    cells.sort();
    cells
}

fn compare(case: &str, mut ours: Vec<String>, mut theirs: Vec<String>) {
    // Tables stand in the order of their names there, in that of the design here.
    ours.sort();
    theirs.sort();
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs, "{case}");
    }
    assert_eq!(ours.len(), theirs.len(), "{case}");
    println!("{case}: {} cells compared", ours.len());
}

#[test]
fn entity_table_gives_the_cells_of_the_client() {
    let Some((header, objects)) = graph("entity-table") else {
        return;
    };
    let layout = build(&json!({ "design": "entity-table", "table": header["table"] }));
    let cells = expand(layout.as_ref(), &objects.iter().collect::<Vec<_>>());
    // One table: the order too is that of the golden file.
    let (ours, theirs) = (cells.lines(layout.as_ref()), expected("entity-table"));
    assert_eq!(ours, theirs);
    compare("entity-table", ours, theirs);
}

#[test]
fn typed_secondary_index_gives_the_cells_of_the_client() {
    let Some((header, objects)) = graph("typed-secondary-index") else {
        return;
    };
    let mut types = BTreeMap::new();
    for object in &objects {
        for field in object["fields"].as_array().unwrap() {
            types.insert(field["name"].as_str().unwrap(), field["type"].clone());
        }
    }
    let layout = build(&json!({
        "design": "typed-secondary-index",
        "table": header["table"],
        "types": types,
        "indexes": header["indexes"],
    }));
    let cells = expand(layout.as_ref(), &objects.iter().collect::<Vec<_>>());
    compare(
        "typed-secondary-index",
        cells.lines(layout.as_ref()),
        expected("typed-secondary-index"),
    );
}

#[test]
fn row_ids_give_the_cells_of_the_client() {
    let Some((_, objects)) = graph("row-ids") else {
        return;
    };
    let mut lines = Vec::new();
    let mut tables: Vec<&str> = objects
        .iter()
        .map(|it| it["table"].as_str().unwrap())
        .collect();
    tables.sort_unstable();
    tables.dedup();
    for table in tables {
        let of_table: Vec<&Value> = objects.iter().filter(|it| it["table"] == table).collect();
        let row_id = &of_table[0]["row_id"];
        let mut config = json!({ "reverse_domain": row_id["reverse_domain"] });
        if let Some(format) = row_id.get("date_format") {
            config["date"] = json!("time_ms");
            config["date_format"] = format.clone();
        }
        if row_id.get("suffix").is_some() {
            config["suffix"] = json!("suffix");
        }
        let layout = build(&json!({
            "design": "row-ids",
            "table": table,
            "except": ["time_ms", "suffix"],
            "row_id": config,
        }));
        lines.extend(expand(layout.as_ref(), &of_table).lines(layout.as_ref()));
    }
    compare("row-ids", lines, expected("row-ids"));
}

#[test]
fn graphs_give_the_cells_of_the_client_and_its_sums() {
    for case in [
        "entity-attribute-string",
        "entity-attribute-varlen",
        "entity-attribute-fixedlen",
    ] {
        let Some((header, objects)) = graph(case) else {
            return;
        };
        let columns = header["combiner"].get("columns").cloned();
        let layout = build(&json!({
            "design": "entity-attribute-graph",
            "table": header["table"],
            "id": "entity",
            "graph": {
                "attribute": { "name": "name", "value": "value" },
                "edge": { "type": "type", "related": "related", "reverse_type": "reverse_type" },
                "weight": "weight",
                "encoding": header["combiner"]["type"],
                "sum": columns.unwrap_or(json!([])),
            },
        }));
        let cells = expand(layout.as_ref(), &objects.iter().collect::<Vec<_>>());
        compare(case, cells.lines(layout.as_ref()), expected(case));
        check_scan(case, layout.as_ref(), &cells);
    }
}

/// The full scan and the table properties of a case, which the client read with the summing iterator in place.
fn check_scan(case: &str, layout: &dyn Layout, cells: &Cells) {
    let path = golden::golden(&format!("accumulo-manual/{case}/readback.jsonl")).unwrap();
    for line in golden::read(&path).lines() {
        let answer: Value = serde_json::from_str(line).unwrap();
        if answer["q"] == json!({ "op": "scan" }) {
            let theirs = answer["cells"].as_array().unwrap().iter().map(|cell| {
                let text = |name: &str| cell[name].as_str().unwrap().to_owned();
                let columns = ["row", "cf", "cq", "vis"].map(text).join("\t");
                let table = &layout.tables()[0].name;
                format!("{table}\t{columns}\t{}\t0\t{}", cell["ts"], text("value"))
            });
            let ours = newest(&cells.combined(layout)).lines(layout);
            compare(&format!("{case} (summed)"), ours, theirs.collect());
        }
        if answer["q"]["op"] == "table_properties" {
            let mut ours = BTreeMap::new();
            for setting in &layout.tables()[0].iterators {
                for scope in ["majc", "minc", "scan"] {
                    let key = format!("table.iterator.{scope}.{}", setting.name);
                    for (option, value) in &setting.options {
                        ours.insert(format!("{key}.opt.{option}"), value.clone());
                    }
                    ours.insert(key, format!("{},{}", setting.priority, setting.class));
                }
            }
            for (key, value) in answer["properties"].as_object().unwrap() {
                let sorted = |text: &str| {
                    let mut words: Vec<String> = text.split(',').map(str::to_owned).collect();
                    words.sort();
                    words
                };
                let theirs = sorted(value.as_str().unwrap());
                assert_eq!(
                    ours.get(key).map(|ours| sorted(ours)),
                    Some(theirs),
                    "{key}"
                );
            }
        }
    }
}

/// What the versioning iterator leaves: the first of the versions of each cell.
fn newest(cells: &Cells) -> Cells {
    let mut kept = cells.0.clone();
    kept.dedup_by(|next, first| {
        next.0 == first.0 && first.1.as_key().same_columns(&next.1.as_key())
    });
    Cells(kept)
}

#[test]
fn document_indexes_give_the_cells_of_the_client() {
    for case in ["document-partitioned-index", "indexed-documents"] {
        let Some((header, objects)) = graph(case) else {
            return;
        };
        let mut documents = json!({ "text": "text" });
        if case == "indexed-documents" {
            documents["shard"] = json!("shard");
            documents["doctype"] = json!("doctype");
            documents["info"] = json!("info");
            documents["index_family"] = header["index_colf"].clone();
            documents["document_family"] = header["doc_colf"].clone();
        } else {
            documents["bins"] = header["bins"].clone();
        }
        let layout = build(&json!({
            "design": case,
            "table": header["table"],
            "documents": documents,
        }));
        let cells = expand(layout.as_ref(), &objects.iter().collect::<Vec<_>>());
        compare(case, cells.lines(layout.as_ref()), expected(case));
    }
}
