//! Every documented form of a rule, as the documentation shows it: what it's about, and what it isn't.
//!
//! The table in `docs/permissions.md` is read here, so that the manual and the engine can't part (openai/codex#22179,
//! google-gemini/gemini-cli#24133).

use toolbay_policy::{Anchors, List, Rule, Source, Written, check_example};

use crate::support::plain;

/// The rows `| rule | matches | doesn't match | ... |` whose first cell is code.
fn rows() -> Vec<(String, Vec<String>, Vec<String>)> {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/permissions.md")).unwrap();
    let codes = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let table = text.split("<!-- forms -->").nth(1).unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").collect();
        (codes(cells[0])[0].clone(), codes(cells[1]), codes(cells[2]))
    })
    .collect()
}

#[test]
fn every_documented_form_does_what_the_manual_says() {
    let anchors = Anchors { roots: vec![plain("/w")], home: Some(plain("/home/ada")) };
    let rows = rows();
    assert!(rows.len() >= 25, "{}", rows.len());
    for (text, matches, others) in rows {
        let rule: Rule = text.parse().unwrap();
        assert!(!matches.is_empty() && !others.is_empty(), "{text}");
        for list in List::ALL.into_iter().filter(|list| rule.check(*list).is_ok()) {
            let written = Written { base: Some(plain("/conf")), ..Written::new(list, rule.clone(), Source::User) };
            // Some forms reach further where they deny or ask; the manual says so and shows the narrower.
            for example in &matches {
                check_example(&written, example, true, &anchors).unwrap_or_else(|error| panic!("{list}: {error}"));
            }
            for example in &others {
                check_example(&written, example, false, &anchors).unwrap_or_else(|error| panic!("{list}: {error}"));
            }
        }
    }
}

#[test]
fn what_could_never_match_is_no_rule() {
    for text in [
        "",
        "Read(",
        "Read()",
        "read(//a)",
        "Write(src/**)",
        "Grep(x)",
        "Read(!x)",
        "Read(~ada/x)",
        "Read(a/[)",
        "Edit(*/../x)",
        "Bash()",
        "Bash(a && b)",
        "Bash(echo > x)",
        "Bash(it's)",
        "WebFetch(https://a.test)",
        "WebFetch(domain:)",
        "WebFetch(domain:https://a)",
        "WebFetch(domain:a/b)",
        "Complete(x)",
        "AskUser(x)",
        "Env()",
        "Bash(command:rm *)",
        "Read(file_path:x)",
        "WebFetch(url:https://a)",
        "Tool ()",
        "Br\u{430}sh",
        "mcp__s__t(x)",
        "Skill(name)",
    ] {
        assert!(text.parse::<Rule>().is_err(), "{text}");
    }
    for text in ["*", "mcp__*", "Deploy*", "Deploy(target:x)", "mcp__s(p:1)"] {
        let rule: Rule = text.parse().unwrap();
        assert!(rule.check(List::Deny).is_ok() && rule.check(List::Allow).is_err(), "{text}");
    }
    assert!("mcp__s__get_*".parse::<Rule>().unwrap().check(List::Allow).is_ok());
    assert!("pack__*".parse::<Rule>().unwrap().check(List::Allow).is_ok());
    assert!(format!("Read(//{})", "a".repeat(9_000)).parse::<Rule>().is_err());
}
