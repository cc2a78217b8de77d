//! The audit log: lines of JSON, each with the hash of the line before it.
//!
//! A folder holds the log. `audit.jsonl` is written to; once it's over its limit it becomes `audit-000001.jsonl` and so
//! on, and the chain goes on in a new `audit.jsonl`. An entry is one line: `time` first, then what was handed over, then
//! `previous`, the SHA-256 of the line before it without its line end. The very first line has 64 zeros there.
//!
//! Any number of threads and processes may append at once. Each takes the exclusive `flock` of `audit.jsonl`, so the
//! folder has to be on a file system where that works between all who write.

mod file;
mod folder;
mod line;
mod recorder;
mod snapshot;
mod verify;

#[cfg(test)]
mod sample;

use std::io;
use std::path::{Path, PathBuf};

pub use file::AuditFile;
pub use recorder::ToAudit;
pub use verify::{Verified, read, verify};

/// What the first line of a log has as `previous`.
const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// How often to start again when `audit.jsonl` is replaced while its lock is awaited.
const ATTEMPTS: usize = 1000;

/// Why an entry wasn't written, or the log can't be read or isn't whole.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The system said no.
    #[error("`{path}` of the audit log can't be used")]
    Io {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Somebody else could read or change the log.
    #[error("`{0}` must be a folder that belongs to the current user and is closed to others: `chmod 700` it")]
    NotPrivate(PathBuf),
    /// A link, a folder or a device in the place of a file of the log.
    #[error("`{0}` must be a regular file to be part of the audit log: move it away")]
    NotAFile(PathBuf),
    /// All six-digit numbers are used up, or the highest one is.
    #[error("`{0}` has no free number for another file of the audit log: move the log away")]
    Full(PathBuf),
    /// `audit.jsonl` was replaced again and again.
    #[error("`{0}` is replaced all the time: find out by whom")]
    Busy(PathBuf),
    /// The entry is over 1 MiB as a line.
    #[error("an entry of the audit log may have {limit} bytes as JSON, this one has {bytes}: record less")]
    TooLarge {
        /// How many bytes the line would have.
        bytes: usize,
        /// How many it may have.
        limit: usize,
    },
    /// The log writes this key itself.
    #[error("an entry of the audit log can't have the key `{0}`, which the log adds: choose another name")]
    Reserved(&'static str),
    /// The log isn't as it was written.
    #[error("line {line} of `{file}` {why}; {others} more lines are wrong")]
    Broken {
        /// The file with the line.
        file: PathBuf,
        /// Its number in the file, from 1.
        line: u64,
        /// What's wrong with it.
        why: Flaw,
        /// How many lines behind it are wrong too.
        others: u64,
    },
}

impl AuditError {
    /// Puts the path to what the system said.
    fn io<E: Into<io::Error>>(path: &Path) -> impl FnOnce(E) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, source: source.into() }
    }
}

/// What's wrong with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// It's over 2 MiB.
    #[error("is longer than any entry: it was changed or added")]
    TooLong,
    /// It's no JSON object with one `previous`.
    #[error("isn't an entry: it was changed or added, or a crash left it torn")]
    NotAnEntry,
    /// The log doesn't begin with it.
    #[error("isn't the beginning of the log: lines before it were removed, or it was changed")]
    NotFirst,
    /// Its `previous` isn't the hash of the line before it.
    #[error(
        "doesn't follow the line before it: one of the two was changed, or lines were removed, added or moved between them"
    )]
    NotNext,
}
