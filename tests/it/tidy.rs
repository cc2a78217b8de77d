//! What the repository promises about itself.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use toolbay_tests::WORKSPACE;

/// Every file that belongs to the project.
fn files() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if ["target", ".git", "deps"].contains(&name) {
                continue;
            }
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(WORKSPACE).canonicalize().unwrap(), &mut found);
    found
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(WORKSPACE)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a package depends on when it's used, not when it's tested.
fn dependencies(metadata: &Value, package: &str) -> BTreeSet<String> {
    let packages = metadata["packages"].as_array().unwrap();
    let found = packages.iter().find(|found| found["name"] == package).unwrap_or_else(|| panic!("{package}"));
    let used = found["dependencies"].as_array().unwrap().iter().filter(|dependency| dependency["kind"].is_null());
    used.map(|dependency| dependency["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn crates_depend_in_one_direction() {
    let metadata = metadata();
    let ours = |package: &str| -> Vec<String> {
        dependencies(&metadata, package).into_iter().filter(|name| name.starts_with("toolbay")).collect()
    };
    assert_eq!(ours("toolbay-policy"), [] as [&str; 0]);
    assert_eq!(ours("toolbay-sandbox"), ["toolbay-policy"]);
    assert_eq!(ours("toolbay"), ["toolbay-policy", "toolbay-sandbox"]);
    assert_eq!(ours("toolbay-mcp"), ["toolbay"]);
    assert_eq!(ours("toolbay-cli"), ["toolbay"]);
    assert_eq!(ours("toolbay-sdk"), [] as [&str; 0]);
    for tool in ["toolbay-echo", "toolbay-read"] {
        assert_eq!(ours(tool), ["toolbay-sdk"], "{tool}");
    }
}

#[test]
fn each_crate_lacks_what_its_border_says() {
    let metadata = metadata();
    let lacks = |package: &str, banned: &[&str]| {
        for name in dependencies(&metadata, package) {
            assert!(!banned.iter().any(|banned| name.starts_with(banned)), "{package} must not know {name}");
        }
    };
    lacks("toolbay-policy", &["wasm", "tokio", "rustix", "cap-std", "tracing"]);
    lacks("toolbay-sandbox", &["rmcp", "clap", "jsonschema"]);
    lacks("toolbay", &["wasm", "rmcp", "clap"]);
    lacks("toolbay-mcp", &["wasm"]);
    lacks("toolbay-cli", &["wasm"]);
}

#[test]
fn files_are_short_enough_to_read() {
    for path in files().iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
        let lines = text(path).lines().count();
        assert!(lines <= 400, "{} has {lines} lines", path.display());
    }
}

#[test]
fn every_module_says_what_it_is() {
    for path in files().iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
        let is_part_of_another = path.file_name().unwrap().to_str().unwrap().ends_with("tests.rs");
        let begins = text(path);
        assert!(is_part_of_another || begins.starts_with("//!") || begins.starts_with("#![doc"), "{}", path.display());
    }
}

#[test]
fn every_guest_has_a_test() {
    let tests: String =
        files().iter().filter(|path| path.to_str().unwrap().contains("/tests/it/")).map(|path| text(path)).collect();
    for guest in files().iter().filter(|path| path.to_str().unwrap().contains("/tests/guests/src/bin/")) {
        let name = guest.file_stem().unwrap().to_str().unwrap().to_uppercase();
        assert!(tests.contains(&name), "no test uses {name}");
    }
}

#[test]
fn the_vendored_interfaces_are_those_of_the_engine() {
    let output = Command::new(env!("CARGO"))
        // Only this platform's packages are sure to be there.
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(WORKSPACE)
        .output()
        .unwrap();
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let wasi = packages.iter().find(|package| package["name"] == "wasmtime-wasi").unwrap();
    let shipped = Path::new(wasi["manifest_path"].as_str().unwrap()).with_file_name("src").join("p2/wit/deps");
    for entry in std::fs::read_dir(Path::new(WORKSPACE).join("wit/deps")).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(text(&path), text(&shipped.join(path.file_name().unwrap())), "{}", path.display());
    }
}

#[test]
fn every_lint_exception_has_a_reason() {
    for path in files().iter().filter(|path| path.extension().is_some_and(|ending| ending == "rs")) {
        let text = text(path);
        for (place, _) in
            text.match_indices(&["#[al", "low("].concat()).chain(text.match_indices(&["#[ex", "pect("].concat()))
        {
            let exception = &text[place..];
            let end = exception.find(")]").unwrap();
            assert!(exception[..end].contains("reason"), "{}: {}", path.display(), &exception[..end]);
        }
    }
}

#[test]
fn the_versions_agree() {
    let wit = text(&Path::new(WORKSPACE).join("wit/world.wit"));
    assert!(wit.contains(&format!("package toolbay:tool@{};", toolbay::contract::VERSION)));
    let arguments = text(&Path::new(WORKSPACE).join("host/cli/src/args.rs"));
    assert!(arguments.contains(&format!(r#"(contract ", "{}", ")""#, toolbay::contract::VERSION)));
}
