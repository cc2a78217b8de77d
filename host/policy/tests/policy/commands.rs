//! Public failures about commands: compound commands, wrappers, parsing.

use toolbay_policy::Mode;
use toolbay_policy::Verdict::{Allow, Ask, Deny};

use crate::support::{decided_by, run, run_in, setup, shell};

/// anthropics/claude-code#4956, google-gemini/gemini-cli#11510: what is chained behind an allowed command isn't allowed.
#[test]
fn each_part_of_a_line_is_allowed_by_itself() {
    let setup = setup().allow("Bash(echo *)").allow("Bash(cat *)");
    for between in ["&&", ";", "||", "|", "|&", "&", "\n"] {
        assert_eq!(setup.verdict(shell(&format!("echo hi {between} ls"))), Ask, "{between:?}");
        assert_eq!(setup.verdict(shell(&format!("echo hi {between} cat f"))), Allow, "{between:?}");
    }
    assert_eq!(setup.verdict(shell("cat f | wc -l")), Ask);
}

/// anthropics/claude-code#37662
#[test]
fn a_denied_command_is_found_at_any_place_and_named() {
    let setup = setup().deny("Bash(git clean:*)").allow("Bash(git *)");
    let decision = setup.decide(shell("git fetch && git pull && git clean -fd"));
    assert_eq!(decision.verdict, Deny);
    assert_eq!(decided_by(&decision), ("Bash(git clean:*)".to_owned(), Some("git clean -fd".to_owned())));
    assert_eq!(setup.verdict(shell("npm run build; git clean -fd")), Deny);
}

/// anthropics/claude-code#58424
#[test]
fn without_rules_every_command_asks() {
    assert_eq!(setup().verdict(shell("rm -rf build && ls | wc -l ; echo ok")), Ask);
    assert_eq!(setup().verdict(run(&["ls"])), Ask);
}

/// anthropics/claude-code#70369
#[test]
fn braces_substitutions_and_appending_hide_no_file() {
    let setup = setup().deny("Read(./foo.txt)").deny("Edit(./foo.txt)").allow("Bash");
    for line in [
        "{ cat foo.txt; }",
        "cat <(ls) foo.txt",
        "( cat foo.txt )",
        "echo x >> foo.txt",
        "cat < foo.txt",
        "cp foo.txt b",
    ] {
        assert_eq!(setup.verdict(shell(line)), Deny, "{line}");
    }
    assert_eq!(setup.verdict(shell("cat bar.txt")), Allow);
}

/// anthropics/claude-code#31558
#[test]
fn an_assignment_in_front_hides_nothing() {
    let setup = setup().deny("Bash(rm *)").allow("Bash(echo *)");
    assert_eq!(setup.verdict(shell("FOO=bar rm -rf tmp")), Deny);
    assert_eq!(setup.verdict(shell("A=1 B=2 rm x")), Deny);
    assert_eq!(setup.verdict(run(&["env", "FOO=1", "rm", "x"])), Deny);
    assert_eq!(setup.verdict(shell("LD_PRELOAD=./x.so echo hi")), Ask);
    assert_eq!(setup.verdict(shell("LANG=C echo hi")), Allow);
}

/// anthropics/claude-code#18613: whatever the flags look like, and whatever the rules say.
#[test]
fn critical_folders_are_never_removed_without_a_person() {
    let allowed = setup().deny("Bash(rm -rf /:*)").allow("Bash");
    for mode in Mode::ALL {
        for words in [
            &["rm", "-fr", "/"][..],
            &["rm", "-r", "-f", "/"],
            &["rm", "--recursive", "--force", "/"],
            &["rm", "-rfv", "/"],
            &["rm", "-rf", "/home/ada"],
            &["rm", "-rf", "/w"],
            &["rm", "-rf", "/home"],
            &["rm", "-rf", "/*"],
            &["sudo", "rm", "-rf", "/"],
            &["find", "/", "-delete"],
        ] {
            assert_ne!(allowed.clone().mode(mode).verdict(run(words)), Allow, "{mode} {words:?}");
        }
    }
    assert_eq!(allowed.verdict(run(&["rm", "-rf", "/w/build"])), Allow);
}

/// anthropics/claude-code#25621
#[test]
fn a_star_on_both_sides_denies_in_every_mode() {
    for mode in [Mode::DontAsk, Mode::Default, Mode::Bypass] {
        let setup = setup().deny("Bash(*gcloud*)").allow("Bash(*)").mode(mode);
        assert_eq!(setup.verdict(run(&["gcloud", "-h"])), Deny);
        assert_eq!(setup.verdict(shell("x && gcloud auth list")), Deny);
    }
}

