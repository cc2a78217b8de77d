//! What appending does, alone and with others.
#![expect(clippy::disallowed_methods, reason = "tests look at what was done")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::thread;

use super::super::sample::{entry, lines, log, numbers, overwrite, private};
use super::super::{Flaw, read, verify};
use super::*;

#[test]
fn a_line_has_the_time_the_entry_and_the_hash_of_the_line_before() {
    let folder = log(2);
    let [first, second] = lines(folder.path()).try_into().unwrap();
    let second: Map<String, Value> = serde_json::from_str(&second).unwrap();
    assert_eq!(second.keys().collect::<Vec<_>>(), ["time", "number", "previous"]);
    let time = second["time"].as_str().unwrap();
    assert_eq!((time.len(), humantime::parse_rfc3339(time).is_ok()), ("2026-01-01T00:00:00.000Z".len(), true));
    assert_eq!(second["previous"], Digest::of(first.trim_end().as_bytes()).to_string());
    assert!(first.ends_with(&format!("\"previous\":\"{BEGINNING}\"}}\n")));
}

#[test]
fn the_log_is_private() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("deep/log");
    AuditFile::open(&folder).unwrap().append(entry(0)).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join("audit.jsonl"))), (0o700, 0o600));
}

#[test]
fn a_folder_that_others_can_see_or_that_is_a_link_is_refused() {
    let outer = tempfile::tempdir().unwrap();
    let (folder, link) = (outer.path().join("log"), outer.path().join("link"));
    AuditFile::open(&folder).unwrap();
    symlink(&folder, &link).unwrap();
    assert!(matches!(AuditFile::open(&link), Err(AuditError::NotPrivate(_))));
    fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(AuditFile::open(&folder), Err(AuditError::NotPrivate(_))));
}

#[test]
fn a_link_or_a_folder_in_the_place_of_the_file_is_refused() {
    let folder = private();
    let (path, target) = (folder.path().join("audit.jsonl"), folder.path().join("target"));
    let log = AuditFile::open(folder.path()).unwrap();
    fs::write(&target, "").unwrap();
    symlink(&target, &path).unwrap();
    assert!(matches!(log.append(entry(0)), Err(AuditError::NotAFile(_))));
    assert!(matches!(verify(folder.path()), Err(AuditError::NotAFile(_))));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(matches!(log.append(entry(0)), Err(AuditError::NotAFile(_))));
    assert_eq!(fs::read(target).unwrap(), b"");
}

#[test]
fn an_entry_that_is_too_large_or_has_a_key_of_the_log_leaves_no_trace() {
    let folder = log(1);
    let log = AuditFile::open(folder.path()).unwrap();
    let with = |key: &str, value: String| Map::from_iter([(key.to_owned(), value.into())]);
    assert!(matches!(log.append(with("text", "a".repeat(LARGEST))), Err(AuditError::TooLarge { .. })));
    assert!(matches!(log.append(with("time", String::new())), Err(AuditError::Reserved("time"))));
    assert!(matches!(log.append(with("previous", String::new())), Err(AuditError::Reserved("previous"))));
    assert_eq!(lines(folder.path()).len(), 1);
    log.append(with("text", "a".repeat(LARGEST - 200))).unwrap();
    assert_eq!(verify(folder.path()).unwrap().entries, 2);
}

/// Two openers of one folder, four threads each, 200 entries. Gives the number of files.
fn interleaved(limit: u64) -> u64 {
    let folder = private();
    let openers = [(); 2].map(|()| AuditFile::with_limit(folder.path(), limit).unwrap());
    thread::scope(|scope| {
        for number in 0..8 {
            let log = &openers[number % 2];
            scope.spawn(move || (0..25).for_each(|count| log.append(entry(number * 25 + count)).unwrap()));
        }
    });
    let verified = verify(folder.path()).unwrap();
    let mut seen = numbers(&read(folder.path(), 1000).unwrap());
    seen.sort_unstable();
    assert_eq!((verified.entries, seen), (200, (0..200).collect()));
    verified.files
}

#[test]
fn many_append_at_once_and_nothing_is_lost() {
    assert_eq!(interleaved(FULL), 1);
}

#[test]
fn many_append_at_once_while_files_become_full() {
    assert!(interleaved(1000) > 10);
    assert_eq!(interleaved(0), 200);
}

#[test]
fn an_opener_notices_that_another_set_its_file_aside() {
    let folder = private();
    let [one, other] = [(); 2].map(|()| AuditFile::with_limit(folder.path(), 0).unwrap());
    for number in 0..6 {
        [&one, &other][number % 2].append(entry(number)).unwrap();
    }
    assert_eq!(verify(folder.path()).unwrap().files, 6);
    assert_eq!(numbers(&read(folder.path(), 6).unwrap()), [0, 1, 2, 3, 4, 5]);
    assert!(folder.path().join("audit-000005.jsonl").exists());
}

#[test]
fn a_full_file_takes_the_next_number_after_the_highest() {
    let folder = log(1);
    fs::write(folder.path().join("audit-999999.jsonl"), "").unwrap();
    let log = AuditFile::with_limit(folder.path(), 0).unwrap();
    assert!(matches!(log.append(entry(1)), Err(AuditError::Full(_))));
    assert_eq!(lines(folder.path()).len(), 1);
}

#[test]
fn the_line_after_a_torn_one_is_whole_and_verify_names_the_torn_one() {
    let folder = log(2);
    let [first, second] = lines(folder.path()).try_into().unwrap();
    let fragment = &second[..40];
    overwrite(folder.path(), format!("{first}{fragment}"));
    let log = AuditFile::open(folder.path()).unwrap();
    (2..4).for_each(|number| log.append(entry(number)).unwrap());
    let entries = read(folder.path(), 9).unwrap();
    assert_eq!((entries.len(), numbers(&entries)), (4, vec![0, 2, 3]));
    assert_eq!(entries[1], fragment);
    assert_eq!(entries[2]["previous"], Digest::of(fragment.as_bytes()).to_string());
    let broken = verify(folder.path()).unwrap_err();
    assert!(matches!(broken, AuditError::Broken { line: 2, why: Flaw::NotAnEntry, others: 0, .. }));
}

#[test]
fn a_line_that_lacks_only_its_end_is_kept_as_an_entry() {
    let folder = log(2);
    overwrite(folder.path(), lines(folder.path()).concat().trim_end());
    assert_eq!(verify(folder.path()).unwrap().entries, 2);
    AuditFile::with_limit(folder.path(), 0).unwrap().append(entry(2)).unwrap();
    assert_eq!(verify(folder.path()).unwrap().entries, 3);
    let other = log(1);
    overwrite(other.path(), lines(other.path()).concat().trim_end());
    AuditFile::open(other.path()).unwrap().append(entry(1)).unwrap();
    assert_eq!(verify(other.path()).unwrap().entries, 2);
}

#[test]
fn a_log_that_is_cut_while_it_is_open_shows_it() {
    let folder = private();
    let log = AuditFile::open(folder.path()).unwrap();
    (0..3).for_each(|number| log.append(entry(number)).unwrap());
    let path = folder.path().join("audit.jsonl");
    let whole = lines(folder.path());
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(whole[0].len() as u64).unwrap();
    log.append(entry(3)).unwrap();
    assert!(lines(folder.path())[1].contains(&Digest::of(whole[2].trim_end().as_bytes()).to_string()));
    assert!(matches!(verify(folder.path()), Err(AuditError::Broken { line: 2, why: Flaw::NotNext, .. })));
}
