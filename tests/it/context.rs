//! What a tool may know of its call, and what it may change.

use serde_json::json;
use toolbay::{Code, SessionSettings, policy::Mode};
use toolbay_tests::{CONTEXT_CHANGER, CONTEXT_READER};

use crate::support::TestHost;

#[test]
fn a_tool_knows_its_call_and_its_words_are_heard() {
    let host = TestHost::with(&[CONTEXT_READER]);
    let known: serde_json::Value = serde_json::from_str(&host.text("Whoami", json!({}))).unwrap();
    assert_eq!(known["agent"], "main");
    assert_eq!(known["call_id"], "call-1");
    assert_eq!(known["session"], host.agent.session().id());
    assert_eq!(known["working_directory"], host.path("").trim_end_matches('/'));
    assert_eq!(known["interactive"], false);
    assert_eq!(host.heard.progress.lock().unwrap()[0].message.as_deref(), Some("half"));
    assert_eq!(host.heard.log.lock().unwrap()[0].1, "hello");
}

#[test]
fn a_session_can_begin_on_any_runtime() {
    let host = TestHost::with(&[CONTEXT_READER]);
    let outside = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let session = outside.block_on(host.host.session(SessionSettings::in_folder(host.root()))).unwrap();
    assert!(session.catalogue().find("Whoami").is_some());
}

#[test]
fn a_path_below_home_is_read_when_a_rule_allows_it() {
    let home = tempfile::tempdir().unwrap();
    let top = home.path().canonicalize().unwrap();
    std::fs::write(top.join("notes.txt"), "from home").unwrap();
    let host = TestHost::options(&[], |options| {
        options.home = Some(top.clone());
        options.settings.permissions.allow = vec![format!("Read(/{})", top.display()).into()];
    });
    assert!(host.text("Read", json!({ "file_path": "~/notes.txt" })).contains("from home"));
}

#[test]
fn a_tool_can_make_the_mode_stricter() {
    let host = TestHost::with(&[CONTEXT_CHANGER]);
    assert!(host.call("Change", json!({ "mode": "plan" })).notes.is_empty());
    assert_eq!(host.agent.mode(), Mode::Plan);
    assert_eq!(host.error("Change", json!({})).code, Code::Denied, "in plan mode only what changes nothing runs");
}

#[test]
fn no_change_ever_widens_what_an_agent_may_do() {
    let host = TestHost::with(&[CONTEXT_CHANGER]);
    for change in [
        json!({ "mode": "bypass" }),
        json!({ "mode": "accept-edits" }),
        json!({ "directory": "/etc" }),
        json!({ "directory": ".." }),
        json!({ "add": "/" }),
        json!({ "load": "Anything" }),
    ] {
        let report = host.call("Change", change.clone());
        assert_eq!(report.notes.len(), 1, "{change}");
    }
    assert_eq!((host.agent.mode(), host.agent.working_directory()), (Mode::Default, host.root()));
}

#[test]
fn the_folder_can_change_inside_the_roots_and_counts_for_the_next_call() {
    let host = TestHost::with(&[CONTEXT_CHANGER]);
    host.file("deep/a.txt", "found");
    host.call("Change", json!({ "directory": "deep" })).result.unwrap();
    assert!(host.text("Read", json!({ "file_path": "a.txt" })).contains("found"));
}

#[test]
fn a_call_that_may_run_beside_others_changes_nothing() {
    let host = TestHost::with(&[CONTEXT_CHANGER]);
    assert_eq!(host.call("Change", json!({ "mode": "plan", "concurrent": true })).notes.len(), 1);
    assert_eq!(host.agent.mode(), Mode::Default);
}

#[test]
fn leaving_plan_mode_takes_a_persons_yes_to_that_call() {
    let (host, _) = TestHost::answering(&[CONTEXT_CHANGER], [toolbay::Reply::Once]);
    host.answer("Change", json!({ "mode": "plan" }));
    let report = host.call("Change", json!({ "restore": true, "read_only": true }));
    assert!(report.notes[0].contains("a person's yes"), "{:?}", report.notes);
    assert_eq!(host.agent.mode(), Mode::Plan);
    host.answer("Change", json!({ "restore": true, "read_only": true, "ask": true }));
    assert_eq!(host.agent.mode(), Mode::Default);
    host.answer("Change", json!({ "mode": "dont-ask" }));
    assert!(
        host.call("Change", json!({ "mode": "plan" })).notes[0].contains("dont-ask"),
        "plan asks where this denies"
    );
}
