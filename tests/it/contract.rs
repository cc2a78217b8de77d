//! The contract alone: guests without the SDK, of other versions, with odd answers, and by hand.

use std::path::Path;

use serde_json::json;
use toolbay::{ComponentError, inspect};
use toolbay_tests::{
    CONTRACT_BARE, CONTRACT_GREEDY, CONTRACT_NEWER, CONTRACT_PURE, DESCRIBE_ODD, FILES_LIAR, component_from_wat,
};

use crate::support::TestHost;

#[test]
fn a_guest_written_with_wit_bindgen_alone_runs() {
    let host = TestHost::with(&[CONTRACT_BARE, CONTRACT_PURE]);
    assert_eq!(host.text("Bare", json!({ "text": "hi" })), "bare: hi");
    assert_eq!(host.text("Pure", json!({ "a": 1 })), r#"pure: {"a":1}"#);
}

/// A component from the text of a core module.
fn wat(name: &str) -> Vec<u8> {
    let path = Path::new(toolbay_tests::WORKSPACE).join("tests/wat").join(name);
    component_from_wat(&std::fs::read_to_string(path).unwrap())
}

fn written(bytes: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("guest.wasm");
    std::fs::write(&path, bytes).unwrap();
    (folder, path.to_str().unwrap().to_owned())
}

#[test]
fn a_guest_written_by_hand_in_webassembly_text_runs() {
    let (_keep, path) = written(&wat("hello.wat"));
    let host = TestHost::with(&[&path]);
    assert_eq!(host.text("Hello", json!({})), "hello from text");
    assert!(inspect(&std::fs::read(path).unwrap()).unwrap().powers().is_empty(), "it imports nothing");
}

#[test]
fn a_start_function_that_loops_is_stopped_like_anything_else() {
    let (_keep, path) = written(&wat("start_loop.wat"));
    let host = TestHost::settings(&[&path], |settings| settings.limits.preflight_milliseconds = 1_000);
    let broken = host.agent.session().catalogue().broken();
    assert!(broken[0].why.contains("Deadline"), "{broken:?}");
    assert_eq!(host.text("Echo", json!({ "text": "next" })), "next");
}

/// Why this component can't be used; the built-in tools still can.
fn refused(bytes: &[u8]) -> String {
    let (_keep, path) = written(bytes);
    let host = TestHost::with(&[&path]);
    assert_eq!(host.text("Echo", json!({ "text": "fine" })), "fine");
    assert_eq!(host.agent.session().catalogue().tools().len(), 2);
    host.agent.session().catalogue().broken()[0].why.clone()
}

#[test]
fn another_version_of_the_contract_is_named_beside_ours() {
    let why = refused(&std::fs::read(CONTRACT_NEWER).unwrap());
    assert!(why.contains("0.2.0") && why.contains("0.1.0"), "{why}");
}

#[test]
fn an_import_that_the_host_does_not_offer_is_named() {
    let bytes = std::fs::read(CONTRACT_GREEDY).unwrap();
    assert!(refused(&bytes).contains("elsewhere:power/launch"), "{}", refused(&bytes));
    assert!(inspect(&bytes).unwrap().powers().iter().any(|power| power.contains("doesn't offer")));
}

#[test]
fn what_is_no_component_is_refused() {
    let good = std::fs::read(FILES_LIAR).unwrap();
    assert!(refused(b"").contains("no WebAssembly component"));
    assert!(refused(b"#!/bin/sh\necho hello\n").contains("no WebAssembly component"));
    assert!(refused(b"\0asm\x01\0\0\0").contains("core WebAssembly module"));
    assert!(refused(&good[..good.len() / 2]).contains("no WebAssembly component"));
    let mut flipped = good;
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xFF;
    flipped[middle + 1] ^= 0xFF;
    // Whatever that does to the component, it must not do anything to the host.
    let (_keep, path) = written(&flipped);
    assert_eq!(TestHost::with(&[&path]).text("Echo", json!({ "text": "fine" })), "fine");
}

#[test]
fn machine_code_is_never_taken() {
    let engine = wasmtime::Engine::default();
    let code = engine.precompile_component(&std::fs::read(CONTRACT_PURE).unwrap()).unwrap();
    assert!(refused(&code).contains("machine code"));
}

#[test]
fn a_component_that_is_too_large_is_refused_by_its_size() {
    let host = TestHost::settings(&[FILES_LIAR], |settings| settings.limits.component_bytes = 1_000);
    assert!(host.agent.session().catalogue().broken()[0].why.contains("limits.componentBytes"));
}

#[test]
fn odd_answers_of_describe_refuse_the_component_and_nothing_else() {
    for (feature, part) in [
        ("trap", "ended while it described itself"),
        ("spin", "Deadline"),
        ("empty", "no tool"),
        ("duplicate", "twice"),
        ("bad-name", "no name"),
        ("bad-schema", "no JSON"),
        ("remote-reference", "can't be used"),
        ("array-schema", "`object`"),
        ("long", "16384"),
        ("many", "256"),
    ] {
        let host = TestHost::settings(&[DESCRIBE_ODD], |settings| {
            settings.features = vec![feature.into()];
            settings.limits.preflight_milliseconds = 1_000;
        });
        let broken = host.agent.session().catalogue().broken();
        assert!(broken[0].why.contains(part), "{feature}: {broken:?}");
        assert_eq!(host.agent.session().catalogue().tools().len(), 2, "{feature}");
    }
}

#[test]
fn a_tool_can_switch_itself_off() {
    let on = TestHost::with(&[DESCRIBE_ODD]);
    assert!(on.agent.session().catalogue().find("Odd").is_some());
    let off = TestHost::settings(&[DESCRIBE_ODD], |settings| settings.features = vec!["disabled".into()]);
    assert!(off.agent.session().catalogue().find("Odd").is_none());
    assert!(off.agent.session().catalogue().broken().is_empty());
}

#[test]
fn a_component_can_not_take_the_name_of_a_built_in_tool() {
    let (_keep, path) = written(&wat("echo_squatter.wat"));
    let host = TestHost::with(&[&path]);
    assert_eq!(host.text("Echo", json!({ "text": "built-in" })), "built-in");
    assert!(host.agent.session().catalogue().broken()[0].why.contains("`Echo`"));
}

#[test]
fn inspection_reads_no_code() {
    let inspection = inspect(&std::fs::read(FILES_LIAR).unwrap()).unwrap();
    assert_eq!(inspection.contract_version(), Some("0.1.0"));
    assert!(inspection.powers().iter().any(|power| power.contains("files")));
    assert!(matches!(inspect(b"\0asm\x01\0\0\0"), Err(ComponentError::Module)));
}
