//! Files that are swapped while a guest uses them: each decision holds for the very object that was opened.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::{Value, json};
use toolbay::policy::Mode;
use toolbay_tests::FILES_RACER;

use crate::support::TestHost;
use crate::tree::Tree;

/// Lets a guest race against `swap`, which runs again and again beside it; gives what the guest counted.
fn race(host: &TestHost, secret: &str, input: Value, time: Duration, swap: impl Fn() + Sync) -> BTreeMap<String, u32> {
    let (start, mut counts, swap) = (Instant::now(), BTreeMap::new(), &swap);
    std::thread::scope(|scope| {
        // Gone at the end of this scope, after a panic too.
        let running = Arc::new(());
        let still = Arc::downgrade(&running);
        scope.spawn(move || {
            while still.upgrade().is_some() {
                swap();
            }
        });
        while start.elapsed() < time {
            let said = host.text("Racer", input.clone());
            assert!(!said.contains(secret), "{said}");
            for line in said.lines() {
                let (what, times) = line.rsplit_once('\t').unwrap();
                *counts.entry(what.to_owned()).or_default() += times.parse::<u32>().unwrap();
            }
        }
    });
    counts
}

/// Exchanges two names in one step, so that both are always there.
fn exchange(one: &Path, two: &Path) {
    renameat_with(CWD, one, CWD, two, RenameFlags::EXCHANGE).unwrap();
}

/// Puts a new file in the place of another, as editors save.
fn replace(file: &Path, content: &str) {
    let next = file.with_extension("next");
    std::fs::write(&next, content).unwrap();
    std::fs::rename(&next, file).unwrap();
}

/// How often an operation had a result that starts so.
fn count(counts: &BTreeMap<String, u32>, start: &str) -> u32 {
    counts.iter().filter(|(what, _)| what.starts_with(start)).map(|(_, times)| times).sum()
}

#[test]
fn nothing_outside_is_reached_while_files_and_folders_are_swapped_for_links() {
    let host =
        TestHost::settings(&[FILES_RACER], |settings| settings.permissions.default_mode = Some(Mode::AcceptEdits));
    let tree = Tree::plant(&host.root());
    let inside = tree.top.join("in");
    let [file, link, folder, folder_link] = ["swap", "swap-link", "dir", "dir-link"].map(|name| inside.join(name));
    std::fs::write(&file, "inside").unwrap();
    symlink("../secret.txt", &link).unwrap();
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("secret.txt"), "inside").unwrap();
    symlink("../outside", &folder_link).unwrap();
    let before = tree.snapshot(Some(&inside));
    let declare = json!([{ "access": "write", "path": inside }]);
    let input = json!({ "declare": declare, "folder": inside, "rounds": 200, "changes": true });
    let counts = race(&host, &tree.secret, input, Duration::from_secs(10), || {
        exchange(&file, &link);
        exchange(&folder, &folder_link);
    });
    assert_eq!(tree.snapshot(Some(&inside)), before);
    let of_secrets_size = format!("ok \"{}\"", tree.secret.len());
    assert!(!counts.keys().any(|what| what.contains("target.txt") || what.ends_with(&of_secrets_size)), "{counts:#?}");
    // It was a race: each came upon both.
    for operation in
        ["read swap", "stat swap", "write swap", "read in dir", "list dir", "create in dir", "move into dir"]
    {
        for result in ["ok", "PermissionDenied"] {
            assert!(count(&counts, &format!("{operation}: {result}")) > 0, "{operation} {result}: {counts:#?}");
        }
    }
}

#[test]
fn what_a_rule_denies_is_not_reached_by_a_link_while_it_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let host = TestHost::settings(&[FILES_RACER], |settings| {
        settings.permissions.allow = vec![format!("Read(/{}/**)", top.display()).into()];
        settings.permissions.deny = vec![format!("Read(/{}/locked.txt)", top.display()).into()];
    });
    std::fs::write(top.join("locked.txt"), "SECRET").unwrap();
    symlink("locked.txt", top.join("swap")).unwrap();
    let declare = json!([{ "access": "read", "path": top }]);
    let input = json!({ "declare": declare, "folder": top, "rounds": 200, "changes": false });
    let counts = race(&host, "SECRET", input, Duration::from_secs(2), || replace(&top.join("locked.txt"), "SECRET"));
    assert_eq!(count(&counts, "read swap"), count(&counts, "read swap: PermissionDenied"), "{counts:#?}");
    assert_eq!(count(&counts, "stat swap"), count(&counts, "stat swap: PermissionDenied"), "{counts:#?}");
}

#[test]
fn a_granted_file_is_always_there_while_it_is_replaced() {
    let host = TestHost::with(&[FILES_RACER]);
    let file = host.file("swap", "old");
    let declare = json!([{ "access": "read", "path": file }]);
    let input = json!({ "declare": declare, "folder": host.root(), "rounds": 200, "changes": false });
    let counts = race(&host, "SECRET", input, Duration::from_secs(2), || replace(Path::new(&file), "new"));
    assert_eq!(
        count(&counts, "read swap"),
        count(&counts, "read swap: ok \"new\"") + count(&counts, "read swap: ok \"old\"")
    );
    assert!(count(&counts, "read swap: ok \"new\"") > 0, "{counts:#?}");
}
