//! Lexicoders and combiner encodings against the bytes of Accumulo's classes.

use serde_json::Value;
use shardmill_schemas::encode::lexicoder::{Item, Lexicoder};
use shardmill_schemas::encode::long_values::LongEncoding;
use shardmill_schemas::encode::ordered;

use crate::golden;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

/// The text that a record would carry for a value of the vector file, which gives floating point as IEEE bits and bytes as hex.
fn text_of(scalar: &str, value: &Value) -> Vec<u8> {
    let value = value.as_str().unwrap();
    match scalar {
        "double" => format!(
            "{:?}",
            f64::from_bits(u64::from_str_radix(value, 16).unwrap())
        )
        .replace("inf", "Infinity")
        .into_bytes(),
        "float" => format!(
            "{:?}",
            f32::from_bits(u32::from_str_radix(value, 16).unwrap())
        )
        .replace("inf", "Infinity")
        .into_bytes(),
        "bytes" => unhex(value),
        _ => value.as_bytes().to_vec(),
    }
}

/// The names of the types inside a composite name: `pair(string,long)` gives `string` and `long`.
fn element_types(name: &str) -> Vec<&str> {
    name.split(['(', ')', ','])
        .filter(|word| !matches!(*word, "" | "pair" | "list" | "sequence" | "reverse"))
        .collect()
}

fn encoded_text(lexicoder: &Lexicoder, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    lexicoder.encode(Item::Text(text), &mut out).unwrap();
    out
}

fn encoded(name: &str, value: &Value) -> Vec<u8> {
    let lexicoder: Lexicoder = name.parse().unwrap();
    let types = element_types(name);
    let mut out = Vec::new();
    match value {
        Value::Array(values) => {
            let texts: Vec<Vec<u8>> = values
                .iter()
                .enumerate()
                .map(|(at, value)| text_of(types[at % types.len()], value))
                .collect();
            let items: Vec<Item<'_>> = texts.iter().map(|text| Item::Text(text)).collect();
            lexicoder.encode(Item::Items(&items), &mut out).unwrap();
        }
        // No text stands for a NaN with a payload.
        Value::String(bits) if name == "double" => {
            let bits = u64::from_str_radix(bits, 16).unwrap();
            ordered::double(f64::from_bits(bits), &mut out);
            assert!(
                f64::from_bits(bits).is_nan()
                    || out == encoded_text(&lexicoder, &text_of(name, value))
            );
        }
        Value::String(bits) if name == "float" => {
            let bits = u32::from_str_radix(bits, 16).unwrap();
            ordered::float(f32::from_bits(bits), &mut out);
            assert!(
                f32::from_bits(bits).is_nan()
                    || out == encoded_text(&lexicoder, &text_of(name, value))
            );
        }
        _ => {
            let text = text_of(types[0], value);
            out = encoded_text(&lexicoder, &text);
        }
    }
    out
}

#[test]
fn lexicoders_give_accumulos_bytes() {
    let Some(path) = golden::golden("accumulo-manual/vectors/lexicoders.tsv.gz") else {
        return;
    };
    let mut rows = 0;
    for line in golden::read(&path).lines().skip(1) {
        let mut columns = line.split('\t');
        let (Some(name), Some(value), Some(expected)) =
            (columns.next(), columns.next(), columns.next())
        else {
            panic!("three columns are needed: {line}");
        };
        let value: Value = serde_json::from_str(value).unwrap();
        assert_eq!(hex(&encoded(name, &value)), expected, "{line}");
        rows += 1;
    }
    println!("lexicoders: {rows} rows compared");
    assert_eq!(rows, 7500);
}

#[test]
fn combiner_encodings_are_accumulos_both_ways() {
    let Some(path) = golden::golden("accumulo-manual/vectors/combiner-encodings.tsv") else {
        return;
    };
    let mut rows = 0;
    for line in golden::read(&path).lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let value: i64 = columns[0].parse().unwrap();
        for (encoding, expected) in LongEncoding::ALL.into_iter().zip(&columns[1..]) {
            let mut out = Vec::new();
            encoding.encode(value, &mut out);
            assert_eq!(hex(&out), *expected, "{} of {value}", encoding.name());
            assert_eq!(encoding.decode(&out), Ok(value));
        }
        rows += 1;
    }
    println!("combiner encodings: {rows} rows compared");
    assert_eq!(rows, 300);
}
