//! The operations, each as: which path, what is there, may this call do that, do it.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, futimens, mkdirat, readlinkat, renameat, unlinkat, utimensat,
};
use wasmtime::component::Resource;
use wasmtime_wasi::p2::{DynInputStream, DynOutputStream};

use super::convert::{code, code_of, identity, stat, times};
use super::find::{Found, Named, create, find, find_parent};
use super::stream::{Listing, Reader, STEP, Writer, read_at};
use super::{Descriptor, OpenFile};
use crate::bindings::filesystem::types::{
    Advice, DescriptorFlags, DescriptorStat, DescriptorType, DirectoryEntry, ErrorCode, Host, HostDescriptor,
    HostDirectoryEntryStream, MetadataHashValue, NewTimestamp, OpenFlags, PathFlags,
};
use crate::locate::of_handle;
use crate::state::State;

type Fd = Resource<Descriptor>;

impl State {
    /// The open file behind a descriptor, if it was opened with these rights.
    fn file(&self, descriptor: &Fd, right: DescriptorFlags) -> Result<Arc<OpenFile>, ErrorCode> {
        match self.descriptor(descriptor)? {
            Descriptor::File { file, flags } if flags.contains(right) => Ok(file.clone()),
            Descriptor::File { .. } => Err(ErrorCode::BadDescriptor),
            Descriptor::Folder(_) => Err(ErrorCode::IsDirectory),
        }
    }

    /// What lies at a path below a folder's descriptor.
    fn find_below(&self, folder: &Fd, path: &str, flags: PathFlags) -> Result<Found, ErrorCode> {
        find(&self.grant, &self.below(folder, path)?, flags.contains(PathFlags::SYMLINK_FOLLOW))
    }

    fn found(&self, descriptor: &Fd) -> Result<rustix::fs::Stat, ErrorCode> {
        match self.descriptor(descriptor)? {
            Descriptor::File { file, .. } => fstat(&file.file).map_err(code),
            Descriptor::Folder(path) => find(&self.grant, &Named::place(path), true).map(|found| found.stat),
        }
    }

    fn may_change(&self, named: &Named, found: &Found) -> Result<(), ErrorCode> {
        let granted = self.grant.names_writable(&named.path) && self.grant.may_write(found.held());
        if granted { Ok(()) } else { Err(ErrorCode::Access) }
    }

    fn open(&mut self, named: &Named, follow: bool, open: OpenFlags, flags: DescriptorFlags) -> Result<Fd, ErrorCode> {
        match find(&self.grant, named, follow) {
            Err(ErrorCode::NoEntry) if open.contains(OpenFlags::CREATE) => match self.open_new(named, flags) {
                // Somebody else was quicker.
                Err(ErrorCode::Exist) if !open.contains(OpenFlags::EXCLUSIVE) => {
                    let found = find(&self.grant, named, follow)?;
                    self.open_found(named, &found, open, flags)
                }
                opened => opened,
            },
            Ok(_) if open.contains(OpenFlags::CREATE | OpenFlags::EXCLUSIVE) => Err(ErrorCode::Exist),
            found => self.open_found(named, &found?, open, flags),
        }
    }

    fn open_found(
        &mut self,
        named: &Named,
        found: &Found,
        open: OpenFlags,
        flags: DescriptorFlags,
    ) -> Result<Fd, ErrorCode> {
        let changes = flags.contains(DescriptorFlags::WRITE) || open.contains(OpenFlags::TRUNCATE);
        match found.kind() {
            FileType::Directory if changes => return Err(ErrorCode::IsDirectory),
            FileType::Directory => return self.push(Descriptor::Folder(found.real.clone())),
            _ if open.contains(OpenFlags::DIRECTORY) => return Err(ErrorCode::NotDirectory),
            FileType::RegularFile => {}
            FileType::Symlink => return Err(ErrorCode::Loop),
            // Opening a pipe waits for its other end, and opening a device can have any effect.
            _ => return Err(ErrorCode::Unsupported),
        }
        if changes {
            self.may_change(named, found)?;
        }
        let truncate = if open.contains(OpenFlags::TRUNCATE) { OFlags::TRUNC } else { OFlags::empty() };
        let slot = self.files.slot()?;
        let file = found.reopen(direction(flags, changes) | truncate)?;
        self.push(Descriptor::File { file: Arc::new(OpenFile { file, _slot: slot }), flags })
    }

    fn open_new(&mut self, named: &Named, flags: DescriptorFlags) -> Result<Fd, ErrorCode> {
        let slot = self.files.slot()?;
        let file = create(&self.grant, named, direction(flags, true))?;
        self.push(Descriptor::File { file: Arc::new(OpenFile { file, _slot: slot }), flags })
    }

    fn list(&mut self, folder: &Fd) -> Result<Resource<Listing>, ErrorCode> {
        let Descriptor::Folder(path) = self.descriptor(folder)? else {
            return Err(ErrorCode::NotDirectory);
        };
        let slot = self.files.slot()?;
        let found = find(&self.grant, &Named::place(path), true)?;
        let folder = Dir::new(found.reopen(OFlags::RDONLY | OFlags::DIRECTORY)?).map_err(code)?;
        self.push(Listing::new(folder, found.real, slot, self.withheld.clone()))
    }

