//! RFiles in both directions: what we write is read by Accumulo, what Accumulo writes is read by us.

use super::cells::{self, Lines, Owned, generated, groups, line};
use super::peer;
use crate::support;
use shardmill_pipeline::rfile::{Codec, Container, RFileReader, RFileWriter, WriterOptions};
use shardmill_pipeline::verify::rfile::{VerifiedFile, verify_file};

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

/// Small blocks, so that 200,000 cells give an index of three levels.
const BLOCK: usize = 4_000;
const INDEX_BLOCK: usize = 2_000;

const TABLE: &str = "generated";

/// Writes cells with our writer.
pub(super) fn write_ours(
    path: &Path,
    codec: Codec,
    container: Container,
    cells: impl Iterator<Item = Owned>,
) {
    let options = WriterOptions {
        codec,
        container,
        block_size: BLOCK,
        index_block_size: INDEX_BLOCK,
        ..WriterOptions::default()
    };
    let file = BufWriter::new(File::create(path).unwrap());
    let mut writer = RFileWriter::new(file, &options, &groups()).unwrap();
    for (key, value) in cells {
        writer.append(&key.as_key(), &value).unwrap();
    }
    let summary = writer.finish().unwrap();
    assert!(summary.index_levels >= 3, "{} levels", summary.index_levels);
}

/// Writes the data set with Accumulo's writer.
fn write_theirs(path: &Path, codec: Codec) {
    let mut args: Vec<String> = ["write", "--codec", codec.name(), "--out"]
        .map(Into::into)
        .into();
    args.push(path.display().to_string());
    args.extend(["--block-size".into(), BLOCK.to_string()]);
    args.extend(["--index-block-size".into(), INDEX_BLOCK.to_string()]);
    for group in groups() {
        // A comma inside a family, which would separate two, stands as its number.
        let families = group.families.iter().map(|family| {
            let text = shardmill_pipeline::escape::escape(family);
            text.replace(',', "\\x2c")
        });
        let families: Vec<String> = families.collect();
        args.extend([
            "--group".into(),
            format!("{}={}", group.name, families.join(",")),
        ]);
    }
    let mut peer = peer::Peer::start(&args);
    cells::write_lines(TABLE, generated(), peer.input());
    peer.finish();
}

/// Our reader gives the data set, cell by cell, also from the middle.
fn assert_we_read(path: &Path) {
    let reader = RFileReader::open(path).unwrap();
    let mut scan = reader.scan().unwrap();
    let mut middle = None;
    for (at, (key, value)) in generated().enumerate() {
        let found = scan.next().unwrap();
        assert!(
            found == Some((key.as_key(), &value[..])),
            "{}: cell {at} is {found:?}",
            path.display()
        );
        if at == cells::COUNT / 2 {
            middle = Some(key.as_key().row.to_vec());
        }
    }
    assert!(scan.next().unwrap().is_none());
    let row = middle.unwrap();
    scan.seek_row(&row).unwrap();
    let expected = generated().find(|(key, _)| key.as_key().row >= &row[..]);
    let (key, value) = expected.unwrap();
    assert_eq!(scan.next().unwrap(), Some((key.as_key(), &value[..])));
    let info = reader.info().unwrap();
    assert_eq!(info.entries, cells::COUNT as u64);
    let levels = info.groups.iter().map(|group| group.index_levels.len());
    assert!(levels.max() >= Some(3), "{}: a flat index", path.display());
    assert_eq!(info.groups.len(), 3);
}

/// A sum over cells that does not depend on their order: `verify_file` gives them group by group.
#[derive(Default, PartialEq, Eq, Debug)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, line: &str) {
        let mut hasher = DefaultHasher::new();
        hasher.write(line.as_bytes());
        self.0 = self.0.wrapping_add(hasher.finish());
    }
}

/// `verify` accepts the file and saw the data set in it.
fn assert_verified(path: &Path) -> VerifiedFile {
    let (mut expected, mut found) = (Digest::default(), Digest::default());
    let mut deletes = 0;
    for (key, value) in generated() {
        expected.add(&line(TABLE, &key.as_key(), &value));
        deletes += u64::from(key.as_key().deleted);
    }
    let parses = |text: &[u8]| shardmill_schemas::visibility::validate(text).is_ok();
    let verified = verify_file(path, &parses, &mut |key, value| {
        found.add(&line(TABLE, key, value));
    });
    let verified = verified.unwrap();
    assert_eq!(found, expected, "{}", path.display());
    assert_eq!(verified.entries, cells::COUNT as u64);
    assert_eq!(verified.deletes, deletes);
    verified
}

#[test]
fn accumulo_reads_what_we_write() {
    if !peer::available() {
        return;
    }
    let folder = support::folder();
    let mut paths: Vec<PathBuf> = Vec::new();
    let one = [Codec::Gz, Codec::None].map(|codec| (codec, Container::BcFile1));
    let three = Codec::ALL.map(|codec| (codec, Container::BcFile3));
    for (codec, container) in three.into_iter().chain(one) {
        let name = format!("{}-{container:?}.rf", codec.name());
        let path = folder.path().join(name);
        write_ours(&path, codec, container, generated());
        assert_we_read(&path);
        assert!(assert_verified(&path).has_digest);
        paths.push(path);
    }
    let mut args = ["read", "--seek", "500", "--table", TABLE]
        .map(Into::into)
        .to_vec();
    args.extend(paths.iter().map(|path| path.display().to_string()));
    let mut peer = peer::Peer::start(&args);
    // Theirs come one file after the other, each in the order of keys.
    let mut lines = Lines::new("what Accumulo read", peer.output());
    for _ in &paths {
        for (key, value) in generated() {
            lines.expect(&line(TABLE, &key.as_key(), &value));
        }
    }
    assert_eq!(lines.count(), paths.len() * cells::COUNT);
    lines.end();
    peer.finish();
}

#[test]
fn we_read_what_accumulo_writes() {
    if !peer::available() {
        return;
    }
    let folder = support::folder();
    for codec in Codec::ALL {
        let theirs = folder.path().join(format!("{}.rf", codec.name()));
        write_theirs(&theirs, codec);
        assert_we_read(&theirs);
        let verified = assert_verified(&theirs);
        assert!(!verified.has_digest);
        let ours = folder.path().join(format!("ours-{}.rf", codec.name()));
        write_ours(&ours, codec, Container::BcFile3, generated());
        let size = std::fs::metadata(&ours).unwrap().len();
        eprintln!(
            "{}: {size} bytes, Accumulo's file {}",
            codec.name(),
            verified.file_bytes
        );
        // With a codec the size is the compressor's, without one it is the format's.
        if codec == Codec::None {
            assert!(size as f64 <= 1.02 * verified.file_bytes as f64);
        }
    }
}

/// The lines of a file.
pub(super) fn lines_of(path: &Path) -> Lines<BufReader<File>> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Lines::new(path.display().to_string(), BufReader::new(file))
}
