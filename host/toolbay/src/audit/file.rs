//! Appending to the log.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::FlockOperation;
use serde_json::{Map, Value};

use super::folder::{self, Folder};
use super::{ATTEMPTS, AuditError, BEGINNING, line};
use crate::Digest;

/// When `audit.jsonl` is over this size, in bytes, a new one is begun.
const FULL: u64 = 32 << 20;

/// The largest entry in bytes, with what the log adds. Half of what the reader takes for a line.
const LARGEST: usize = 1 << 20;

/// An audit log that's open for appending. Shared between threads by reference.
#[derive(Debug)]
pub struct AuditFile {
    folder: Folder,
    limit: u64,
    current: Mutex<Option<Current>>,
}

/// `audit.jsonl`. It stays open: while it does, no other file can get its inode, and it's known whether it was replaced.
#[derive(Debug)]
struct Current {
    file: File,
    /// Where our own last line ended.
    end: u64,
    /// The hash of that line.
    last: Option<String>,
}

impl AuditFile {
    /// Opens the log in this folder, which is made with mode 0700 when it's missing.
    ///
    /// # Errors
    ///
    /// [`AuditError::NotPrivate`] when the folder isn't the current user's or others have any right to it.
    pub fn open(folder: &Path) -> Result<Self, AuditError> {
        Self::with_limit(folder, FULL)
    }

    /// As `open`. A new file is begun when the current one has more bytes than `limit`.
    pub(crate) fn with_limit(folder: &Path, limit: u64) -> Result<Self, AuditError> {
        Ok(Self { folder: Folder::to_append(folder)?, limit, current: Mutex::new(None) })
    }

    /// Appends an entry, with `time` (UTC, milliseconds) before and `previous` after its own keys.
    ///
    /// Waits for others who append. When it returns, the kernel has the line: it outlives this process, but not a power
    /// cut in the next seconds, as nothing is synced to the disk.
    ///
    /// A line that a crash left torn stays as it is, and the new line follows it in the chain. [`super::verify`] reports
    /// the torn one.
    ///
    /// # Errors
    ///
    /// The entry isn't in the log when it has a key `time` or `previous`, when its line is over 1 MiB, or when the system
    /// says no.
    pub fn append(&self, entry: Map<String, Value>) -> Result<(), AuditError> {
        if let Some(key) = ["time", "previous"].into_iter().find(|key| entry.contains_key(*key)) {
            return Err(AuditError::Reserved(key));
        }
        // What's known of the file is right at all times, even if a thread panicked with it.
        let mut slot = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        let mut current = self.lock(slot.take())?;
        let written = self.write(&mut current, entry);
        // A file that can't be unlocked is closed, which gives up the lock too.
        if folder::flock(&current.file, FlockOperation::Unlock, &self.folder.current()).is_ok() {
            *slot = Some(current);
        }
        written
    }

    /// The current file, with its exclusive lock and with room for a line.
    fn lock(&self, mut held: Option<Current>) -> Result<Current, AuditError> {
        let path = self.folder.current();
        for _ in 0..ATTEMPTS {
            let current = match held.take() {
                Some(current) => current,
                None => Current { file: folder::open(&path, true)?, end: 0, last: None },
            };
            folder::flock(&current.file, FlockOperation::LockExclusive, &path)?;
            // Another process may have set it aside while we waited. Then it's not to be written to any more.
            if self.folder.is_current(&current.file)? {
                if current.file.metadata().map_err(AuditError::io(&path))?.len() <= self.limit {
                    return Ok(current);
                }
                self.folder.set_aside()?;
            }
        }
        Err(AuditError::Busy(path))
    }

    /// Writes the line. The caller holds the lock.
    fn write(&self, current: &mut Current, entry: Map<String, Value>) -> Result<(), AuditError> {
        let path = self.folder.current();
        let size = current.file.metadata().map_err(AuditError::io(&path))?.len();
        let line = line_of(entry, self.previous(current, size)?);
        if line.len() > LARGEST {
            return Err(AuditError::TooLarge { bytes: line.len(), limit: LARGEST });
        }
        let torn = line::is_torn(&current.file, size).map_err(AuditError::io(&path))?;
        let text = format!("{}{line}\n", if torn { "\n" } else { "" });
        // One call writes it all, unless the disk is full.
        if let Err(error) = current.file.write_all(text.as_bytes()) {
            // A part of the line is no use to anybody. If it can't be taken back, it's a torn line for the next append.
            drop(current.file.set_len(size));
            return Err(AuditError::io(&path)(error));
        }
        current.end = size + text.len() as u64;
        current.last = Some(Digest::of(line.as_bytes()).to_string());
        Ok(())
    }

    /// The hash of the line that the next one follows.
    fn previous(&self, current: &Current, size: u64) -> Result<String, AuditError> {
        match &current.last {
            // Nobody wrote since. If the file is shorter than we left it, somebody cut it, and the chain must show that.
            Some(last) if size <= current.end => Ok(last.clone()),
            _ if size > 0 => {
                let last = line::last(&current.file, current.end, size).map_err(AuditError::io(&self.folder.current()));
                Ok(Digest::of(&last?).to_string())
            }
            _ => self.last_set_aside(),
        }
    }

    /// The hash of the last line in the files that are full. They don't change any more.
    fn last_set_aside(&self) -> Result<String, AuditError> {
        for number in self.folder.numbers()?.into_iter().rev() {
            let path = self.folder.full(number);
            let file = folder::open(&path, false)?;
            let size = file.metadata().map_err(AuditError::io(&path))?.len();
            if size > 0 {
                let last = line::last(&file, 0, size).map_err(AuditError::io(&path))?;
                return Ok(Digest::of(&last).to_string());
            }
        }
        Ok(BEGINNING.to_owned())
    }
}

/// The entry as a line. A clock that's outside of the years 1970 to 9999 can't be written, and stands at their edge.
fn line_of(entry: Map<String, Value>, previous: String) -> String {
    let last = UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    let time = humantime::format_rfc3339_millis(SystemTime::now().clamp(UNIX_EPOCH, last));
    let mut line = Map::new();
    line.insert("time".to_owned(), time.to_string().into());
    line.extend(entry);
    line.insert("previous".to_owned(), previous.into());
    Value::Object(line).to_string()
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