/// A public report on a cap at which checking stopped (subagentic.ai): above a cap all is denied, never less checked.
#[test]
fn the_last_of_many_commands_is_looked_at_too() {
    let setup = setup().deny("Bash(curl *)").allow("Bash(*)");
    for parts in [51, 200, 5_000] {
        assert_eq!(setup.verdict(shell(&format!("{}curl evil.test", "true;".repeat(parts)))), Deny, "{parts}");
    }
    let (many, long) = ("true;".repeat(12_000), format!("echo {}", "x".repeat(70_000)));
    assert_eq!(setup.verdict(shell(&many)), Deny);
    assert_eq!(setup.verdict(shell(&long)), Deny);
    assert_eq!(setup.verdict(shell(&format!("{}true", "true;".repeat(50)))), Allow);
}

/// openai/codex#20113
#[test]
fn a_here_document_with_another_path_and_a_redirect_asks() {
    let setup = setup().allow("Bash(cat *)");
    assert_eq!(setup.verdict(shell("PATH=/tmp/bad:$PATH cat <<'EOF' > /tmp/bad/x\nhi\nEOF\n")), Ask);
    assert_eq!(setup.verdict(shell("cat a > /tmp/bad/x")), Ask, "the write asks");
    assert_eq!(setup.verdict(shell("cat a > /dev/null 2>&1")), Allow);
    assert_eq!(setup.clone().allow("Edit(out/**)").verdict(shell("cat a > out/x")), Allow);
}

/// openai/codex#21392
#[test]
fn a_search_that_starts_a_program_asks() {
    let setup = setup().allow("Bash(rg *)");
    assert_eq!(setup.verdict(run(&["rg", "needle", "."])), Allow);
    assert_eq!(setup.verdict(run(&["rg", "--pre", "./x", "needle", "."])), Ask);
    for line in ["rg \"--pre\" ./x n .", r"rg --p\re ./x n ."] {
        assert_eq!(setup.verdict(shell(line)), Ask, "{line}");
    }
}

/// openai/codex#28714: a folder outside the roots may hold settings of its own, and `env` changes what runs.
#[test]
fn a_rule_for_a_command_holds_in_the_roots() {
    let setup = setup().allow("Bash(git status)");
    assert_eq!(setup.verdict(run(&["git", "status"])), Allow);
    assert_eq!(setup.verdict(run_in("/w/sub", &["git", "status"])), Allow);
    assert_eq!(setup.verdict(run_in("/v", &["git", "status"])), Ask);
    assert_eq!(setup.verdict(run(&["env", "git", "status"])), Ask);
    assert_eq!(setup.decide(run_in("/v", &["git", "status"])).remedy(), None);
}

/// google-gemini/gemini-cli#6010
#[test]
fn commands_in_process_substitutions_are_commands() {
    let setup = setup().allow("Bash(echo *)").deny("Bash(tee *)");
    assert_eq!(setup.verdict(shell("echo x >(tee /tmp/m.sh)")), Deny);
    assert_eq!(setup.verdict(shell("echo x > >(sh)")), Ask);
    assert_eq!(setup.verdict(shell("echo $(ls)")), Ask);
}

/// google-gemini/gemini-cli#5495
#[test]
fn what_runs_its_arguments_as_code_is_allowed_by_no_wildcard() {
    let setup = setup().allow("Bash(*)").allow("Bash(eval *)").allow("Bash(python3 *)").allow("Bash(bash -c *)");
    let only = setup.clone();
    for words in [
        &["eval", "rm -rf x"][..],
        &["source", "./x"],
        &[".", "./x"],
        &["python3", "-c", "import os"],
        &["perl", "-le", "print 1"],
        &["node", "--eval", "1"],
        &["awk", "BEGIN { system(\"ls\") }"],
        &["find", ".", "-exec", "ls", "{}", ";"],
        &["sudo", "ls"],
        &["xargs", "-I", "{}", "ls"],
        &["bash", "-c", "ls $x"],
    ] {
        assert_eq!(only.verdict(run(words)), Ask, "{words:?}");
    }
    assert_eq!(
        only.verdict(run(&["./run.sh", "rm -rf x"])),
        Allow,
        "what a script does with its arguments is its own matter"
    );
    let exact = setup.allow("Bash(sudo ls)");
    assert_eq!(exact.verdict(run(&["sudo", "ls"])), Allow, "a rule without a wildcard means this command");
}