    /// A handle of the file or folder for bringing it to the disk.
    fn durable(&self, descriptor: &Fd) -> Result<File, ErrorCode> {
        match self.descriptor(descriptor)? {
            Descriptor::File { file, .. } => file.file.try_clone().map_err(|error| code_of(&error)),
            Descriptor::Folder(path) => {
                find(&self.grant, &Named::place(path), true)?.reopen(OFlags::RDONLY | OFlags::DIRECTORY)
            }
        }
    }
}

/// Waits for the disk on a thread that may block: it can take seconds, and guests' threads also end calls at their
/// deadlines.
async fn wait_for_disk(work: impl FnOnce() -> std::io::Result<()> + Send + 'static) -> Result<(), ErrorCode> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| code_of(&error)),
        Err(_) => Err(ErrorCode::Io),
    }
}

/// How a file is opened for these rights.
fn direction(flags: DescriptorFlags, changes: bool) -> OFlags {
    match (flags.contains(DescriptorFlags::READ), changes) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        (_, false) => OFlags::RDONLY,
    }
}

impl Host for State {
    fn filesystem_error_code(&mut self, error: Resource<wasmtime::Error>) -> Option<ErrorCode> {
        let error = self.table.get(&error).ok()?;
        error.downcast_ref::<std::io::Error>().map(code_of)
    }
}

impl HostDescriptor for State {
    fn read_via_stream(&mut self, fd: Fd, offset: u64) -> Result<Resource<DynInputStream>, ErrorCode> {
        let file = self.file(&fd, DescriptorFlags::READ)?;
        self.push::<DynInputStream>(Box::new(Reader::new(file, offset)))
    }

    fn write_via_stream(&mut self, fd: Fd, offset: u64) -> Result<Resource<DynOutputStream>, ErrorCode> {
        let file = self.file(&fd, DescriptorFlags::WRITE)?;
        self.push::<DynOutputStream>(Box::new(Writer::new(file, Some(offset))))
    }

    fn append_via_stream(&mut self, fd: Fd) -> Result<Resource<DynOutputStream>, ErrorCode> {
        let file = self.file(&fd, DescriptorFlags::WRITE)?;
        self.push::<DynOutputStream>(Box::new(Writer::new(file, None)))
    }

    fn advise(&mut self, fd: Fd, _offset: u64, _length: u64, _advice: Advice) -> Result<(), ErrorCode> {
        self.file(&fd, DescriptorFlags::empty()).map(drop)
    }

    async fn sync_data(&mut self, fd: Fd) -> Result<(), ErrorCode> {
        let file = self.durable(&fd)?;
        wait_for_disk(move || file.sync_data()).await
    }

    fn get_flags(&mut self, fd: Fd) -> Result<DescriptorFlags, ErrorCode> {
        Ok(match self.descriptor(&fd)? {
            Descriptor::File { flags, .. } => *flags,
            Descriptor::Folder(_) => DescriptorFlags::READ,
        })
    }

    fn get_type(&mut self, fd: Fd) -> Result<DescriptorType, ErrorCode> {
        Ok(match self.descriptor(&fd)? {
            Descriptor::File { .. } => DescriptorType::RegularFile,
            Descriptor::Folder(_) => DescriptorType::Directory,
        })
    }

    fn set_size(&mut self, fd: Fd, size: u64) -> Result<(), ErrorCode> {
        self.file(&fd, DescriptorFlags::WRITE)?.file.set_len(size).map_err(|error| code_of(&error))
    }

    fn set_times(&mut self, fd: Fd, access: NewTimestamp, modification: NewTimestamp) -> Result<(), ErrorCode> {
        let file = self.file(&fd, DescriptorFlags::WRITE)?;
        futimens(&file.file, &times(access, modification)).map_err(code)
    }

    fn read(&mut self, fd: Fd, length: u64, offset: u64) -> Result<(Vec<u8>, bool), ErrorCode> {
        let file = self.file(&fd, DescriptorFlags::READ)?;
        let length = usize::try_from(length).unwrap_or(STEP).min(STEP);
        let bytes = read_at(&file, length, offset).map_err(|error| code_of(&error))?;
        let end = bytes.len() < length;
        Ok((bytes.into(), end))
    }

    fn write(&mut self, fd: Fd, buffer: Vec<u8>, offset: u64) -> Result<u64, ErrorCode> {
        let file = self.file(&fd, DescriptorFlags::WRITE)?;
        file.file.write_at(&buffer, offset).map(|count| count as u64).map_err(|error| code_of(&error))
    }

    fn read_directory(&mut self, fd: Fd) -> Result<Resource<Listing>, ErrorCode> {
        self.list(&fd)
    }

    async fn sync(&mut self, fd: Fd) -> Result<(), ErrorCode> {
        let file = self.durable(&fd)?;
        wait_for_disk(move || file.sync_all()).await
    }

