//! From the spelling of a path to the place it really is.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{FileType, IFlags, Mode, OFlags, Stat, fstat, fstatfs, ioctl_getflags, open, readlink};
use rustix::io::Errno;
use toolbay_policy::{Identity, Location, normalize};

/// The most links on one path; the kernel's own limit.
const MOST_LINKS: u32 = 40;
/// The longest path in bytes; the kernel's own limit.
const LONGEST_PATH: usize = 4_096;

/// Why a path names no place.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// It isn't absolute, holds a NUL, or is longer than 4,096 bytes.
    #[error("`{0}` is no usable path: it must be absolute, without NUL, and at most 4,096 bytes long")]
    Unusable(String),
    /// Its links lead in a circle, or there are more than 40.
    #[error("`{0}` leads through too many links")]
    Links(PathBuf),
    /// The system couldn't say.
    #[error("`{0}` can't be resolved")]
    System(PathBuf, #[source] io::Error),
}

/// Finds where an absolute path leads: `.` and `..` by spelling, then every link. What doesn't exist yet is located where
/// it would be made, and a dangling link where it points.
///
/// # Errors
/// For relative and overlong paths, for circles of links, and when the system fails.
pub fn locate(path: &Path) -> Result<Location, LocateError> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if !path.is_absolute() || bytes.contains(&0) || bytes.len() > LONGEST_PATH {
        return Err(LocateError::Unusable(path.display().to_string()));
    }
    let named = normalize(path);
    match open(&named, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Ok(handle) => of_object(&named, &handle).map_err(|error| LocateError::System(named.clone(), error.into())),
        Err(Errno::LOOP) => Err(LocateError::Links(named)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::NAMETOOLONG) => {
            let real = resolve_missing(&named)?;
            let folds = real.ancestors().any(|folder| open_folder(folder).is_ok_and(|folder| folds_names(&folder)));
            Ok(Location::new(&named, &real).folding_case(folds))
        }
        Err(error) => Err(LocateError::System(named, error.into())),
    }
}

fn of_object(named: &Path, handle: &OwnedFd) -> Result<Location, Errno> {
    let (real, stat) = (real_path(handle)?, fstat(handle)?);
    // Whether names in a folder fold is the folder's own matter.
    let folder =
        if is(&stat, FileType::Directory) { open_folder(&real) } else { open_folder(real.parent().unwrap_or(&real)) };
    let folds = folds_case(handle) || folder.is_ok_and(|folder| folds_names(&folder));
    Ok(Location::new(named, &real).folding_case(folds).identified(identity(&stat)))
}

fn open_folder(path: &Path) -> Result<OwnedFd, Errno> {
    open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK, Mode::empty())
}

fn folds_names(folder: &OwnedFd) -> bool {
    // FS_CASEFOLD_FL of the kernel's `fs.h`.
    let casefold = IFlags::from_bits_retain(0x4000_0000);
    ioctl_getflags(folder).is_ok_and(|flags| flags.contains(casefold))
}

fn is(stat: &Stat, kind: FileType) -> bool {
    FileType::from_raw_mode(stat.st_mode) == kind
}

/// Which file it is, when it has several names.
pub(crate) fn identity(stat: &Stat) -> Option<Identity> {
    (is(stat, FileType::RegularFile) && stat.st_nlink > 1).then_some((stat.st_dev, stat.st_ino))
}

/// Whether the object lies on a file system that never tells upper from lower case: FAT, exFAT, NTFS, HFS+, SMB.
pub(crate) fn folds_case(handle: &OwnedFd) -> bool {
    const FOLDING: [u32; 9] =
        [0x4d44, 0x2011_bab0, 0x5346_544e, 0x7366_746e, 0x482b, 0x4244, 0x517b, 0xff53_4d42, 0xfe53_4d42];
    fstatfs(handle).is_ok_and(|system| u32::try_from(system.f_type).is_ok_and(|kind| FOLDING.contains(&kind)))
}

