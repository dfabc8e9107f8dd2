//! Whole files: golden bytes, round trips through every codec and container, damage.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Arc;

use proptest::prelude::*;
use shardmill_schemas::key::{Key, KeyBuf};

use super::*;

/// A cell of a test.
pub(crate) type Cell = (KeyBuf, Vec<u8>);

/// A cell from its parts.
pub(crate) fn cell(
    fields: [&[u8]; 4],
    timestamp: i64,
    deleted: bool,
    value: impl Into<Vec<u8>>,
) -> Cell {
    let key = Key {
        row: fields[0],
        family: fields[1],
        qualifier: fields[2],
        visibility: fields[3],
        timestamp,
        deleted,
    };
    (key.to_buf(), value.into())
}

/// Groups from names and families.
pub(crate) fn groups(groups: &[(&str, &[&str])]) -> Vec<LocalityGroup> {
    let group = |&(name, families): &(&str, &[&str])| LocalityGroup {
        name: name.to_owned(),
        families: families.iter().map(|f| f.as_bytes().to_vec()).collect(),
    };
    groups.iter().map(group).collect()
}

/// Options with blocks so small that few cells make several levels.
pub(crate) fn small(codec: Codec, container: Container, digest: bool) -> WriterOptions {
    WriterOptions {
        codec,
        container,
        digest,
        block_size: 200,
        index_block_size: 150,
        ..WriterOptions::default()
    }
}

/// The file of some cells.
pub(crate) fn write(
    options: &WriterOptions,
    groups: &[LocalityGroup],
    cells: &[Cell],
) -> (Vec<u8>, FileSummary) {
    let mut bytes = Vec::new();
    let mut writer = RFileWriter::new(&mut bytes, options, groups).unwrap();
    for (key, value) in cells {
        writer.append(&key.as_key(), value).unwrap();
    }
    let summary = writer.finish().unwrap();
    assert_eq!(summary.file_bytes, bytes.len() as u64);
    assert_eq!(summary.entries, cells.len() as u64);
    (bytes, summary)
}

/// Everything a file holds, or why it cannot be read.
pub(crate) fn read(bytes: &[u8]) -> Result<Vec<Cell>, RFileError> {
    let reader = RFileReader::from_bytes(Arc::from(bytes), "test.rf")?;
    reader.info()?;
    let mut scan = reader.scan()?;
    let mut cells = Vec::new();
    while let Some((key, value)) = scan.next()? {
        cells.push((key.to_buf(), value.to_vec()));
    }
    Ok(cells)
}

fn sorted(mut cells: Vec<Cell>) -> Vec<Cell> {
    cells.sort_by(|a, b| a.0.as_key().cmp(&b.0.as_key()));
    cells
}

/// Index-like cells over several rows and families, with duplicates and deletes.
pub(crate) fn sample(n: usize) -> Vec<Cell> {
    let one = |i: usize| {
        let row = format!("row{:05}", i / 7);
        let family = ["cf", "cg", "m", "m2", ""][i % 5];
        let qualifier = format!("q{}", i % 3);
        let visibility: &[u8] = [&b"A"[..], b"A&B", b""][i % 3];
        let fields = [
            row.as_bytes(),
            family.as_bytes(),
            qualifier.as_bytes(),
            visibility,
        ];
        cell(
            fields,
            1_000 - (i % 4) as i64,
            i.is_multiple_of(11),
            vec![i as u8; i % 13],
        )
    };
    let mut cells: Vec<Cell> = (0..n).map(one).collect();
    if let Some(first) = cells.first().cloned() {
        cells.push(first);
    }
    sorted(cells)
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().filter(char::is_ascii_hexdigit).collect();
    let pair = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap();
    digits.chunks(2).map(pair).collect()
}

fn plain() -> WriterOptions {
    WriterOptions {
        codec: Codec::None,
        digest: false,
        ..WriterOptions::default()
    }
}

