//! Public failures about precedence, modes, domains and names.

use toolbay_policy::Verdict::{Allow, Ask, Deny};
use toolbay_policy::{Access, List, Mode, Request, Rule, Source, ToolVerdict, Traits, decide};

use crate::support::{fetch, read, request, run, setup, write};

/// anthropics/claude-code#80031
#[test]
fn an_ask_beats_an_allow_whatever_their_sources() {
    for asks in Source::ALL {
        for allows in Source::ALL {
            let setup = setup().rule(List::Allow, "Bash(*)", allows).rule(List::Ask, "Bash(git push *)", asks);
            assert_eq!(setup.verdict(run(&["git", "push"])), Ask, "{asks} {allows}");
            assert_eq!(setup.verdict(run(&["git", "pull"])), Allow, "{asks} {allows}");
        }
    }
}

/// anthropics/claude-code#25342
#[test]
fn an_ask_rule_asks_in_bypass_too() {
    let setup = setup().ask("Bash(git status)").mode(Mode::Bypass);
    assert_eq!(setup.verdict(run(&["git", "status"])), Ask);
    assert_eq!(setup.verdict(run(&["git", "diff"])), Allow);
}

/// anthropics/claude-code#81041: for each rule there's an access that it decides about.
#[test]
fn no_rule_is_only_for_show() {
    let calls: [(&str, Access); 5] = [
        ("Read(x/**)", read("/w/x/a")),
        ("Edit(*.rs)", write("/w/src/a.rs")),
        ("Bash(make *)", run(&["make", "all"])),
        ("WebFetch(domain:*.test)", fetch("https://a.test/")),
        ("Env(LC_*)", Access::Variable("LC_ALL".to_owned())),
    ];
    for (rule, access) in calls {
        assert_eq!(setup().deny(rule).verdict(access.clone()), Deny, "{rule}");
        assert_eq!(setup().ask(rule).verdict(access.clone()), Ask, "{rule}");
        assert_eq!(setup().allow(rule).verdict(access), Allow, "{rule}");
    }
}

/// anthropics/claude-code#40324: in plan mode nothing changes, whatever anybody answers.
#[test]
fn plan_mode_denies_before_anybody_is_asked() {
    let setup = setup().allow("Edit").allow("Bash").mode(Mode::Plan);
    assert_eq!(setup.verdict(write("/w/a")), Deny);
    assert_eq!(setup.verdict(run(&["touch", "a"])), Deny);
    let spawns = Request { traits: Traits::default(), ..request(vec![Access::Spawn("helper".to_owned())]) };
    assert_eq!(decide(&setup.policy(), spawns).verdict, Deny, "what isn't read-only could change something");
    assert_eq!(setup.verdict(read("/w/a")), Allow);
}

/// anthropics/claude-code#51511: a decision knows no other policy than its own.
#[test]
fn two_modes_side_by_side_stay_apart() {
    let (plan, edits) = (setup().mode(Mode::Plan).policy(), setup().mode(Mode::AcceptEdits).policy());
    for _ in 0..3 {
        assert_eq!(decide(&plan, request(vec![write("/w/a")])).verdict, Deny);
        assert_eq!(decide(&edits, request(vec![write("/w/a")])).verdict, Allow);
    }
}

/// anthropics/claude-code#55797, #18413, #15260
#[test]
fn a_domain_is_exactly_itself_and_none_is_allowed_by_itself() {
    let allowed = setup().allow("WebFetch(domain:example.com)");
    assert_eq!(allowed.verdict(fetch("https://example.com/x")), Allow);
    for url in [
        "https://www.example.com/",
        "https://example.org/",
        "https://badexample.com/",
        "https://example.com.evil.test/",
    ] {
        assert_eq!(allowed.verdict(fetch(url)), Ask, "{url}");
    }
    assert_eq!(
        allowed.decide(fetch("https://www.example.com/")).remedy().unwrap(),
        ["WebFetch(domain:www.example.com)"]
    );
    for host in ["github.com", "docs.rs", "pypi.org", "localhost", "google.com"] {
        assert_eq!(setup().verdict(fetch(&format!("https://{host}/"))), Ask, "{host}");
    }
}

/// denoland/deno#33203, as far as it's about the text of an address.
#[test]
fn every_spelling_of_a_denied_address_is_denied() {
    let setup = setup().deny("WebFetch(domain:127.0.0.1)").allow("WebFetch");
    for host in ["127.0.0.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:127.0.0.1]", "127.0.0.1."] {
        assert_eq!(setup.verdict(fetch(&format!("http://{host}/"))), Deny, "{host}");
    }
}

