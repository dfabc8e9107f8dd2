//! Sound files pass, with the same cells; any damage and any false statement is refused, by the check that should.

use proptest::prelude::*;
use shardmill_schemas::key::{Key, KeyBuf};

use super::*;
use crate::rfile::tests::{Cell, by_hand, cell, groups, kinds, sample, small, write};
use crate::rfile::{Codec, Container, LocalityGroup, WriterOptions};

fn public(_: &[u8]) -> bool {
    true
}

fn check(bytes: &[u8]) -> Result<(VerifiedFile, Vec<Cell>), VerifyError> {
    let mut cells: Vec<Cell> = Vec::new();
    let mut collect = |key: &Key<'_>, value: &[u8]| cells.push((key.to_buf(), value.to_vec()));
    let verified = verify_bytes(bytes, "test.rf", &public, &mut collect)?;
    Ok((verified, cells))
}

fn refusal(bytes: &[u8]) -> &'static str {
    check(bytes).expect_err("must be refused").code()
}

/// Cells in the order in which the verifier gives them: the named group's first.
fn by_group(cells: &[Cell], named: &[&[u8]]) -> Vec<Cell> {
    let is_named = |cell: &&Cell| named.contains(&cell.0.as_key().family);
    let first = cells.iter().filter(is_named);
    let then = cells.iter().filter(|cell| !is_named(cell));
    first.chain(then).cloned().collect()
}

#[test]
fn verify_rfile_accepts_every_kind_of_file_and_gives_its_cells() {
    let named = groups(&[("meta", &["m", "m2"])]);
    for (codec, container) in kinds() {
        for n in [0, 1, 2_000] {
            for digest in [false, true] {
                let cells = sample(n);
                let options = small(codec, container, digest);
                let (bytes, summary) = write(&options, &named, &cells);
                let (verified, found) = check(&bytes).unwrap();
                assert_eq!(found, by_group(&cells, &[b"m", b"m2"]));
                let expected = VerifiedFile {
                    entries: summary.entries,
                    deletes: summary.deletes,
                    first_key: summary.first_key,
                    last_key: summary.last_key,
                    groups: named_groups(&named),
                    file_bytes: summary.file_bytes,
                    sha256: summary.sha256,
                    has_digest: digest,
                };
                assert_eq!(verified, expected);
            }
        }
    }
}

fn named_groups(named: &[LocalityGroup]) -> BTreeMap<String, BTreeSet<Vec<u8>>> {
    let group =
        |group: &LocalityGroup| (group.name.clone(), group.families.iter().cloned().collect());
    named.iter().map(group).collect()
}