/// What Java writes for these cells with codec none, field by field.
#[test]
fn rfile_golden_file_is_javas_byte_for_byte() {
    let cells = [
        cell([b"row1", b"cf", b"cq", b"A"], 100, false, ""),
        cell([b"row1", b"cf", b"cq", b"A"], 99, true, "x"),
        cell([b"row1", b"cf", b"cr2", b""], 99, false, "yz"),
        cell([b"row1", b"m", b"a1", b"A&K"], 100, false, "v1"),
        cell([b"row2", b"cg", b"c", b"A|B"], -5, false, [0, 0xff]),
    ];
    let (bytes, summary) = write(&plain(), &groups(&[("meta", &["m", "m2"])]), &cells);
    // One pass writes both groups' blocks when the file ends, the named group's first, as Java does.
    let expected = [
        "d111d36891b5d7b639df414092bae150", // magic
        // Data block of group "meta": flags 00, four fields with lengths, timestamp 100, value of 2 bytes.
        "00 04726f7731 016d 026131 0341264b 64 00000002 7631",
        // Data block of the default group.
        "00 04726f7731 026366 026371 0141 64 00000000", // absolute, empty value
        "af10 ff 00000001 78",                          // all same, deleted, timestamp −1
        "13 03637232 00 00000002 797a", // row, family, timestamp same; qualifier, visibility new
        // Row with prefix 3, timestamp as a difference of −104; family, qualifier, visibility new.
        "8011 0301 32 026367 0163 03417c42 98 00000002 00ff",
        // RFile.index: magic, version 8, two groups.
        "20637474 00000008 00000002",
        "00 00046d657461",                              // a named group: "meta"
        "00000002", // two families in the order of Java's hash table:
        "00000002 6d32 0000000000000000", // m2, no cells
        "00000001 6d 0000000000000001", // m, one cell
        "01 0405070a 726f77316d613141264b 64 00", // first key: end offsets, fields, timestamp, not deleted
        "00000001",                               // one data block
        "00000000 00000000 00", // root: level 0, nothing before it, no block after it
        "00000001 00000000",    // one entry, at 0
        "00000017 0405070a 726f77316d613141264b 64 00", // 23 bytes of entries; last key
        "00000001 10 16 16",    // one cell; the block at 16, 22 bytes packed, 22 raw
        "01 00000002",          // the default group: two families
        "00000002 6366 0000000000000003", // cf, three cells
        "00000002 6367 0000000000000001", // cg, one cell
        "01 04060809 726f77316366637141 64 00", // first key
        "00000001 00000000 00000000 00 00000001 00000000 00000017", // as above
        "0406070a 726f773263 67 63 417c42 fb 00", // last key, timestamp −5
        "00000004 26 3c 3c",    // four cells; the block at 38, 60 bytes
        "00",                   // no sample
        "046e6f6e65 00",        // BCFile.index: codec "none", no list of blocks
        "02",                   // meta index: two entries
        "11 646174613a424346696c652e696e646578 046e6f6e65 cd37 06 06", // data:BCFile.index
        "10 646174613a5246696c652e696e646578 046e6f6e65 62 ccd5 ccd5", // data:RFile.index
        "00000007 552b3146343742", // crypto part: not encrypted
        "000000000000013d 0000000000000174", // where meta index and crypto part start
        "0003 0000 d111d36891b5d7b639df414092bae150", // version 3.0, magic
    ];
    assert_eq!(bytes.len(), 419);
    assert_eq!(bytes, unhex(&expected.concat()));
    let sha256 = "c372705f5a4c70353274796526d609eae0f96cfc3e44451a7ce7ee4de9fe742c";
    assert_eq!(summary.sha256.to_vec(), unhex(sha256));
    assert_eq!(summary.first_key.as_ref(), Some(&cells[0].0));
    assert_eq!(summary.last_key.as_ref(), Some(&cells[4].0));
    assert_eq!((summary.deletes, summary.blocks), (1, 2));
    assert_eq!(read(&bytes).unwrap(), cells);
}

