//! Subagents: never more than their parent, now or later.

use std::sync::Arc;

use serde_json::json;
use toolbay::policy::{List, Mode, Source, Wish, Written};
use toolbay::{Agent, Code, Reply, Use};
use toolbay_tests::FILES_LIAR;

use crate::support::TestHost;

fn reads(host: &TestHost, agent: &Agent, path: &str) -> Result<(), Code> {
    let input = json!({ "declare": [path] }).to_string();
    host.host.block_on(agent.call(Use::new("Liar", input))).result.map(drop).map_err(|error| error.code)
}

fn brings(host: &TestHost, list: List, rule: &str) -> Wish {
    let written = vec![Written::new(list, rule.parse().unwrap(), Source::Session)];
    Wish { rules: Some(Arc::new(host.agent.session().compile(written).unwrap())), ..Wish::default() }
}

#[test]
fn a_child_has_its_parents_denies_and_its_own() {
    let host =
        TestHost::settings(&[FILES_LIAR], |settings| settings.permissions.deny = vec!["Read(parent.txt)".into()]);
    let (child, refused) = host.agent.derive("child", brings(&host, List::Deny, "Read(child.txt)"));
    assert!(refused.is_empty());
    let tried = |agent: &Agent| ["parent.txt", "child.txt", "other.txt"].map(|name| reads(&host, agent, name).is_ok());
    assert_eq!((tried(&host.agent), tried(&child)), ([false, true, true], [false, false, true]));
    let (grandchild, _) = child.derive("grandchild", Wish::default());
    assert_eq!(tried(&grandchild), [false, false, true]);
}

#[test]
fn a_child_lives_with_what_its_parent_may_do_now() {
    let (host, _) = TestHost::answering(&[FILES_LIAR], [Reply::Session]);
    let (child, _) = host.agent.derive("child", Wish::default());
    assert_eq!(reads(&host, &host.agent, "/etc/hosts"), Ok(()), "a person allowed it");
    assert_eq!(reads(&host, &child, "/etc/hosts"), Ok(()));
    host.agent.session().revoke();
    assert_eq!(reads(&host, &child, "/etc/hosts"), Err(Code::ApprovalNeeded));
    host.agent.set_mode(Mode::DontAsk).unwrap();
    assert_eq!(reads(&host, &child, "/etc/hosts"), Err(Code::Denied));
}

#[test]
fn what_would_widen_is_refused_and_named() {
    let host = TestHost::with(&[FILES_LIAR]);
    let roots =
        Some(vec![toolbay::locate(&host.root().join("sub")).unwrap(), toolbay::locate("/etc".as_ref()).unwrap()]);
    let wish = Wish { mode: Some(Mode::Bypass), roots, ..brings(&host, List::Allow, "Read") };
    let (child, refused) = host.agent.derive("child", wish);
    assert_eq!(refused.len(), 3, "{refused:?}");
    assert_eq!(reads(&host, &child, "/etc/hosts"), Err(Code::ApprovalNeeded));
    assert_eq!(reads(&host, &child, &host.path("a.txt")), Err(Code::ApprovalNeeded), "outside its own folder");
    assert_eq!(reads(&host, &child, &host.path("sub/a.txt")), Ok(()));
}
