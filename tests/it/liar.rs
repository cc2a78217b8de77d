//! A tool that does other things than it declared gains nothing.

use std::os::unix::fs::symlink;

use serde_json::json;
use toolbay::Code;
use toolbay_tests::FILES_LIAR;

use crate::support::TestHost;

/// Declares `a.txt`, opens this; gives what the tool saw.
fn opens(host: &TestHost, path: &str) -> String {
    host.text("Liar", json!({ "declare": ["a.txt"], "open": [path] }))
}

fn host() -> TestHost {
    let host = TestHost::with(&[FILES_LIAR]);
    host.file("a.txt", "granted");
    host.file("b.txt", "SECRET");
    std::fs::write(host.root().join("../x"), "SECRET").unwrap();
    symlink(host.path("b.txt"), host.path("link-to-b")).unwrap();
    symlink("../x", host.path("link-to-x")).unwrap();
    symlink(host.root(), host.path("self")).unwrap();
    host
}

#[test]
fn what_was_declared_is_there() {
    let host = host();
    for spelling in ["a.txt", "./a.txt", "self/../a.txt"].map(|name| host.path(name)) {
        assert_eq!(opens(&host, &spelling), format!("{spelling}: ok granted"));
    }
}

#[test]
fn everything_else_is_permission_denied() {
    let host = host();
    let inside = ["b.txt", "../x", "link-to-b", "link-to-x", "self/b.txt", "a.txt/../b.txt", "missing", "."];
    let outside = ["/proc/self/environ", "/proc/self/root/etc/passwd", "/etc/passwd", "/nowhere", "/"];
    let paths = inside.map(|name| host.path(name)).into_iter().chain(outside.map(str::to_owned));
    for path in paths {
        let said = opens(&host, &path);
        assert!(said.contains("PermissionDenied") && !said.contains("SECRET"), "{said}");
    }
}

#[test]
fn the_same_tool_reads_what_it_is_granted() {
    let host = host();
    let path = host.path("b.txt");
    assert_eq!(host.text("Liar", json!({ "declare": ["b.txt"], "open": [path] })), format!("{path}: ok SECRET"));
}

#[test]
fn a_link_out_of_the_root_is_not_granted_by_its_name() {
    let host = host();
    let error = host.error("Liar", json!({ "declare": ["link-to-x"], "open": [host.path("link-to-x")] }));
    assert_eq!(error.code, Code::ApprovalNeeded);
    let outside = host.root().parent().unwrap().join("x");
    assert!(error.message.contains(&format!("(which is {})", outside.display())), "{}", error.message);
}

#[test]
fn a_granted_folder_gives_what_is_in_it_and_no_link_out_of_it() {
    let host = host();
    let names = ["a.txt", "link-to-b", "link-to-x"].map(|name| host.path(name));
    let said = host.text("Liar", json!({ "declare": ["."], "open": names }));
    assert!(said.contains("a.txt: ok granted") && said.contains("link-to-b: ok SECRET"), "{said}");
    assert!(said.contains("link-to-x: PermissionDenied"), "{said}");
}

#[test]
fn one_granted_file_does_not_list_its_folder() {
    let host = host();
    let said = host.text("Liar", json!({ "declare": ["a.txt"], "list": [host.root(), "/"] }));
    assert_eq!(said.matches("PermissionDenied").count(), 2, "{said}");
    let said = host.text("Liar", json!({ "declare": ["."], "list": [host.root()] }));
    assert!(said.contains("a.txt,b.txt,link-to-b,link-to-x,self"), "{said}");
}

