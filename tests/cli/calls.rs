//! Calling, listing, inspecting: arguments, output, exit codes.

use std::process::Stdio;

use serde_json::json;

use crate::support::{Place, Said};

#[test]
fn a_file_is_read_with_its_lines_numbered() {
    let place = Place::new();
    place.file("a.txt", "one\ntwo\n");
    let said = place.run(&["call", "Read", r#"{"file_path":"a.txt"}"#]);
    assert_eq!((said.code(), said.output().as_str(), said.error().as_str()), (0, "     1\tone\n     2\ttwo\n", ""));
}

#[test]
fn what_is_outside_the_root_is_denied_and_nothing_of_it_appears() {
    let place = Place::new();
    let said = place.run(&["call", "Read", r#"{"file_path":"/etc/passwd"}"#]);
    assert_eq!(said.code(), 3);
    for part in ["read /etc/passwd", "Read(//etc/passwd)", "permissions.allow", "approval-needed"] {
        assert!(said.error().contains(part), "{part}: {}", said.error());
    }
    assert!(!said.all().contains("root:"));
}

#[test]
fn the_rule_that_the_denial_names_allows_it() {
    let place = Place::new();
    let settings = place.file("settings.json", r#"{"permissions":{"allow":["Read(//etc/passwd)"]}}"#);
    let said = place.run(&["call", "Read", r#"{"file_path":"/etc/passwd"}"#, "--settings", settings.to_str().unwrap()]);
    assert_eq!(said.code(), 0, "{}", said.error());
    assert!(said.output().contains("root:"));
}

#[test]
fn the_input_comes_from_an_argument_a_file_or_standard_input() {
    let place = Place::new();
    place.file("input.json", r#"{"text":"from a file"}"#);
    assert_eq!(place.run(&["call", "Echo", "@input.json"]).output(), "from a file\n");
    assert_eq!(place.run_with_input(&["call", "Echo", "-"], br#"{"text":"from a pipe"}"#).output(), "from a pipe\n");
}

#[test]
fn bad_input_is_a_mistake_of_use() {
    let place = Place::new();
    for (arguments, part) in [
        (vec!["call", "Echo", "nonsense"], "invalid-input"),
        (vec!["call", "Echo", r#"{"text":"a","text":"b"}"#], "stands twice"),
        (vec!["call", "Echo", "{}"], "required"),
        (vec!["call", "Echo", r#"{"text":"a","more":1}"#], "more"),
        (vec!["call", "Echo", r#"{"text":1}"#], "/text"),
        (vec!["call", "Ecko", "{}"], "did you mean Echo?"),
        (vec!["call", "Echo", "@missing.json"], "missing.json"),
        (vec!["call", "missing.wasm", "{}"], "missing.wasm"),
        (vec!["call", "Echo"], "<INPUT>"),
        (vec!["call", "Echo", "{}", "--colour"], "--colour"),
        (vec!["call", "Echo", "{}", "--timeout", "0"], "1..=600"),
        (vec!["call", "Echo", "{}", "--mode", "yolo"], "accept-edits"),
        (vec!["call", "Echo", "{}", "--root", "missing"], "is no folder"),
        (vec!["tools", "--settings", "missing.json"], "missing.json"),
        (vec!["inspect", "Nothing"], "no tool `Nothing`"),
        (vec!["fly"], "fly"),
        (vec![], "Usage"),
    ] {
        let said = place.run(&arguments);
        assert_eq!(said.code(), 2, "{arguments:?}: {}", said.all());
        assert!(said.error().contains(part), "{arguments:?}: {}", said.error());
    }
}

#[test]
fn sixty_four_megabytes_of_input_are_refused_by_their_size() {
    let place = Place::new();
    let input = format!(r#"{{"text":"{}"}}"#, "x".repeat(64 << 20));
    let said = place.run_with_input(&["call", "Echo", "-"], input.as_bytes());
    assert_eq!(said.code(), 4);
    assert!(said.error().contains("limits.inputBytes"), "{}", said.error());
}

#[test]
fn settings_that_are_not_understood_stop_everything() {
    let place = Place::new();
    for (text, part) in [
        (r#"{"permissions":{"deny":["Raed(//a)"]}}"#, "Raed"),
        ("{\n  \"permission\": {}\n}", "line 2"),
        ("nonsense", "line 1"),
    ] {
        let settings = place.file("settings.json", text);
        let said = place.run(&["call", "Echo", r#"{"text":"x"}"#, "--settings", settings.to_str().unwrap()]);
        assert_eq!(said.code(), 2);
        assert!(said.error().contains(part) && said.output().is_empty(), "{}", said.all());
    }
}

#[test]
fn a_deadline_and_a_crash_end_with_their_own_code() {
    let place = Place::new();
    let spin = place.run(&["call", toolbay_tests::LIMITS_SPIN, r#"{"at":"call"}"#, "--timeout", "1"]);
    assert_eq!(spin.code(), 4);
    assert!(spin.error().contains("error[deadline]") && spin.error().contains("1000 ms"), "{}", spin.error());
    let crash = place.run(&["call", toolbay_tests::LIMITS_TRAP, r#"{"message":"\u001b[31mred"}"#]);
    assert_eq!(crash.code(), 4);
    assert!(crash.error().contains("error[trap]"), "{}", crash.error());
}

#[test]
fn a_tool_that_fails_ends_with_one() {
    assert_eq!(Place::new().run(&["call", "Read", r#"{"file_path":"missing"}"#]).code(), 1);
}

/// Whether the process has a handler for SIGINT, as the kernel says.
fn catches_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t")).unwrap();
    u64::from_str_radix(caught, 16).unwrap() & 0b10 != 0
}

#[test]
fn output_that_nobody_looks_at_is_not_touched() {
    let place = Place::new();
    place.file("a.txt", "a\x1b[31mb\x07\x1b]c\x7f\nrest\n");
    let said = place.run(&["call", "Read", r#"{"file_path":"a.txt"}"#]);
    assert_eq!(said.output(), "     1\ta\x1b[31mb\x07\x1b]c\x7f\n     2\trest\n");
}

#[test]
fn a_host_that_can_not_be_set_up_is_no_mistake_of_use() {
    let place = Place::new();
    let cache = place.0.path().join("cache");
    std::fs::create_dir(&cache).unwrap();
    std::fs::set_permissions(&cache, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let mut command = place.command(&["call", "Echo", r#"{"text":"x"}"#]);
    let said = Said(command.env("TOOLBAY_CACHE", &cache).output().unwrap());
    assert!(said.code() == 5 && said.error().contains("host-fault"), "{}", said.all());
}

#[test]
fn without_a_cache_everything_still_works() {
    let place = Place::new();
    let file = place.file("no-folder", "");
    let mut command = place.command(&["call", "Echo", r#"{"text":"works"}"#]);
    let said = Said(command.env("TOOLBAY_CACHE", file.join("cache")).output().unwrap());
    assert_eq!((said.code(), said.output().as_str()), (0, "works\n"), "{}", said.error());
}

#[test]
fn an_interrupt_cancels_the_call() {
    let place = Place::new();
    let mut command = place.command(&["call", toolbay_tests::LIMITS_SLEEP, r#"{"milliseconds":60000}"#]);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let process = rustix::process::Pid::from_child(&child);
    // Before the handler is in place, the signal would end the program.
    while !catches_interrupts(child.id()) {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let said = Said(child.wait_with_output().unwrap());
    assert_eq!(said.code(), 4, "{}", said.all());
    assert!(said.error().contains("error[cancelled]"), "{}", said.error());
}

#[test]
fn tools_are_listed_and_a_broken_component_breaks_nothing() {
    let place = Place::new();
    place.file("broken.wasm", "not a component");
    let settings = place.file("settings.json", r#"{"components":["broken.wasm","missing.wasm"]}"#);
    let said = place.run(&["tools", "--settings", settings.to_str().unwrap()]);
    assert_eq!(said.code(), 0);
    assert!(said.output().starts_with("2 tools\nEcho  ") && said.output().contains("\nRead  "), "{}", said.output());
    assert!(
        said.error().contains("broken.wasm` can't be used") && said.error().contains("missing.wasm"),
        "{}",
        said.error()
    );
    let listed = place.run(&["tools", "--json"]).json();
    assert_eq!(listed["tools"][1]["name"], "Read");
    assert_eq!(listed["tools"][1]["inputSchema"]["required"], json!(["file_path"]));
}

#[test]
fn a_component_from_disk_is_inspected_and_run() {
    let place = Place::new();
    let inspected = place.run(&["inspect", toolbay_tests::FILES_LIAR]).output();
    for part in ["sha256:", "contract  0.1.0", "can use the files that a call is granted", "Liar"] {
        assert!(inspected.contains(part), "{part}: {inspected}");
    }
    let several = place.run(&["call", toolbay_tests::RESULTS_SIZED, r#"{"text":"x","times":2}"#]);
    assert!(several.code() == 2 && several.error().contains("#NAME"), "{}", several.error());
    let one = format!("{}#Truncated", toolbay_tests::RESULTS_SIZED);
    assert_eq!(place.run(&["call", &one, r#"{"text":"x","times":2}"#]).output(), "xx\n");
    let newer = place.run(&["inspect", toolbay_tests::CONTRACT_NEWER]);
    assert!(newer.code() == 2 && newer.all().contains("0.2.0") && newer.all().contains("0.1.0"), "{}", newer.all());
}

#[test]
fn why_explains_without_running() {
    let place = Place::new();
    let allowed = place.run(&["why", "Read", r#"{"file_path":"missing.txt"}"#]);
    assert_eq!(allowed.code(), 0);
    assert!(allowed.output().contains("reading inside the roots is allowed"), "{}", allowed.output());
    let asked = place.run(&["why", "Read", r#"{"file_path":"/etc/passwd"}"#, "--json"]);
    assert_eq!(asked.code(), 3);
    assert_eq!(asked.json()["decision"]["remedy"], json!(["Read(//etc/passwd)"]));
    assert_eq!(asked.json()["decision"]["grant"], json!([]));
}

#[test]
fn json_holds_the_whole_report() {
    let place = Place::new();
    let done = place.run(&["call", "Echo", r#"{"text":"x"}"#, "--json"]).json();
    assert_eq!(done["content"], json!([{ "type": "text", "text": "x" }]));
    assert_eq!(done["decision"]["verdict"], "allow");
    let denied = place.run(&["call", "Read", r#"{"file_path":"/etc/passwd"}"#, "--json"]);
    assert_eq!((denied.code(), denied.error().as_str()), (3, ""));
    assert_eq!(denied.json()["error"]["code"], "approval-needed");
    assert_eq!(denied.json()["error"]["stage"], "decide");
}

#[test]
fn every_mode_can_be_chosen() {
    let place = Place::new();
    let read = r#"{"file_path":"/etc/passwd"}"#;
    for (mode, code) in [("default", 3), ("accept-edits", 3), ("plan", 3), ("dont-ask", 3), ("bypass", 0)] {
        assert_eq!(place.run(&["call", "Read", read, "--mode", mode]).code(), code, "{mode}");
    }
}

#[test]
fn the_cache_is_shown_filled_and_emptied() {
    let place = Place::new();
    let cache = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        Said(command.env("TOOLBAY_CACHE", place.0.path().join("cache")).output().unwrap())
    };
    assert_eq!(cache(&["cache", "warm", "--json"]).json()["compiled"], 2);
    assert_eq!(cache(&["cache", "--json"]).json()["entries"], 4);
    assert_eq!(cache(&["cache", "warm", "--json"]).json()["compiled"], 0);
    assert!(cache(&["cache", "clear"]).output().contains("4 entries"));
    assert_eq!(cache(&["cache", "--json"]).json()["entries"], 0);
}

#[test]
fn help_teaches_and_the_version_names_the_contract() {
    let place = Place::new();
    let help = place.run(&["--help"]);
    assert!(help.code() == 0 && help.output().contains("Exit codes") && help.output().contains("toolbay why"));
    assert_eq!(place.run(&["--version"]).output(), "toolbay 0.1.0 (contract 0.1.0)\n");
    for shell in ["bash", "zsh", "fish"] {
        assert!(place.run(&["completions", shell]).output().contains("toolbay"), "{shell}");
    }
}

#[test]
fn nothing_is_coloured_when_nobody_looks() {
    let place = Place::new();
    for arguments in [vec!["tools"], vec!["call", "Ecko", "{}"], vec!["inspect", "Echo"]] {
        assert!(!place.run(&arguments).all().contains('\x1b'), "{arguments:?}");
    }
}
