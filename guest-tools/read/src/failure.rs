//! Why `Read` can't answer: the numbers of its failures and their words.
//!
//! Owns every failure message. A message says what is wrong and what to change, in one or two sentences, and never
//! holds a byte of a file's content.

use std::io;

use toolbay_sdk::Failure;

use crate::page::{self, Page, Range};

/// What kind of failure it is, for programs. Number 1 is the SDK's, for input that can't be parsed.
pub mod code {
    /// `file_path` can't be a path.
    pub const BAD_PATH: u32 = 2;
    /// There is nothing at the path.
    pub const NOT_FOUND: u32 = 3;
    /// The call may not read the path.
    pub const NOT_PERMITTED: u32 = 4;
    /// A folder, pipe, socket or device.
    pub const NOT_A_FILE: u32 = 5;
    /// A file that isn't text.
    pub const NOT_TEXT: u32 = 6;
    /// A file of more than 1 GiB.
    pub const TOO_LARGE: u32 = 7;
    /// An explicit range of more than 200,000 characters.
    pub const RANGE_TOO_LONG: u32 = 8;
    /// The file can't be looked at, opened or read for another reason.
    pub const UNREADABLE: u32 = 9;
}

pub fn bad_path(fault: &str) -> Failure {
    Failure::new(code::BAD_PATH, format!("`file_path` {fault}. Give the path of a text file."))
}

/// The system's word on looking at, opening or reading the file.
pub fn system(path: &str, directory: &str, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::NotFound => Failure::new(
            code::NOT_FOUND,
            format!("`{path}` doesn't exist. The working directory is `{directory}`; check the path."),
        ),
        io::ErrorKind::PermissionDenied => Failure::new(
            code::NOT_PERMITTED,
            format!("Reading `{path}` is not permitted. Read another file, or ask the user for access."),
        ),
        _ => Failure::new(code::UNREADABLE, format!("`{path}` can't be read: {error}.")),
    }
}

pub fn folder(path: &str) -> Failure {
    Failure::new(code::NOT_A_FILE, format!("`{path}` is a folder, not a file. Give the path of a file in it."))
}

pub fn special(path: &str) -> Failure {
    let message = format!("`{path}` is a pipe, socket or device, not a regular file. Only regular files can be read.");
    Failure::new(code::NOT_A_FILE, message)
}

/// `kind` with its article, such as `a PNG image`.
pub fn not_text(path: &str, kind: &str, bytes: u64) -> Failure {
    let message = format!("`{path}` is not text: it looks like {kind} ({bytes} bytes). Only text files can be read.");
    Failure::new(code::NOT_TEXT, message)
}

pub fn too_large(path: &str, bytes: u64, most: u64) -> Failure {
    let message = format!(
        "`{path}` has {bytes} bytes, more than the {most} that can be read. Read a smaller file or an extract of it."
    );
    Failure::new(code::TOO_LARGE, message)
}

pub fn range_too_long(path: &str, bytes: u64, range: Range, page: &Page) -> Failure {
    let (first, last) = (range.first, range.last().min(page.total));
    let message = format!(
        "Lines {first} to {last} of `{path}` ({bytes} bytes) make {characters} characters, more than the {most} that \
         fit in one result. Ask for fewer lines with `offset` and `limit`, such as offset {first} and limit {fits}.",
        characters = page.characters,
        most = page::MAX_CHARACTERS,
        fits = page.lines,
    );
    Failure::new(code::RANGE_TOO_LONG, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_named_with_the_working_directory() {
        let failure = system("/work/a", "/work", &io::ErrorKind::NotFound.into());
        assert_eq!(failure.code, code::NOT_FOUND);
        assert_eq!(failure.message, "`/work/a` doesn't exist. The working directory is `/work`; check the path.");
    }

    #[test]
    fn a_refusal_by_the_host_says_that_reading_is_not_permitted() {
        let failure = system("/etc/shadow", "/work", &io::ErrorKind::PermissionDenied.into());
        assert_eq!(failure.code, code::NOT_PERMITTED);
        assert!(failure.message.starts_with("Reading `/etc/shadow` is not permitted."), "{}", failure.message);
    }

    #[test]
    fn any_other_error_is_passed_on() {
        let failure = system("/work/a", "/work", &io::Error::other("the disk is on fire"));
        assert_eq!(failure.code, code::UNREADABLE);
        assert_eq!(failure.message, "`/work/a` can't be read: the disk is on fire.");
    }
}
