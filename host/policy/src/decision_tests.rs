use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::{Source, Sourced};

fn policy(mode: Mode, allow: &[&str], deny: &[&str]) -> Policy {
    let list = |texts: &[&str]| {
        texts.iter().map(|text| Sourced { rule: text.parse().unwrap(), source: Source::Settings }).collect()
    };
    let rules = Rules { allow: list(allow), deny: list(deny), ask: Vec::new() };
    Policy { roots: vec![Location::plain(Path::new("/work"))], readable: Vec::new(), rules, mode }
}

fn place(path: &str) -> Location {
    Location::plain(Path::new(path))
}

fn asks_for(access: Access) -> Request {
    Request { access: vec![access], ..Request::default() }
}

fn verdict(policy: &Policy, access: Access) -> Verdict {
    decide(policy, asks_for(access)).verdict
}

#[test]
fn defaults() {
    let policy = policy(Mode::Default, &[], &[]);
    assert_eq!(verdict(&policy, Access::Read(place("/work/a"))), Verdict::Allow);
    assert_eq!(verdict(&policy, Access::Read(place("/etc/passwd"))), Verdict::Ask);
    assert_eq!(verdict(&policy, Access::Write(place("/work/a"))), Verdict::Ask);
    assert_eq!(verdict(&policy, Access::Fetch("https://a.test/".into())), Verdict::Ask);
    assert_eq!(verdict(&policy, Access::Variable("PATH".into())), Verdict::Deny);
    assert_eq!(verdict(&policy, Access::Secret("token".into())), Verdict::Deny);
    assert_eq!(verdict(&policy, Access::AskUser), Verdict::Allow);
    assert_eq!(decide(&policy, Request::default()).verdict, Verdict::Allow);
}

#[test]
fn a_link_out_of_the_root_asks() {
    let link = Location::new(Path::new("/work/link"), Path::new("/etc/passwd"));
    assert_eq!(verdict(&policy(Mode::Default, &[], &[]), Access::Read(link.clone())), Verdict::Ask);
    assert_eq!(verdict(&policy(Mode::Default, &["Read(//etc/passwd)"], &[]), Access::Read(link.clone())), Verdict::Ask);
    let both = policy(Mode::Default, &["Read(//etc/passwd)", "Read(//work/link)"], &[]);
    assert_eq!(verdict(&both, Access::Read(link)), Verdict::Allow);
}

#[test]
fn reading_denied_is_writing_denied_and_writing_allowed_is_reading_allowed() {
    let denied = policy(Mode::Bypass, &[], &["Read(//work/secret/**)"]);
    assert_eq!(verdict(&denied, Access::Write(place("/work/secret/new"))), Verdict::Deny);
    let allowed = policy(Mode::Default, &["Edit(//srv/**)"], &[]);
    assert_eq!(verdict(&allowed, Access::Read(place("/srv/a"))), Verdict::Allow);
}

#[test]
fn modes() {
    let write = || Access::Write(place("/work/a"));
    let outside = || Access::Write(place("/srv/a"));
    assert_eq!(verdict(&policy(Mode::AcceptEdits, &[], &[]), write()), Verdict::Allow);
    assert_eq!(verdict(&policy(Mode::AcceptEdits, &[], &[]), outside()), Verdict::Ask);
    assert_eq!(verdict(&policy(Mode::Plan, &["Edit"], &[]), write()), Verdict::Deny);
    assert_eq!(verdict(&policy(Mode::DontAsk, &[], &[]), write()), Verdict::Deny);
    assert_eq!(verdict(&policy(Mode::Bypass, &[], &[]), outside()), Verdict::Allow);
    assert_eq!(verdict(&policy(Mode::Bypass, &[], &["Edit(//srv/**)"]), outside()), Verdict::Deny);
}

#[test]
fn protected_paths_ask_in_every_mode_that_does_not_deny() {
    let hook = || Access::Write(place("/work/.git/hooks/pre-commit"));
    for mode in [Mode::Default, Mode::AcceptEdits, Mode::Bypass] {
        let decision = decide(&policy(mode, &["Edit"], &[]), asks_for(hook()));
        assert_eq!(decision.verdict, Verdict::Ask, "{mode}");
        assert_eq!(decision.remedy(), None, "no rule lifts it");
    }
}

#[test]
fn the_tool_tightens_and_never_loosens() {
    let policy = policy(Mode::Default, &[], &[]);
    let request = |verdict| Request { access: vec![Access::Read(place("/work/a"))], verdict, ..Request::default() };
    assert_eq!(decide(&policy, request(ToolVerdict::Ask("sure?".into()))).verdict, Verdict::Ask);
    assert_eq!(decide(&policy, request(ToolVerdict::Deny("no".into()))).verdict, Verdict::Deny);
    let outside = Request { access: vec![Access::Read(place("/etc/a"))], ..Request::default() };
    assert_eq!(decide(&policy, outside).verdict, Verdict::Ask);
}

#[test]
fn only_an_allowed_call_holds_anything() {
    let policy = policy(Mode::Default, &[], &[]);
    let both =
        Request { access: vec![Access::Read(place("/work/a")), Access::Read(place("/etc/b"))], ..Request::default() };
    let decision = decide(&policy, both);
    assert_eq!(decision.grant(), Grant::nothing());
    assert_eq!(decision.remedy(), Some(vec!["Read(//etc/b)".to_owned()]));
}