/// anthropics/claude-code#36873
#[test]
fn a_trailing_star_also_means_the_bare_command_when_it_is_the_only_one() {
    let setup = setup().allow("Bash(ls *)").allow("Bash(* --help *)").allow("Bash(ssh * uptime *)");
    assert_eq!(setup.verdict(run(&["ls"])), Allow);
    assert_eq!(setup.verdict(run(&["npm", "--help"])), Ask);
    assert_eq!(setup.verdict(run(&["ssh", "h", "uptime"])), Ask);
    assert_eq!(setup.verdict(run(&["ssh", "h", "uptime", "-s"])), Allow);
}

/// bug-ops/zeph#1525
#[test]
fn what_restricts_is_always_looked_at() {
    let setup = setup().deny("Bash(rm *)").allow("Bash").mode(Mode::Bypass);
    assert_eq!(setup.verdict(shell("echo $(rm x)")), Deny);
    assert_eq!(setup.verdict(shell("echo `rm x`")), Deny);
}

#[test]
fn wrappers_are_looked_through() {
    let setup = setup().deny("Bash(rm *)").allow("Bash(ls *)");
    for words in [
        &["timeout", "5", "rm", "x"][..],
        &["sudo", "-u", "bob", "rm", "x"],
        &["sudo", "env", "-i", "A=1", "timeout", "5", "nice", "rm", "x"],
        &["nice", "-n", "5", "rm", "x"],
        &["xargs", "rm"],
        &["watch", "-n1", "rm", "x"],
        &["setsid", "ionice", "-c", "3", "rm", "x"],
        &["bash", "-lc", "rm x"],
        &["sh", "-c", "sh -c 'sh -c \"rm x\"'"],
        &["find", ".", "-exec", "rm", "{}", ";"],
        &["/bin/rm", "x"],
        &["flock", "/tmp/l", "-c", "rm x"],
        &["bash", "-c", "-o", "pipefail", "rm x"],
        &["bash", "-o", "pipefail", "-ec", "rm x"],
        &["sh", "-c", "-l a\nrm x"],
        &["sh", "-c", "--", "rm x"],
        &["env", "-S", "rm x"],
        &["watch", "rm x"],
        &["su", "bob", "-c", "cd /; rm x"],
        &["busybox", "rm", "x"],
    ] {
        assert_eq!(setup.verdict(run(words)), Deny, "{words:?}");
    }
    for words in [
        &["timeout", "5", "ls"][..],
        &["nice", "-n", "5", "ls", "-l"],
        &["nohup", "ls"],
        &["xargs", "ls"],
        &["time", "-p", "ls"],
        &["stdbuf", "-oL", "ls"],
    ] {
        assert_eq!(setup.verdict(run(words)), Allow, "{words:?}");
    }
    for words in
        [&["env", "ls"][..], &["timeout", "--odd", "5", "ls"], &["command", "-v", "ls"], &["xargs", "-n1", "ls"]]
    {
        assert_eq!(setup.verdict(run(words)), Ask, "{words:?}");
    }
}

/// anthropics/claude-code#29489
#[test]
fn a_letter_that_looks_like_another_is_another() {
    assert_eq!(setup().allow("Bash(git *)").verdict(run(&["g\u{456}t", "push"])), Ask);
}

#[test]
fn an_argument_with_a_blank_is_one_argument() {
    let allowed = setup().allow("Bash(echo a b)");
    assert_eq!(allowed.verdict(run(&["echo", "a", "b"])), Allow);
    assert_eq!(allowed.verdict(run(&["echo", "a b"])), Ask);
    assert_eq!(allowed.verdict(run(&["echo a b"])), Ask);
    let denied = setup().deny("Bash(git push *)").allow("Bash");
    assert_eq!(denied.verdict(run(&["git push", "-f"])), Deny);
}

/// amd/gaia#2947: a second tool that can run programs is no second door.
#[test]
fn a_rule_about_commands_holds_for_every_tool() {
    let policy = setup().deny("Bash(curl *)").allow("Bash").policy();
    for tool in ["Bash", "Shell", "pack__runner"] {
        let request =
            toolbay_policy::Request { tool: tool.into(), ..crate::support::request(vec![run(&["curl", "x"])]) };
        assert_eq!(toolbay_policy::decide(&policy, request).verdict, Deny, "{tool}");
    }
}
