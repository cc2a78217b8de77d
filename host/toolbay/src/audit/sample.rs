//! Small logs for the tests.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::{Map, Value};
use tempfile::TempDir;

use super::AuditFile;

/// An entry that can be told from others.
pub(super) fn entry(number: usize) -> Map<String, Value> {
    Map::from_iter([("number".to_owned(), number.into())])
}

/// A private folder.
pub(super) fn private() -> TempDir {
    tempfile::Builder::new().permissions(Permissions::from_mode(0o700)).tempdir().unwrap()
}

/// A log with this many entries in one file.
pub(super) fn log(entries: usize) -> TempDir {
    let folder = private();
    let log = AuditFile::open(folder.path()).unwrap();
    (0..entries).for_each(|number| log.append(entry(number)).unwrap());
    folder
}

/// The lines of the current file, with their ends.
#[expect(clippy::disallowed_methods, reason = "tests look at what was done")]
pub(super) fn lines(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("audit.jsonl")).unwrap();
    text.split_inclusive('\n').map(str::to_owned).collect()
}

/// Puts other content into the current file.
#[expect(clippy::disallowed_methods, reason = "tests do what they must find")]
pub(super) fn overwrite(folder: &Path, content: impl AsRef<[u8]>) {
    fs::write(folder.join("audit.jsonl"), content).unwrap();
}

/// The numbers of these entries.
pub(super) fn numbers(entries: &[Value]) -> Vec<u64> {
    entries.iter().filter_map(|entry| entry["number"].as_u64()).collect()
}
