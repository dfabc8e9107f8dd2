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
