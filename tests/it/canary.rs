//! Canaries: guests that try every file operation on every kind of path. What lies outside their grant is neither seen nor
//! changed, and nothing tells what is there.

use std::path::PathBuf;

use serde_json::json;
use toolbay::policy::Mode;
use toolbay_tests::{FILES_CANARY, FILES_CANARY_RAW};

use crate::support::TestHost;
use crate::tree::{LINKS_OUT, Tree, links_out, names_inside};

/// An access and a name in the tree.
type Grant = (&'static str, &'static str);

const TOOLS: [&str; 2] = ["Canary", "RawCanary"];
const READ_FILE: Grant = ("read", "in/a.txt");
const READ_FOLDER: Grant = ("read", "in");
const WRITE_FILE: Grant = ("write", "in/a.txt");
const WRITE_FOLDER: Grant = ("write", "in");
const READS: [Grant; 2] = [READ_FILE, READ_FOLDER];
const WRITES: [Grant; 2] = [WRITE_FILE, WRITE_FOLDER];

/// One operation that a canary tried.
#[derive(Debug)]
struct Tried {
    path: String,
    operation: String,
    /// `ok`, or the kind of the error.
    outcome: String,
    seen: String,
}

impl From<&str> for Tried {
    fn from(line: &str) -> Self {
        let mut parts = line.split('\t').map(str::to_owned);
        let mut part = || parts.next().unwrap();
        Self { path: part(), operation: part(), outcome: part(), seen: part() }
    }
}

impl Tried {
    fn refused(&self) -> bool {
        ["PermissionDenied", "access"].contains(&self.outcome.as_str())
    }

    fn follows_links(&self) -> bool {
        let looks_at_links = ["symlink-metadata", "read-link", "readlink-at"];
        !looks_at_links.contains(&self.operation.as_str()) && !self.operation.contains("PathFlags(0x0)")
    }

    /// Whether the guest's own library gave the answer, before the host was asked.
    fn answered_by_the_guest(&self) -> bool {
        let top = self.operation == "canonicalize" && self.path.chars().all(|letter| "\"/.".contains(letter));
        // What is copied is a folder that may be read.
        top || self.operation.starts_with("copy-from") && self.outcome == "InvalidInput"
    }
}

fn host() -> TestHost {
    TestHost::settings(&[FILES_CANARY, FILES_CANARY_RAW], |settings| {
        settings.permissions.default_mode = Some(Mode::AcceptEdits);
    })
}

/// The paths of these names in `in`.
fn inside(tree: &Tree, names: &[impl AsRef<str>]) -> Vec<String> {
    names.iter().map(|name| tree.path(&format!("in/{}", name.as_ref()))).collect()
}

/// Lets a canary try these paths, with one grant or none. Nowhere in what comes of it is the secret.
fn release(host: &TestHost, tool: &str, tree: &Tree, grant: Option<Grant>, paths: &[String]) -> Vec<Tried> {
    let targets = ["in/target.txt", "in/sub", "outside/target.txt", "outside/folder"].map(|name| tree.path(name));
    let declared = grant.map(|(access, name)| json!({ "access": access, "path": tree.path(name) }));
    let declare: Vec<_> = declared.into_iter().collect();
    let report = host.call(tool, json!({ "declare": declare, "paths": paths, "targets": targets }));
    let heard = (host.heard.log.lock().unwrap(), host.heard.progress.lock().unwrap(), host.kept.0.lock().unwrap());
    assert!(!format!("{report:?} {heard:?}").contains(&tree.secret), "{tool} {grant:?} {paths:?}");
    report.result.unwrap().text().replace(tree.top.to_str().unwrap(), "TOP").lines().map(Tried::from).collect()
}

fn assert_all_refused<'a>(tried: impl IntoIterator<Item = &'a Tried>) {
    for tried in tried.into_iter().filter(|tried| !tried.answered_by_the_guest()) {
        assert!(tried.refused(), "{tried:?}");
    }
}

#[test]
fn all_that_lies_outside_a_grant_is_refused_alike_whether_or_not_it_is_there() {
    let host = host();
    for (tool, grant) in TOOLS.iter().flat_map(|tool| READS.into_iter().chain(WRITES).map(move |grant| (tool, grant))) {
        let tree = Tree::plant(&host.root());
        let before = tree.snapshot(None);
        assert_all_refused(&release(&host, tool, &tree, Some(grant), &tree.outside()));
        assert_eq!(tree.snapshot(None), before, "{tool} {grant:?}");
    }
}

