//! Public failures about subagents and delegation.

use std::sync::Arc;

use proptest::prelude::*;
use toolbay_policy::Verdict::{Allow, Ask, Deny};
use toolbay_policy::{Access, Mode, Policy, Wish, decide};

use crate::support::{Setup, fetch, plain, read, request, run, setup, write};

fn verdict(policy: &Policy, access: Access) -> toolbay_policy::Verdict {
    decide(&Arc::new(policy.clone()), request(vec![access])).verdict
}

fn wish(setup: &Setup) -> Wish {
    Wish { rules: Some(Arc::new(setup.rules())), ..Wish::default() }
}

/// anthropics/claude-code#78797
#[test]
fn what_is_denied_to_the_parent_is_denied_to_the_child() {
    let parent = setup().deny("Bash(rm *)").deny("Read(.env)").policy();
    let (child, _) = parent.derive(&wish(&setup().allow("Bash").allow("Read")));
    assert_eq!(verdict(&child, run(&["rm", "x"])), Deny);
    assert_eq!(verdict(&child, read("/w/.env")), Deny);
    assert_eq!(verdict(&child, run(&["ls"])), Ask, "what a child allows itself doesn't count");
}

/// anthropics/claude-code#52557
#[test]
fn a_child_is_no_looser_and_no_wider_than_its_parent() {
    for (mine, wished) in [
        (Mode::Default, Mode::Bypass),
        (Mode::Plan, Mode::AcceptEdits),
        (Mode::DontAsk, Mode::Bypass),
        (Mode::Plan, Mode::Default),
    ] {
        let parent = setup().mode(mine).policy();
        let wanted = Wish {
            mode: Some(wished),
            roots: Some(vec![plain("/w/sub"), plain("/v")]),
            ..wish(&setup().allow("Edit"))
        };
        let (child, refused) = parent.derive(&wanted);
        assert!(verdict(&child, write("/w/sub/a")) >= verdict(&parent, write("/w/sub/a")), "{mine} {wished}");
        assert_eq!(child.roots, [plain("/w/sub")]);
        assert!(refused.len() >= 2, "{refused:?}");
    }
}

/// anomalyco/opencode#33223
#[test]
fn what_the_child_denies_itself_is_denied() {
    let parent = setup().allow("Read").policy();
    let (child, refused) = parent.derive(&wish(&setup().deny("Read").ask("WebFetch")));
    assert_eq!((verdict(&child, read("/w/a")), verdict(&parent, read("/w/a"))), (Deny, Allow));
    assert!(refused.is_empty());
    let grant = decide(&Arc::new(child), request(vec![write("/w")])).approved_grant();
    assert!(!grant.may_read(toolbay_policy::Held::at(std::path::Path::new("/w/a"))), "closed in folders too");
}

/// agentscope-ai/agentscope-java#2477: the child is derived for each call, so it lives with its parent's rules.
#[test]
fn a_deny_that_the_parent_gets_later_holds_for_the_child() {
    let wish = wish(&setup().deny("Bash"));
    let (before, _) = setup().policy().derive(&wish);
    let (after, _) = setup().deny("Read(.env)").policy().derive(&wish);
    assert_eq!((verdict(&before, read("/w/.env")), verdict(&after, read("/w/.env"))), (Allow, Deny));
}

fn accesses() -> Vec<Access> {
    vec![
        read("/w/a"),
        read("/w/sub/a"),
        read("/etc/x"),
        write("/w/a"),
        write("/w/sub/b"),
        write("/w/.git/x"),
        write("/etc/x"),
        run(&["ls"]),
        run(&["rm", "x"]),
        fetch("https://a.test/"),
        Access::Variable("HOME".into()),
        Access::Spawn("x".into()),
    ]
}

fn rule() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "Read",
        "Read(sub/**)",
        "Edit",
        "Edit(sub/**)",
        "Bash",
        "Bash(rm *)",
        "WebFetch(domain:a.test)",
        "Env(HOME)",
        "Agent(x)",
        "Read(//etc/**)",
    ])
}

fn rules() -> impl Strategy<Value = Setup> {
    let list = || prop::collection::vec(rule(), 0..3);
    (list(), list(), list()).prop_map(|(deny, ask, allow)| {
        let mut setup = setup();
        setup = deny.iter().fold(setup, |setup, rule| setup.deny(rule));
        setup = ask.iter().fold(setup, |setup, rule| setup.ask(rule));
        allow.iter().fold(setup, |setup, rule| setup.allow(rule))
    })
}

proptest! {
    #[test]
    fn a_child_is_never_wider(parent in rules(), child in rules(), modes in (0..5_usize, prop::option::of(0..5_usize)), narrow in any::<bool>(), deeper in rules()) {
        let parent = parent.mode(Mode::ALL[modes.0]).policy();
        let roots = narrow.then(|| vec![plain("/w/sub")]);
        let (first, _) = parent.derive(&Wish { mode: modes.1.map(|mode| Mode::ALL[mode]), roots, ..wish(&child) });
        let (second, _) = first.derive(&wish(&deeper));
        for access in accesses() {
            let (one, two, three) = (verdict(&parent, access.clone()), verdict(&first, access.clone()), verdict(&second, access.clone()));
            prop_assert!(one <= two && two <= three, "{} {one} {two} {three}", access);
        }
    }
}
