//! DataWave's edges: golden cases from their input to the merged edge table and edge dictionary.

use crate::golden;
use shardmill_schemas::cell::{Cell, CellSink, TableId};
use shardmill_schemas::combine::{Combiner, Input};
use shardmill_schemas::java_date::DatePattern;
use shardmill_schemas::key::{Key, KeyBuf};
use shardmill_schemas::layouts::datawave::config::model::{Resolved, TypeSettings};
use shardmill_schemas::layouts::datawave::config::problem::{NamedBytes, Wanted};
use shardmill_schemas::layouts::datawave::config::resolve::{Options, resolve};
use shardmill_schemas::layouts::datawave::edge_value::EdgeValue;
use shardmill_schemas::layouts::datawave::edges::{
    EdgeEvent, EdgeField, EdgeRules, EdgeScratch, EdgeTables,
};
use shardmill_schemas::layouts::datawave::{EdgeDictionaryCombiner, EdgeValueCombiner};
use shardmill_schemas::normalize::{self, Normalizer};
use shardmill_schemas::visibility::flatten;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const NOW: i64 = 1_700_000_000_000;
const TABLES: EdgeTables = EdgeTables {
    edges: TableId(0),
    dictionary: Some(TableId(1)),
};

fn load(path: &Path) -> NamedBytes {
    NamedBytes {
        name: path.display().to_string(),
        bytes: std::fs::read(path).unwrap(),
    }
}

fn config(path: &Path) -> Resolved {
    let mut include = |wanted: Wanted<'_>| {
        let folder = Path::new(wanted.named_by).parent().unwrap();
        Ok(load(&folder.join(wanted.path)))
    };
    let resolution = resolve(&[load(path)], &mut include, &Options::default());
    resolution.unwrap().config
}

/// The cells of both tables: row, family, qualifier, visibility, timestamp, delete flag, value.
type Cells = Vec<(TableId, KeyBuf, Vec<u8>)>;

#[derive(Default)]
struct Collected(Cells);

impl CellSink for Collected {
    fn put(&mut self, table: TableId, cell: &Cell<'_>) {
        let (row, family) = (cell.row.concat(), cell.family.concat());
        let qualifier = cell.qualifier.concat();
        let key = Key {
            row: &row,
            family: &family,
            qualifier: &qualifier,
            visibility: cell.visibility,
            timestamp: cell.timestamp,
            deleted: cell.deleted,
        };
        self.0.push((table, key.to_buf(), cell.value.to_vec()));
    }
}

/// The columns of a line, by DataWave's rules as far as the cases go: a quoted column may hold separators and doubled quotes.
fn columns(line: &str) -> Vec<String> {
    let mut columns = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        let column = columns.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => column.extend(chars.next()),
            '"' if quoted || column.is_empty() => quoted = !quoted,
            ',' if !quoted => columns.push(String::new()),
            _ => column.push(c),
        }
    }
    columns
}

/// A value of a record, owned: name, group, normalized, text, marking.
struct Owned {
    name: String,
    group: Option<String>,
    indexed: String,
    text: String,
    marking: Option<Vec<u8>>,
}

struct Reader<'a> {
    settings: &'a TypeSettings,
    header: Vec<String>,
}