/// anthropics/claude-code#38261: the rule that an answer adds covers what was shown, and that alone.
#[test]
fn the_rule_of_an_answer_is_the_narrowest() {
    for (access, others) in [
        (read("/etc/hosts"), vec![read("/etc/passwd"), read("/etc/hosts2")]),
        (read("/srv/a[1]*"), vec![read("/srv/a1"), read("/srv/a1x"), read("/srv/a[1]x")]),
        (run(&["git", "log", "*", "a b"]), vec![run(&["git", "log", "x", "a b"]), run(&["git", "log", "*", "a", "b"])]),
        (fetch("https://a.test/x"), vec![fetch("https://b.a.test/")]),
    ] {
        let rules = setup().decide(access.clone()).remedy().unwrap();
        let allowed = rules.iter().fold(setup(), |setup, rule| setup.allow(rule));
        assert_eq!(allowed.verdict(access), Allow, "{rules:?}");
        others.into_iter().for_each(|other| assert_eq!(allowed.verdict(other), Ask, "{rules:?}"));
    }
}

/// google-gemini/gemini-cli#21727, anthropics/claude-code#73052, vikasprogrammer/agentric#481
#[test]
fn a_server_is_named_whole() {
    let denies = |rule: &str, tool: &str| setup().deny(rule).call(tool, &[]) == Deny;
    for rule in ["mcp__s", "mcp__s__*"] {
        assert!(denies(rule, "mcp__s__get") && denies(rule, "mcp__s__b__c"), "{rule}");
        assert!(!denies(rule, "mcp__sx__get") && !denies(rule, "mcp__s_b__get") && !denies(rule, "mcp__s"), "{rule}");
    }
    assert!(denies("mcp__s__get_*", "mcp__s__get_x") && !denies("mcp__s__get_*", "mcp__s__put"));
    assert!(denies("*", "Anything") && denies("mcp__*", "mcp__x__y") && !denies("mcp__*", "Mcp"));
    assert_eq!(setup().call("Renamed", &[]), Allow, "a tool that needs nothing");
}

/// google-gemini/gemini-cli#27215: a tool that isn't known by any rule gets nothing but the defaults.
#[test]
fn without_rules_a_strangers_tool_gets_nothing() {
    for access in
        [write("/w/a"), read("/etc/passwd"), run(&["ls"]), fetch("https://a.test/"), Access::UseTool("Read".to_owned())]
    {
        assert_eq!(setup().verdict(access), Ask);
    }
    assert_eq!(setup().verdict(Access::Secret("key".to_owned())), Deny);
}

#[test]
fn rules_about_a_call_look_at_its_input() {
    let setup = setup().deny("Deploy(target:prod*)").ask("Deploy(force:true)");
    assert_eq!(setup.call("Deploy", &[("target", "production")]), Deny);
    assert_eq!(setup.call("Deploy", &[("target", "test"), ("force", "true")]), Ask);
    assert_eq!(setup.call("Deploy", &[("target", "test")]), Allow);
    assert_eq!(setup.call("Deploy", &[]), Allow, "what is absent doesn't match");
    assert_eq!(setup.call("Other", &[("target", "production")]), Allow);
    assert!("Deploy(target:x)".parse::<Rule>().unwrap().check(List::Allow).is_err());
}

#[test]
fn a_rule_that_names_a_tool_answers_what_the_tool_asks() {
    let asks = |setup: crate::support::Setup, tool: &str| {
        let request =
            Request { verdict: ToolVerdict::Ask("sure?".into()), tool: tool.to_owned(), ..request(Vec::new()) };
        decide(&setup.policy(), request)
    };
    let decision = asks(setup(), "Deploy");
    assert_eq!((decision.verdict, decision.remedy().unwrap()), (Ask, vec!["Deploy".to_owned()]));
    assert_eq!(asks(setup().allow("Deploy"), "Deploy").verdict, Allow);
    assert_eq!(asks(setup().allow("Read"), "Read").verdict, Ask, "that's about reading, not about the tool");
    assert_eq!(asks(setup(), "Read").remedy(), None);
}

/// A `tools` block: rules for one tool, or for one pack.
#[test]
fn a_rule_for_one_tool_is_for_no_other() {
    let mut setup = setup().allow("WebFetch(domain:a.test)").deny("Read(secret/**)");
    setup.written[0].tools = Some(toolbay_policy::Wildcard::new("pack__*"));
    setup.written[1].tools = Some(toolbay_policy::Wildcard::new("Tester"));
    let verdict =
        |tool: &str, access| decide(&setup.policy(), Request { tool: tool.into(), ..request(vec![access]) }).verdict;
    assert_eq!(verdict("pack__get", fetch("https://a.test/")), Allow);
    assert_eq!(verdict("Tester", fetch("https://a.test/")), Ask);
    assert_eq!(verdict("Tester", read("/w/secret/a")), Deny);
    assert_eq!(verdict("pack__get", read("/w/secret/a")), Allow);
}
