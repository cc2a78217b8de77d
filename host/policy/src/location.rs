//! Paths as they are asked for and as they really are.

use std::path::{Component, Path, PathBuf};

/// A path in its two forms. Rules that allow must hold for both; rules that deny hold when either matches, so that a link
/// is no way around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    named: PathBuf,
    real: PathBuf,
    folds_case: bool,
    identity: Option<Identity>,
}

/// Which file it is, whatever its name: device and inode. Known where a file has several names.
pub type Identity = (u64, u64);

impl Location {
    /// `named` is what was asked for, `real` what it resolves to after every link. Both must be absolute; they're
    /// normalized here.
    #[must_use]
    pub fn new(named: &Path, real: &Path) -> Self {
        Self { named: normalize(named), real: normalize(real), folds_case: false, identity: None }
    }

    /// The same place on a file system that doesn't tell upper from lower case.
    #[must_use]
    pub fn folding_case(mut self, folds: bool) -> Self {
        self.folds_case = folds;
        self
    }

    /// The same place, being a file with several names (hard links).
    #[must_use]
    pub fn identified(mut self, identity: Option<Identity>) -> Self {
        self.identity = identity;
        self
    }

    /// A path that is no link and lies below none.
    #[must_use]
    pub fn plain(path: &Path) -> Self {
        Self::new(path, path)
    }

    /// The path that was asked for, absolute and without `.` and `..`.
    #[must_use]
    pub fn named(&self) -> &Path {
        &self.named
    }

    /// The path without links.
    #[must_use]
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// Whether its file system doesn't tell upper from lower case.
    #[must_use]
    pub fn folds_case(&self) -> bool {
        self.folds_case
    }

    /// Which file it is, when that has several names.
    #[must_use]
    pub fn identity(&self) -> Option<Identity> {
        self.identity
    }

    /// Whether `path` is this place or lies below it, in either form.
    #[must_use]
    pub fn covers_name(&self, path: &Path) -> bool {
        path.starts_with(&self.real) || path.starts_with(&self.named)
    }

    /// Whether the object at `path`, which must be free of links, is this place or lies below it.
    #[must_use]
    pub fn covers_real(&self, path: &Path) -> bool {
        path.starts_with(&self.real)
    }

    /// Whether all of `other` lies in this place.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.covers_name(&other.named) && self.covers_real(&other.real)
    }
}

/// Removes `.`, `..` and doubled separators by spelling alone. `..` at the top stays at the top, as in every Unix kernel.
#[must_use]
pub fn normalize(path: &Path) -> PathBuf {
    let mut result = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::Normal(name) => result.push(name),
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_variants_are_one_path() {
        for variant in ["/a/b", "/a/./b", "//a//b/", "/a/x/../b", "/../a/b", "/a/b/."] {
            assert_eq!(normalize(Path::new(variant)), Path::new("/a/b"), "{variant}");
        }
    }

    #[test]
    fn a_neighbour_with_the_same_start_is_not_covered() {
        let root = Location::plain(Path::new("/work/app"));
        assert!(root.covers(&Location::plain(Path::new("/work/app/src"))));
        assert!(!root.covers(&Location::plain(Path::new("/work/app-secrets"))));
    }

    #[test]
    fn a_link_that_leads_out_is_not_covered() {
        let root = Location::plain(Path::new("/work"));
        assert!(!root.covers(&Location::new(Path::new("/work/link"), Path::new("/etc/passwd"))));
        assert!(!root.covers(&Location::new(Path::new("/etc/link"), Path::new("/work/a"))));
    }

    #[test]
    fn a_root_that_is_a_link_covers_both_spellings() {
        let root = Location::new(Path::new("/tmpx"), Path::new("/private/tmpx"));
        assert!(root.covers(&Location::new(Path::new("/tmpx/a"), Path::new("/private/tmpx/a"))));
        assert!(root.covers(&Location::plain(Path::new("/private/tmpx/a"))));
    }
}
