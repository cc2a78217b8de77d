//! Compiled code on disk: used when it's ours and whole, rebuilt when anything is off, never run otherwise.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;
use toolbay::{Host, HostError, HostOptions};

use crate::support::TestHost;

/// A host with this cache.
fn with_cache(cache: &Path) -> TestHost {
    TestHost::options(&[], |options| options.cache = Some(cache.to_owned()))
}

/// Works, and says how many components were compiled for it.
fn compiled(cache: &Path) -> u64 {
    let host = with_cache(cache);
    host.file("a.txt", "x");
    assert_eq!(host.text("Echo", json!({ "text": "works" })), "works");
    assert!(host.text("Read", json!({ "file_path": "a.txt" })).contains('x'));
    host.host.compiled()
}

fn entries(cache: &Path, ending: &str) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(cache)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == ending))
        .collect();
    entries.sort();
    entries
}

#[test]
fn a_second_process_compiles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    assert_eq!(compiled(&cache), 2);
    assert_eq!(compiled(&cache), 0);
    assert_eq!((entries(&cache, "code").len(), entries(&cache, "definitions").len()), (2, 2));
    assert_eq!(std::fs::metadata(&cache).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn tools_are_listed_without_their_code() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path());
    entries(folder.path(), "code").iter().for_each(|path| std::fs::remove_file(path).unwrap());
    let host = with_cache(folder.path());
    assert_eq!(host.agent.session().catalogue().tools().len(), 2);
    assert_eq!(host.host.compiled(), 0);
}

#[test]
fn an_entry_that_was_changed_in_any_way_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path());
    let all = [entries(folder.path(), "code"), entries(folder.path(), "definitions")].concat();
    let change: [fn(&mut Vec<u8>); 5] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        Vec::clear,
        |bytes| bytes[100] ^= 1,
        |bytes| *bytes.last_mut().unwrap() ^= 1,
        |bytes| bytes.push(0),
    ];
    for damage in change {
        let before: Vec<Vec<u8>> = all.iter().map(|path| std::fs::read(path).unwrap()).collect();
        for (path, bytes) in all.iter().zip(&before) {
            let mut bytes = bytes.clone();
            damage(&mut bytes);
            std::fs::write(path, bytes).unwrap();
        }
        assert_eq!(compiled(folder.path()), 2);
        assert_eq!(compiled(folder.path()), 0, "the rebuilt entries are good");
    }
}

#[test]
fn swapped_entries_are_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path());
    let code = entries(folder.path(), "code");
    let (one, two) = (std::fs::read(&code[0]).unwrap(), std::fs::read(&code[1]).unwrap());
    std::fs::write(&code[0], two).unwrap();
    std::fs::write(&code[1], one).unwrap();
    assert_eq!(compiled(folder.path()), 2);
}

#[test]
fn entries_of_another_installation_are_rebuilt() {
    let (ours, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    compiled(ours.path());
    compiled(theirs.path());
    for path in entries(theirs.path(), "code") {
        std::fs::copy(&path, ours.path().join(path.file_name().unwrap())).unwrap();
    }
    assert_eq!(compiled(ours.path()), 2);
}

#[test]
fn a_link_or_a_file_that_others_can_write_is_no_entry() {
    let folder = tempfile::tempdir().unwrap();
    compiled(folder.path());
    let code = entries(folder.path(), "code");
    std::fs::set_permissions(&code[0], std::fs::Permissions::from_mode(0o666)).unwrap();
    let moved = folder.path().join("moved");
    std::fs::rename(&code[1], &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &code[1]).unwrap();
    assert_eq!(compiled(folder.path()), 2);
}

#[test]
fn a_folder_that_others_can_write_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    let refused = Host::new(HostOptions { cache: Some(folder.path().to_owned()), ..HostOptions::default() });
    assert!(matches!(refused, Err(HostError::Engine(_))));
}

#[test]
fn without_a_cache_everything_still_works() {
    let host = TestHost::options(&[], |options| options.cache = None);
    assert_eq!(host.text("Echo", json!({ "text": "works" })), "works");
    assert_eq!(host.host.compiled(), 2);
}
