//! Public failures about paths and files, as far as they're decided without looking at a disk.

use std::path::Path;

use toolbay_policy::Verdict::{Allow, Ask, Deny};
use toolbay_policy::{Access, Anchors, Held, List, Location, Mode, Policy, Rules, Source, Written, decide};

use crate::support::{link, plain, read, request, setup, write};

/// CVE-2026-25724: a link in an allowed folder opens no denied file.
#[test]
fn a_link_to_a_denied_file_is_denied_with_its_target() {
    let setup = setup().deny("Read(//etc/passwd)").allow("Read(//w/**)");
    let decision = setup.decide(Access::Read(link("/w/a", "/etc/passwd")));
    assert_eq!(decision.verdict, Deny);
    assert!(decision.steps[0].access.as_ref().unwrap().to_string().contains("which is /etc/passwd"));
    assert_eq!(setup.verdict(Access::Read(link("/w/a", "/etc/hosts"))), Ask, "allow needs both ends");
}

/// anthropics/claude-code#36092, #22907: one base for rules and requests, so that every spelling is one path.
#[test]
fn a_relative_rule_denies_every_spelling() {
    let setup = setup().deny("Read(./private/**)").deny("Read(./.env)").deny("Read(**/.env*)");
    for path in [
        "/w/private",
        "/w/private/a",
        "/w/./private/../private/a",
        "/w/.env",
        "/w/x/../.env",
        "//w//.env",
        "/w/sub/.env.local",
    ] {
        assert_eq!(setup.verdict(read(path)), Deny, "{path}");
    }
    assert_eq!(setup.verdict(read("/w/public/env")), Allow);
}

/// anthropics/claude-code#28008, #91795: a folder above a denied one is still granted, with the denied one closed in it.
#[test]
fn a_search_from_above_gets_everything_but_what_is_denied() {
    let setup = setup().deny("Read(docs/private/**)").deny("Read(**/denied.txt)");
    let grant = setup.decide(read("/w")).grant();
    for path in ["/w/docs/private/a", "/w/docs/private", "/w/x/denied.txt"] {
        assert!(!grant.names_readable(Path::new(path)) && !grant.may_read(Held::at(Path::new(path))), "{path}");
    }
    for path in ["/w", "/w/docs/public/a", "/w/docs"] {
        assert!(grant.may_read(Held::at(Path::new(path))), "{path}");
    }
}

/// anthropics/claude-code#17226
#[test]
fn copying_out_of_a_denied_folder_needs_reading_it() {
    let setup = setup().deny("Read(secret/**)").mode(Mode::AcceptEdits);
    let decision = decide(&setup.policy(), request(vec![read("/w/secret/a"), write("/w/copy")]));
    assert_eq!(decision.verdict, Deny);
    assert_eq!(setup.verdict(write("/w/secret/a")), Deny, "writing includes reading");
    let grant = setup.decide(write("/w")).grant();
    assert!(
        !grant.may_move(Path::new("/w/secret/a"), Path::new("/w/b"))
            && !grant.may_move(Path::new("/w/a"), Path::new("/w/secret/b"))
    );
    assert!(!grant.may_move(Path::new("/w/secret"), Path::new("/w/open")));
    assert!(grant.may_move(Path::new("/w/a"), Path::new("/w/b")));
}

/// anthropics/claude-code#40170
#[test]
fn on_a_file_system_without_case_denies_fold_and_allows_do_not() {
    let denied = setup().deny("Read(//data/Secret/**)");
    assert_eq!(denied.verdict(Access::Read(plain("/DATA/secret/x").folding_case(true))), Deny);
    assert_eq!(
        denied.clone().allow("Read(//**)").verdict(read("/DATA/secret/x")),
        Allow,
        "elsewhere it's another file"
    );
    let allowed = setup().allow("Read(//data/Open/**)");
    assert_eq!(allowed.verdict(Access::Read(plain("/data/open/x").folding_case(true))), Ask);
}

/// anthropics/claude-code#78752: another name of the same file.
#[test]
fn a_denied_file_is_denied_by_its_other_names() {
    let anchors = Anchors { roots: vec![plain("/w")], home: None };
    let look = |path: &Path| Some(Location::plain(path).identified(Some((1, 42))));
    let rule = Written::new(List::Deny, "Read(secret.txt)".parse().unwrap(), Source::User);
    let exact = Written { rule: "Read(//w/secret.txt)".parse().unwrap(), ..rule };
    let rules = Rules::compile(vec![exact], &anchors, &look).unwrap();
    let policy = Policy { roots: anchors.roots, rules: rules.into(), ..Policy::default() }.into();
    let decided =
        |identity| decide(&policy, request(vec![Access::Read(plain("/w/alias").identified(identity))])).verdict;
    assert_eq!(decided(Some((1, 42))), Deny);
    assert_eq!(decided(Some((1, 43))), Allow);
    let grant = decide(&policy, request(vec![read("/w")])).grant();
    assert!(!grant.may_read(Held { identity: Some((1, 42)), ..Held::at(Path::new("/w/alias")) }));
}

