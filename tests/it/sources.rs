//! The sources of settings: who may say what, and what counts.

use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::path::Path;

use serde_json::{Value, json};
use toolbay::policy::{Mode, Wish};
use toolbay::{Agent, Code, HostOptions, LayerState, SessionSettings, Settings, SettingsError, Trust, Use, locate};
use toolbay_tests::{ASKS_PERSON, FILES_LIAR};

use crate::support::TestHost;

/// A host with these files of settings, by source. The project's folder is the root.
fn with(files: &[(&str, Value)], change: impl FnOnce(&mut HostOptions)) -> TestHost {
    TestHost::session(
        &[ASKS_PERSON, FILES_LIAR],
        |options| {
            let config = options.places.config.clone().unwrap();
            let top = config.parent().unwrap();
            options.places.project = true;
            options.places.policy = Some(top.join("policy.json"));
            for (source, content) in files {
                let path = match *source {
                    "policy" => top.join("policy.json"),
                    "user" => config.join("settings.json"),
                    "project" => top.join("root/.toolbay/settings.json"),
                    other => panic!("{other}"),
                };
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content.to_string()).unwrap();
            }
            change(options);
        },
        |_| (),
    )
}

fn permissions(list: &str, rule: &str) -> Value {
    json!({ "permissions": { list: [rule] } })
}

fn session(host: &TestHost, change: impl FnOnce(&mut SessionSettings)) -> Result<Agent, SettingsError> {
    let mut settings = SessionSettings::in_folder(host.root());
    change(&mut settings);
    host.host.block_on(host.host.session(settings)).map(|session| session.agent())
}

fn reads(host: &TestHost, agent: &Agent, path: &str) -> Result<(), Code> {
    let input = json!({ "declare": [path] }).to_string();
    host.host.block_on(agent.call(Use::new("Liar", input))).result.map(drop).map_err(|error| error.code)
}

#[test]
fn every_source_can_deny_and_none_can_lift_it() {
    let everything = permissions("allow", "Read");
    let host = with(
        &[("user", permissions("deny", "Read(user.txt)")), ("project", permissions("deny", "Read(project.txt)"))],
        |options| {
            options.settings.permissions.deny = vec!["Read(line.txt)".into()];
            options.settings.permissions.allow = vec!["Read".into()];
        },
    );
    for name in ["user.txt", "project.txt", "line.txt"] {
        assert_eq!(reads(&host, &host.agent, name), Err(Code::Denied), "{name}");
    }
    assert_eq!(reads(&host, &host.agent, "other.txt"), Ok(()));
    assert_eq!(everything["permissions"]["allow"][0], "Read");
}

#[test]
fn what_a_project_allows_counts_once_it_is_trusted_and_while_it_stays_the_same() {
    let settings = json!({ "permissions": { "allow": ["Read(//etc/**)"], "deny": ["Read(x)"], "additionalDirectories": ["/usr/share"] } });
    let host = with(&[("project", settings.clone())], |_| ());
    let state = |agent: &Agent| agent.session().layers().layers()[2].state;
    assert_eq!(state(&host.agent), LayerState::Untrusted);
    assert_eq!(
        (reads(&host, &host.agent, "/etc/hosts"), reads(&host, &host.agent, "/usr/share/doc")),
        (Err(Code::ApprovalNeeded), Err(Code::ApprovalNeeded))
    );
    assert_eq!(reads(&host, &host.agent, "x"), Err(Code::Denied));
    assert!(host.agent.session().layers().warnings[0].contains("toolbay trust"));
    let config = host.root().parent().unwrap().join("config");
    let file = host.root().join(".toolbay/settings.json");
    let seen = Trust::seen(&settings.to_string(), Some(&Settings::parse_at(&file, &settings.to_string()).unwrap()));
    Trust::read(&config).unwrap().give(&locate(&host.root()).unwrap(), &seen).unwrap();
    let trusted = session(&host, |_| ()).unwrap();
    assert_eq!((reads(&host, &trusted, "/etc/hosts"), reads(&host, &trusted, "/usr/share/doc")), (Ok(()), Ok(())));
    host.file(".toolbay/settings.json", permissions("allow", "Edit").to_string());
    let changed = session(&host, |_| ()).unwrap();
    assert_eq!(state(&changed), LayerState::Changed);
    assert_eq!(reads(&host, &changed, "/etc/hosts"), Err(Code::ApprovalNeeded));
}

#[test]
fn a_project_can_not_make_itself_comfortable() {
    for settings in [
        json!({ "components": ["evil.wasm"] }),
        json!({ "limits": { "memoryBytes": 1_048_576 } }),
        json!({ "features": ["x"] }),
        json!({ "permissions": { "forbid": { "modes": ["plan"] } } }),
    ] {
        let host = with(&[], |_| ());
        host.file(".toolbay/settings.json", settings.to_string());
        assert!(session(&host, |_| ()).is_err(), "{settings}");
    }
    let careful = with(&[("project", json!({ "permissions": { "defaultMode": "plan" } }))], |_| ());
    assert_eq!(careful.agent.mode(), Mode::Plan);
    let loose = with(&[("project", json!({ "permissions": { "defaultMode": "bypass" } }))], |_| ());
    assert_eq!(loose.agent.mode(), Mode::Default);
}