#[test]
fn rfile_empty_file_is_javas_byte_for_byte() {
    let (bytes, summary) = write(&plain(), &[], &[]);
    let expected = [
        "d111d36891b5d7b639df414092bae150",       // magic
        "20637474 00000008 00000001",             // RFile.index: magic, version, one group
        "01 00000000 00",                         // the default group, no families, no first key
        "00000000",                               // no data blocks
        "00000000 00000000 00 00000000 00000000", // an empty root
        "00",                                     // no sample
        "046e6f6e65 00",                          // BCFile.index
        "02 11 646174613a424346696c652e696e646578 046e6f6e65 38 06 06", // at 56
        "10 646174613a5246696c652e696e646578 046e6f6e65 10 28 28", // at 16, 40 bytes
        "00000007 552b3146343742",                // not encrypted
        "000000000000003e 0000000000000072 0003 0000", // meta index at 62, crypto at 114
        "d111d36891b5d7b639df414092bae150",       // magic
    ];
    assert_eq!(bytes, unhex(&expected.concat()));
    let sha256 = "97ecbc2477d3268f05b0d23c948017ae77d4c786563ec1409f23705ee5bd1000";
    assert_eq!(summary.sha256.to_vec(), unhex(sha256));
    assert_eq!(summary.first_key, None);
    assert_eq!(read(&bytes).unwrap(), []);
}

/// Every codec in every container that takes it.
pub(crate) fn kinds() -> Vec<(Codec, Container)> {
    let three = Codec::ALL.map(|codec| (codec, Container::BcFile3));
    let one = [Codec::None, Codec::Gz].map(|codec| (codec, Container::BcFile1));
    three.into_iter().chain(one).collect()
}

#[test]
fn rfile_every_codec_and_container_round_trips() {
    let named = groups(&[("meta", &["m", "m2"]), ("never", &["nothing"])]);
    for (codec, container) in kinds() {
        for n in [0, 1, 400] {
            for digest in [false, true] {
                let cells = sample(n);
                let options = small(codec, container, digest);
                let (bytes, summary) = write(&options, &named, &cells);
                assert_eq!(read(&bytes).unwrap(), cells);
                let reader = RFileReader::from_bytes(bytes.into(), "test.rf").unwrap();
                let info = reader.info().unwrap();
                assert_eq!(info.entries, summary.entries);
                assert_eq!(info.data_blocks, summary.blocks);
                assert_eq!((info.codec, info.container), (codec, container));
                assert_eq!(info.has_digest, digest);
                assert_eq!(info.first_key, summary.first_key);
                assert_eq!(info.last_key, summary.last_key);
                assert_eq!(info.meta_blocks.len(), if digest { 3 } else { 2 });
            }
        }
    }
}

#[test]
fn rfile_small_blocks_make_three_index_levels_and_seeks_descend_them() {
    let cells = sample(3_000);
    let named = groups(&[("meta", &["m", "m2"])]);
    let options = small(Codec::Gz, Container::BcFile3, true);
    let (bytes, summary) = write(&options, &named, &cells);
    assert!(summary.index_levels >= 3, "{}", summary.index_levels);
    let reader = RFileReader::from_bytes(bytes.into(), "test.rf").unwrap();
    let info = reader.info().unwrap();
    let levels: Vec<usize> = info.groups.iter().map(|g| g.index_levels.len()).collect();
    assert_eq!(levels.iter().max(), Some(&summary.index_levels));
    let mut scan = reader.scan().unwrap();
    let rows = (0..430).map(|i| format!("row{i:05}").into_bytes());
    let between = (0..430)
        .step_by(17)
        .map(|i| format!("row{i:05}x").into_bytes());
    for row in rows.chain(between).chain([vec![], vec![0xff]]) {
        scan.seek_row(&row).unwrap();
        let start = cells.partition_point(|(key, _)| key.as_key().row < &row[..]);
        for expected in cells[start..].iter().take(40) {
            let (key, value) = scan.next().unwrap().unwrap();
            assert_eq!((key.to_buf(), value.to_vec()), *expected);
        }
        if cells.len() - start < 40 {
            assert!(scan.next().unwrap().is_none());
        }
    }
}

