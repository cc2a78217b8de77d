//! The path that a model gives, and the one that is opened.
//!
//! Works on spelling alone: it never touches a file, and decides nothing about access.

use std::path::{Component, Path, PathBuf};

use toolbay_sdk::Failure;

use crate::failure;

/// The longest path in bytes; Linux takes no longer one.
const MAX_BYTES: usize = 4096;

/// Whether this can be a path at all.
pub fn check(path: &str) -> Result<(), Failure> {
    if path.is_empty() {
        return Err(failure::bad_path("is empty"));
    }
    if path.contains('\0') {
        return Err(failure::bad_path("holds a NUL character, which no path can"));
    }
    if path.len() > MAX_BYTES {
        return Err(failure::bad_path(&format!("has {} bytes, more than the {MAX_BYTES} of a path", path.len())));
    }
    Ok(())
}

/// The absolute path, without `.` and `..`: the host names what it grants in this form, and what was read is remembered
/// under one name however it was spelt.
pub fn absolute(path: &str, directory: &str, home: Option<&str>) -> String {
    let (directory, path) = match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => (home, rest),
        _ => (directory, path),
    };
    let mut result = PathBuf::from("/");
    for component in Path::new(directory).join(path).components() {
        match component {
            Component::Normal(name) => result.push(name),
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    // Both parts are text, so nothing is lost.
    result.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::BAD_PATH;

    #[test]
    fn paths_become_absolute_by_spelling() {
        for given in ["a/b", "./a//b", "/work/a/b", "a/x/../b", "/../work/./a/b/"] {
            assert_eq!(absolute(given, "/work", None), "/work/a/b", "{given}");
        }
    }

    #[test]
    fn the_home_folder_is_the_hosts() {
        assert_eq!(absolute("~/notes.txt", "/work", Some("/home/ada")), "/home/ada/notes.txt");
        assert_eq!(absolute("~notes.txt", "/work", Some("/home/ada")), "/work/~notes.txt");
    }

    #[test]
    fn what_can_be_no_path_is_refused() {
        for path in [String::new(), "a\0b".into(), "a".repeat(MAX_BYTES + 1)] {
            assert_eq!(check(&path).unwrap_err().code, BAD_PATH);
        }
    }

    #[test]
    fn the_longest_path_passes() {
        assert!(check(&"a".repeat(MAX_BYTES)).is_ok());
    }
}
