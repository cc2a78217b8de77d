//! Asking for more while a call runs.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolbay::policy::{Mode, Verdict};
use toolbay::{Callback, Reply, Use};
use toolbay_tests::PERMISSIONS_ASKER;

use crate::support::TestHost;

#[test]
fn what_is_granted_in_mid_call_is_held_from_then_on_and_recorded() {
    let host = TestHost::with(&[PERMISSIONS_ASKER]);
    let path = host.file("a.txt", "inside");
    let said = host.text("Asker", json!({ "open": [path] }));
    assert!(said.contains("PermissionDenied"), "{said}");
    let report = host.call("Asker", json!({ "read": [path], "open": [path] }));
    let said = report.result.unwrap().text();
    assert_eq!(said.matches(": ok inside").count(), 2, "{said}");
    assert_eq!(*host.kept.1.lock().unwrap().last().unwrap(), (Verdict::Allow, None, true));
    let said = host.text("Asker", json!({ "open": [path] }));
    assert!(said.contains("PermissionDenied"), "a grant ends with its call: {said}");
}

#[test]
fn rules_people_and_modes_decide_in_mid_call_as_before_it() {
    let (host, person) = TestHost::answering(&[PERMISSIONS_ASKER], [Reply::Once]);
    let outside = host.root().parent().unwrap().join("x.txt");
    std::fs::write(&outside, "outside").unwrap();
    let said = host.text("Asker", json!({ "read": [outside] }));
    assert!(said.contains("ok outside"), "{said}");
    assert!(host.text("Asker", json!({ "read": [outside] })).contains("PermissionDenied"), "that was for once");
    assert_eq!(person.asked.lock().unwrap()[0].accesses, [format!("read {}", outside.display())]);
    let denied =
        TestHost::settings(&[PERMISSIONS_ASKER], |settings| settings.permissions.deny = vec!["Read(a.txt)".into()]);
    let said = denied.text("Asker", json!({ "read": [denied.file("a.txt", "x")] }));
    assert!(said.contains("it isn't granted") && said.contains("PermissionDenied"), "{said}");
    let plan =
        TestHost::settings(&[PERMISSIONS_ASKER], |settings| settings.permissions.default_mode = Some(Mode::Plan));
    let report = plan.call("Asker", json!({ "write": [plan.path("new")] }));
    assert!(report.notes[0].contains("mode plan") && !plan.root().join("new").exists(), "{:?}", report.notes);
}

#[test]
fn nobody_there_is_a_denial_and_only_the_report_says_why() {
    let host = TestHost::with(&[PERMISSIONS_ASKER]);
    let report = host.call("Asker", json!({ "write": [host.path("new")], "read": ["/proc/self/exe", "/etc/mtab"] }));
    let said = report.result.unwrap().text();
    assert!(said.contains("PermissionDenied") && !said.contains("which is") && !said.contains("Edit("), "{said}");
    assert!(
        report.notes.iter().any(|note| note.contains(&format!("Edit(/{})", host.path("new")))),
        "{:?}",
        report.notes
    );
}

#[test]
fn people_are_asked_twenty_times_a_call_and_never_twice_about_the_same() {
    let (host, person) = TestHost::answering(&[PERMISSIONS_ASKER], [Reply::Deny { message: None }]);
    host.text("Asker", json!({ "read": ["/etc/hosts"], "times": 10 }));
    assert_eq!(person.asked.lock().unwrap().len(), 1);
    let many: Vec<String> = (0..40).map(|number| format!("/etc/none-{number}")).collect();
    host.text("Asker", json!({ "read": many }));
    assert_eq!(person.asked.lock().unwrap().len(), 21);
}

#[test]
fn a_question_in_mid_call_shows_what_is_held_already() {
    let (host, person) = TestHost::answering(&[PERMISSIONS_ASKER], [Reply::Once, Reply::Once]);
    host.text("Asker", json!({ "read": ["/etc/hosts", "/etc/passwd"] }));
    let asked = person.asked.lock().unwrap();
    assert!(asked[1].running);
    assert_eq!(asked[1].accesses, ["read /etc/hosts", "read /etc/passwd"]);
}

#[test]
fn requests_are_bounded_and_none_is_heard_before_the_call() {
    let host = TestHost::with(&[PERMISSIONS_ASKER]);
    let path = host.file("a.txt", "x");
    let said = host.text("Asker", json!({ "read": [path], "times": 1_009 }));
    assert!(said.ends_with("10 refused"), "{said}");
    let why = host.host.block_on(host.agent.why(Use::new("Asker", json!({ "early": true }).to_string()))).unwrap();
    assert!(why.summary.unwrap().contains("before the call runs"));
}

#[test]
fn time_that_a_person_takes_in_mid_call_does_not_count() {
    let approver = Callback(|_| async {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        Reply::Once
    });
    let host = TestHost::session(&[PERMISSIONS_ASKER], |_| (), |settings| settings.approver = Arc::new(approver));
    let input = json!({ "write": [host.path("new")] }).to_string();
    let used = Use { deadline: Some(Duration::from_millis(1_000)), ..Use::new("Asker", input) };
    let report = host.host.block_on(host.agent.call(used));
    assert!(report.result.unwrap().text().ends_with("ok written"));
}
