//! The tree that canaries are let loose in: a folder `in` with every way out of it, and what lies around it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

/// A tree, and the text in it that nobody may see.
pub struct Tree {
    pub top: PathBuf,
    pub secret: String,
}

/// The links in `in` that lead to existing places outside, each beside one that leads to a missing place in the same way.
pub const LINKS_OUT: [(&str, &str); 9] = [
    ("to-secret", "to-missing"),
    ("to-secret-absolute", "to-missing-absolute"),
    ("chain", "chain-missing"),
    ("to-secret-slash", "to-missing-slash"),
    ("to-outside", "to-no-folder"),
    ("to-outside-slash", "to-no-folder-slash"),
    ("long", "long-missing"),
    ("through-sub", "through-sub-missing"),
    ("to-null", "to-no-device"),
];

/// More links in `in` that lead nowhere a call may go.
pub const MORE_LINKS_OUT: [&str; 8] =
    ["loop", "loop-a", "to-root", "to-environ", "to-open-files", "to-zero", "to-parent", "to-top"];

/// Links in `in` that lead through outside places, existing ones and missing ones, and back in. They may not tell which.
pub const LINKS_THROUGH: [&str; 6] = [
    "through-outside",
    "through-missing",
    "through-secret",
    "through-outside-to-missing",
    "through-outside-to-sub",
    "through-missing-to-sub",
];

/// Spellings of places outside of `in`, or through them, existing ones and missing ones, below the top of the tree.
const OUTSIDE: &str = "\
    . .. secret.txt missing.txt secret.txt/ missing.txt/ secret.txt/x missing.txt/x outside outside/ \
    outside/secret.txt outside/missing.txt outside/folder outside/empty in/../secret.txt in/../missing.txt \
    in/x/../../secret.txt in/sub/../../secret.txt in/.. in//..//secret.txt ./in/./../secret.txt in-not In/a.txt \
    in/to-outside/secret.txt in/to-outside/missing.txt in/to-outside/folder/secret.txt in/to-outside/missing/x \
    in/to-outside-slash/secret.txt in/to-parent/secret.txt in/to-parent/missing.txt in/to-secret/x in/to-missing/x \
    in/to-root/etc/passwd in/to-root/no/such in/to-top/etc/passwd in/to-open-files/0 in/to-open-files/99999 \
    in/loop/x in/through-outside-to-sub/c.txt in/through-outside-to-sub/new in/through-missing-to-sub/c.txt \
    in/through-missing-to-sub/new";

/// The same elsewhere. What is relative is so to the guest's `/`.
const ELSEWHERE: &str = "\
    / // /. /.. /etc/passwd /etc/no-such-file //etc//passwd /nowhere /tmp /dev/null /dev/zero /dev/mem \
    /dev/no-such-device /dev/fd/0 /dev/stdin /proc /proc/self/environ /proc/self/mem /proc/self/maps /proc/self/root \
    /proc/self/cwd /proc/self/fd/0 /proc/self/fd/99999 /proc/1/environ /sys/kernel . .. secret.txt ../secret.txt \
    in/a.txt ~";

/// Names in `in` that are ordinary: everything that may be done there may be done to them.
pub const INSIDE: [&str; 20] = [
    "a.txt",
    "a.txt/",
    "a.txt/.",
    "./a.txt",
    "sub/../a.txt",
    "sub",
    "sub/",
    "sub/.",
    "sub/c.txt",
    "empty",
    "empty/",
    "missing",
    "missing/",
    "missing/x",
    "a.txt/x",
    "hard",
    "to-a",
    "to-a/",
    "to-sub",
    "to-sub/",
];

/// Every link in `in` that leads out of it.
pub fn links_out() -> impl Iterator<Item = &'static str> {
    LINKS_OUT.iter().flat_map(|pair| [pair.0, pair.1]).chain(MORE_LINKS_OUT).chain(LINKS_THROUGH)
}

/// Every name in `in` of all these lists, and none, which is `in` itself.
pub fn names_inside() -> Vec<String> {
    INSIDE.into_iter().chain(links_out()).chain([""]).map(str::to_owned).chain(odd_names()).collect()
}

/// Names in `in` that are ordinary, but don't look so; and those that no file can have.
pub fn odd_names() -> Vec<String> {
    let long = [
        "n".repeat(255),
        "n".repeat(256),
        format!("{}/", "a".repeat(200)).repeat(21),
        format!("{}a.txt", "./".repeat(2_100)),
    ];
    let short =
        ["line\nbreak", "dot.", "space ", "\u{200f}mark", "\u{202e}txt.a", "back\\slash", "*", "a?", "~", "-", "..."];
    let special = ["pipe", "socket", "device", "a.txt\0", "a.txt\0/../../secret.txt"];
    long.into_iter().chain(short.into_iter().chain(special).map(str::to_owned)).collect()
}

impl Tree {
    /// Makes a tree in this folder, beside those that are there.
    pub fn plant(folder: &Path) -> Self {
        static PLANTED: AtomicU32 = AtomicU32::new(0);
        let top = folder.join(PLANTED.fetch_add(1, Ordering::Relaxed).to_string());
        let random = || RandomState::new().build_hasher().finish();
        let secret = format!("CANARY-{:016x}{:016x}", random(), random());
        let tree = Self { top, secret };
        let top = &tree.top;
        for folder in ["in/sub/deep", "in/empty", "outside/folder", "outside/empty"] {
            std::fs::create_dir_all(top.join(folder)).unwrap();
        }
        for file in ["secret.txt", "outside/secret.txt", "outside/folder/secret.txt", "outside/target.txt"] {
            std::fs::write(top.join(file), &tree.secret).unwrap();
        }
        for file in ["in/a.txt", "in/sibling.txt", "in/sub/c.txt", "in/target.txt"] {
            std::fs::write(top.join(file), format!("inside {file}")).unwrap();
        }
        std::fs::set_permissions(top.join("secret.txt"), std::fs::Permissions::from_mode(0o600)).unwrap();
        std::fs::hard_link(top.join("in/sub/c.txt"), top.join("in/hard")).unwrap();
        tree.plant_links();
        tree.plant_odd();
        tree
    }