/// anthropics/claude-code#24846
#[test]
fn settings_that_can_not_be_used_stop_the_start_and_are_named() {
    for text in [
        r#"{"permissions":{"read":{"deny":["x"]}}}"#,
        r#"{"permissions":{"deyn":["Read(x)"]}}"#,
        r#"{"permissions":{"deny":"Read(x)"}}"#,
        r#"{"permissions":{"deny":["Read(x)"],}}"#,
        "{\n\"permissions\":{\"deny\":[\"Read([\"]}}",
        r#"{"permissions":{"ask":[{"rule":"Bash(ls *)","match":["rm x"]}]}}"#,
    ] {
        let host = with(&[], |_| ());
        host.file(".toolbay/settings.json", text);
        let error = session(&host, |_| ()).err().map_or_else(|| panic!("{text}"), |error| error.to_string());
        assert!(error.contains(".toolbay/settings.json"), "{error}");
    }
    let host = with(&[], |_| ());
    host.file(".toolbay/settings.json", "{\n\"permissions\":{\"deny\":[\n  \"Read([\"]}}");
    assert!(session(&host, |_| ()).unwrap_err().to_string().contains("line 3, column 3"));
    host.file(
        ".toolbay/settings.json",
        r#"{"permissions":{"allow":["Read([", {"rule":"Bash(ls *)","match":["rm x"]}]}}"#,
    );
    let lenient = session(&host, |_| ()).unwrap();
    assert_eq!(lenient.session().layers().warnings.len(), 2, "{:?}", lenient.session().layers().warnings);
}

/// anthropics/claude-code#5938
#[test]
fn settings_behind_a_link_count() {
    let host = with(&[("project", permissions("deny", "Read(secrets.txt)"))], |options| {
        let config = options.places.config.clone().unwrap();
        let copy = config.parent().unwrap().join("dotfiles.json");
        std::fs::create_dir_all(&config).unwrap();
        std::fs::write(&copy, permissions("deny", "Read(user.txt)").to_string()).unwrap();
        symlink(copy, config.join("settings.json")).unwrap();
    });
    assert_eq!(reads(&host, &host.agent, "secrets.txt"), Err(Code::Denied));
    assert_eq!(reads(&host, &host.agent, "user.txt"), Err(Code::Denied));
    let config = host.root().parent().unwrap().join("config");
    std::fs::remove_file(config.join("settings.json")).unwrap();
    symlink("settings.json", config.join("settings.json")).unwrap();
    assert!(session(&host, |_| ()).is_err(), "a file that is there and can't be read is no missing file");
}

/// anthropics/claude-code#86253: forbidden in every way, with the policy named. Files of root are needed for a policy.
#[test]
fn a_policy_must_belong_to_root_and_its_ban_holds_for_everybody() {
    let host = with(&[], |_| ());
    let policy = host.root().parent().unwrap().join("policy.json");
    std::fs::write(&policy, json!({ "permissions": { "forbid": { "modes": ["bypass"] } } }).to_string()).unwrap();
    if std::fs::metadata(&policy).unwrap().uid() != 0 {
        let refused = session(&host, |_| ()).unwrap_err();
        assert!(matches!(refused, SettingsError::Owner(_)), "{refused}");
        return;
    }
    let refused = session(&host, |settings| settings.mode = Some(Mode::Bypass)).unwrap_err().to_string();
    assert!(refused.contains("policy.json"), "{refused}");
    let agent = session(&host, |_| ()).unwrap();
    assert!(agent.set_mode(Mode::Bypass).is_err());
    let (child, refused) = agent.derive("child", Wish { mode: Some(Mode::Bypass), ..Wish::default() });
    assert_eq!(refused.len(), 1);
    assert_eq!(reads(&host, &child, "/etc/hosts"), Err(Code::ApprovalNeeded));
    for source in ["config/settings.json", "root/.toolbay/settings.json"] {
        let path = host.root().parent().unwrap().join(source);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, json!({ "permissions": { "defaultMode": "bypass" } }).to_string()).unwrap();
        let begun = session(&host, |_| ());
        assert!(begun.is_err() || begun.unwrap().mode() == Mode::Default, "{source}");
        std::fs::remove_file(path).unwrap();
    }
    chown(&policy, Some(1), None).unwrap();
    assert!(matches!(session(&host, |_| ()), Err(SettingsError::Owner(_))));
}