#[test]
fn verify_rfile_refuses_every_truncation_and_every_flipped_bit() {
    let named = groups(&[("meta", &["m"])]);
    for (codec, container) in kinds() {
        let (bytes, _) = write(&small(codec, container, true), &named, &sample(20));
        for end in 0..bytes.len() {
            assert!(check(&bytes[..end]).is_err(), "{codec:?} cut at {end}");
        }
        let mut damaged = bytes.clone();
        for bit in 0..bytes.len() * 8 {
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(check(&damaged).is_err(), "{codec:?} bit {bit} flipped");
            damaged[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

#[test]
fn verify_rfile_survives_every_flipped_bit_without_digest() {
    let named = groups(&[("meta", &["m"])]);
    for (codec, container) in kinds() {
        let cells = sample(20);
        let (mut bytes, _) = write(&small(codec, container, false), &named, &cells);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            // Some flips make another sound file (a letter of a value); none may add or lose a cell.
            if let Ok((verified, _)) = check(&bytes) {
                assert_eq!(verified.entries, cells.len() as u64, "{codec:?} bit {bit}");
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// A file without compression and digest, whose bytes can be edited.
fn open_file() -> Vec<u8> {
    let cells = [
        cell([b"row1", b"cf", b"cq", b"A"], 100, false, ""),
        cell([b"row1", b"cf", b"cr2", b""], 99, false, "yz"),
        cell([b"row1", b"m", b"a1", b"A&K"], 100, false, "v1"),
        cell([b"row2", b"cg", b"c", b"A|B"], -5, false, "w"),
    ];
    let options = WriterOptions {
        codec: Codec::None,
        digest: false,
        ..WriterOptions::default()
    };
    write(&options, &groups(&[("meta", &["m"])]), &cells).0
}

/// Replaces the one occurrence of `from`.
fn edit(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut places = bytes.windows(from.len()).enumerate();
    let (at, _) = places.find(|(_, window)| *window == from).unwrap();
    assert!(places.all(|(_, window)| window != from), "not unique");
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

#[test]
fn verify_rfile_names_the_false_statement() {
    let file = open_file();
    assert!(check(&file).is_ok());
    let cases: [(&str, &[u8], &[u8]); 14] = [
        // A family's count: one too many, one too few, another family.
        (
            "VERIFY_FAMILIES",
            b"\x02cf\0\0\0\0\0\0\0\x02",
            b"\x02cf\0\0\0\0\0\0\0\x03",
        ),
        (
            "VERIFY_FAMILIES",
            b"\x02cf\0\0\0\0\0\0\0\x02",
            b"\x02cf\0\0\0\0\0\0\0\x01",
        ),
        ("VERIFY_FAMILIES", b"\0\x02cf\0", b"\0\x02ce\0"),
        // The family of the named group listed in place of the default group's: cells there would be hidden.
        ("VERIFY_FAMILIES", b"\0\x01m\0\0\0\0", b"\0\x01n\0\0\0\0"),
        // Keys of the data: the second row, a prefix that is too long, a relative first key.
        ("VERIFY_ORDER", b"\x80\x11\x03\x012", b"\x80\x11\x03\x010"),
        ("VERIFY_BLOCK", b"\x80\x11\x03\x012", b"\x80\x11\x05\x012"),
        ("VERIFY_BLOCK", b"\0\x04row1\x02cf", b"\x01\x04row1\x02cf"),
        // The value's length reaches past the block.
        ("VERIFY_BLOCK", b"\0\0\0\x01w", b"\0\0\0\x02w"),
        // The last index key of the default group.
        ("VERIFY_INDEX", b"row2cgcA|B", b"row3cgcA|B"),
        // The number of cells, of data blocks, and "another block follows".
        ("VERIFY_BLOCK", b"\0\0\0\x03\x26", b"\0\0\0\x02\x26"),
        (
            "VERIFY_GROUPS",
            b"\x01m\0\0\0\0\0\0\0\x01\x01\x04\x05\x07\x0arow1ma1",
            b"\x01m\0\0\0\0\0\0\0\x01\x01\x04\x05\x07\x0arow0ma1",
        ),
        // The container's version, the crypto marker, the codec.
        ("VERIFY_UNSUPPORTED", b"\0\x03\0\0\xd1", b"\0\x02\0\0\xd1"),
        ("VERIFY_TRAILER", b"U+1F47B", b"U+1F47C"),
        (
            "VERIFY_META_INDEX",
            b"data:BCFile.index",
            b"data:CCFile.index",
        ),
    ];
    for (code, from, to) in cases {
        assert_eq!(
            refusal(&edit(&file, from, to)),
            code,
            "{}",
            to.escape_ascii()
        );
    }
}

#[test]
fn verify_rfile_refuses_bytes_that_belong_to_nothing() {
    let file = open_file();
    let tail = file.len() - 36;
    let number = |at: usize| u64::from_be_bytes(file[at..at + 8].try_into().unwrap());
    let (meta, crypto) = (number(tail), number(tail + 8));
    let mut grown = file[..meta as usize].to_vec();
    grown.extend_from_slice(b"odd");
    grown.extend_from_slice(&file[meta as usize..tail]);
    grown.extend_from_slice(&(meta + 3).to_be_bytes());
    grown.extend_from_slice(&(crypto + 3).to_be_bytes());
    grown.extend_from_slice(&file[tail + 16..]);
    assert_eq!(refusal(&grown), "VERIFY_REGIONS");
    // The reader, which follows the index only, cannot know.
    assert!(crate::rfile::tests::read(&grown).is_ok());
}

#[test]
fn verify_rfile_asks_for_visibilities_and_says_which_file() {
    let file = open_file();
    let refuse = |visibility: &[u8]| visibility != b"A|B";
    let error = verify_bytes(&file, "some/file.rf", &refuse, &mut |_, _| {}).unwrap_err();
    assert_eq!(error.code(), "VERIFY_VISIBILITY");
    let text = error.to_string();
    assert!(
        text.starts_with("VERIFY_VISIBILITY: some/file.rf at byte 38"),
        "{text}"
    );
    let missing = verify_file("/nonexistent/a.rf", &public, &mut |_, _| {});
    assert_eq!(missing.unwrap_err().code(), "VERIFY_READ");
}

#[test]
fn verify_rfile_knows_older_files_lists_of_blocks_and_samples() {
    for (version, with_sample) in [(7, false), (8, false), (8, true)] {
        let (mut bytes, it) = by_hand(version, with_sample);
        let (verified, cells) = check(&bytes).unwrap();
        assert_eq!(cells, [it]);
        assert_eq!(verified.entries, 1);
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(check(&bytes).map_or(true, |(verified, _)| verified.entries == 1));
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
    assert_eq!(refusal(&by_hand(6, false).0), "VERIFY_UNSUPPORTED");
}

#[test]
fn verify_rfile_accepts_more_families_than_are_tracked_and_huge_values() {
    let families: Vec<String> = (0..1_500).map(|i| format!("f{i:04}")).collect();
    let one = |family: &String| cell([b"a", family.as_bytes(), b"", b""], 1, false, "v");
    let mut cells: Vec<Cell> = families.iter().map(one).collect();
    cells.push(cell([b"b", b"f", b"", b""], 1, false, vec![7; 5 << 20]));
    let (bytes, _) = write(&WriterOptions::default(), &[], &cells);
    let (verified, found) = check(&bytes).unwrap();
    assert_eq!(verified.entries, 1_501);
    assert!(found == cells);
}

#[test]
fn verify_rfile_refuses_false_index_blocks() {
    // One data block; then the root: level 0, nothing before it, no block after it, one entry that starts at 0.
    let root = b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0";
    let (bytes, _) = by_hand(8, false);
    for at in [3, 7, 11, 12, 16, 20] {
        let mut false_root = *root;
        false_root[at] += 1;
        let code = refusal(&edit(&bytes, root, &false_root));
        assert!(["VERIFY_INDEX", "VERIFY_GROUPS"].contains(&code), "{code}");
    }
    // The sample's entry refers to the block of the group.
    let (bytes, _) = by_hand(8, true);
    let (own, other) = (b"\0\0\0\x01\x25\x15\x15", b"\0\0\0\x01\x10\x15\x15");
    assert_eq!(refusal(&edit(&bytes, own, other)), "VERIFY_REGIONS");
}

#[test]
fn verify_rfile_refuses_index_keys_outside_their_bounds() {
    let cells = [b"a1", b"a4"].map(|row| cell([row, b"f", b"", b""], 1, false, ""));
    let options = WriterOptions {
        block_size: 1,
        codec: Codec::None,
        digest: false,
        ..WriterOptions::default()
    };
    let (bytes, summary) = write(&options, &[], &cells);
    assert_eq!(summary.blocks, 2);
    // Between the rows a1 and a4 Java puts a2; a3 would do, too.
    assert!(check(&edit(&bytes, b"a2", b"a3")).is_ok());
    assert_eq!(refusal(&edit(&bytes, b"a2", b"a0")), "VERIFY_INDEX");
    assert_eq!(refusal(&edit(&bytes, b"a2", b"a5")), "VERIFY_INDEX");
}

#[test]
fn verify_rfile_reads_from_disk_as_from_memory() {
    let (bytes, summary) = write(&WriterOptions::default(), &[], &sample(5_000));
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &bytes).unwrap();
    let verified = verify_file(file.path(), &public, &mut |_, _| {}).unwrap();
    assert_eq!(verified.sha256, summary.sha256);
    assert_eq!(verified.entries, 5_001);
    let reader = crate::rfile::RFileReader::open(file.path()).unwrap();
    assert_eq!(reader.info().unwrap().entries, 5_001);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn verify_rfile_and_reader_survive_scattered_damage(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        kind in prop::sample::select(kinds()),
    ) {
        let (mut bytes, _) = write(&small(kind.0, kind.1, false), &[], &sample(60));
        for (place, byte) in edits {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        // Whether it is refused depends on the damage; that neither panics nor hangs does not.
        let _ = check(&bytes);
        let _ = crate::rfile::tests::read(&bytes);
    }

    #[test]
    fn verify_rfile_accepts_whatever_the_writer_makes(
        rows in prop::collection::vec(("[a-c\u{fe}\u{ff}]{0,4}", "[fgm]", "[xy]{0,3}", 0..3_i64), 0..300),
        block_size in 1..400_usize,
        index_block_size in 1..300_usize,
    ) {
        let mut cells: Vec<Cell> = rows
            .iter()
            .map(|(row, family, qualifier, timestamp)| {
                // Rows of bytes 0xfe and 0xff, too: their shortened keys are the hard ones.
                let row: Vec<u8> = row.chars().map(|c| c as u8).collect();
                let fields = [&row[..], family.as_bytes(), qualifier.as_bytes(), b""];
                cell(fields, *timestamp, false, "value")
            })
            .collect();
        cells.sort_by(|a, b| KeyBuf::as_key(&a.0).cmp(&b.0.as_key()));
        let options = WriterOptions {
            block_size,
            index_block_size,
            ..small(Codec::None, Container::BcFile3, false)
        };
        let (bytes, _) = write(&options, &groups(&[("meta", &["m"])]), &cells);
        let (verified, found) = check(&bytes).unwrap();
        prop_assert_eq!(verified.entries, cells.len() as u64);
        prop_assert_eq!(found, by_group(&cells, &[b"m"]));
    }
}
