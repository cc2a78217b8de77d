//! What verifying notices, and what reading shows.
#![expect(clippy::disallowed_methods, reason = "tests do what they must find")]

use std::fs;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use proptest::prelude::*;
use serde_json::{Map, json};

use super::super::AuditFile;
use super::super::sample::{entry, lines, log, numbers, overwrite, private};
use super::*;

/// The line that's reported when the current file has this content, and what's said of it.
fn broken(folder: &Path, content: impl AsRef<[u8]>) -> (u64, Flaw) {
    overwrite(folder, content);
    match verify(folder) {
        Err(AuditError::Broken { file, line, why, .. }) if file.ends_with("audit.jsonl") => (line, why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_log_that_is_whole_verifies() {
    let folder = log(3);
    let last = Digest::of(lines(folder.path())[2].trim_end().as_bytes()).to_string();
    assert_eq!(verify(folder.path()).unwrap(), Verified { entries: 3, files: 1, last });
    let empty = private();
    assert_eq!(verify(empty.path()).unwrap(), Verified { entries: 0, files: 0, last: BEGINNING.to_owned() });
    assert!(matches!(verify(&empty.path().join("none")), Err(AuditError::Io { .. })));
}

#[test]
fn a_changed_byte_is_found_at_its_line_or_the_next_or_in_the_last_hash() {
    let folder = log(4);
    let content = lines(folder.path()).concat().into_bytes();
    let whole = verify(folder.path()).unwrap();
    for (place, change) in (0..content.len()).flat_map(|place| [(place, 0x01), (place, 0x20), (place, 0x80)]) {
        let mut changed = content.clone();
        changed[place] ^= change;
        let line = content[..=place].split_inclusive(|byte| *byte == b'\n').count() as u64;
        overwrite(folder.path(), changed);
        match verify(folder.path()) {
            Ok(verified) => assert!(line == 4 && verified.last != whole.last, "byte {place}"),
            Err(AuditError::Broken { line: found, .. }) => assert!(found == line || found == line + 1, "byte {place}"),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn removed_swapped_added_and_repeated_lines_are_named() {
    let folder = log(4);
    let whole = lines(folder.path());
    let pick = |order: &[usize]| order.iter().map(|line| whole[*line].as_str()).collect::<String>();
    assert_eq!(broken(folder.path(), pick(&[1, 2, 3])), (1, Flaw::NotFirst));
    assert_eq!(broken(folder.path(), pick(&[0, 2, 3])), (2, Flaw::NotNext));
    assert_eq!(broken(folder.path(), pick(&[0, 2, 1, 3])), (2, Flaw::NotNext));
    assert_eq!(broken(folder.path(), pick(&[0, 1, 1, 2, 3])), (3, Flaw::NotNext));
    // A line that was added in the right form breaks the chain behind it.
    let previous = Digest::of(whole[1].trim_end().as_bytes());
    let added = format!("{}{{\"previous\":\"{previous}\"}}\n{}", pick(&[0, 1]), pick(&[2, 3]));
    assert_eq!(broken(folder.path(), added), (4, Flaw::NotNext));
}

#[test]
fn what_is_no_entry_is_named() {
    let folder = log(1);
    let first = lines(folder.path()).concat();
    let previous = Digest::of(first.trim_end().as_bytes());
    let twice = format!("{{\"previous\":\"{previous}\",\"previous\":\"{previous}\"}}");
    for line in ["", "null", "{}", "{\"previous\":1}", &format!("[\"{previous}\"]"), &twice, "{", "\u{feff}{}"] {
        assert_eq!(broken(folder.path(), format!("{first}{line}\n")), (2, Flaw::NotAnEntry), "{line}");
    }
    let text = [first.as_bytes(), b"{\"a\":\"\xff\",\"previous\":\"\"}\n"].concat();
    assert_eq!(broken(folder.path(), text), (2, Flaw::NotAnEntry));
    assert_eq!(broken(folder.path(), format!("{first}{}", "a".repeat(5 << 20))), (2, Flaw::TooLong));
    // The log goes on, and what's behind such a line is readable.
    AuditFile::open(folder.path()).unwrap().append(entry(1)).unwrap();
    let shown = read(folder.path(), 2).unwrap();
    assert_eq!((shown[0].as_str().map(str::len), &shown[1]["number"]), (Some((2 << 20) + 1), &json!(1)));
}

#[test]
fn lines_that_are_wrong_are_counted() {
    let folder = log(6);
    let whole = lines(folder.path());
    overwrite(folder.path(), [0, 2, 3, 5].map(|line| whole[line].as_str()).concat());
    let broken = verify(folder.path()).unwrap_err();
    assert!(matches!(broken, AuditError::Broken { line: 2, others: 1, .. }));
    assert!(broken.to_string().starts_with("line 2 of `"), "{broken}");
}

/// A log over five files, the last one current.
fn long_log() -> tempfile::TempDir {
    let folder = private();
    let log = AuditFile::with_limit(folder.path(), 200).unwrap();
    (0..10).for_each(|number| log.append(entry(number)).unwrap());
    assert_eq!(verify(folder.path()).unwrap().files, 5);
    folder
}

#[test]
fn a_missing_file_is_found_where_the_next_begins() {
    for (gone, next, why) in [(1, "audit-000002.jsonl", Flaw::NotFirst), (4, "audit.jsonl", Flaw::NotNext)] {
        let folder = long_log();
        fs::remove_file(folder.path().join(format!("audit-{gone:06}.jsonl"))).unwrap();
        let Err(AuditError::Broken { file, line: 1, why: found, .. }) = verify(folder.path()) else { panic!("{gone}") };
        assert_eq!((file, found), (folder.path().join(next), why));
    }
}

#[test]
fn the_last_entries_are_read_over_files_oldest_first() {
    let folder = long_log();
    let last = |count| numbers(&read(folder.path(), count).unwrap());
    assert_eq!((last(0), last(1), last(5)), (vec![], vec![9], vec![5, 6, 7, 8, 9]));
    assert_eq!(last(usize::MAX), (0..10).collect::<Vec<_>>());
}

#[test]
fn a_tail_that_was_cut_off_shows_in_the_last_hash_only() {
    let folder = log(3);
    let whole = verify(folder.path()).unwrap();
    overwrite(folder.path(), lines(folder.path())[..2].concat());
    let cut = verify(folder.path()).unwrap();
    assert_eq!((cut.entries, cut.last == whole.last), (2, false));
}

#[test]
fn an_entry_that_is_nested_deeply_verifies_and_is_shown_as_text() {
    let folder = log(0);
    let deep = (0..200).fold(json!(0), |inner, _| json!([inner]));
    let log = AuditFile::open(folder.path()).unwrap();
    log.append(Map::from_iter([("deep".to_owned(), deep)])).unwrap();
    log.append(entry(1)).unwrap();
    assert_eq!(verify(folder.path()).unwrap().entries, 2);
    assert!(read(folder.path(), 2).unwrap()[0].is_string());
}

#[test]
fn a_log_verifies_at_every_moment_while_it_is_written() {
    let folder = private();
    let (log, done) = (AuditFile::with_limit(folder.path(), 400).unwrap(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            (0..200).for_each(|number| log.append(entry(number)).unwrap());
            done.store(true, Ordering::Release);
        });
        let mut seen = 0;
        while !done.load(Ordering::Acquire) {
            let entries = verify(folder.path()).unwrap().entries;
            assert!(entries >= seen);
            seen = entries;
        }
    });
    assert_eq!(verify(folder.path()).unwrap().entries, 200);
}

#[test]
fn a_line_that_is_being_written_is_awaited() {
    let folder = log(2);
    let whole = lines(folder.path()).concat();
    let (begin, end) = whole.split_at(whole.len() - 40);
    overwrite(folder.path(), begin);
    let mut writer = fs::OpenOptions::new().append(true).open(folder.path().join("audit.jsonl")).unwrap();
    writer.lock().unwrap();
    thread::scope(|scope| {
        let verifying = scope.spawn(|| verify(folder.path()).unwrap().entries);
        (0..1000).for_each(|_| thread::yield_now());
        writer.write_all(end.as_bytes()).unwrap();
        writer.unlock().unwrap();
        assert_eq!(verifying.join().unwrap(), 2);
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_text_is_kept_and_verifies(texts in prop::collection::vec(any::<(String, String)>(), 0..12)) {
        let folder = private();
        let log = AuditFile::with_limit(folder.path(), 600).unwrap();
        for (key, text) in &texts {
            log.append(Map::from_iter([(format!("key {key}"), text.as_str().into())])).unwrap();
        }
        prop_assert_eq!(verify(folder.path()).unwrap().entries, texts.len() as u64);
        let read = read(folder.path(), texts.len()).unwrap();
        for ((key, text), entry) in texts.iter().zip(&read) {
            prop_assert_eq!(&entry[format!("key {key}")], text);
        }
    }
}