impl Reader<'_> {
    fn is_multi_valued(&self, name: &str) -> bool {
        let has = |list: &[String]| list.iter().any(|field| field == name);
        match (
            &self.settings.multi_valued,
            &self.settings.multi_valued_except,
        ) {
            (Some(list), _) => has(list),
            (None, Some(list)) => !has(list),
            (None, None) => false,
        }
    }

    fn normalizer(&self, name: &str) -> &'static dyn Normalizer {
        let own = self.settings.fields.get(name);
        let own = own.and_then(|field| field.types.first());
        let class = own.unwrap_or(&self.settings.default_type);
        normalize::find(class).unwrap().normalizer
    }

    fn value(&self, full_name: &str, text: &str, values: &mut Vec<Owned>) {
        let (name, group) = match full_name.split_once('.') {
            Some((name, group)) => (name, Some(group.to_owned())),
            None => (full_name, None),
        };
        let mut indexed = text.to_owned();
        // All cases leave or drop what cannot be normalized; edges need none of it.
        let _ = self
            .normalizer(name)
            .normalize(text, &mut String::new(), &mut |term| {
                indexed = term.to_owned();
            });
        let own = self.settings.fields.get(name);
        let marking = own.and_then(|field| field.marking.as_ref());
        let marking = marking.or(self.settings.marking.as_ref());
        values.push(Owned {
            name: name.into(),
            group,
            indexed,
            text: text.into(),
            marking: marking.map(|text| flatten(text.as_bytes()).unwrap()),
        });
    }

    fn values(&self, line: &str) -> Vec<Owned> {
        let mut values = Vec::new();
        for (at, column) in columns(line).iter().enumerate() {
            let (name, text) = match self.header.get(at) {
                Some(name) => (name.as_str(), column.as_str()),
                None => column.split_once('=').unwrap(),
            };
            if text.is_empty() {
                continue;
            }
            let name = name.to_uppercase();
            if !self.is_multi_valued(&name) {
                self.value(&name, text, &mut values);
                continue;
            }
            let hidden = text.replace("\\;", "\0");
            for part in hidden.split(';').filter(|part| !part.is_empty()) {
                self.value(&name, &part.replace('\0', ";"), &mut values);
            }
        }
        values
    }

    fn date(&self, values: &[Owned]) -> i64 {
        let first = |name: &str| values.iter().find(|value| value.name == name).unwrap();
        for parser in &self.settings.id_parsers {
            let id = &first(&parser.field).text;
            let regex = fancy_regex::Regex::new(&parser.regex).unwrap();
            if let Some(found) = regex.captures(id).unwrap() {
                let pattern = DatePattern::compile(&parser.format, NOW).unwrap();
                return pattern.parse_all(&found[1]).unwrap();
            }
        }
        let text = &first(self.settings.date_field.as_ref().unwrap()).text;
        let formats = self.settings.date_formats.iter();
        let mut dates = formats.filter_map(|format| {
            let pattern = DatePattern::compile(format, NOW).unwrap();
            Some(pattern.parse_prefix(text)?.0)
        });
        dates.next().unwrap()
    }

    fn put(&self, rules: &EdgeRules, values: &[Owned], deleting: bool, out: &mut Collected) {
        let fields: Vec<_> = values
            .iter()
            .map(|value| EdgeField {
                name: &value.name,
                group: value.group.as_deref(),
                indexed: &value.indexed,
                text: &value.text,
                marking: value.marking.as_deref(),
            })
            .collect();
        let text = |name: &String| {
            let found = fields.iter().find(|field| field.name == name);
            found.map(|field| field.text)
        };
        let visibility = self.settings.visibility_field.as_ref().and_then(text);
        let visibility = visibility.or(self.settings.marking.as_deref());
        let event = EdgeEvent {
            date: self.date(values),
            load_date: NOW,
            id: self.settings.uuid_fields.iter().find_map(text),
            visibility: &flatten(visibility.unwrap_or_default().as_bytes()).unwrap(),
            deleting,
            fields: &fields,
        };
        rules.put(&event, &mut EdgeScratch::default(), out).unwrap();
    }
}

