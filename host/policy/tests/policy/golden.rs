//! The golden table: every form of rule, in each list, from each source, in each mode, with and without a person.
//!
//! Verdicts that depend on nothing but the list and the mode make one line, so that a reviewer can read it all.

use std::fmt::Write;

use toolbay_policy::{Access, List, Mode, Source, Verdict};

use crate::support::{fetch, read, run, setup, shell, write};

/// A form of rule, and an access that it's about.
fn forms() -> Vec<(&'static str, Access)> {
    vec![
        ("Read", read("/etc/hosts")),
        ("Read(src/**)", read("/w/src/a.rs")),
        ("Read(.env)", read("/w/sub/.env")),
        ("Read(//etc/hosts)", read("/etc/hosts")),
        ("Read(~/notes/*.md)", read("/home/ada/notes/a.md")),
        ("Edit", write("/srv/a")),
        ("Edit(src/**)", write("/w/src/a.rs")),
        ("Edit(/docs)", write("/w/docs/a")),
        ("Edit(//**)", write("/w/.git/config")),
        ("Edit(//**/toolbay/**)", write("/home/ada/.config/toolbay/settings.json")),
        ("Bash", run(&["make"])),
        ("Bash(git log *)", run(&["git", "log", "-1"])),
        ("Bash(npm run test:*)", run(&["npm", "run", "test"])),
        ("Bash(rm *)", shell("echo x; rm y")),
        ("Bash(rm *)", run(&["rm", "-rf", "/"])),
        ("Bash(ls *)", shell("ls $HOME")),
        ("WebFetch(domain:docs.rs)", fetch("https://docs.rs/x")),
        ("WebFetch(domain:*.rs)", fetch("https://docs.rs/x")),
        ("Env(HOME)", Access::Variable("HOME".into())),
        ("Secret(key)", Access::Secret("key".into())),
        ("Agent(explorer)", Access::Spawn("explorer".into())),
        ("Tool(Deploy)", Access::UseTool("Deploy".into())),
        ("Complete", Access::Complete),
        ("AskUser", Access::AskUser),
    ]
}

/// What becomes of a verdict where nobody can be asked.
fn alone(verdict: Verdict) -> Verdict {
    if verdict == Verdict::Ask { Verdict::Deny } else { verdict }
}

#[test]
fn the_table() {
    let mut table = String::from("form -> access: mode = no rule | deny | ask | allow (with a person, then without)\n");
    for (rule, access) in forms() {
        writeln!(table, "\n{rule} -> {access}").unwrap();
        for mode in Mode::ALL {
            let mut line = format!("  {mode:13}");
            let mut cell = |verdict: Verdict| write!(line, "  {verdict:5}/{:5}", alone(verdict)).unwrap();
            cell(setup().mode(mode).verdict(access.clone()));
            for list in List::ALL {
                let verdicts: Vec<Verdict> = Source::ALL
                    .iter()
                    .map(|source| setup().mode(mode).rule(list, rule, *source).verdict(access.clone()))
                    .collect();
                // No source weighs more than another.
                assert!(verdicts.iter().all(|verdict| *verdict == verdicts[0]), "{rule} {list} {mode}");
                cell(verdicts[0]);
            }
            writeln!(table, "{}", line.trim_end()).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}
