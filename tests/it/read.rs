//! `Read` through its sandbox. Most of these were public reports about the file tools of coding agents.

use serde_json::json;
use toolbay::Code;

use crate::support::TestHost;

fn host() -> TestHost {
    TestHost::with(&[])
}

#[test]
fn an_offset_past_the_end_names_the_number_of_lines() {
    let host = host();
    host.file("five.txt", "1\n2\n3\n4\n5\n");
    let text = host.text("Read", json!({ "file_path": "five.txt", "offset": 100 }));
    assert!(text.contains("5 lines") && !text.contains("empty"), "{text}");
}

#[test]
fn an_empty_file_has_no_numbered_line() {
    let host = host();
    host.file("empty.txt", "");
    let text = host.text("Read", json!({ "file_path": "empty.txt" }));
    assert!(text.contains("empty") && !text.contains('\t'), "{text}");
}

#[test]
fn one_huge_line_is_cut_with_a_mark() {
    let host = host();
    host.file("huge.js", "x".repeat(600_000));
    let text = host.text("Read", json!({ "file_path": "huge.js" }));
    assert!(text.chars().count() < 3_000 && text.contains("598000 more characters"), "{}", &text[2_000..]);
}

#[test]
fn a_long_file_gives_its_first_page_and_says_so() {
    let host = host();
    host.file("long.txt", (1..=20_010).map(|line| line.to_string()).collect::<Vec<_>>().join("\n"));
    let text = host.text("Read", json!({ "file_path": "long.txt" }));
    assert!(text.contains("  2000\t2000\n") && !text.contains("2001\t"), "the first 2,000 lines");
    assert!(text.contains("20010") && text.contains("offset"), "{}", &text[text.len() - 300..]);
}

#[test]
fn a_range_over_the_cap_is_refused_with_the_way_forward() {
    let host = host();
    host.file("big.txt", format!("{}\n", "y".repeat(1_000)).repeat(305));
    let error = host.error("Read", json!({ "file_path": "big.txt", "limit": 305 }));
    assert_eq!(error.code, Code::ToolFailed);
    for part in ["big.txt", "305305", "200,000", "limit"] {
        assert!(error.message.replace("200000", "200,000").contains(part), "{part}: {error}");
    }
}

#[test]
fn numbers_in_quotes_are_numbers() {
    let host = host();
    host.file("five.txt", "1\n2\n3\n4\n5\n");
    assert!(host.text("Read", json!({ "file_path": "five.txt", "offset": " +4 " })).starts_with("     4\t4"));
}

#[test]
fn a_binary_file_is_named_and_none_of_it_is_shown() {
    let host = host();
    host.file("notes.txt", b"PK\x03\x04\x14\0\0\0SECRETBYTES");
    let error = host.error("Read", json!({ "file_path": "notes.txt" }));
    assert!(error.message.to_lowercase().contains("zip") && !error.message.contains("SECRETBYTES"), "{error}");
}

#[test]
fn utf_16_is_text() {
    let host = host();
    host.file("windows.txt", b"\xFF\xFEh\0i\0\n\0");
    assert!(host.text("Read", json!({ "file_path": "windows.txt" })).starts_with("     1\thi"));
}

#[test]
fn a_folder_and_a_missing_file_are_named() {
    let host = host();
    host.file("folder/a.txt", "x");
    assert!(host.error("Read", json!({ "file_path": "folder" })).message.contains("folder"));
    assert!(host.error("Read", json!({ "file_path": "missing.txt" })).message.contains("doesn't exist"));
}

#[test]
fn what_was_read_is_remembered_by_the_agent_alone() {
    let host = host();
    let path = host.file("a.txt", "x");
    host.text("Read", json!({ "file_path": "a.txt" }));
    assert!(host.agent.has_read(path.as_ref()));
    assert!(!host.agent.session().agent().has_read(path.as_ref()));
}

#[test]
fn every_tab_and_accent_of_the_file_survives() {
    let host = host();
    host.file("a.go", "\u{feff}\tif x {\r\n\t\ty(\"\u{e9}\u{1F600}\")\n}");
    let text = host.text("Read", json!({ "file_path": "a.go" }));
    assert!(text.starts_with("     1\t\tif x {\n     2\t\t\ty(\"\u{e9}\u{1F600}\")\n     3\t}"), "{text:?}");
}
