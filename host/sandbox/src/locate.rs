//! From the spelling of a path to the place it really is.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags, fstat, lstat, open, readlink};
use rustix::io::Errno;
use toolbay_policy::{Location, normalize};

use crate::volume::{folder_folds, folds_case, identity};

/// The most links on one path; the kernel's own limit.
const MOST_LINKS: u32 = 40;
/// The longest path in bytes; the kernel's own limit.
const LONGEST_PATH: usize = 4_096;
/// How often a path is looked up that leads to something else each time.
const MOST_LOOKUPS: u32 = 16;
/// What the kernel puts after the path of what has none any more.
const GONE: &[u8] = b" (deleted)";

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
    let location = match hold(&named, OFlags::empty()) {
        Ok((handle, real)) => {
            let stat = fstat(&handle).map_err(|error| LocateError::System(named.clone(), error.into()))?;
            let folds = folds_case(&handle) || folder_folds(&real);
            Location::new(&named, &real).folding_case(folds).identified(identity(&stat))
        }
        Err(Errno::LOOP) => return Err(LocateError::Links(named)),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::NAMETOOLONG) => {
            let real = walk(&named, |_| ())?;
            let folds = folder_folds(&real);
            Location::new(&named, &real).folding_case(folds)
        }
        Err(error) => return Err(LocateError::System(named, error.into())),
    };
    Ok(location)
}

/// Where a path leads whether or not its end exists: from name to name as the kernel would go, as far as there are links.
/// Every step is bounded, since the names may come from an attacker.
///
/// `leave` hears of the folders that a link enters by name and leaves by `..`: the kernel goes on only if they exist.
pub(crate) fn walk(named: &Path, mut leave: impl FnMut(&Path)) -> Result<PathBuf, LocateError> {
    let (mut real, mut rest, mut links) = (PathBuf::from("/"), names_backwards(named), MOST_LINKS);
    // The folder of the last link: it's there, and so is every folder above it.
    let mut origin = PathBuf::from("/");
    while let Some(name) = rest.pop() {
        if name == ".." {
            if !origin.starts_with(&real) {
                leave(&real);
            }
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
        origin.clone_from(&real);
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

/// Takes hold of what a path leads to without opening it, and says where that is, without links. What is replaced in
/// between is looked up again.
pub(crate) fn hold(path: &Path, flags: OFlags) -> Result<(OwnedFd, PathBuf), Errno> {
    for _ in 0..MOST_LOOKUPS {
        let handle = open(path, flags | OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        if let Some(real) = real_path(&handle)? {
            return Ok((handle, real));
        }
    }
    Err(Errno::NOENT)
}

/// The path without links of the object that a handle holds, as the kernel knows it now. None if it has none any more: the
/// one that the kernel then gives is no longer its own, and no rule would know it.
fn real_path(handle: &OwnedFd) -> Result<Option<PathBuf>, Errno> {
    let path = PathBuf::from(OsString::from_vec(readlink(of_handle(handle), Vec::new())?.into_bytes()));
    let gone = path.as_os_str().as_bytes().ends_with(GONE) && !is_at(handle, &path)?;
    Ok((!gone).then_some(path))
}

/// Whether the object that a handle holds lies at this path. A name may end as the kernel's mark does.
fn is_at(handle: &OwnedFd, path: &Path) -> Result<bool, Errno> {
    let held = fstat(handle)?;
    Ok(lstat(path).is_ok_and(|found| (found.st_dev, found.st_ino) == (held.st_dev, held.st_ino)))
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

    #[test]
    fn what_has_no_name_any_more_has_no_path_and_a_name_may_end_like_the_kernels_mark() {
        let (_keep, top) = folder();
        let (gone, odd) = (top.join("gone"), top.join("odd (deleted)"));
        std::fs::write(&gone, "").unwrap();
        std::fs::write(&odd, "").unwrap();
        let (handle, real) = hold(&gone, OFlags::empty()).unwrap();
        assert_eq!((&real, hold(&odd, OFlags::empty()).unwrap().1), (&gone, odd));
        std::fs::remove_file(&gone).unwrap();
        assert_eq!(real_path(&handle).unwrap(), None);
    }

    #[test]
    fn folders_that_a_link_leaves_again_are_told() {
        let (_keep, top) = folder();
        std::fs::create_dir(top.join("in")).unwrap();
        symlink("../other/../in/a", top.join("in/through")).unwrap();
        symlink("../in/a", top.join("in/around")).unwrap();
        let left = |name: &str| {
            let mut left = Vec::new();
            assert_eq!(walk(&top.join(name), |folder| left.push(folder.to_owned())).unwrap(), top.join("in/a"));
            left
        };
        assert_eq!(left("in/through"), [top.join("other")]);
        assert!(left("in/around").is_empty(), "where a link lies is no secret to who follows it");
    }
}
