//! Tests of what is shown of a question.

use super::*;
use toolbay::Ask;

fn question() -> Question {
    Question {
        id: "3f2a9c0100000000".into(),
        binding: "3f2a9c01".repeat(8),
        session: "session".into(),
        agent: "agent".into(),
        call: "call".into(),
        tool: "Fetcher".into(),
        origin: "built-in Fetcher".into(),
        digest: "1234abcd".repeat(8),
        input: r#"{"url":"https://docs.rs/"}"#.into(),
        running: false,
        summary: Some("Fetch a page".into()),
        asks: vec![ask("fetch https://docs.rs/")],
        accesses: vec!["fetch https://docs.rs/".into(), "read /w/a".into()],
        rules: Some(vec!["WebFetch(domain:docs.rs)".into()]),
        file: Some("/home/me/settings.json".into()),
    }
}

fn ask(access: &str) -> Ask {
    Ask { access: access.into(), reason: "default: fetching asks".into() }
}

fn offered(question: &Question) -> String {
    String::from_utf8(Page::new(question, 80).offered).unwrap()
}

#[test]
fn a_question_says_who_wants_what_and_what_each_key_does() {
    let expected = "\
── approval 3f2a9c01 ───────────────────────────────────────
Fetcher (built-in Fetcher, sha256 1234abcd…) wants to:
  fetch https://docs.rs/  (default: fetching asks)
With it the call would hold:
  read /w/a
In its own words: Fetch a page
Input: {\"url\":\"https://docs.rs/\"}
  o  once
  s  for this session: WebFetch(domain:docs.rs) for Fetcher
  a  always: the same rule, written to /home/me/settings.json
  d  deny
  m  deny with a message
Answer for 3f2a9c01: ";
    let page = Page::new(&question(), 80);
    assert_eq!(page.text, expected);
    assert_eq!((&*page.offered, &*page.hint), (&b"osadm"[..], "Press o, s, a, d, m."));
}

#[test]
fn only_answers_that_can_be_given_are_offered() {
    assert_eq!(offered(&Question { file: None, ..question() }), "osdm");
    assert_eq!(offered(&Question { rules: None, ..question() }), "odm");
    assert_eq!(offered(&Question { rules: Some(Vec::new()), ..question() }), "odm");
    let bare = Question { asks: Vec::new(), accesses: Vec::new(), summary: None, ..question() };
    let text = Page::new(&bare, 80).text;
    assert!(text.contains("asks to run.\nInput:"), "{text}");
}

#[test]
fn what_cannot_be_shown_whole_cannot_be_allowed() {
    let long = "x".repeat(ACCESS + 1);
    assert_eq!(offered(&Question { asks: vec![ask(&long)], ..question() }), "dm");
    assert_eq!(offered(&Question { asks: vec![ask("x"); LINES + 1], ..question() }), "dm");
    assert_eq!(offered(&Question { tool: long.clone(), ..question() }), "dm");
    assert_eq!(offered(&Question { rules: Some(vec![long.clone()]), ..question() }), "odm");
    assert_eq!(offered(&Question { rules: Some(vec!["x".into(); LINES + 1]), ..question() }), "odm");
    assert_eq!(offered(&Question { accesses: vec![long; LINES + 1], ..question() }), "osadm");
    assert_eq!(offered(&Question { asks: vec![ask("x"); LINES], ..question() }), "osadm");
}

#[test]
fn a_long_input_is_cut_and_the_rest_is_counted() {
    let page = Page::new(&Question { input: "\u{e9}".repeat(INPUT + 123), ..question() }, 100_000);
    assert!(page.text.contains("\u{e9}… 123 more characters\n"));
    let page = Page::new(&Question { accesses: vec!["x".into(); LINES + 2], ..question() }, 80);
    assert!(page.text.contains("  x\n  … 2 more\n"));
}

#[test]
fn look_alikes_are_named() {
    let page =
        Page::new(&Question { tool: "Re\u{430}d".into(), asks: vec![ask("fetch b\u{fc}cher.de")], ..question() }, 200);
    assert!(page.text.contains("Re\u{430}d [contains U+0430] (built-in"), "{}", page.text);
    assert!(page.text.contains("b\u{fc}cher.de [contains U+00FC]  ("), "{}", page.text);
    let many: String = ('\u{430}'..'\u{450}').collect();
    assert!(name(&many, NAME).text.ends_with("U+0436, U+0437 and others]"));
}

/// Text that would be lines, sequences and rows of ours, in every part that comes from others.
#[test]
fn no_text_of_others_looks_like_a_line_of_ours() {
    let evil = format!("a\nAnswer for x:\r\x1b[2J\u{202e}\u{9b}1A\t{}Answer for 3f2a9c01: ", " ".repeat(32));
    let evil = || evil.clone();
    let question = Question {
        id: evil(),
        tool: evil(),
        origin: evil(),
        digest: evil(),
        input: evil().repeat(100),
        summary: Some(evil().repeat(9)),
        asks: vec![Ask { access: evil(), reason: evil() }],
        accesses: vec![evil()],
        rules: Some(vec![evil(), evil()]),
        file: Some(evil().into()),
        ..question()
    };
    let ours = ["── approval", "a\\nAns", "With i", "In its", "Input:", "Answer"];
    for width in 0..120 {
        let page = Page::new(&question, width);
        assert!(!page.text.contains(|character: char| character.is_control() && character != '\n'));
        assert!(!page.text.contains('\u{202e}'));
        for line in page.text.lines() {
            assert!(line.starts_with("  ") || ours.iter().any(|start| line.starts_with(start)), "{width}: {line}");
            assert!(line.chars().count() < width.max(NARROWEST), "{width}: {line}");
        }
        assert_eq!(page.text.lines().filter(|line| line.starts_with("Answer")).count(), 1);
    }
}