#[test]
fn rfile_huge_values_and_many_families_round_trip() {
    let huge = vec![7; 5 << 20];
    let families: Vec<String> = (0..1_500).map(|i| format!("f{i:04}")).collect();
    let mut cells: Vec<Cell> = families
        .iter()
        .map(|f| cell([b"a", f.as_bytes(), b"", b""], 1, false, "v"))
        .collect();
    cells.push(cell([b"b", b"x", b"", b""], 1, false, huge));
    cells.push(cell([b"c", b"x", b"", b""], 1, false, ""));
    for (codec, container) in kinds() {
        let options = WriterOptions {
            codec,
            container,
            ..WriterOptions::default()
        };
        let (bytes, summary) = write(&options, &[], &cells);
        assert_eq!(summary.blocks, 2);
        assert!(read(&bytes).unwrap() == cells);
        let reader = RFileReader::from_bytes(bytes.into(), "test.rf").unwrap();
        // More families than Accumulo tracks: "not tracked" is the safe statement.
        assert_eq!(reader.info().unwrap().groups[0].families, None);
    }
}

#[test]
fn rfile_files_are_cut_where_java_cuts_them() {
    let cells: Vec<Cell> = (0..1_000)
        .map(|i| {
            let row = format!("{i:06}");
            cell([row.as_bytes(), b"f", b"q", b""], 1, false, "0123456789")
        })
        .collect();
    let options = WriterOptions {
        block_size: 1_000,
        ..plain()
    };
    let (bytes, _) = write(&options, &[], &cells);
    let reader = RFileReader::from_bytes(bytes.into(), "test.rf").unwrap();
    let info = reader.info().unwrap();
    // Full blocks have more than 1,000 bytes and less than 1,100; the last one has what is left.
    let (raw, blocks) = (info.groups[0].raw_bytes, info.data_blocks);
    assert!(raw > 1_000 * (blocks - 1) && raw < 1_100 * blocks);
    // The last index key is the true last key, not a shortened one.
    assert_eq!(info.last_key.as_ref(), Some(&cells[999].0));
}

#[test]
fn rfile_disorder_is_refused_also_across_groups() {
    let named = groups(&[("meta", &["m"])]);
    let (a, b) = (
        cell([b"b", b"m", b"", b""], 1, false, ""),
        cell([b"b", b"f", b"", b""], 1, false, ""),
    );
    let older = cell([b"b", b"m", b"", b""], 2, false, "");
    for (first, second) in [(&a, &b), (&a, &older)] {
        let mut writer = RFileWriter::new(io::sink(), &plain(), &named).unwrap();
        writer.append(&first.0.as_key(), b"").unwrap();
        let refused = writer.append(&second.0.as_key(), b"").unwrap_err();
        assert_eq!(refused.code(), "RFILE_ORDER");
        assert!(matches!(
            writer.append(&first.0.as_key(), b""),
            Err(RFileError::Broken)
        ));
        assert!(matches!(writer.finish(), Err(RFileError::Broken)));
    }
}

#[test]
fn rfile_contradicting_options_are_refused() {
    let refused = |options: &WriterOptions, groups: &[LocalityGroup]| {
        let made = RFileWriter::new(io::sink(), options, groups);
        assert_eq!(made.err().map(|e| e.code()), Some("RFILE_OPTIONS"));
    };
    refused(&small(Codec::Zstd, Container::BcFile1, false), &[]);
    refused(&plain(), &groups(&[("a", &["f"]), ("b", &["f"])]));
    refused(&plain(), &groups(&[("a", &["f"]), ("a", &["g"])]));
    let level = Some(1);
    refused(&WriterOptions { level, ..plain() }, &[]);
    let block_size = 0;
    refused(
        &WriterOptions {
            block_size,
            ..plain()
        },
        &[],
    );
}

/// Takes at most three bytes at a time, is interrupted now and then, and fails once `room` is used up.
struct Miser {
    taken: Vec<u8>,
    room: usize,
    calls: usize,
}

