//! Before anybody has agreed, a tool gets nothing.

use serde_json::json;
use toolbay::{Code, Stage};
use toolbay_tests::{ENVIRONMENT_READER, LIMITS_SPIN, PREFLIGHT_GRABBER};

use crate::support::TestHost;

/// What the tool could get hold of at this step.
fn grabbed(host: &TestHost, step: &str) -> String {
    let path = host.file("a.txt", "SECRET");
    let input = json!({ "path": path, "where": step });
    match step {
        "validate" => host.error("Grabber", input).message,
        _ => host
            .host
            .block_on(host.agent.why(toolbay::Use::new("Grabber", input.to_string())))
            .unwrap()
            .summary
            .unwrap(),
    }
}

#[test]
fn validate_and_permissions_see_no_file_no_variable_and_leave_no_trace() {
    let host = TestHost::with(&[PREFLIGHT_GRABBER]);
    for step in ["validate", "permissions"] {
        let found = grabbed(&host, step);
        assert!(found.contains("PermissionDenied") && !found.contains("SECRET"), "{found}");
        assert!(!found.contains("PATH=") && !found.contains("HOME"), "{found}");
        assert!(found.contains("read-only"), "recording a read must be refused: {found}");
    }
    assert!(host.heard.progress.lock().unwrap().is_empty());
    assert!(host.heard.log.lock().unwrap().is_empty());
}

#[test]
fn the_answer_depends_on_the_question_alone() {
    let host = TestHost::with(&[PREFLIGHT_GRABBER]);
    let first = grabbed(&host, "permissions");
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(grabbed(&host, "permissions"), first, "neither clock nor randomness may move");
}

#[test]
fn a_tool_that_spins_before_its_call_ends_there() {
    let host = TestHost::with(&[LIMITS_SPIN]);
    for step in ["validate", "permissions"] {
        let error = host.error("Spin", json!({ "at": step }));
        assert_eq!((error.code, error.stage), (Code::Deadline, Stage::Preflight), "{error:?}");
    }
    assert_eq!(host.text("Echo", json!({ "text": "next" })), "next");
}

#[test]
fn a_call_without_grants_sees_nothing_of_the_host() {
    let host = TestHost::with(&[ENVIRONMENT_READER]);
    let seen: serde_json::Value = serde_json::from_str(&host.text("Surroundings", json!({}))).unwrap();
    assert_eq!(
        (&seen["variables"], &seen["arguments"], &seen["stdin"]),
        (&json!([]), &json!([]), &json!("")),
        "{seen}"
    );
    assert!(seen["connect"].as_str().unwrap().contains("PermissionDenied"), "{seen}");
    assert_eq!(seen["time_is_real"], true);
    let again: serde_json::Value = serde_json::from_str(&host.text("Surroundings", json!({}))).unwrap();
    assert_ne!(seen["random"], again["random"], "randomness is real in a call");
}
