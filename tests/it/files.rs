//! Writing: only where a rule grants it, and each operation needs it.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use toolbay::{Code, Use, policy::Mode};
use toolbay_tests::{FILES_LIAR, FILES_WRITER, LIMITS_HANDLES};

use crate::support::TestHost;

/// A host where `out` in the root may be written, and nothing else.
fn host() -> TestHost {
    let host = TestHost::settings(&[FILES_WRITER, FILES_LIAR], |settings| {
        settings.permissions.default_mode = Some(Mode::AcceptEdits);
    });
    host.file("out/old.txt", "old");
    host.file("kept.txt", "kept");
    host
}

/// Declares to write `out`; gives one line for each operation.
fn does(host: &TestHost, operations: Value) -> String {
    host.text("Writer", json!({ "declare": ["out"], "operations": operations }))
}

#[test]
fn a_write_that_nobody_granted_never_starts() {
    let host = TestHost::with(&[FILES_WRITER]);
    let operations = json!([{ "kind": "write", "path": host.path("new"), "content": "x" }]);
    let error = host.error("Writer", json!({ "declare": ["new"], "operations": operations }));
    assert_eq!(error.code, Code::ApprovalNeeded);
    assert!(error.message.contains(&format!("Edit(/{})", host.path("new"))), "{}", error.message);
    assert!(!host.root().join("new").exists());
}

#[test]
fn a_granted_folder_can_be_written_in_every_way() {
    let host = host();
    let (new, folder, moved) = (host.path("out/new.txt"), host.path("out/a"), host.path("out/a/moved.txt"));
    let said = does(
        &host,
        json!([
            { "kind": "create-new", "path": new, "content": "one" },
            { "kind": "append", "path": new, "content": " two" },
            { "kind": "read", "path": new },
            { "kind": "make-folder", "path": folder },
            { "kind": "rename", "path": new, "to": moved },
            { "kind": "set-times", "path": moved, "content": "1000000000" },
            { "kind": "list", "path": folder },
            { "kind": "truncate", "path": moved },
            { "kind": "stat", "path": moved },
            { "kind": "remove-file", "path": moved },
            { "kind": "remove-folder", "path": folder },
        ]),
    );
    assert!(said.contains("ok one two") && said.contains("ok moved.txt") && said.contains("file 0"), "{said}");
    assert_eq!(said.matches(": ok").count(), 11, "{said}");
    assert_eq!(std::fs::read_dir(host.path("out")).unwrap().count(), 1);
}

#[test]
fn outside_the_granted_folder_nothing_can_be_changed() {
    let host = host();
    symlink(host.root(), host.path("out/up")).unwrap();
    symlink(host.path("kept.txt"), host.path("out/link")).unwrap();
    let old = host.path("out/old.txt");
    let mut operations = Vec::new();
    for path in
        [host.path("kept.txt"), host.path("out/../kept.txt"), host.path("out/up/kept.txt"), host.path("out/link")]
    {
        for kind in ["write", "append", "truncate", "set-times"] {
            operations.push(json!({ "kind": kind, "path": path, "content": "1" }));
        }
    }
    for path in [host.path("kept.txt"), host.path("out/up/kept.txt")] {
        operations.push(json!({ "kind": "remove-file", "path": path }));
        operations.push(json!({ "kind": "rename", "path": path, "to": host.path("out/stolen") }));
        operations.push(json!({ "kind": "rename", "path": old, "to": path }));
    }
    operations.push(json!({ "kind": "create-new", "path": host.path("out/up/new"), "content": "x" }));
    operations.push(json!({ "kind": "make-folder", "path": host.path("out/up/folder") }));
    let count = operations.len();
    let said = does(&host, json!(operations));
    assert_eq!(said.matches("PermissionDenied").count(), count, "{said}");
    assert_eq!(std::fs::read_to_string(host.path("kept.txt")).unwrap(), "kept");
    assert_eq!(std::fs::read_dir(host.root()).unwrap().count(), 2);
}