/// What the mapper would write for an input of a case, in key order. `read` gives the values of its records.
fn cells(
    config_file: &Path,
    data_type: &str,
    deleting: bool,
    read: impl Fn(&Reader<'_>) -> Vec<Vec<Owned>>,
) -> Cells {
    let resolved = config(config_file);
    let settings = &resolved.types[data_type];
    let edges = settings.edges.as_ref().unwrap();
    let switches = &resolved.job_of(settings).edges;
    let rules = EdgeRules::build(edges, switches, settings.trim_groups, TABLES).unwrap();
    let reader = settings.reader.as_ref().unwrap();
    let reader = Reader {
        settings,
        header: reader.header.clone().unwrap_or_default(),
    };
    let mut out = Collected::default();
    for values in read(&reader) {
        reader.put(&rules, &values, deleting, &mut out);
    }
    sort(&mut out.0);
    out.0
}

fn sort(cells: &mut Cells) {
    cells.sort_by(|one, other| {
        let order = one.0.cmp(&other.0);
        let order = order.then_with(|| one.1.as_key().cmp(&other.1.as_key()));
        order.then_with(|| one.2.cmp(&other.2))
    });
}

fn csv_cells(config_file: &Path, data_type: &str, input: &str, deleting: bool) -> Cells {
    let text = golden::read(&config_file.with_file_name(input));
    cells(config_file, data_type, deleting, |reader| {
        text.lines().map(|line| reader.values(line)).collect()
    })
}

/// Folds what belongs together; every other value goes in through a partial state.
fn merged(cells: &Cells) -> Cells {
    let mut out: Cells = Vec::new();
    let mut rest = cells.as_slice();
    while let Some((table, first, _)) = rest.first() {
        let combiner: &dyn Combiner = match table.0 {
            0 => &EdgeValueCombiner,
            _ => &EdgeDictionaryCombiner,
        };
        let first = first.as_key();
        let same = |(other, key, _): &(TableId, KeyBuf, Vec<u8>)| {
            other == table && combiner.grouping().same(&first, &key.as_key())
        };
        let len = rest.iter().take_while(|cell| same(cell)).count();
        let (group, behind) = rest.split_at(len);
        rest = behind;
        let mut folder = combiner.folder();
        for (at, (_, key, value)) in group.iter().enumerate() {
            let key = key.as_key();
            if at % 2 == 0 {
                folder.add(&key, Input::Value(value)).unwrap();
                continue;
            }
            let mut state = Vec::new();
            let mut other = combiner.folder();
            other.add(&key, Input::Value(value)).unwrap();
            other.partial(&mut state);
            folder.add(&key, Input::Partial(&state)).unwrap();
        }
        let (mut buffer, mut emitted) = (KeyBuf::default(), Vec::new());
        folder.finish(&first, &mut |key, value| {
            buffer.set(key);
            emitted.push((*table, buffer.clone(), value.to_vec()));
        });
        out.extend(emitted);
    }
    out
}

/// The cells of the two tables in a golden file.
fn expected(path: &Path) -> Cells {
    let mut cells = Cells::new();
    for line in golden::read(path).lines() {
        let columns: Vec<_> = line.split('\t').map(golden::unescape).collect();
        let [
            table,
            row,
            family,
            qualifier,
            visibility,
            timestamp,
            deleted,
            value,
        ] = <[Vec<u8>; 8]>::try_from(columns).unwrap();
        let table = match (table.as_slice(), family.as_slice()) {
            (b"edge", _) => TableId(0),
            (b"DatawaveMetadata", b"edge") => TableId(1),
            _ => continue,
        };
        let key = Key {
            row: &row,
            family: &family,
            qualifier: &qualifier,
            visibility: &visibility,
            timestamp: String::from_utf8(timestamp).unwrap().parse().unwrap(),
            deleted: deleted == b"1",
        };
        cells.push((table, key.to_buf(), value));
    }
    cells.sort_by_key(|cell| cell.0);
    cells
}

fn shown((table, key, value): &(TableId, KeyBuf, Vec<u8>)) -> String {
    let key = key.as_key();
    let text = |bytes: &[u8]| bytes.escape_ascii().to_string();
    let parts = [key.row, key.family, key.qualifier, key.visibility].map(text);
    let (time, deleted) = (key.timestamp, key.deleted);
    let value = match table.0 {
        0 => format!("{:?}", EdgeValue::parse(value)),
        _ => text(value),
    };
    format!("{} {} {time} {deleted} {value}", table.0, parts.join("│"))
}

fn counts(cells: &Cells) -> BTreeMap<String, i32> {
    let mut counts = BTreeMap::new();
    for cell in cells {
        *counts.entry(shown(cell)).or_default() += 1;
    }
    counts
}

/// Compares two sets of cells and gives the numbers of cells in the two tables.
fn compare(what: &str, actual: &Cells, expected: &Cells) -> [usize; 2] {
    let (found, wanted) = (counts(actual), counts(expected));
    let mut differences = Vec::new();
    for (cell, count) in &wanted {
        if found.get(cell) != Some(count) {
            differences.push(format!("- {cell}"));
        }
    }
    for (cell, count) in &found {
        if wanted.get(cell) != Some(count) {
            differences.push(format!("+ {cell}"));
        }
    }
    differences.sort_by(|one, other| one[2..].cmp(&other[2..]));
    let some = differences.len().min(40);
    assert!(
        differences.is_empty(),
        "{what}: {} differences\n{}",
        differences.len(),
        differences[..some].join("\n")
    );
    assert_eq!(actual, expected, "{what}: the bytes or their order");
    let edges = actual.iter().filter(|cell| cell.0 == TABLES.edges).count();
    let tables = [edges, actual.len() - edges];
    println!("{what}: {edges} edge cells and {} definitions", tables[1]);
    tables
}

fn case(name: &str) -> Option<PathBuf> {
    golden::golden(&format!("datawave/{name}"))
}

/// Compares what a case's input comes to, mapped and merged.
fn check(name: &str, data_type: &str, input: &str) -> Option<[usize; 2]> {
    let folder = case(name)?;
    let cells = csv_cells(&folder.join("config.xml"), data_type, input, false);
    let mut wanted = expected(&folder.join("expected.premerge.tsv.gz"));
    sort(&mut wanted);
    compare(&format!("{name}, mapped"), &cells, &wanted);
    let wanted = expected(&folder.join("expected.tsv.gz"));
    Some(compare(name, &merged(&cells), &wanted))
}

#[test]
fn edges() {
    let found = check("edges", "links", "input.csv");
    assert!(found.is_none_or(|found| found == [589, 34]));
}

#[test]
fn cars() {
    let found = check("cars", "cars", "input.csv");
    assert!(found.is_none_or(|found| found == [77, 4]));
}

#[test]
fn mycsv() {
    let found = check("mycsv", "mycsv", "my.csv");
    assert!(found.is_none_or(|found| found == [17, 2]));
}

/// Edges are taken away by delete markers, the dictionary stays.
#[test]
fn deletes() {
    let Some(folder) = case("deletes/full") else {
        return;
    };
    for (run, deleting) in [(1, false), (2, true)] {
        let cells = csv_cells(&folder.join("config.xml"), "del", "input.csv", deleting);
        let name = format!("expected.premerge.{run}.tsv.gz");
        let mut wanted = expected(&folder.join(name));
        sort(&mut wanted);
        let found = compare(&format!("deletes/full, run {run}"), &cells, &wanted);
        assert_eq!(found, [28, 12]);
    }
}

/// A definition between values of one group, whose numbers are trimmed.
#[test]
fn tvmaze() {
    let Some(folder) = case("tvmaze") else {
        return;
    };
    let text = golden::read(&folder.join("tvmaze-seinfeld.json"));
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let show = json.get(0).unwrap_or(&json);
    let cells = cells(&folder.join("config.xml"), "myjson", false, |reader| {
        let mut values = Vec::new();
        reader.value("NAME", show["name"].as_str().unwrap(), &mut values);
        reader.value("ID", &show["id"].to_string(), &mut values);
        let premiered = show["premiered"].as_str().unwrap();
        reader.value("PREMIERED", premiered, &mut values);
        let cast = show["_embedded"]["cast"].as_array().unwrap();
        for (at, member) in cast.iter().enumerate() {
            let name = format!("EMBEDDED_CAST_PERSON_NAME.EMBEDDED_0.CAST_{at}.PERSON_0.NAME_0");
            let person = member["person"]["name"].as_str().unwrap();
            reader.value(&name, person, &mut values);
        }
        vec![values]
    });
    let wanted = expected(&folder.join("expected.tsv.gz"));
    assert_eq!(compare("tvmaze", &merged(&cells), &wanted), [38, 3]);
}