#[test]
fn without_a_grant_nothing_at_all_is_there() {
    let host = host();
    // The guest's own library refuses some.
    let possible = |name: &String| name.len() < 4_000 && !name.contains('\0');
    let names: Vec<_> = names_inside().into_iter().filter(possible).collect();
    for tool in TOOLS {
        let tree = Tree::plant(&host.root());
        let before = tree.snapshot(None);
        let paths = [inside(&tree, &names), tree.outside()].concat();
        assert_all_refused(&release(&host, tool, &tree, None, &paths));
        assert_eq!(tree.snapshot(None), before, "{tool}");
    }
}

#[test]
fn a_read_grant_shows_what_it_covers_and_changes_nothing() {
    let host = host();
    for (tool, grant) in TOOLS.iter().flat_map(|tool| READS.map(|grant| (tool, grant))) {
        let tree = Tree::plant(&host.root());
        let before = tree.snapshot(None);
        let paths = [inside(&tree, &names_inside()), vec![String::new()]].concat();
        let tried = release(&host, tool, &tree, Some(grant), &paths);
        assert!(tried.iter().any(|tried| tried.seen.contains("inside in/a.txt")), "{tool} {grant:?}");
        assert_eq!(tree.snapshot(None), before, "{tool} {grant:?}");
    }
}

#[test]
fn a_write_grant_changes_what_it_covers_and_nothing_else() {
    let host = host();
    for (tool, grant) in TOOLS.iter().flat_map(|tool| WRITES.map(|grant| (tool, grant))) {
        let (mut tree, mut changed) = (Tree::plant(&host.root()), Vec::new());
        for name in names_inside() {
            let granted = PathBuf::from(tree.path(grant.1));
            let (all, around) = (tree.snapshot(None), tree.snapshot(Some(&granted)));
            release(&host, tool, &tree, Some(grant), &inside(&tree, &[&name]));
            assert_eq!(tree.snapshot(Some(&granted)), around, "{tool} {grant:?} {name}");
            if tree.snapshot(None) != all {
                changed.push(name);
                tree = Tree::plant(&host.root());
            }
        }
        assert!(changed.contains(&"a.txt".to_owned()), "{tool} {grant:?} {changed:?}");
    }
}

#[test]
fn one_granted_file_shows_nothing_of_its_folder() {
    let host = host();
    let names =
        [".", "sibling.txt", "sub", "sub/c.txt", "missing", "to-a", "hard", "a.txt.new", "a.txt/../sibling.txt"];
    for (tool, grant) in TOOLS.iter().flat_map(|tool| [READ_FILE, WRITE_FILE].map(|grant| (tool, grant))) {
        let tree = Tree::plant(&host.root());
        let before = tree.snapshot(None);
        assert_all_refused(&release(&host, tool, &tree, Some(grant), &inside(&tree, &names)));
        assert_eq!(tree.snapshot(None), before, "{tool} {grant:?}");
    }
}

#[test]
fn a_link_out_of_the_grant_is_not_followed_and_tells_nothing() {
    let host = host();
    for tool in TOOLS {
        let tree = Tree::plant(&host.root());
        let tried = release(&host, tool, &tree, Some(READ_FOLDER), &inside(&tree, &links_out().collect::<Vec<_>>()));
        assert_all_refused(tried.iter().filter(|tried| tried.follows_links()));
        let outcomes = |name: &str| {
            let path = format!("\"TOP/in/{name}\"");
            let of_it = tried.iter().filter(|tried| tried.path == path);
            of_it.map(|tried| (&tried.operation, &tried.outcome)).collect::<Vec<_>>()
        };
        for (there, missing) in LINKS_OUT {
            assert!(outcomes(there).iter().any(|(_, outcome)| *outcome == "ok"), "the link itself can be seen");
            assert_eq!(outcomes(there), outcomes(missing), "{tool} {there} {missing}");
        }
    }
}

#[test]
fn nor_does_it_where_it_can_be_replaced() {
    let host = host();
    for tool in TOOLS {
        let outcomes = |name: &str| {
            let tree = Tree::plant(&host.root());
            let tried = release(&host, tool, &tree, Some(WRITE_FOLDER), &inside(&tree, &[name]));
            tried.into_iter().map(|tried| (tried.operation, tried.outcome)).collect::<Vec<_>>()
        };
        for (there, missing) in LINKS_OUT {
            assert_eq!(outcomes(there), outcomes(missing), "{tool} {there} {missing}");
        }
    }
}