/// What isn't there, or can't be seen: from name to name as the kernel would go, as far as there are links. Every step is
/// bounded, since the names may come from an attacker.
fn resolve_missing(named: &Path) -> Result<PathBuf, LocateError> {
    let (mut real, mut rest, mut links) = (PathBuf::from("/"), names_backwards(named), MOST_LINKS);
    while let Some(name) = rest.pop() {
        if name == ".." {
            // What was walked so far is free of links, so its parent by spelling is its parent.
            real.pop();
            continue;
        }
        real.push(&name);
        if real.as_os_str().len() > LONGEST_PATH {
            return Err(LocateError::Unusable(named.display().to_string()));
        }
        let Ok(target) = readlink(&real, Vec::new()) else { continue };
        links = links.checked_sub(1).ok_or_else(|| LocateError::Links(named.to_owned()))?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        real.pop();
        if target.is_absolute() {
            real = PathBuf::from("/");
        }
        rest.extend(names_backwards(&target));
    }
    Ok(real)
}

fn names_backwards(path: &Path) -> Vec<OsString> {
    let name = |component: Component<'_>| match component {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
    };
    path.components().rev().filter_map(name).collect()
}

/// The path without links of the object that a handle holds, as the kernel knows it now.
pub(crate) fn real_path(handle: &OwnedFd) -> Result<PathBuf, Errno> {
    let path = readlink(of_handle(handle), Vec::new())?;
    Ok(PathBuf::from(OsString::from_vec(path.into_bytes())))
}

/// A path that leads to exactly the object that the handle holds, whatever its name is by now.
pub(crate) fn of_handle(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at what was done")]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        (folder, path)
    }

    #[test]
    fn links_are_followed_and_both_forms_are_kept() {
        let (_keep, top) = folder();
        std::fs::write(top.join("a"), "").unwrap();
        symlink("a", top.join("b")).unwrap();
        let location = locate(&top.join("x/../b")).unwrap();
        assert_eq!((location.named(), location.real()), (top.join("b").as_path(), top.join("a").as_path()));
    }

    #[test]
    fn what_does_not_exist_is_where_it_would_be_made() {
        let (_keep, top) = folder();
        symlink(&top, top.join("self")).unwrap();
        assert_eq!(locate(&top.join("self/new/file")).unwrap().real(), top.join("new/file"));
    }

    #[test]
    fn a_dangling_link_is_where_it_points() {
        let (_keep, top) = folder();
        symlink("/nowhere/at/all", top.join("out")).unwrap();
        assert_eq!(locate(&top.join("out")).unwrap().real(), Path::new("/nowhere/at/all"));
    }

    #[test]
    fn dots_in_a_link_are_walked_and_not_spelled_away() {
        let (_keep, top) = folder();
        std::fs::create_dir_all(top.join("deep/er")).unwrap();
        symlink(top.join("deep/er"), top.join("sub")).unwrap();
        symlink("sub/../missing", top.join("probe")).unwrap();
        assert_eq!(locate(&top.join("probe")).unwrap().real(), top.join("deep/missing"));
    }

    #[test]
    fn long_chains_of_links_end_and_take_no_stack() {
        let (_keep, top) = folder();
        for link in 0..45 {
            symlink(format!("l{}/{}", link + 1, "x/".repeat(1_000)), top.join(format!("l{link}"))).unwrap();
        }
        assert!(locate(&top.join("l0")).is_err());
        assert!(locate(&top.join("x/".repeat(1_000))).is_ok());
    }

    #[test]
    fn circles_relative_paths_and_nul_are_errors() {
        let (_keep, top) = folder();
        symlink("loop", top.join("loop")).unwrap();
        assert!(matches!(locate(&top.join("loop")), Err(LocateError::Links(_))));
        assert!(locate(Path::new("relative")).is_err());
        assert!(locate(Path::new("/a\0b")).is_err());
        assert!(locate(Path::new(&format!("/{}", "a/".repeat(4_000)))).is_err());
    }
}
