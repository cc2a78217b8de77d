//! The files of the log as they are at one moment, while others append.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::PathBuf;

use rustix::fs::FlockOperation;

use super::folder::{self, Folder};
use super::{ATTEMPTS, AuditError};

/// A file of the log.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    /// The current file, and its size in bytes at that moment. A file that's full is opened when it's read.
    current: Option<(File, u64)>,
}

impl Part {
    /// Reads what the file held at that moment.
    pub(super) fn reader(&mut self) -> Result<BufReader<io::Take<File>>, AuditError> {
        let (file, size) = match self.current.take() {
            Some(current) => current,
            None => (folder::open(&self.path, false)?, u64::MAX),
        };
        Ok(BufReader::new(file.take(size)))
    }
}

/// The files of the log, oldest first. Those who append wait only while the folder is listed.
pub(super) fn take(folder: &Folder) -> Result<Vec<Part>, AuditError> {
    let path = folder.current();
    for _ in 0..ATTEMPTS {
        let file = match folder::open(&path, false) {
            Ok(file) => file,
            Err(AuditError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return full(folder),
            Err(error) => return Err(error),
        };
        // Under the lock no line is half written, and the file isn't set aside.
        folder::flock(&file, FlockOperation::LockShared, &path)?;
        if folder.is_current(&file)? {
            let size = file.metadata().map_err(AuditError::io(&path))?.len();
            let mut parts = full(folder)?;
            folder::flock(&file, FlockOperation::Unlock, &path)?;
            parts.push(Part { path, current: Some((file, size)) });
            return Ok(parts);
        }
    }
    Err(AuditError::Busy(path))
}

/// The files that are full, oldest first.
fn full(folder: &Folder) -> Result<Vec<Part>, AuditError> {
    let numbers = folder.numbers()?;
    Ok(numbers.into_iter().map(|number| Part { path: folder.full(number), current: None }).collect())
}
