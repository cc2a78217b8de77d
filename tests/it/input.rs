//! Bad input: a clear error, before any guest runs.

use serde_json::json;
use toolbay::{CallError, Code, Use};
use toolbay_tests::ASKS_PERSON;

use crate::support::TestHost;

fn raw(host: &TestHost, tool: &str, input: &str) -> CallError {
    host.host.block_on(host.agent.call(Use::new(tool, input))).result.unwrap_err()
}

#[test]
fn what_is_no_json_or_says_something_twice_is_refused() {
    let host = TestHost::with(&[]);
    for (input, part) in [
        ("", "line 1"),
        ("{", "line 1"),
        ("{} {}", "trailing"),
        (r#"{"text":"a","text":"b"}"#, "\"text\" stands twice"),
        ("[]", "object"),
        ("\u{0}", "line 1"),
    ] {
        let error = raw(&host, "Echo", input);
        assert_eq!(error.code, Code::InvalidInput, "{input}");
        assert!(error.message.contains(part), "{input}: {error}");
    }
}

#[test]
fn every_fault_is_named_with_its_path() {
    let host = TestHost::with(&[]);
    let error = raw(&host, "Read", r#"{"offset":-1,"limit":0,"lines":3}"#);
    for part in ["/offset", "/limit", "file_path", "lines"] {
        assert!(error.message.contains(part), "{part}: {error}");
    }
}

#[test]
fn a_large_input_is_refused_by_its_size() {
    let host = TestHost::with(&[]);
    let error = raw(&host, "Echo", &format!(r#"{{"text":"{}"}}"#, "x".repeat(64 << 20)));
    assert_eq!(error.code, Code::InputTooLarge);
    assert!(error.message.contains("limits.inputBytes"), "{error}");
}

#[test]
fn an_unknown_tool_names_the_nearest() {
    let host = TestHost::with(&[]);
    assert!(raw(&host, "Raed", "{}").message.contains("did you mean Read?"));
    assert!(raw(&host, "echo", "{}").message.contains("did you mean Echo?"));
    let far = raw(&host, &"z".repeat(1_000_000), "{}");
    assert!(far.message.contains("there are Echo, Read") && far.message.len() < 300, "{far}");
}

#[test]
fn an_integer_is_a_number_however_it_is_written() {
    let host = TestHost::with(&[]);
    host.file("a.txt", "1\n2\n3\n");
    for offset in [json!(2), json!(2.0), json!("2"), json!(" +2 ")] {
        assert!(
            host.text("Read", json!({ "file_path": "a.txt", "offset": offset })).starts_with("     2\t2"),
            "{offset}"
        );
    }
    assert_eq!(
        host.error("Read", json!({ "file_path": "a.txt", "offset": 5_000_000_000_u64 })).code,
        Code::InvalidInput
    );
    assert_eq!(host.error("Read", json!({ "file_path": "a.txt", "limit": true })).code, Code::InvalidInput);
}

#[test]
fn each_kind_of_access_has_its_default_and_its_rule() {
    let host = TestHost::with(&[ASKS_PERSON]);
    let needs = |kind: &str, value: &str| {
        let access = json!([{ "kind": kind, "value": value }]);
        host.call("Careful", json!({ "verdict": "allow", "access": access })).result
    };
    assert_eq!(needs("read", "a.txt").unwrap().text(), "careful");
    assert_eq!(needs("ask-user", "").unwrap().text(), "careful");
    for (kind, value, rule) in [
        ("read", "/etc/passwd", "Read(//etc/passwd)"),
        ("write", "/srv/a", "Edit(//srv/a)"),
        ("fetch", "https://a.test/", "WebFetch(domain:a.test)"),
        ("use-tool", "Read", "Tool(Read)"),
        ("spawn", "helper", "Agent(helper)"),
        ("complete", "", "Complete"),
    ] {
        let error = needs(kind, value).unwrap_err();
        assert_eq!(error.code, Code::ApprovalNeeded, "{kind}");
        assert!(error.message.contains(rule), "{kind}: {error}");
    }
    for kind in ["variable", "secret"] {
        assert_eq!(needs(kind, "HOME").unwrap_err().code, Code::Denied, "{kind}");
    }
}

#[test]
fn the_rule_that_a_denial_names_allows_the_call() {
    let refused = TestHost::with(&[ASKS_PERSON]);
    let input = json!({ "verdict": "allow", "access": [{ "kind": "write", "value": "/srv/a b" }] });
    let decision = refused.error("Careful", input.clone()).decision.unwrap();
    let rules = decision.remedy().unwrap().into_iter().map(Into::into).collect();
    let allowed = TestHost::settings(&[ASKS_PERSON], |settings| settings.permissions.allow = rules);
    assert_eq!(allowed.text("Careful", input), "careful");
}

#[test]
fn a_tools_own_no_and_its_own_question_can_not_be_allowed_away() {
    let host =
        TestHost::settings(&[ASKS_PERSON], |settings| settings.permissions.allow = vec!["Read".into(), "Edit".into()]);
    for (verdict, code) in [("ask", Code::ApprovalNeeded), ("deny", Code::Denied)] {
        let error = host.error("Careful", json!({ "verdict": verdict, "access": [] }));
        assert_eq!(error.code, code);
        assert!(error.message.contains("because I say so"), "{error}");
    }
}
