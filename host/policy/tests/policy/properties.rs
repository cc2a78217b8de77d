//! What holds for all rules and accesses.

use proptest::prelude::*;
use toolbay_policy::{Access, List, Mode, Source, Verdict};

use crate::support::{Setup, fetch, link, read, run, setup, shell, write};

const RULES: [&str; 24] = [
    "Read",
    "Edit",
    "Bash",
    "WebFetch",
    "Env",
    "Read(a)",
    "Read(a/**)",
    "Read(./a/b)",
    "Edit(*.rs)",
    "Edit(**/b)",
    "Edit(//w/a/b)",
    "Read(~/x)",
    "Read(//etc/**)",
    "Bash(ls *)",
    "Bash(rm *)",
    "Bash(git:*)",
    "Bash(*x*)",
    "WebFetch(domain:*.test)",
    "WebFetch(domain:a.test)",
    "Env(A*)",
    "Secret(k)",
    "Agent(*)",
    "Tester",
    "Tester(p:1)",
];

fn accesses() -> Vec<Access> {
    vec![
        read("/w/a"),
        read("/w/a/b"),
        read("/w/c/a"),
        read("/etc/p"),
        read("/home/ada/x"),
        write("/w/a/b"),
        write("/w/x.rs"),
        write("/w/.git/a"),
        Access::Read(link("/w/l", "/etc/p")),
        Access::Write(link("/w/l", "/w/a/b")),
        run(&["ls", "x"]),
        run(&["git", "x"]),
        shell("ls; rm x"),
        shell("rm $x"),
        fetch("https://a.test/"),
        fetch("https://b.a.test/"),
        Access::Variable("AB".into()),
        Access::Secret("k".into()),
        Access::Spawn("h".into()),
        Access::UseTool("Tester".into()),
        Access::Complete,
        Access::AskUser,
    ]
}

type Entry = (usize, usize, usize);

fn entry() -> impl Strategy<Value = Entry> {
    (0..3_usize, 0..RULES.len(), 0..6_usize)
}

fn with(entries: &[Entry], mode: usize) -> Setup {
    let usable = entries.iter().filter(|(list, rule, _)| RULES[*rule] != "Tester(p:1)" || *list < 2);
    let add =
        |setup: Setup, (list, rule, source): &Entry| setup.rule(List::ALL[*list], RULES[*rule], Source::ALL[*source]);
    usable.fold(setup().mode(Mode::ALL[mode]), add)
}

fn verdicts(setup: &Setup) -> Vec<Verdict> {
    accesses().into_iter().map(|access| setup.verdict(access)).collect()
}

proptest! {
    #[test]
    fn adding_a_deny_never_loosens(entries in prop::collection::vec(entry(), 0..8), rule in 0..RULES.len(), source in 0..6_usize, mode in 0..5_usize) {
        let before = verdicts(&with(&entries, mode));
        let mut entries = entries;
        entries.push((0, rule, source));
        let after = verdicts(&with(&entries, mode));
        for (place, (one, two)) in before.iter().zip(&after).enumerate() {
            prop_assert!(one <= two, "{}: {one} then {two}", accesses()[place]);
        }
    }

    #[test]
    fn adding_an_ask_never_lets_pass(entries in prop::collection::vec(entry(), 0..8), rule in 0..RULES.len(), mode in 0..5_usize) {
        let before = verdicts(&with(&entries, mode));
        let mut entries = entries;
        entries.push((1, rule, 0));
        let after = verdicts(&with(&entries, mode));
        for (place, (one, two)) in before.iter().zip(&after).enumerate() {
            prop_assert!(*two != Verdict::Allow || *one == Verdict::Allow, "{}: {one} then {two}", accesses()[place]);
        }
    }

    #[test]
    fn no_source_lifts_anothers_deny(entries in prop::collection::vec(entry(), 0..8), more in prop::collection::vec(entry(), 0..8), mode in 0..5_usize) {
        let before = with(&entries, mode);
        let after = with(&entries.iter().chain(&more).copied().collect::<Vec<_>>(), mode);
        for access in accesses() {
            let denied = matches!(before.policy().rule_for(&access, "Tester"), Some((List::Deny, _)));
            prop_assert!(!denied || after.verdict(access.clone()) == Verdict::Deny, "{}", access);
        }
    }

    #[test]
    fn the_order_of_sources_and_rules_never_matters(entries in prop::collection::vec(entry(), 0..10), mode in 0..5_usize) {
        let mut reversed = entries.clone();
        reversed.reverse();
        prop_assert_eq!(verdicts(&with(&entries, mode)), verdicts(&with(&reversed, mode)));
        let other_sources: Vec<Entry> = entries.iter().map(|(list, rule, source)| (*list, *rule, 5 - source)).collect();
        prop_assert_eq!(verdicts(&with(&entries, mode)), verdicts(&with(&other_sources, mode)));
    }

    #[test]
    fn spellings_of_one_path_get_one_verdict(entries in prop::collection::vec(entry(), 0..8), names in prop::collection::vec("[abc.]{1,2}", 1..4)) {
        prop_assume!(names.iter().all(|name| !name.chars().all(|letter| letter == '.')));
        let setup = with(&entries, 0);
        let plain = format!("/w/{}", names.join("/"));
        for other in [format!("//w//{}", names.join("//")), format!("/w/./{}/", names.join("/./")), format!("/w/q/../{}", names.join("/q/../")), format!("/../w/{}/.", names.join("/"))] {
            prop_assert_eq!(setup.verdict(read(&plain)), setup.verdict(read(&other)), "{}", other);
            prop_assert_eq!(setup.verdict(write(&plain)), setup.verdict(write(&other)), "{}", other);
        }
    }

    #[test]
    fn spellings_of_one_command_get_one_verdict(entries in prop::collection::vec(entry(), 0..8), words in prop::collection::vec("[a-z]{1,3}|x y", 1..4)) {
        let setup = with(&entries, 0);
        let list: Vec<&str> = words.iter().map(String::as_str).collect();
        let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        let doubled: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        let one = setup.verdict(shell(&quoted.join(" ")));
        for line in [doubled.join("  "), format!(" {}\t", quoted.join("\t")), quoted.join(" \\\n ")] {
            prop_assert_eq!(one, setup.verdict(shell(&line)), "{}", line);
        }
        let direct = setup.verdict(run(&list));
        prop_assert!(direct != Verdict::Deny || one == Verdict::Deny, "{:?}", words);
    }

    #[test]
    fn an_allowed_folder_of_a_call_holds_nothing_that_a_rule_denies(entries in prop::collection::vec(entry(), 0..8)) {
        let setup = with(&entries, 0);
        let grant = setup.decide(read("/w")).approved_grant();
        for access in accesses() {
            let Some(location) = access.location() else { continue };
            let denied = matches!(setup.policy().rule_for(&Access::Read(location.clone()), "Tester"), Some((List::Deny, _)));
            prop_assert!(!denied || !grant.may_read(toolbay_policy::Held::at(location.real())) || location.named() != location.real(), "{}", access);
        }
    }

    #[test]
    fn nothing_about_a_rule_panics(text in "\\PC{0,40}|[A-Z][a-z]{1,8}\\([^)]{0,20}\\)") {
        if let Ok(rule) = text.parse::<toolbay_policy::Rule>() {
            prop_assert_eq!(rule.to_string().parse::<toolbay_policy::Rule>().unwrap(), rule);
        }
    }
}