/// A rule about a path that is a link closes what it leads to.
#[test]
fn a_denied_link_closes_its_target_too() {
    let setup = setup().deny("Read(//w/link)").link("/w/link", "/w/real");
    assert_eq!(setup.verdict(read("/w/link/a")), Deny);
    assert_eq!(setup.verdict(read("/w/real/a")), Deny);
}

/// modelcontextprotocol/servers#3254
#[test]
fn a_root_that_is_a_link_is_open_by_both_names() {
    let root = link("/tmpx", "/private/tmpx");
    let anchors = Anchors { roots: vec![root.clone()], home: None };
    for rule in ["Edit(//tmpx/out/**)", "Edit(//private/tmpx/out/**)", "Edit(./out/**)"] {
        let written = Written::new(List::Allow, rule.parse().unwrap(), Source::User);
        let rules = Rules::compile(vec![written], &anchors, &|_| None).unwrap();
        let policy = Policy { roots: vec![root.clone()], rules: rules.into(), ..Policy::default() }.into();
        let verdict = |access| decide(&policy, request(vec![access])).verdict;
        assert_eq!(verdict(Access::Write(link("/tmpx/out/a", "/private/tmpx/out/a"))), Allow, "{rule}");
        assert_eq!(verdict(write("/private/tmpx/out/a")), Allow, "{rule}");
        assert_eq!(verdict(Access::Read(link("/tmpx/a", "/private/tmpx/a"))), Allow);
    }
}

/// wonderwhy-er/DesktopCommanderMCP#403: no folders are no folders.
#[test]
fn without_roots_nothing_is_readable() {
    let policy = Policy::default().into();
    assert_eq!(decide(&policy, request(vec![read("/w/a")])).verdict, Ask);
    assert!(!decide(&policy, request(Vec::new())).grant().names_readable(Path::new("/w/a")));
}

/// anthropics/claude-code#92034: no rule and no mode opens what decides about permissions, version control or shells.
#[test]
fn no_rule_opens_protected_places_and_none_the_hosts_own() {
    for mode in Mode::ALL {
        let setup = setup().allow("Edit(//**)").allow("Edit").mode(mode);
        for path in [
            "/w/.toolbay/settings.json",
            "/w/.git/hooks/pre-commit",
            "/home/ada/.bashrc",
            "/w/.vscode/tasks.json",
            "/w/.GIT/config",
        ] {
            assert_ne!(setup.verdict(write(path)), Allow, "{mode} {path}");
        }
        for access in [write("/home/ada/.config/toolbay/settings.json"), read("/home/ada/.config/toolbay/trust.json")] {
            assert_eq!(setup.verdict(access), Deny, "{mode}");
        }
        assert_eq!(setup.verdict(Access::Write(link("/w/x", "/home/ada/.config/toolbay/settings.json"))), Deny);
    }
    let grant = setup().allow("Edit(//**)").decide(write("/home/ada")).approved_grant();
    assert!(!grant.may_write(Held::at(Path::new("/home/ada/.config/toolbay/settings.json"))));
    assert!(!grant.may_move(Path::new("/home/ada/.config"), Path::new("/home/ada/other")));
}

/// What a person has said yes to is open; what lies further down and wasn't asked about stays closed.
#[test]
fn an_approval_opens_what_was_asked_about() {
    let setup = setup().ask("Read(//w/asked.txt)");
    let may = |grant: toolbay_policy::Grant, path: &str| grant.may_write(Held::at(Path::new(path)));
    let whole = setup.decide(write("/w")).approved_grant();
    assert!(may(whole.clone(), "/w/a") && !may(whole.clone(), "/w/.git/config") && !may(whole, "/w/asked.txt"));
    // A yes to a rule about the folder opens neither what is protected in it, nor what another rule asks about.
    let both =
        crate::support::setup().ask("Edit(./**)").ask("Edit(//w/asked.txt)").decide(write("/w")).approved_grant();
    assert!(may(both.clone(), "/w/a") && !may(both.clone(), "/w/.git/hooks/x") && !may(both, "/w/asked.txt"));
    assert!(may(setup.decide(write("/w/.git/config")).approved_grant(), "/w/.git/config"));
    assert!(may(setup.decide(write("/w/asked.txt")).approved_grant(), "/w/asked.txt"));
    assert!(!may(setup.decide(write("/w/asked.txt")).grant(), "/w/asked.txt"), "without the answer nothing is held");
}

#[test]
fn a_folder_that_is_worked_in_can_not_be_removed_or_moved() {
    let grant = setup().allow("Edit(//**)").decide(write("/")).approved_grant();
    for path in ["/w", "/home/ada", "/home", "/"] {
        assert!(!grant.may_remove(Path::new(path)), "{path}");
    }
    assert!(grant.may_remove(Path::new("/w/a")));
}