#[test]
fn a_folder_is_granted_without_what_is_denied_or_asked_about_in_it() {
    let closed = policy(Mode::Default, &["Edit(//work)"], &["Read(//work/secret)", "Edit(//work/frozen)"]);
    let grant = decide(&closed, asks_for(Access::Write(place("/work")))).grant();
    assert!(grant.may_read(Path::new("/work/a")) && grant.may_write(Path::new("/work/a")));
    assert!(!grant.may_read(Path::new("/work/secret/key")) && !grant.may_write(Path::new("/work/secret/key")));
    assert!(grant.may_read(Path::new("/work/frozen/a")) && !grant.may_write(Path::new("/work/frozen/a")));
    assert!(!grant.may_write(Path::new("/work/.git/config")) && grant.may_read(Path::new("/work/.git/config")));
    assert!(!grant.names_readable(Path::new("/work/secret/key")) && !grant.may_move(Path::new("/work")));
}

#[test]
fn a_denied_place_is_closed_under_both_its_names() {
    let link = |path: &Path| path.strip_prefix("/link").ok().map(|rest| Path::new("/work").join(rest));
    let mut linked = policy(Mode::Default, &[], &["Read(//link/secret)"]);
    linked.rules = linked.rules.resolved(link);
    assert_eq!(verdict(&linked, Access::Read(place("/work/secret/key"))), Verdict::Deny);
    assert!(!decide(&linked, asks_for(Access::Read(place("/work")))).grant().may_read(Path::new("/work/secret/key")));
}

#[test]
fn what_no_rule_can_name_has_no_remedy() {
    let decision = decide(&policy(Mode::Default, &[], &[]), asks_for(Access::Read(place("/etc/a*"))));
    assert_eq!((decision.verdict, decision.remedy()), (Verdict::Ask, None));
}

fn any_access() -> impl Strategy<Value = Access> {
    let path = "(/(work|etc|[a-c])){1,3}";
    prop_oneof![
        (path, path).prop_map(|(named, real)| Access::Read(Location::new(Path::new(&named), Path::new(&real)))),
        (path, path).prop_map(|(named, real)| Access::Write(Location::new(Path::new(&named), Path::new(&real)))),
        "[a-c]{1,2}".prop_map(Access::Fetch),
        "[A-C]{1,2}".prop_map(Access::Variable),
    ]
}

fn any_rules() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(
        "(Read|Edit)\\(//(work|etc|[a-c])(/[a-c])?(/\\*\\*)?\\)|Read|Edit|WebFetch\\([a-c]\\)|Env",
        0..4,
    )
}

fn any_mode() -> impl Strategy<Value = Mode> {
    proptest::sample::select(Mode::ALL.to_vec())
}

fn build(mode: Mode, allow: &[String], deny: &[String]) -> Policy {
    let texts = |list: &[String]| list.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    let (allow, deny) = (texts(allow), texts(deny));
    policy(mode, &allow.lines().collect::<Vec<_>>(), &deny.lines().collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn one_more_deny_never_loosens(
        access in any_access(), mode in any_mode(), allow in any_rules(), deny in any_rules(), more in any_rules(),
    ) {
        let before = verdict(&build(mode, &allow, &deny), access.clone());
        let after = verdict(&build(mode, &allow, &[deny, more].concat()), access);
        prop_assert!(after >= before);
    }

    #[test]
    fn one_more_allow_never_lifts_a_deny(
        access in any_access(), mode in any_mode(), allow in any_rules(), deny in any_rules(), more in any_rules(),
    ) {
        let before = build(mode, &allow, &deny).rules.decide(&access).map(|(list, _)| list) == Some(List::Deny);
        let after = verdict(&build(mode, &[allow, more].concat(), &deny), access);
        prop_assert!(!before || after == Verdict::Deny);
    }

    #[test]
    fn the_order_of_rules_never_matters(
        access in any_access(), mode in any_mode(), allow in any_rules(), deny in any_rules(),
    ) {
        let forward = verdict(&build(mode, &allow, &deny), access.clone());
        let turned = |list: Vec<String>| list.into_iter().rev().collect::<Vec<_>>();
        prop_assert_eq!(verdict(&build(mode, &turned(allow), &turned(deny)), access), forward);
    }

    #[test]
    fn the_remedy_allows_what_asked(access in any_access()) {
        let plain = policy(Mode::Default, &[], &[]);
        if let Some(rules) = decide(&plain, asks_for(access.clone())).remedy() {
            prop_assert_eq!(verdict(&build(Mode::Default, &rules, &[]), access), Verdict::Allow);
        }
    }

    #[test]
    fn no_grant_reaches_what_a_rule_denies(
        requested in any_access(), mode in any_mode(), allow in any_rules(), deny in any_rules(), path in "(/(work|etc|[a-c])){1,3}",
    ) {
        let policy = build(mode, &allow, &deny);
        let grant = decide(&policy, asks_for(requested)).grant();
        let path = place(&path);
        let denied = |access: Access| policy.rules.decide(&access).is_some_and(|(list, _)| list == List::Deny);
        prop_assert!(!denied(Access::Read(path.clone())) || !grant.may_read(path.real()));
        prop_assert!(!denied(Access::Write(path.clone())) || !grant.may_write(path.real()));
    }

    #[test]
    fn a_grant_reaches_nothing_that_was_not_requested(requested in any_access(), other in "(/(work|etc|[a-c])){1,3}") {
        let decision = decide(&policy(Mode::Bypass, &[], &[]), asks_for(requested.clone()));
        let other = Path::new(&other);
        if decision.grant().may_read(other) {
            prop_assert!(requested.location().is_some_and(|location| other.starts_with(location.real())));
        }
    }
}