impl Write for Miser {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(5) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let n = bytes.len().min(3).min(self.room - self.taken.len());
        if n == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.taken.extend_from_slice(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn rfile_short_writes_change_nothing_and_a_full_disk_is_an_error() {
    let cells = sample(200);
    let options = small(Codec::Gz, Container::BcFile3, true);
    let (bytes, summary) = write(&options, &[], &cells);
    for room in [usize::MAX, bytes.len(), bytes.len() - 1, 100, 15] {
        let mut miser = Miser {
            taken: Vec::new(),
            room,
            calls: 0,
        };
        let done = RFileWriter::new(&mut miser, &options, &[]).and_then(|mut writer| {
            for (key, value) in &cells {
                writer.append(&key.as_key(), value)?;
            }
            writer.finish()
        });
        if room >= bytes.len() {
            assert_eq!(done.unwrap(), summary);
            assert!(miser.taken == bytes);
        } else {
            let error = done.unwrap_err();
            assert!(matches!(error, RFileError::Write { offset, .. } if offset == room as u64));
            assert!(read(&miser.taken).is_err());
        }
    }
}

#[test]
fn rfile_the_estimate_of_the_length_is_near_the_truth() {
    let cells = sample(40_000);
    for codec in Codec::ALL {
        let mut bytes = Vec::new();
        let options = WriterOptions {
            codec,
            ..WriterOptions::default()
        };
        let mut writer = RFileWriter::new(&mut bytes, &options, &[]).unwrap();
        for (key, value) in &cells {
            writer.append(&key.as_key(), value).unwrap();
        }
        let estimate = writer.file_bytes_so_far() as f64;
        let truth = writer.finish().unwrap().file_bytes as f64;
        assert!((estimate / truth - 1.0).abs() < 0.1, "{estimate} {truth}");
    }
}

#[test]
fn rfile_no_truncation_is_read_and_no_flipped_bit_panics() {
    let named = groups(&[("meta", &["m", "m2"])]);
    for (codec, container) in kinds() {
        let (bytes, _) = write(&small(codec, container, true), &named, &sample(40));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{codec:?} cut at {end}");
        }
        let mut damaged = bytes.clone();
        for bit in 0..bytes.len() * 8 {
            damaged[bit / 8] ^= 1 << (bit % 8);
            // Not every flip is visible without the digest; a wrong length must not be believed either way.
            let _ = read(&damaged);
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// A file as other versions of Accumulo write it, put together by hand: container 1 with a list of data blocks and RFile 7, or
/// RFile 8 with a sample.
pub(crate) fn by_hand(version: i32, with_sample: bool) -> (Vec<u8>, Cell) {
    let it = cell([b"row", b"f", b"q", b"A"], 7, false, "value");
    let key = it.0.as_key();
    let mut bytes = container::MAGIC.to_vec();
    let mut regions = Vec::new();
    for _ in 0..=usize::from(with_sample) {
        let offset = bytes.len() as u64;
        relative_key::write_first(&mut bytes, &key);
        bytes.extend_from_slice(b"\0\0\0\x05value");
        let size = bytes.len() as u64 - offset;
        regions.push(container::Region {
            offset,
            packed: size,
            raw: size,
        });
    }
    let group = |region: &container::Region, out: &mut Vec<u8>| {
        out.push(1); // the default group
        if version < 8 {
            out.extend_from_slice(&[0; 4]); // its first block
        }
        out.extend_from_slice(&(-1_i32).to_be_bytes()); // families not tracked
        out.push(1);
        relative_key::write_key(out, &key);
        let mut entry = Vec::new();
        relative_key::write_key(&mut entry, &key);
        entry.extend_from_slice(&1_i32.to_be_bytes()); // one cell
        region.write(&mut entry);
        out.extend_from_slice(b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0"); // one block; the root
        out.extend_from_slice(&(entry.len() as i32).to_be_bytes());
        out.extend_from_slice(&entry);
    };
    let mut index = 0x2063_7474_i32.to_be_bytes().to_vec();
    index.extend_from_slice(&version.to_be_bytes());
    index.extend_from_slice(&1_i32.to_be_bytes());
    group(&regions[0], &mut index);
    if version >= 8 {
        index.push(u8::from(with_sample));
    }
    if with_sample {
        group(&regions[1], &mut index);
        // Sampler: version 1, class "C", one option "k" = "v".
        index.extend_from_slice(b"\x01\0\x01C\0\0\0\x01\0\x01k\0\x01v");
    }
    let mut list = b"\x04none".to_vec();
    varint::write_bvl(&mut list, regions.len() as i64);
    regions.iter().for_each(|region| region.write(&mut list));
    let mut meta = vec![2];
    for (name, content) in [("data:BCFile.index", list), ("data:RFile.index", index)] {
        varint::write_bstr(&mut meta, name);
        varint::write_bstr(&mut meta, "none");
        let (offset, size) = (bytes.len() as u64, content.len() as u64);
        container::Region {
            offset,
            packed: size,
            raw: size,
        }
        .write(&mut meta);
        bytes.extend_from_slice(&content);
    }
    let meta_at = bytes.len() as i64;
    bytes.extend_from_slice(&meta);
    bytes.extend_from_slice(&meta_at.to_be_bytes());
    bytes.extend_from_slice(b"\0\x01\0\0");
    bytes.extend_from_slice(&container::MAGIC);
    (bytes, it)
}

#[test]
fn rfile_version_7_and_samples_are_read() {
    for (version, with_sample) in [(7, false), (8, false), (8, true)] {
        let (bytes, it) = by_hand(version, with_sample);
        assert_eq!(read(&bytes).unwrap(), [it]);
        let info = RFileReader::from_bytes(bytes.into(), "test.rf").unwrap();
        let info = info.info().unwrap();
        assert_eq!(
            (info.rfile_version, info.has_sample),
            (version, with_sample)
        );
        assert_eq!(info.container, Container::BcFile1);
    }
    let refused = read(&by_hand(6, false).0).unwrap_err();
    assert_eq!(refused.code(), "RFILE_UNSUPPORTED");
}

#[test]
fn rfile_writers_and_readers_may_move_between_threads() {
    fn moves<T: Send>() {}
    moves::<RFileWriter<Vec<u8>>>();
    moves::<RFileReader>();
    moves::<Scan<'static>>();
}

prop_compose! {
    fn any_cell()(
        row in "[ab]{0,3}",
        family in "[mf]{0,2}",
        qualifier in "[xy]{0,4}",
        visibility in prop_oneof![Just(""), Just("A"), Just("A&B")],
        timestamp in -3..3_i64,
        deleted in any::<bool>(),
        value in prop::collection::vec(any::<u8>(), 0..40),
    ) -> Cell {
        let fields = [row.as_bytes(), family.as_bytes(), qualifier.as_bytes(), visibility.as_bytes()];
        cell(fields, timestamp, deleted, value)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn rfile_what_an_ordered_map_holds_comes_back(
        cells in prop::collection::vec(any_cell(), 0..150),
        kind in prop::sample::select(kinds()),
        block_size in 1..500_usize,
        index_block_size in 1..300_usize,
        digest in any::<bool>(),
        from in "[ab]{0,3}",
    ) {
        // The oracle: key fields, then newest first, then deletes first; equal keys in the order given.
        let mut oracle: BTreeMap<_, Vec<Cell>> = BTreeMap::new();
        for cell in cells {
            let key = cell.0.as_key();
            let fields = [key.row, key.family, key.qualifier, key.visibility].map(<[u8]>::to_vec);
            let order = (fields, std::cmp::Reverse(key.timestamp), !key.deleted);
            oracle.entry(order).or_default().push(cell);
        }
        let cells: Vec<Cell> = oracle.into_values().flatten().collect();
        let options = WriterOptions { block_size, index_block_size, ..small(kind.0, kind.1, digest) };
        let named = groups(&[("one", &["m"]), ("two", &["f", "mf"])]);
        let (bytes, _) = write(&options, &named, &cells);
        prop_assert_eq!(&read(&bytes).unwrap(), &cells);
        let reader = RFileReader::from_bytes(bytes.into(), "test.rf").unwrap();
        let mut scan = reader.scan().unwrap();
        scan.seek_row(from.as_bytes()).unwrap();
        let expected = cells.iter().find(|cell| cell.0.as_key().row >= from.as_bytes());
        let found = scan.next().unwrap().map(|(key, value)| (key.to_buf(), value.to_vec()));
        prop_assert_eq!(found.as_ref(), expected);
    }
}