#[test]
fn a_folder_with_something_closed_in_it_can_not_be_moved_away() {
    let closed = tempfile::tempdir().unwrap();
    let top = closed.path().canonicalize().unwrap();
    std::fs::create_dir_all(top.join("a/frozen")).unwrap();
    std::fs::create_dir_all(top.join("b")).unwrap();
    let host = TestHost::settings(&[FILES_WRITER], |settings| {
        settings.permissions.allow = vec![format!("Edit(/{})", top.display()).into()];
        settings.permissions.deny = vec![format!("Edit(/{}/a/frozen)", top.display()).into()];
    });
    let said = host.text(
        "Writer",
        json!({ "declare": [top], "operations": [
            { "kind": "rename", "path": top.join("a"), "to": top.join("moved") },
            { "kind": "rename", "path": top.join("b"), "to": top.join("a") },
            { "kind": "write", "path": top.join("a/frozen/x"), "content": "x" },
            { "kind": "write", "path": top.join(".git/config"), "content": "x" },
            { "kind": "rename", "path": top.join("b"), "to": top.join("c") },
        ]}),
    );
    assert_eq!(said.matches("PermissionDenied").count(), 3, "{said}");
    assert!(said.contains("Directory not empty"), "{said}");
    assert!(top.join("a/frozen").exists() && top.join("c").exists(), "{said}");
}

#[test]
fn a_new_file_that_two_make_at_once_is_no_error_for_either() {
    let host = host();
    let log = host.path("out/log");
    let write = || json!({ "declare": ["out"], "operations": [{ "kind": "write", "path": log, "content": "x" }] });
    let uses = || Use::new("Writer", write().to_string());
    let ended = host.host.block_on(async { tokio::join!(host.agent.call(uses()), host.agent.call(uses())) });
    for report in [ended.0, ended.1] {
        assert!(report.result.unwrap().text().contains(": ok"));
    }
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "x");
}

#[test]
fn links_can_be_followed_but_not_made() {
    let host = host();
    let old = host.path("out/old.txt");
    let said = does(
        &host,
        json!([
            { "kind": "hard-link", "path": old, "to": host.path("out/hard") },
            { "kind": "soft-link", "path": host.path("out/soft"), "to": "../../etc/passwd" },
        ]),
    );
    assert_eq!(said.matches("PermissionDenied").count(), 2, "{said}");
    assert_eq!(std::fs::read_dir(host.path("out")).unwrap().count(), 1);
}

#[test]
fn a_read_grant_does_not_write() {
    let host = host();
    let said = host.text(
        "Writer",
        json!({ "declare": ["out"], "operations": [
            { "kind": "write", "path": host.path("kept.txt"), "content": "x" },
            { "kind": "stat", "path": host.path("kept.txt") },
        ]}),
    );
    assert_eq!(said.matches("PermissionDenied").count(), 2, "{said}");
}

#[test]
fn a_write_to_a_protected_path_asks_even_where_writes_pass() {
    let host = host();
    let input = json!({ "declare": [".git/hooks/pre-commit"], "operations": [] });
    assert_eq!(host.error("Writer", input).code, Code::ApprovalNeeded);
}

#[test]
fn a_pipe_or_a_device_is_never_opened() {
    let host = host();
    let pipe = host.path("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
    let said = host.text("Liar", json!({ "declare": ["pipe"], "open": [pipe] }));
    assert!(said.contains("pipe: ") && !said.contains("ok"), "{said}");
    let error = host.error("Read", json!({ "file_path": "pipe" }));
    assert_eq!(error.code, Code::ToolFailed);
    assert!(error.message.contains("pipe"), "{}", error.message);
}

#[test]
fn one_call_can_not_use_up_the_hosts_descriptors() {
    let host = TestHost::with(&[LIMITS_HANDLES]);
    let path = host.file("a.txt", "x");
    let said = host.text("Handles", json!({ "path": path, "count": 200 }));
    assert!(said.starts_with("64 "), "{said}");
    assert!(host.text("Handles", json!({ "path": path, "count": 10 })).starts_with("10 ok"));
}
