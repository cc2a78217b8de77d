//! The folder of the log: the names of its files, and how they're opened and locked.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, OFlags};

use super::AuditError;

/// Where a log is.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A folder to read from. Whoever can read it may: an auditor isn't always the user who wrote it.
    pub(super) fn to_read(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// A folder to append in. It's made when it's missing, and refused when others could look into it.
    pub(super) fn to_append(path: &Path) -> Result<Self, AuditError> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(AuditError::io(path))?;
        let metadata = fs::symlink_metadata(path).map_err(AuditError::io(path))?;
        // No bit for group or others.
        let ours = metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode().trailing_zeros() >= 6;
        if !metadata.is_dir() || !ours {
            return Err(AuditError::NotPrivate(path.to_owned()));
        }
        Ok(Self(path.to_owned()))
    }

    /// The file that's written to.
    pub(super) fn current(&self) -> PathBuf {
        self.0.join("audit.jsonl")
    }

    /// A file that's full.
    pub(super) fn full(&self, number: u32) -> PathBuf {
        self.0.join(format!("audit-{number:06}.jsonl"))
    }

    /// The numbers of the files that are full, oldest first.
    #[expect(clippy::disallowed_methods, reason = "the audit log's own folder")]
    pub(super) fn numbers(&self) -> Result<Vec<u32>, AuditError> {
        let names = fs::read_dir(&self.0).map_err(AuditError::io(&self.0))?;
        let mut numbers = Vec::new();
        for name in names {
            let name = name.map_err(AuditError::io(&self.0))?.file_name();
            numbers.extend(name.to_str().and_then(number));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Gives the current file its number. The caller holds its exclusive lock, so nobody else does the same.
    #[expect(clippy::disallowed_methods, reason = "a file of the audit log's own")]
    pub(super) fn set_aside(&self) -> Result<(), AuditError> {
        let next = self.numbers()?.last().map_or(1, |last| last + 1);
        if next > 999_999 {
            return Err(AuditError::Full(self.0.clone()));
        }
        fs::rename(self.current(), self.full(next)).map_err(AuditError::io(&self.current()))
    }

    /// Whether this open file still is the current one, or was set aside by another process.
    pub(super) fn is_current(&self, file: &File) -> Result<bool, AuditError> {
        let path = self.current();
        let opened = file.metadata().map_err(AuditError::io(&path))?;
        match fs::symlink_metadata(&path) {
            Ok(named) => Ok((named.dev(), named.ino()) == (opened.dev(), opened.ino())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(AuditError::Io { path, source }),
        }
    }
}

/// The number in the name of a file that's full.
fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("audit-")?.strip_suffix(".jsonl")?;
    let six = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|_| six)
}

/// Opens a file of the log for reading, or makes it when it's missing and opens it for appending too.
#[expect(clippy::disallowed_methods, reason = "a file of the audit log's own")]
pub(super) fn open(path: &Path, append: bool) -> Result<File, AuditError> {
    // Links lead elsewhere. Opening a pipe would wait for its other end.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mut options = fs::OpenOptions::new();
    options.read(true).append(append).create(append).mode(0o600).custom_flags(flags);
    let file = options.open(path).map_err(|source| match rustix::io::Errno::from_io_error(&source) {
        Some(rustix::io::Errno::LOOP | rustix::io::Errno::ISDIR) => AuditError::NotAFile(path.to_owned()),
        _ => AuditError::Io { path: path.to_owned(), source },
    })?;
    if !file.metadata().map_err(AuditError::io(path))?.is_file() {
        return Err(AuditError::NotAFile(path.to_owned()));
    }
    Ok(file)
}

/// Waits until nobody else has the file's lock in a way that's at odds with this one, or gives it up.
pub(super) fn flock(file: &File, operation: FlockOperation, path: &Path) -> Result<(), AuditError> {
    rustix::io::retry_on_intr(|| rustix::fs::flock(file, operation)).map_err(AuditError::io(path))
}
