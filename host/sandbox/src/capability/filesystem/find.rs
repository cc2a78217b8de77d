//! Taking hold of the object behind a path, deciding on it, and opening exactly it.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, PROC_SUPER_MAGIC, Stat, fstat, fstatfs, open, openat};
use toolbay_policy::{Access, Grant, Held};

use super::convert::code;
use crate::bindings::filesystem::types::ErrorCode;
use crate::locate::{hold, of_handle, walk};
use crate::volume::{folds_case, identity};

/// What an operation's path names.
pub(super) struct Named {
    /// Absolute, without `.`, `..` and a final slash.
    pub(super) path: PathBuf,
    /// Whether it must be a folder, since it was spelled with a final slash.
    pub(super) folder: bool,
}

impl Named {
    /// A place that was looked up before.
    pub(super) fn place(path: &Path) -> Self {
        Self { path: path.to_owned(), folder: false }
    }
}

/// An object that is held, not opened: nothing can be read or written through it.
pub(super) struct Found {
    pub(super) handle: OwnedFd,
    pub(super) real: PathBuf,
    pub(super) stat: Stat,
}

impl Found {
    /// What the grant is asked about.
    pub(super) fn held(&self) -> Held<'_> {
        Held { real: &self.real, folds_case: folds_case(&self.handle), identity: identity(&self.stat) }
    }

    pub(super) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }

    /// Opens the very object that is held. Never blocks, and never takes a terminal.
    pub(super) fn reopen(&self, flags: OFlags) -> Result<File, ErrorCode> {
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        open(of_handle(&self.handle), flags, Mode::empty()).map(File::from).map_err(code)
    }
}

/// The folder that holds a path's last name, held the same way.
pub(super) struct Parent {
    pub(super) handle: OwnedFd,
    /// Where the last name lies, without links but itself.
    pub(super) real: PathBuf,
    /// The last name, with its final slash: the kernel knows best what that means to each operation.
    pub(super) name: OsString,
}

/// What a path leads to, if it may be read.
pub(super) fn find(grant: &Grant, named: &Named, follow: bool) -> Result<Found, ErrorCode> {
    let path = named.path.as_path();
    if !grant.names_readable(path) {
        return Err(ErrorCode::Access);
    }
    let flags = match (named.folder, follow) {
        // A final slash follows a link, whatever was asked for.
        (true, _) => OFlags::DIRECTORY,
        (false, true) => OFlags::empty(),
        (false, false) => OFlags::NOFOLLOW,
    };
    let (handle, real) = hold(path, flags).map_err(|error| absent(grant, path, code(error)))?;
    // The kernel's own files are about processes, the host's among them: its environment, its memory.
    if fstatfs(&handle).map_err(code)?.f_type == PROC_SUPER_MAGIC {
        return Err(ErrorCode::Access);
    }
    let stat = fstat(&handle).map_err(code)?;
    let found = Found { handle, real, stat };
    // A link that isn't followed lies where it was named, not where it leads.
    let decided = if found.kind() == FileType::Symlink {
        grant.names_readable(&found.real)
    } else {
        grant.may_read(found.held())
    };
    let followed = if flags == OFlags::NOFOLLOW { path.parent().unwrap_or(path) } else { path };
    let quiet = found.real == path || end_of(grant, followed).is_some();
    if decided && quiet { Ok(found) } else { Err(ErrorCode::Access) }
}

/// The error for what couldn't be held. A link that leads out of the grant says the same whether its end exists or not.
fn absent(grant: &Grant, named: &Path, error: ErrorCode) -> ErrorCode {
    if end_of(grant, named).is_some_and(|real| grant.may_read(Held::at(&real))) { error } else { ErrorCode::Access }
}

/// Where a path leads, or none if that would tell what exists elsewhere: `in/link` that leads to `../secrets/../in/a` can
/// be followed only if there is a folder `secrets`.
fn end_of(grant: &Grant, named: &Path) -> Option<PathBuf> {
    let mut known = true;
    let real = walk(named, |folder| known &= grant.may_read(Held::at(folder)) || lies_above(grant, folder));
    real.ok().filter(|_| known)
}

/// Whether something that was granted lies in this folder, which therefore is there.
fn lies_above(grant: &Grant, folder: &Path) -> bool {
    let mut granted = grant.access().iter().filter_map(Access::location);
    granted.any(|location| location.named().starts_with(folder) || location.real().starts_with(folder))
}

/// The folder of a path whose last name may be created, changed or removed.
pub(super) fn find_parent(grant: &Grant, named: &Named) -> Result<Parent, ErrorCode> {
    let Named { path, folder } = named;
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ErrorCode::Access);
    };
    if !grant.names_writable(path) {
        return Err(ErrorCode::Access);
    }
    let (handle, real) = hold(parent, OFlags::DIRECTORY).map_err(|error| absent(grant, path, code(error)))?;
    let quiet = real == parent || end_of(grant, parent).is_some();
    let real = real.join(name);
    let held = Held { folds_case: folds_case(&handle), ..Held::at(&real) };
    if !quiet || !grant.may_write(held) {
        return Err(ErrorCode::Access);
    }
    let mut name = name.to_owned();
    if *folder {
        name.push("/");
    }
    Ok(Parent { handle, real, name })
}

/// Makes a new regular file. Fails if the name is taken, by a link too.
pub(super) fn create(grant: &Grant, named: &Named, flags: OFlags) -> Result<File, ErrorCode> {
    let parent = find_parent(grant, named)?;
    let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
    openat(&parent.handle, &parent.name, flags, mode).map(File::from).map_err(code)
}
