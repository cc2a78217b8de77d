//! The inbox's private folder: opened, checked and locked, with files that are written whole or not at all.
//!
//! Everything goes through the folder's descriptor and follows no symbolic link, so that what was checked is what is
//! used.

use std::fs::{DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags, openat, renameat, unlinkat};

/// The lock. It's never removed: a second one would let two in.
const LOCK: &str = ".lock";
/// The file that is being written. There's one writer at a time.
const UNFINISHED: &str = ".unfinished";
/// A file of more bytes isn't read.
pub(super) const LARGEST: u64 = 20 * 1024 * 1024;
/// More names than this aren't listed: something else fills the folder.
const MOST_NAMES: usize = 10_000;

/// The folder, this process's alone until it's dropped.
pub(super) struct Folder {
    descriptor: OwnedFd,
    _lock: File,
}

impl Folder {
    /// Opens the folder, after making it when it isn't there. Waits while another process has it.
    pub(super) fn make(path: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        Self::open(path)
    }

    /// Opens the folder. Waits while another process has it.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let folder = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = openat(CWD, path, folder, Mode::empty())?;
        let metadata = File::from(descriptor.try_clone()?).metadata()?;
        // No bit for group or others.
        if !is_ours(&metadata) || metadata.mode().trailing_zeros() < 6 {
            let why = "others can use it; make it the user's alone with `chmod 700`";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        let lock = openat(&descriptor, LOCK, OFlags::CREATE | OFlags::RDWR | single(), Mode::RUSR | Mode::WUSR)?;
        let lock = File::from(lock);
        lock.lock()?;
        Ok(Self { descriptor, _lock: lock })
    }

    /// The names in it, without the two of its own; of a name that isn't UTF-8, what can be shown.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.descriptor)?.take(MOST_NAMES) {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if ![".", "..", LOCK, UNFINISHED].contains(&&*name) {
                names.push(name);
            }
        }
        Ok(names)
    }

    /// When the file was last written.
    pub(super) fn written(&self, name: &str) -> io::Result<SystemTime> {
        let seconds = rustix::fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mtime;
        Ok(SystemTime::UNIX_EPOCH + Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
    }

    /// The file and what it holds. Only a regular file of the user is read, and none over [`LARGEST`].
    pub(super) fn read(&self, name: &str) -> io::Result<(File, Vec<u8>)> {
        let mut file = File::from(openat(&self.descriptor, name, OFlags::RDONLY | single(), Mode::empty())?);
        let metadata = file.metadata()?;
        if !metadata.is_file() || !is_ours(&metadata) {
            return Err(io::Error::other("it's no file of the user"));
        }
        let mut bytes = Vec::new();
        (&mut file).take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it's larger than 20 MiB"));
        }
        Ok((file, bytes))
    }

    /// Writes the file whole, in place of one of that name.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        // What a process left that ended while it wrote.
        match unlinkat(&self.descriptor, UNFINISHED, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(error.into()),
        }
        let new = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | single();
        let mut file = File::from(openat(&self.descriptor, UNFINISHED, new, Mode::RUSR | Mode::WUSR)?);
        file.write_all(bytes)?;
        file.sync_all()?;
        renameat(&self.descriptor, UNFINISHED, &self.descriptor, name)?;
        self.sync()
    }

    /// Whether the name still leads to this very file. While it's open, no other file can have its number.
    pub(super) fn holds(&self, name: &str, file: &File) -> io::Result<bool> {
        let now = match openat(&self.descriptor, name, OFlags::RDONLY | single(), Mode::empty()) {
            Ok(now) => File::from(now).metadata()?,
            Err(rustix::io::Errno::NOENT) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let then = file.metadata()?;
        Ok((now.dev(), now.ino()) == (then.dev(), then.ino()))
    }

    /// Removes the file, or the link.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        unlinkat(&self.descriptor, name, AtFlags::empty())?;
        self.sync()
    }

    /// A power cut must bring back neither a revoked answer nor one that was used.
    fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.descriptor)?)
    }
}

/// Flags for one file: no link is followed, and a pipe in its place makes nobody wait.
fn single() -> OFlags {
    OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC
}

fn is_ours(metadata: &std::fs::Metadata) -> bool {
    metadata.uid() == rustix::process::geteuid().as_raw()
}
