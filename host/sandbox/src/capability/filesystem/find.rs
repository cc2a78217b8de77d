//! Taking hold of the object behind a path, deciding on it, and opening exactly it.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode, OFlags, PROC_SUPER_MAGIC, Stat, fstat, fstatfs, open, openat};
use toolbay_policy::{Grant, Held};

use super::convert::code;
use crate::bindings::filesystem::types::ErrorCode;
use crate::locate::{LocateError, folds_case, identity, locate, of_handle, real_path};

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
pub(super) struct Parent<'a> {
    pub(super) handle: OwnedFd,
    /// Where the last name lies, without links but itself.
    pub(super) real: PathBuf,
    pub(super) name: &'a OsStr,
}

/// What a path leads to, if it may be read.
pub(super) fn find(grant: &Grant, named: &Path, follow: bool) -> Result<Found, ErrorCode> {
    if !grant.names_readable(named) {
        return Err(ErrorCode::Access);
    }
    let last = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    let handle = match open(named, OFlags::PATH | OFlags::CLOEXEC | last, Mode::empty()) {
        Ok(handle) => handle,
        Err(error) => return Err(absent(grant, named, code(error))),
    };
    // The kernel's own files are about processes, the host's among them: its environment, its memory.
    if fstatfs(&handle).map_err(code)?.f_type == PROC_SUPER_MAGIC {
        return Err(ErrorCode::Access);
    }
    let real = real_path(&handle).map_err(code)?;
    let stat = fstat(&handle).map_err(code)?;
    let found = Found { handle, real, stat };
    // A link that isn't followed lies where it was named, not where it leads.
    let decided = if found.kind() == FileType::Symlink {
        grant.names_readable(&found.real)
    } else {
        grant.may_read(found.held())
    };
    if decided { Ok(found) } else { Err(ErrorCode::Access) }
}

/// The error for what couldn't be held. A link that leads out of the grant says the same whether its end exists or not.
fn absent(grant: &Grant, named: &Path, error: ErrorCode) -> ErrorCode {
    match locate(named) {
        Ok(location) if grant.may_read(Held::at(location.real())) => error,
        Ok(_) | Err(LocateError::Links(_) | LocateError::Unusable(_)) => ErrorCode::Access,
        Err(LocateError::System(..)) => error,
    }
}

/// The folder of a path whose last name may be created, changed or removed.
pub(super) fn find_parent<'a>(grant: &Grant, named: &'a Path) -> Result<Parent<'a>, ErrorCode> {
    let (Some(parent), Some(name)) = (named.parent(), named.file_name()) else {
        return Err(ErrorCode::Access);
    };
    if !grant.names_writable(named) {
        return Err(ErrorCode::Access);
    }
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::DIRECTORY;
    let handle = open(parent, flags, Mode::empty()).map_err(|error| absent(grant, named, code(error)))?;
    let real = real_path(&handle).map_err(code)?.join(name);
    let held = Held { folds_case: folds_case(&handle), ..Held::at(&real) };
    if grant.may_write(held) { Ok(Parent { handle, real, name }) } else { Err(ErrorCode::Access) }
}

/// Makes a new regular file. Fails if the name is taken, by a link too.
pub(super) fn create(grant: &Grant, named: &Path, flags: OFlags) -> Result<File, ErrorCode> {
    let parent = find_parent(grant, named)?;
    let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::WGRP | Mode::ROTH | Mode::WOTH;
    openat(&parent.handle, parent.name, flags, mode).map(File::from).map_err(code)
}
