//! Inside a grant, files behave as the kernel says: each operation gives the same in the sandbox as outside it.

use serde_json::json;
use toolbay::policy::Mode;
use toolbay_test_guests::operations::try_all;
use toolbay_tests::FILES_CANARY;

use crate::support::TestHost;
use crate::tree::{INSIDE, Tree, odd_names};

/// What the guest's library answers by itself, or in other words.
const BY_THE_LIBRARY: [&str; 6] =
    ["canonicalize", "set-permissions", "write-to-reader", "set-len-of-reader", "hard-link", "soft-link"];

/// The answers about a path in one tree, in words that don't depend on the tree.
fn plain(lines: impl IntoIterator<Item = String>, tree: &Tree) -> Vec<String> {
    let lines = lines.into_iter().map(|line| line.replace(tree.top.to_str().unwrap(), "TOP"));
    let lines = lines.filter(|line| !BY_THE_LIBRARY.iter().any(|name| line.contains(&format!("\t{name}"))));
    // Rust has no word for it in WASI.
    lines.map(|line| line.replace("\tDirectoryNotEmpty\t", "\tUncategorized\t")).collect()
}

/// Asks a guest that may write the folder, and the kernel, each in a tree of its own.
fn both(host: &TestHost, name: &str) -> (Vec<String>, Vec<String>) {
    let [mine, other] = [(); 2].map(|()| Tree::plant(&host.root()));
    let targets = |tree: &Tree| ["in/target.txt", "in/sub"].map(|target| tree.path(target)).to_vec();
    let [path, kernels_path] = [&mine, &other].map(|tree| tree.path(&format!("in/{name}")));
    let declare = json!([{ "access": "write", "path": mine.path("in") }]);
    let said = host.text("Canary", json!({ "declare": declare, "paths": [path], "targets": targets(&mine) }));
    let by_kernel = try_all(&kernels_path, &targets(&other), false);
    (plain(said.lines().map(str::to_owned), &mine), plain(by_kernel, &other))
}

fn host() -> TestHost {
    TestHost::settings(&[FILES_CANARY], |settings| settings.permissions.default_mode = Some(Mode::AcceptEdits))
}

#[test]
fn every_operation_on_what_was_granted_gives_what_the_kernel_gives() {
    let host = host();
    let odd = odd_names().into_iter().filter(|name| name.len() < 1_000 && !name.contains('\0'));
    let ordinary = odd.filter(|name| !["pipe", "socket", "device"].contains(&name.as_str()));
    let names = INSIDE.map(str::to_owned).into_iter().chain(ordinary);
    for name in names.filter(|name| !name.ends_with('/') && !name.ends_with("/.")) {
        let (guest, kernel) = both(&host, &name);
        assert_eq!(guest, kernel, "{name:?}");
    }
}

#[test]
fn a_final_slash_means_a_folder() {
    let host = host();
    for name in INSIDE.into_iter().filter(|name| name.ends_with('/')) {
        let (guest, kernel) = both(&host, name);
        for (guest, kernel) in guest.iter().zip(&kernel) {
            // To make a file there, the kernel says, is to open a folder; the guest hears that it's none, or is there.
            let made = kernel.contains("\tIsADirectory\t")
                && ["\tNotADirectory\t", "\tAlreadyExists\t"].iter().any(|outcome| guest.contains(outcome));
            assert!(guest == kernel || made, "{guest} | {kernel}");
        }
    }
}
