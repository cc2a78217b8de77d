//! Several uses in one turn.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolbay::{Report, Use};
use toolbay_tests::{ASKS_PERSON, CONTEXT_CHANGER, LIMITS_SLEEP};

use crate::support::TestHost;

fn turn(host: &TestHost, uses: &[(&str, Value)]) -> Vec<Report> {
    let uses = uses.iter().map(|(tool, input)| Use::new(*tool, input.to_string())).collect();
    host.host.block_on(host.agent.turn(uses))
}

#[test]
fn reports_come_in_the_order_of_the_uses_and_a_failure_ends_no_sibling() {
    let host = TestHost::with(&[]);
    let reports = turn(
        &host,
        &[
            ("Echo", json!({ "text": "one" })),
            ("Nothing", json!({})),
            ("Echo", json!({ "text": 2 })),
            ("Read", json!({ "file_path": "missing" })),
            ("Echo", json!({ "text": "five" })),
        ],
    );
    let ends: Vec<String> = reports
        .iter()
        .map(|report| report.result.as_ref().map_or_else(|error| error.code.word().to_owned(), toolbay::Answer::text))
        .collect();
    assert_eq!(ends, ["one", "unknown-tool", "invalid-input", "tool-failed", "five"]);
}

#[test]
fn a_turn_can_be_awaited_on_any_runtime() {
    let host = TestHost::with(&[CONTEXT_CHANGER]);
    let outside = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let uses =
        vec![Use::new("Echo", r#"{"text":"one"}"#), Use::new("Change", "{}"), Use::new("Echo", r#"{"text":"two"}"#)];
    let reports = outside.block_on(host.agent.turn(uses));
    let texts: Vec<String> = reports.into_iter().map(|report| report.result.unwrap().text()).collect();
    assert_eq!(texts, ["one", "changed", "two"]);
}

#[test]
fn neighbours_that_are_safe_overlap_and_all_others_run_alone() {
    let host = TestHost::with(&[LIMITS_SLEEP]);
    let doze = |concurrent: bool| ("Doze", json!({ "milliseconds": 500, "concurrent": concurrent }));
    turn(&host, &[doze(true)]);
    let time = |uses: &[(&str, Value)]| {
        let start = Instant::now();
        assert!(turn(&host, uses).iter().all(|report| report.result.is_ok()));
        start.elapsed()
    };
    // One after another they can't be faster than the sum of their sleeps, however fast the machine.
    assert!(time(&[doze(false), doze(false), doze(false)]) >= Duration::from_millis(1_500));
    assert!(time(&[doze(true), doze(false), doze(true)]) >= Duration::from_millis(1_500));
    assert!(
        time(&std::array::from_fn::<_, 20, _>(|_| doze(true))) < Duration::from_millis(10_000),
        "so less than the sum is an overlap"
    );
}

#[test]
fn a_context_change_counts_for_every_later_use_of_the_turn() {
    let host = TestHost::with(&[CONTEXT_CHANGER]);
    host.file("a.txt", "above");
    host.file("deep/a.txt", "below");
    let read = ("Read", json!({ "file_path": "a.txt" }));
    let reports = turn(&host, &[read.clone(), ("Change", json!({ "directory": "deep" })), read]);
    let text = |place: usize| reports[place].result.as_ref().unwrap().text();
    assert!(text(0).contains("above") && text(2).contains("below"));
}

#[test]
fn in_a_turn_a_person_is_asked_once_and_only_when_those_before_have_ended() {
    let (host, person) = TestHost::answering(&[ASKS_PERSON], [toolbay::Reply::Once]);
    let writes = json!({ "verdict": "allow", "access": [{ "kind": "write", "value": "a" }] });
    let echo = || ("Echo", json!({ "text": "first" }));
    let reports = turn(&host, &[echo(), echo(), ("Careful", writes)]);
    assert!(reports.iter().all(|report| report.result.is_ok()), "{reports:?}");
    assert_eq!(person.asked.lock().unwrap().len(), 1);
    let kept: Vec<String> = host.kept.0.lock().unwrap().iter().map(|record| record.tool.clone()).collect();
    assert_eq!(kept, ["Echo", "Echo", "Careful"]);
}
