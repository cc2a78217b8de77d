//! Results that are too large, and results that break the contract.

use serde_json::json;
use toolbay::Code;
use toolbay_tests::{INVALID_JSON, RESULTS_SIZED};

use crate::support::TestHost;

#[test]
fn a_spilled_result_is_whole_in_a_file_that_the_agent_may_read() {
    let host = TestHost::with(&[RESULTS_SIZED]);
    let answer = host.answer("Spilled", json!({ "text": "\u{e9}\n", "times": 2_000 }));
    let spilled = answer.spilled.clone().unwrap();
    assert_eq!((spilled.characters, spilled.bytes), (4_000, 6_000));
    assert!(answer.text().contains("4000 characters") && answer.text().contains(spilled.path.to_str().unwrap()));
    assert_eq!(std::fs::read_to_string(&spilled.path).unwrap(), "\u{e9}\n".repeat(2_000));
    let read = host.text("Read", json!({ "file_path": spilled.path, "offset": 1999, "limit": 1 }));
    assert!(read.starts_with("  1999\t\u{e9}"), "{read}");
}

#[test]
fn exactly_the_limit_passes() {
    let host = TestHost::with(&[RESULTS_SIZED]);
    for tool in ["Spilled", "Truncated", "Guided", "Summarised"] {
        assert_eq!(
            host.text(tool, json!({ "text": "\u{1F600}", "times": 1_000 })),
            "\u{1F600}".repeat(1_000),
            "{tool}"
        );
    }
}

#[test]
fn each_tool_chooses_what_happens_above_its_limit() {
    let host = TestHost::with(&[RESULTS_SIZED]);
    let input = json!({ "text": "\u{1F600}", "times": 1_001 });
    for tool in ["Truncated", "Summarised"] {
        let text = host.text(tool, input.clone());
        assert!(text.starts_with(&"\u{1F600}".repeat(1_000)) && text.contains("[1 more characters"), "{tool}");
    }
    let error = host.error("Guided", input);
    assert_eq!(error.code, Code::ResultTooLarge);
    assert!(error.message.contains("1001 characters") && error.message.contains("limit is 1000"), "{error}");
}

#[test]
fn a_failure_is_fitted_too_and_shows_its_end() {
    let host = TestHost::with(&[RESULTS_SIZED]);
    let error = host.error("Spilled", json!({ "text": "0123456789", "times": 1_000, "fail": true }));
    assert_eq!(error.code, Code::ToolFailed);
    assert!(error.message.contains("10000 characters") && error.message.contains("It ends with"), "{error}");
}

#[test]
fn an_alias_reaches_the_tool() {
    let host = TestHost::with(&[RESULTS_SIZED]);
    assert_eq!(host.text("OldSpilled", json!({ "text": "x", "times": 3 })), "xxx");
}

#[test]
fn a_result_that_breaks_the_contract_is_the_tools_fault() {
    let host = TestHost::with(&[INVALID_JSON]);
    for what in ["structured", "meta"] {
        assert_eq!(host.error("Broken", json!({ "what": what })).code, Code::ComponentInvalid, "{what}");
    }
}
