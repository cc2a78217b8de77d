//! Guests for the integration tests, one in each file of `src/bin`: components that try what a tool shouldn't. Here is
//! what several of them share.

use std::{fmt::Display, fs, io, path::Path};

/// One line of an answer: `PATH: ok VALUE`, or `PATH: KIND MESSAGE` with the error just as the guest sees it.
pub fn line(path: &str, result: io::Result<impl Display>) -> String {
    match result {
        Ok(value) => format!("{path}: ok {value}"),
        Err(error) => format!("{path}: {:?} {error}", error.kind()),
    }
}

/// The sorted names in a folder, joined by commas.
///
/// # Errors
/// What the system says.
pub fn names(path: impl AsRef<Path>) -> io::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names.join(","))
}
