//! Paths, in a small tree of folders and links that the bytes say.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use toolbay::locate;

const NAMES: [&str; 6] = ["a", "b", "c", "d", ".e", "f g"];
/// The most entries of the tree.
const MOST: usize = 12;

/// Takes names and small numbers from bytes.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first)
    }

    fn name(&mut self) -> &'static str {
        NAMES[self.next() % NAMES.len()]
    }

    /// One to four names, with `.` and `..` among them.
    fn path(&mut self) -> PathBuf {
        let count = self.next() % 4 + 1;
        (0..count).map(|_| [self.name(), self.name(), "..", "."][self.next() % 4]).collect()
    }
}

/// Where a path leads is where the kernel says, by every spelling; what leads nowhere is an error or a place, never a panic.
pub(crate) fn path(data: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let mut bytes = Bytes(data);
    for _ in 0..bytes.next() % (MOST + 1) {
        // Names only, so that nothing is made outside.
        let place = top.join(bytes.name()).join(if bytes.next().is_multiple_of(2) { "" } else { bytes.name() });
        match bytes.next() % 4 {
            0 => drop(fs::create_dir_all(&place)),
            1 => drop(fs::write(&place, "x")),
            2 => drop(symlink(bytes.path(), &place)),
            _ => drop(symlink(top.join(bytes.path()), &place)),
        }
    }
    for _ in 0..4 {
        check(&top, &bytes.path());
    }
    drop(locate(&top.join(String::from_utf8_lossy(bytes.0).as_ref())));
}

fn check(top: &Path, below: &Path) {
    let path = top.join(below);
    let Ok(located) = locate(&path) else { return };
    // `..` is taken by spelling, as in the rules; the kernel goes by what is there.
    let spelled = located.named().to_owned();
    assert!(spelled.components().all(|part| !matches!(part, std::path::Component::ParentDir)));
    if let Ok(real) = fs::canonicalize(&spelled) {
        assert_eq!(located.real(), real, "{}", path.display());
    } else if let Ok(real) = fs::canonicalize(located.real()) {
        // What isn't there is given without links. (`missing/..` leads on, though not for the kernel.)
        assert_eq!(located.real(), real, "{}", path.display());
    }
    let text = spelled.to_str().unwrap();
    for other in [format!("{text}/."), text.replace('/', "//"), format!("{text}/x/..")] {
        assert_eq!(locate(Path::new(&other)).unwrap().named(), spelled, "{other}");
    }
}
