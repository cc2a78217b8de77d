//! Rules, trust, approvals, audit and settings, as a person at a shell meets them.

use serde_json::{Value, json};

use crate::support::Place;

/// A project that allows itself a file outside, and denies one inside.
fn project(place: &Place) -> String {
    let outside = place.path().join("outside.txt");
    std::fs::write(&outside, "outside").unwrap();
    std::fs::create_dir_all(place.path().join("work/.toolbay")).unwrap();
    std::fs::write(place.path().join("work/secret.txt"), "secret").unwrap();
    let settings =
        json!({ "permissions": { "allow": [format!("Read(/{})", outside.display())], "deny": ["Read(secret.txt)"] } });
    std::fs::write(place.path().join("work/.toolbay/settings.json"), settings.to_string()).unwrap();
    json!({ "file_path": outside }).to_string()
}

#[test]
fn a_projects_permissions_count_once_they_are_trusted() {
    let place = Place::new();
    let outside = project(&place);
    let read = |input: &str| place.run(&["--root", "work", "call", "Read", input]).code();
    assert_eq!((read(&outside), read(r#"{"file_path":"secret.txt"}"#)), (3, 3));
    let trusted = place.run(&["trust", "work"]);
    assert!(trusted.code() == 0 && trusted.output().contains("allows  Read(//"), "{}", trusted.all());
    assert_eq!((read(&outside), read(r#"{"file_path":"secret.txt"}"#)), (0, 3));
    assert!(place.run(&["trust", "--list"]).output().trim_end().ends_with("work"));
    assert_eq!(place.run(&["trust", "--revoke", "work"]).code(), 0);
    assert_eq!(read(&outside), 3);
    assert_eq!(place.run(&["trust", "."]).code(), 2, "there is nothing to trust");
}

#[test]
fn the_rules_that_hold_are_shown_with_their_places() {
    let place = Place::new();
    project(&place);
    let said =
        place.run(&["--root", "work", "--allow", "Bash(bash *)", "--deny", "Read(x)", "permissions", "--json"]).json();
    let rules = said["rules"].as_array().unwrap();
    let rule =
        |text: &str| rules.iter().find(|rule| rule["rule"] == text).unwrap_or_else(|| panic!("{text} in {said}"));
    assert_eq!(
        (&rule("Read(secret.txt)")["source"], &rule("Read(secret.txt)")["line"]),
        (&json!("project"), &json!(1))
    );
    assert_eq!((&rule("Read(x)")["list"], &rule("Read(x)")["source"]), (&json!("deny"), &json!("command-line")));
    assert!(rule("Bash(bash *)")["findings"][0].as_str().unwrap().contains("allows everything"));
    assert_eq!(said["sources"].as_array().unwrap().iter().filter(|source| source["state"] == "untrusted").count(), 1);
    let text = place.run(&["--root", "work", "permissions"]).output();
    assert!(text.contains("mode default") && text.contains("Read(secret.txt)   project settings ("), "{text}");
}

#[test]
fn a_tool_that_is_denied_as_a_whole_is_not_listed_and_an_unknown_name_is_told() {
    let place = Place::new();
    let listed = |rule: &str| place.run(&["--deny", rule, "tools"]);
    assert!(listed("Echo").output().contains("Read ") && !listed("Echo").output().contains("Echo"));
    assert!(listed("Read(x)").output().contains("Read "), "a narrower deny leaves it");
    assert_eq!(place.run(&["--deny", "Echo", "call", "Echo", r#"{"text":"a"}"#]).code(), 3);
    assert!(listed("Ehco").error().contains("names no tool"), "{}", listed("Ehco").error());
}

#[test]
fn a_rule_that_is_none_stops_the_start_and_an_allow_is_left_out() {
    let place = Place::new();
    let file = place.file("settings.json", "{\"permissions\": {\n  \"deny\": [\"Read([\"]}}");
    let said = place.run(&["--settings", file.to_str().unwrap(), "tools"]);
    assert!(said.code() == 2 && said.error().contains("line 2, column 12"), "{}", said.all());
    assert_eq!(place.run(&["--deny", "Read([", "tools"]).code(), 2);
    let said = place.run(&["--allow", "Read([", "tools"]);
    assert!(said.code() == 0 && said.error().contains("was left out"), "{}", said.all());
}

#[test]
fn a_question_is_answered_from_another_shell_and_serves_one_call() {
    let place = Place::new();
    let input = project(&place);
    let read = || place.run(&["call", "Read", &input, "--root", "work", "--json"]);
    let refused = read().json();
    assert_eq!(refused["error"]["code"], "approval-needed");
    let listed = place.run(&["approvals", "--json"]).json();
    let question = &listed["questions"][0]["question"];
    let id = question["id"].as_str().unwrap();
    assert!(refused["error"]["message"].as_str().unwrap().contains(&id[..8]), "{refused}");
    assert!(place.run(&["approvals", "show", id]).output().contains("with it the call would hold"));
    assert_eq!(place.run(&["approvals", "allow", id]).code(), 0);
    assert_eq!((read().code(), read().code()), (0, 3));
    assert_eq!(place.run(&["approvals", "allow", &id[..4], "--always"]).code(), 0);
    assert_eq!((read().code(), read().code()), (0, 0));
    let rules = place.run(&["permissions", "--root", "work", "--json"]).json();
    let always = rules["rules"].as_array().unwrap().iter().find(|rule| rule["source"] == "local").unwrap();
    assert_eq!(always["tools"], "Read");
    assert_eq!(place.run(&["approvals", "allow", "ffff"]).code(), 2);
}

#[test]
fn a_no_from_the_inbox_reaches_the_model_with_its_words() {
    let place = Place::new();
    let input = project(&place);
    let read = || place.run(&["call", "Read", &input, "--root", "work"]);
    read();
    let listed = place.run(&["approvals", "list", "--json"]).json();
    let id = listed["questions"][0]["question"]["id"].as_str().unwrap().to_owned();
    place.run(&["approvals", "allow", &id]);
    assert_eq!(place.run(&["approvals", "deny", &id, "--message", "ask the owner"]).code(), 0);
    let said = read();
    assert!(said.code() == 3 && said.error().contains("ask the owner"), "{}", said.all());
}

#[test]
fn every_call_is_in_the_audit_and_a_change_of_it_is_found() {
    let place = Place::new();
    let input = project(&place);
    place.run(&["call", "Echo", r#"{"text":"a"}"#]);
    place.run(&["call", "Read", &input]);
    let shown = place.run(&["audit", "show", "--json"]).json();
    let entries = shown["entries"].as_array().unwrap();
    let kinds: Vec<(&Value, &Value)> = entries.iter().map(|entry| (&entry["entry"], &entry["tool"])).collect();
    assert_eq!(kinds.len(), 4, "{shown}");
    assert!(place.run(&["audit", "show", "--last", "1"]).output().contains("call"));
    let verified = place.run(&["audit", "verify", "--json"]).json();
    assert_eq!((&verified["entries"], verified["last"].as_str().unwrap().len()), (&json!(4), 64));
    let file = place.path().join("state/audit/audit.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("Echo", "Ecko", 1)).unwrap();
    let broken = place.run(&["audit", "verify"]);
    assert!(broken.code() == 1 && broken.error().contains("audit-broken"), "{}", broken.all());
}

#[test]
fn settings_are_checked_translated_and_described() {
    let place = Place::new();
    let theirs = json!({ "permissions": { "allow": ["Bash(npm run test:*)", "*"], "deny": ["Read(./.env)"], "defaultMode": "acceptEdits" }, "model": "x" });
    let file = place.file("theirs.json", &theirs.to_string());
    let said = place.run(&["settings", "import", file.to_str().unwrap()]);
    let ours = json!({ "permissions": { "deny": ["Read(./.env)"], "allow": ["Bash(npm run test:*)"], "defaultMode": "accept-edits" } });
    assert_eq!(said.json(), ours);
    assert_eq!(said.error().matches("note:").count(), 2, "{}", said.error());
    let ours = place.file("ours.json", &ours.to_string());
    assert_eq!(place.run(&["settings", "check", ours.to_str().unwrap()]).code(), 0);
    assert_eq!(place.run(&["settings", "check", file.to_str().unwrap()]).code(), 2);
    let failing = place.file("failing.json", r#"{"permissions":{"ask":[{"rule":"Bash(ls *)","match":["rm x"]}]}}"#);
    assert_eq!(place.run(&["settings", "check", failing.to_str().unwrap()]).code(), 2);
    assert_eq!(place.run(&["settings", "schema"]).json()["title"], "Toolbay settings");
    let lost = place.file("lost.json", r#"{"permissions":{"deny":["Read(["]}}"#);
    assert_eq!(place.run(&["settings", "import", lost.to_str().unwrap()]).code(), 2);
}
