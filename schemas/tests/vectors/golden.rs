//! Finds and reads the golden data, which is not part of the repository.

use std::io::Read;
use std::path::{Path, PathBuf};

/// The path of a golden file or folder: below `SHARDMILL_GOLDEN`, else in `shared/golden` beside the checkout. When it is absent the
/// calling test prints that it is skipped; with `golden` in `SHARDMILL_REQUIRE` it fails.
pub(crate) fn golden(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("SHARDMILL_GOLDEN").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/golden"),
        PathBuf::from,
    );
    let found = root.join(path);
    if found.exists() {
        return Some(found);
    }
    let required = std::env::var("SHARDMILL_REQUIRE").unwrap_or_default();
    assert!(
        !required.contains("golden"),
        "golden data is required and absent: {}",
        found.display()
    );
    println!("SKIPPED: no golden data at {}", found.display());
    None
}

/// The text of a golden file, unpacked if its name ends in `.gz`.
pub(crate) fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    if path.extension().is_none_or(|extension| extension != "gz") {
        return String::from_utf8(bytes).unwrap();
    }
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(bytes.as_slice())
        .read_to_string(&mut text)
        .unwrap();
    text
}

/// The bytes of an escaped column: `\\` is a backslash, `\xNN` a byte, everything else itself.
pub(crate) fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut parts = text.split('\\');
    bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    while let Some(part) = parts.next() {
        if let Some(code) = part.strip_prefix('x') {
            bytes.push(u8::from_str_radix(&code[..2], 16).unwrap());
            bytes.extend_from_slice(&code.as_bytes()[2..]);
        } else {
            // Two backslashes: the split gives an empty part between them.
            assert!(part.is_empty(), "{text}");
            bytes.push(b'\\');
            bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
        }
    }
    bytes
}