#[test]
fn a_granted_folder_leaves_closed_what_a_rule_denies_in_it() {
    let host = TestHost::settings(&[FILES_LIAR], |settings| settings.permissions.deny = vec!["Read(//**)".into()]);
    assert_eq!(host.error("Liar", json!({ "declare": ["."], "open": [] })).code, Code::Denied);
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    std::fs::create_dir(top.join("secret")).unwrap();
    std::fs::write(top.join("secret/key"), "SECRET").unwrap();
    symlink(top.join("secret/key"), top.join("link")).unwrap();
    let host = TestHost::settings(&[FILES_LIAR], |settings| {
        settings.permissions.allow = vec![format!("Read(/{})", top.display()).into()];
        settings.permissions.deny = vec![format!("Read(/{}/secret)", top.display()).into()];
    });
    let paths = ["secret/key", "link", "secret/../secret/key"].map(|name| top.join(name));
    let said = host.text("Liar", json!({ "declare": [top], "open": paths, "list": [top.join("secret")] }));
    assert_eq!(said.matches("PermissionDenied").count(), 4, "{said}");
    // anthropics/claude-code#28008: names are withheld too, and how many is told.
    let report = host.call("Liar", json!({ "declare": [top], "list": [top] }));
    assert!(
        report.notes[0].starts_with("1 names") && report.result.unwrap().text().ends_with(": ok link"),
        "{:?}",
        report.notes
    );
}

#[test]
fn the_kernels_own_files_are_closed_whatever_was_granted() {
    let host = TestHost::settings(&[FILES_LIAR], |settings| settings.permissions.allow = vec!["Read".into()]);
    for path in ["/proc/self/environ", "/proc/self/mem", "/proc/1/environ"] {
        let said = host.text("Liar", json!({ "declare": ["/"], "open": [path] }));
        assert!(said.contains("PermissionDenied"), "{said}");
    }
}

#[test]
fn long_chains_of_dangling_links_do_the_host_no_harm() {
    let host = host();
    for link in 0..40 {
        symlink(format!("chain{}/{}", link + 1, "x/".repeat(1_500)), host.path(&format!("chain{link}"))).unwrap();
    }
    let error = host.error("Liar", json!({ "declare": ["chain0"], "open": [] }));
    assert_eq!(error.code, Code::Denied, "{error}");
    let said =
        host.text("Liar", json!({ "declare": ["."], "open": [host.path("chain0"), host.path(&"a/".repeat(1_900))] }));
    assert_eq!(said.matches(": ok").count(), 0, "{said}");
    assert!(opens(&host, &host.path("a.txt")).ends_with("granted"));
}

#[test]
fn a_root_that_is_a_link_gives_its_files_by_both_names() {
    let host = host();
    let (real, link) = (host.path("real"), host.path("named"));
    std::fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    std::fs::write(format!("{real}/c.txt"), "both").unwrap();
    for path in [format!("{real}/c.txt"), format!("{link}/c.txt")] {
        assert!(host.text("Liar", json!({ "declare": [path], "open": [path] })).ends_with("ok both"), "{path}");
    }
}

#[test]
fn a_link_that_leads_to_nothing_outside_says_no_more_than_one_that_leads_to_something() {
    let host = host();
    symlink("/nowhere/at/all", host.path("dangling")).unwrap();
    let said = host.text("Liar", json!({ "declare": ["."], "open": [host.path("dangling"), host.path("link-to-x")] }));
    assert_eq!(said.matches("PermissionDenied").count(), 2, "{said}");
}

#[test]
fn a_listing_leaves_out_what_a_rule_denies() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    std::fs::write(top.join("a.txt"), "a").unwrap();
    std::fs::write(top.join("locked.txt"), "SECRET").unwrap();
    let host = TestHost::settings(&[FILES_LIAR], |settings| {
        settings.permissions.allow = vec![format!("Read(/{}/**)", top.display()).into()];
        settings.permissions.deny = vec![format!("Read(/{}/locked.txt)", top.display()).into()];
    });
    let said = host.text("Liar", json!({ "declare": [top], "list": [top] }));
    assert_eq!(said, format!("{}: ok a.txt", top.display()));
}

#[test]
fn a_declared_link_is_followed_through_the_folders_of_other_links() {
    let host = host();
    host.file("lib/deep/tool", "the tool");
    host.file("etc/other", "");
    std::fs::create_dir(host.path("bin")).unwrap();
    symlink("../etc/tool", host.path("bin/tool")).unwrap();
    symlink("../lib/deep/../deep/tool", host.path("etc/tool")).unwrap();
    let path = host.path("bin/tool");
    assert_eq!(host.text("Liar", json!({ "declare": [path], "open": [path] })), format!("{path}: ok the tool"));
}
