//! Guests for the integration tests, one in each file of `src/bin`: components that try what a tool shouldn't. Here is
//! what several of them share.

pub mod canary;
pub mod operations;

use std::{
    ffi::{CString, c_char, c_int},
    fmt::Display,
    fs, io,
    path::Path,
};

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

/// Makes a soft link at `path`. Rust offers links for WASI to its nightly versions only; the C library below offers them
/// to all.
///
/// # Errors
/// What the system says, and for texts with a NUL.
pub fn soft_link(target: &str, path: &str) -> io::Result<()> {
    unsafe extern "C" {
        fn symlink(target: *const c_char, path: *const c_char) -> c_int;
    }
    let (target, path) = (CString::new(target)?, CString::new(path)?);
    // SAFETY: both are strings with a final zero that live until the function returns.
    if unsafe { symlink(target.as_ptr(), path.as_ptr()) } == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