    fn plant_links(&self) {
        let absolute = |name| self.top.join(name).display().to_string();
        let long = |name| format!("{}../{name}", "sub/../".repeat(500));
        for (name, target) in [
            ("to-a", "a.txt".to_owned()),
            ("to-sub", "sub".to_owned()),
            ("to-secret", "../secret.txt".to_owned()),
            ("to-missing", "../missing.txt".to_owned()),
            ("to-secret-absolute", absolute("secret.txt")),
            ("to-missing-absolute", absolute("missing.txt")),
            ("chain", "chain-1".to_owned()),
            ("chain-1", "sub/../chain-2".to_owned()),
            ("chain-2", absolute("in/to-secret")),
            ("chain-missing", "sub/../chain-3".to_owned()),
            ("chain-3", absolute("in/to-missing")),
            ("to-secret-slash", "../secret.txt/".to_owned()),
            ("to-missing-slash", "../missing.txt/".to_owned()),
            ("to-outside", "../outside".to_owned()),
            ("to-outside-slash", "../outside/".to_owned()),
            ("to-no-folder", "../nowhere".to_owned()),
            ("to-no-folder-slash", "../nowhere/".to_owned()),
            ("long", long("secret.txt")),
            ("long-missing", long("missing.txt")),
            ("through-sub", "to-sub/../../secret.txt".to_owned()),
            ("through-sub-missing", "to-sub/../../missing.txt".to_owned()),
            ("to-null", "/dev/null".to_owned()),
            ("to-no-device", "/dev/no-such-device".to_owned()),
            ("to-zero", "/dev/zero".to_owned()),
            ("loop", "loop".to_owned()),
            ("loop-a", "loop-b".to_owned()),
            ("loop-b", "sub/../loop-a".to_owned()),
            ("to-root", "/proc/self/root".to_owned()),
            ("to-environ", "/proc/self/environ".to_owned()),
            ("to-open-files", "/proc/self/fd".to_owned()),
            ("to-parent", "..".to_owned()),
            ("to-top", "/".to_owned()),
            ("through-outside", "../outside/../in/a.txt".to_owned()),
            ("through-outside-to-sub", "../outside/../in/sub".to_owned()),
            ("through-missing-to-sub", "../missing/../in/sub".to_owned()),
            ("through-missing", "../missing/../in/a.txt".to_owned()),
            ("through-secret", "../secret.txt/../in/a.txt".to_owned()),
            ("through-outside-to-missing", "../outside/../in/missing".to_owned()),
        ] {
            symlink(target, self.top.join("in").join(name)).unwrap();
        }
    }

    fn plant_odd(&self) {
        let folder = self.top.join("in");
        for name in odd_names().iter().filter(|name| name.len() < 256 && !name.contains(['\0', '/'])) {
            let path = folder.join(name);
            match name.as_str() {
                "pipe" => mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap(),
                "socket" => mknodat(CWD, &path, FileType::Socket, Mode::RWXU, 0).unwrap(),
                // Only some users may make one. This is the one that never ends, like `/dev/zero`.
                "device" => drop(mknodat(CWD, &path, FileType::CharacterDevice, Mode::RWXU, makedev(1, 5))),
                _ => std::fs::write(path, "odd").unwrap(),
            }
        }
        std::fs::write(folder.join(OsStr::from_bytes(b"not-text-\xff")), "odd").unwrap();
    }

    /// The absolute path of a name in the tree, spelled just so.
    pub fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.top.display())
    }

    /// Paths to places outside of `in`, existing ones and missing ones.
    pub fn outside(&self) -> Vec<String> {
        let roundabout = format!("/proc/self/root{}", self.path("secret.txt"));
        let below = OUTSIDE.split(' ').chain(["", "in "]).map(|name| self.path(name));
        below.chain(ELSEWHERE.split(' ').map(str::to_owned)).chain([roundabout]).collect()
    }

    /// All that is known of every file of the tree but `except` and what is in it. Of the folder that holds `except`, what
    /// doesn't change with it.
    pub fn snapshot(&self, except: Option<&Path>) -> BTreeMap<PathBuf, String> {
        let (mut seen, mut folders) = (BTreeMap::new(), vec![self.top.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if except == Some(&path) {
                    continue;
                }
                let about = path.symlink_metadata().unwrap();
                let content = match about.file_type() {
                    kind if kind.is_symlink() => std::fs::read_link(&path).unwrap().into_os_string().into_vec(),
                    kind if kind.is_file() => std::fs::read(&path).unwrap(),
                    kind if kind.is_dir() => {
                        folders.push(path.clone());
                        Vec::new()
                    }
                    _ => Vec::new(),
                };
                let kept = format!("{} {:o} {} {}", about.ino(), about.mode(), about.uid(), about.gid());
                let holds_the_exception = except.is_some_and(|except| except.parent() == Some(&path));
                let (changed, status) = ((about.mtime(), about.mtime_nsec()), (about.ctime(), about.ctime_nsec()));
                let more = format!(" {} {} {changed:?} {status:?} {content:?}", about.nlink(), about.size());
                seen.insert(path, if holds_the_exception { kept } else { kept + &more });
            }
        }
        seen
    }
}