    fn create_directory_at(&mut self, fd: Fd, path: String) -> Result<(), ErrorCode> {
        let named = self.below(&fd, &path)?;
        let parent = find_parent(&self.grant, &named)?;
        mkdirat(&parent.handle, &parent.name, Mode::RWXU | Mode::RWXG | Mode::RWXO).map_err(code)
    }

    fn stat(&mut self, fd: Fd) -> Result<DescriptorStat, ErrorCode> {
        self.found(&fd).map(|found| stat(&found))
    }

    fn stat_at(&mut self, fd: Fd, flags: PathFlags, path: String) -> Result<DescriptorStat, ErrorCode> {
        self.find_below(&fd, &path, flags).map(|found| stat(&found.stat))
    }

    fn set_times_at(
        &mut self,
        fd: Fd,
        flags: PathFlags,
        path: String,
        access: NewTimestamp,
        modification: NewTimestamp,
    ) -> Result<(), ErrorCode> {
        let named = self.below(&fd, &path)?;
        let found = self.find_below(&fd, &path, flags)?;
        self.may_change(&named, &found)?;
        utimensat(CWD, of_handle(&found.handle), &times(access, modification), AtFlags::empty()).map_err(code)
    }

    /// Never: a link made here would lead programs outside the sandbox to places that they trust.
    fn link_at(&mut self, _: Fd, _: PathFlags, _: String, _: Fd, _: String) -> Result<(), ErrorCode> {
        Err(ErrorCode::Access)
    }

    fn open_at(
        &mut self,
        fd: Fd,
        path_flags: PathFlags,
        path: String,
        open_flags: OpenFlags,
        flags: DescriptorFlags,
    ) -> Result<Fd, ErrorCode> {
        let named = self.below(&fd, &path)?;
        self.open(&named, path_flags.contains(PathFlags::SYMLINK_FOLLOW), open_flags, flags)
    }

    fn readlink_at(&mut self, fd: Fd, path: String) -> Result<String, ErrorCode> {
        let found = self.find_below(&fd, &path, PathFlags::empty())?;
        if found.kind() != FileType::Symlink {
            return Err(ErrorCode::Invalid);
        }
        let target = readlinkat(&found.handle, "", Vec::new()).map_err(code)?;
        target.into_string().map_err(|_| ErrorCode::IllegalByteSequence)
    }

    fn remove_directory_at(&mut self, fd: Fd, path: String) -> Result<(), ErrorCode> {
        let named = self.below(&fd, &path)?;
        let parent = find_parent(&self.grant, &named)?;
        if !self.grant.may_remove(&parent.real) {
            return Err(ErrorCode::Access);
        }
        unlinkat(&parent.handle, &parent.name, AtFlags::REMOVEDIR).map_err(code)
    }

    fn rename_at(&mut self, fd: Fd, path: String, to: Fd, to_path: String) -> Result<(), ErrorCode> {
        let (named, new) = (self.below(&fd, &path)?, self.below(&to, &to_path)?);
        let (from, to) = (find_parent(&self.grant, &named)?, find_parent(&self.grant, &new)?);
        if !self.grant.may_move(&from.real, &to.real) {
            return Err(ErrorCode::Access);
        }
        renameat(&from.handle, &from.name, &to.handle, &to.name).map_err(code)
    }

    /// Never, for the same reason as hard links.
    fn symlink_at(&mut self, _: Fd, _: String, _: String) -> Result<(), ErrorCode> {
        Err(ErrorCode::Access)
    }

    fn unlink_file_at(&mut self, fd: Fd, path: String) -> Result<(), ErrorCode> {
        let named = self.below(&fd, &path)?;
        let parent = find_parent(&self.grant, &named)?;
        unlinkat(&parent.handle, &parent.name, AtFlags::empty()).map_err(code)
    }

    fn is_same_object(&mut self, fd: Fd, other: Fd) -> bool {
        let identity = |found: rustix::fs::Stat| (found.st_dev, found.st_ino);
        let (one, two) = (self.found(&fd).map(identity), self.found(&other).map(identity));
        one.is_ok_and(|one| two.is_ok_and(|two| one == two))
    }

    fn metadata_hash(&mut self, fd: Fd) -> Result<MetadataHashValue, ErrorCode> {
        self.found(&fd).map(|found| identity(&found))
    }

    fn metadata_hash_at(&mut self, fd: Fd, flags: PathFlags, path: String) -> Result<MetadataHashValue, ErrorCode> {
        self.find_below(&fd, &path, flags).map(|found| identity(&found.stat))
    }

    fn drop(&mut self, fd: Fd) -> wasmtime::Result<()> {
        self.table.delete(fd)?;
        Ok(())
    }
}

impl HostDirectoryEntryStream for State {
    fn read_directory_entry(&mut self, listing: Resource<Listing>) -> Result<Option<DirectoryEntry>, ErrorCode> {
        self.table.get_mut(&listing).map_err(|_| ErrorCode::BadDescriptor)?.next(&self.grant)
    }

    fn drop(&mut self, listing: Resource<Listing>) -> wasmtime::Result<()> {
        self.table.delete(listing)?;
        Ok(())
    }
}