#[test]
fn a_policy_takes_away_sources_and_capabilities() {
    let forbid = json!({ "permissions": { "forbid": { "sources": ["user"], "capabilities": ["wasi:filesystem"] } } });
    let user = json!({ "permissions": { "allow": ["Read(//etc/**)"], "deny": ["Read(x)"] } });
    let host = with(&[("user", user)], |_| ());
    let policy = host.root().parent().unwrap().join("policy.json");
    std::fs::write(&policy, forbid.to_string()).unwrap();
    if std::fs::metadata(&policy).unwrap().uid() != 0 {
        assert!(session(&host, |_| ()).is_err());
        return;
    }
    let agent = session(&host, |_| ()).unwrap();
    assert_eq!(agent.session().layers().layers()[1].state, LayerState::Forbidden);
    assert!(agent.session().catalogue().find("Liar").is_none(), "it imports files");
    assert!(agent.session().catalogue().broken().iter().any(|broken| broken.why.contains("the policy forbids")));
    let input = |path: &str| json!({ "verdict": "allow", "access": [{ "kind": "read", "value": path }] }).to_string();
    let call = |path: &str| {
        host.host.block_on(agent.call(Use::new("Careful", input(path)))).result.map_err(|error| error.code)
    };
    assert_eq!((call("/etc/hosts").err(), call("x").err()), (Some(Code::ApprovalNeeded), Some(Code::Denied)));
}

#[test]
fn no_tool_reaches_the_hosts_own_places() {
    let host = TestHost::options(&[FILES_LIAR], |options| {
        options.settings.permissions.allow = vec!["Read".into(), "Edit".into()];
        options.settings.permissions.default_mode = Some(Mode::Bypass);
    });
    let config = host.root().parent().unwrap().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("settings.json"), "SECRET").unwrap();
    symlink(&config, host.path("link")).unwrap();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    for path in [config.join("settings.json"), config.clone(), cache, host.root().join("link/settings.json")] {
        assert_eq!(reads(&host, &host.agent, path.to_str().unwrap()), Err(Code::Denied), "{}", path.display());
    }
    let opened = json!({ "declare": ["/"], "open": [config.join("settings.json"), host.path("link/settings.json")] });
    let said = host.text("Liar", opened);
    assert!(!said.contains("SECRET") && said.matches("PermissionDenied").count() == 2, "{said}");
}

#[test]
fn settings_behind_a_linked_folder_are_the_hosts_own_too() {
    let host = TestHost::options(&[FILES_LIAR], |options| {
        let config = options.places.config.clone().unwrap();
        let dotfiles = config.parent().unwrap().join("root/dotfiles");
        std::fs::create_dir_all(&dotfiles).unwrap();
        std::fs::write(dotfiles.join("settings.json"), "{}").unwrap();
        symlink(&dotfiles, &config).unwrap();
    });
    assert_eq!(reads(&host, &host.agent, &host.path("dotfiles/settings.json")), Err(Code::Denied));
    assert_eq!(reads(&host, &host.agent, &host.path("other/settings.json")), Ok(()));
}

#[test]
fn who_does_not_count_can_only_be_stricter() {
    let user = json!({ "permissions": { "defaultMode": "plan" } });
    let project = |mode: &str| json!({ "permissions": { "defaultMode": mode } });
    let mode = |files: &[(&str, Value)]| with(files, |_| ()).agent.mode();
    assert_eq!(mode(&[("user", user.clone()), ("project", project("default"))]), Mode::Plan);
    assert_eq!(mode(&[("project", project("dont-ask"))]), Mode::DontAsk);
    let host = with(&[("user", user)], |_| ());
    let policy = host.root().parent().unwrap().join("policy.json");
    let forbid = json!({ "permissions": { "defaultMode": "plan", "forbid": { "sources": ["command-line", "user"] } } });
    std::fs::write(&policy, forbid.to_string()).unwrap();
    if std::fs::metadata(&policy).unwrap().uid() == 0 {
        let agent = session(&host, |settings| settings.mode = Some(Mode::Bypass)).unwrap();
        assert_eq!(agent.mode(), Mode::Plan);
        std::fs::write(&policy, r#"{"permissions":{"forbid":{"sources":["sesion"]}}}"#).unwrap();
        assert!(session(&host, |_| ()).is_err());
    }
}

#[test]
fn where_a_trusted_folder_leads_is_part_of_what_is_trusted() {
    let settings = json!({ "permissions": { "additionalDirectories": ["../../data"] } });
    let host = with(&[("project", settings.clone())], |_| ());
    let (data, other) = (host.root().parent().unwrap().join("data"), host.root().parent().unwrap().join("other"));
    [&data, &other].iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
    let file = host.root().join(".toolbay/settings.json");
    let seen = || Trust::seen(&settings.to_string(), Some(&Settings::parse_at(&file, &settings.to_string()).unwrap()));
    let config = host.root().parent().unwrap().join("config");
    Trust::read(&config).unwrap().give(&locate(&host.root()).unwrap(), &seen()).unwrap();
    let agent = session(&host, |_| ()).unwrap();
    assert_eq!(reads(&host, &agent, data.join("a").to_str().unwrap()), Ok(()));
    std::fs::remove_dir(&data).unwrap();
    symlink(&other, &data).unwrap();
    let agent = session(&host, |_| ()).unwrap();
    assert_eq!(reads(&host, &agent, data.join("a").to_str().unwrap()), Err(Code::ApprovalNeeded));
}
