//! What an object of the file system is beside its name: which file, and on what kind of file system.

use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{FileType, IFlags, Mode, OFlags, Stat, fstatfs, ioctl_getflags, open};
use rustix::io::Errno;
use toolbay_policy::Identity;

/// The kinds of file system that never tell upper from lower case: FAT, exFAT, NTFS, HFS and HFS+, SMB. From the kernel's
/// `magic.h`, and from the drivers that aren't in it.
const FOLDING: [u32; 9] =
    [0x4d44, 0x2011_bab0, 0x5346_544e, 0x7366_746e, 0x482b, 0x4244, 0x517b, 0xff53_4d42, 0xfe53_4d42];
/// `FS_CASEFOLD_FL` of the kernel's `fs.h`: names in this folder fold.
const CASEFOLD: u32 = 0x4000_0000;

/// Which file it is, when it has several names.
pub(crate) fn identity(stat: &Stat) -> Option<Identity> {
    let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    (regular && stat.st_nlink > 1).then_some((stat.st_dev, stat.st_ino))
}

/// Whether the object lies on a file system without case.
pub(crate) fn folds_case(handle: &OwnedFd) -> bool {
    fstatfs(handle).is_ok_and(|system| u32::try_from(system.f_type).is_ok_and(|kind| FOLDING.contains(&kind)))
}

/// Whether names in the innermost folder of this path that exists fold, on file systems where that's up to each folder.
pub(crate) fn folder_folds(path: &Path) -> bool {
    let open_folder = |path: &Path| -> Result<OwnedFd, Errno> {
        open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())
    };
    let innermost = path.ancestors().find_map(|folder| open_folder(folder).ok());
    let flags = innermost.and_then(|folder| ioctl_getflags(folder).ok());
    flags.is_some_and(|flags| flags.contains(IFlags::from_bits_retain(CASEFOLD)))
}
