//! The index against the plainest way to match, and the forms of names.

use std::ffi::OsStr;

use globset::GlobBuilder;
use proptest::prelude::*;

use super::*;
use crate::path::{Anchors, PathPattern};
use crate::{List, Location};

fn index(form: Form, patterns: &[&str]) -> PathIndex {
    let mut index = PathIndex::new(form);
    let anchors = Anchors { roots: vec![Location::plain(Path::new("/w"))], home: None };
    for (rule, text) in patterns.iter().enumerate() {
        for (start, tail) in PathPattern::parse(text).unwrap().places(List::Deny, &anchors, None) {
            index.add(&start, &tail, u32::try_from(rule).unwrap());
        }
    }
    index
}

fn covering(index: &PathIndex, path: impl AsRef<OsStr>) -> Vec<u32> {
    let mut found = Vec::new();
    index.covering(Path::new(path.as_ref()), |rule| found.push(rule));
    found.sort_unstable();
    found.dedup();
    found
}

#[test]
fn patterns_cover_what_gitignore_would() {
    for (pattern, yes, no) in [
        (".env", &["/w/.env", "/w/a/b/.env", "/w/.env/x"][..], &["/v/.env", "/w/.env2", "/w", "/"][..]),
        ("./.env", &["/w/.env"], &["/w/a/.env"]),
        ("**/.env*", &["/w/.env", "/w/a/.env.local"], &["/w/a/env"]),
        ("secrets/**", &["/w/secrets", "/w/secrets/a", "/w/a/secrets/b"], &["/w/secrets2/a"]),
        ("src/*.rs", &["/w/src/a.rs"], &["/w/src/a/b.rs", "/w/a/src/c.rs"]),
        ("src/**/*.rs", &["/w/src/a.rs", "/w/src/a/b.rs"], &["/w/a.rs"]),
        ("a/**/b", &["/w/a/b", "/w/a/x/y/b", "/w/a/b/c"], &["/w/ab", "/w/a/xb"]),
        ("//**/id_*", &["/id_rsa", "/home/a/.ssh/id_rsa"], &["/home/a/xid_rsa"]),
        ("*.pem", &["/w/a.pem", "/w/x/b.c.pem"], &["/w/a.pem2", "/w/pem"]),
        ("*.tar.gz", &["/w/a.tar.gz"], &["/w/a.gz"]),
        (r"\*", &["/w/*"], &["/w/a"]),
        ("//", &["/", "/a"], &[]),
    ] {
        let index = index(Form::Exact, &[pattern]);
        yes.iter().for_each(|path| assert_eq!(covering(&index, path), [0], "{pattern} {path}"));
        no.iter().for_each(|path| assert!(covering(&index, path).is_empty(), "{pattern} {path}"));
    }
}

#[test]
fn two_spellings_of_one_name_are_one_where_that_counts() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}");
    for (pattern, name) in [(composed, decomposed), (decomposed, composed)] {
        assert_eq!(covering(&index(Form::Composed, &[pattern]), format!("/w/{name}")), [0]);
        assert!(covering(&index(Form::Exact, &[pattern]), format!("/w/{name}")).is_empty());
    }
    let folded = index(Form::Folded, &["//data/Secret/**", "*.PEM", "//data/[A-C]x"]);
    assert_eq!(covering(&folded, "/DATA/secret/x"), [0]);
    assert_eq!(covering(&folded, "/w/a.pem"), [1]);
    assert_eq!(covering(&folded, "/data/bX"), [2]);
}

#[test]
fn a_name_that_is_not_utf8_is_reached_by_wildcards_only() {
    let index = index(Form::Composed, &["//a/*", "//a/b"]);
    assert_eq!(covering(&index, OsStr::from_bytes(b"/a/\xff")), [0]);
}

#[test]
fn a_move_keeps_covered_what_was() {
    let index = index(Form::Exact, &[".env", "a/keys", "./b/**/*.pem"]);
    let stays = |old, new| index.stays_covered(Path::new(old), Path::new(new), |_| true);
    assert!(stays("/w/x", "/w/y"), "a bare name is closed wherever it goes");
    assert!(!stays("/w/a", "/w/y"), "`keys` would be open in another folder");
    assert!(!stays("/w", "/v"));
    assert!(stays("/w/b/c", "/w/b/d") && !stays("/w/b/c", "/w/c"));
    assert!(stays("/v/x", "/v/y"));
}

/// Patterns and paths over a small alphabet, so that they meet.
fn pattern() -> impl Strategy<Value = String> {
    let segment = prop_oneof![Just("**".to_owned()), "[ab*?]{1,3}", "[ab]{1,2}\\.[ab*]{1,2}", "\\*\\.[ab]"];
    prop::collection::vec(segment, 1..4).prop_map(|segments| format!("//{}", segments.join("/")))
}

proptest! {
    #[test]
    fn agrees_with_globset(patterns in prop::collection::vec(pattern(), 1..6), path in "(/[ab]{1,2}(\\.[ab]{1,2})?){0,4}") {
        let texts: Vec<&str> = patterns.iter().map(String::as_str).collect();
        let found = covering(&index(Form::Exact, &texts), if path.is_empty() { "/" } else { &path });
        for (rule, text) in patterns.iter().enumerate() {
            // What a pattern names, and all below: the path itself or one of the folders above it matches.
            let mut text = text.trim_start_matches('/');
            while let Some(shorter) = text.strip_suffix("**").filter(|shorter| shorter.is_empty() || shorter.ends_with('/')) {
                text = shorter.trim_end_matches('/');
            }
            let glob = GlobBuilder::new(text).literal_separator(true).build().unwrap().compile_matcher();
            let expected = text.is_empty() || Path::new(&path).ancestors().any(|above| {
                above.strip_prefix("/").is_ok_and(|above| !above.as_os_str().is_empty() && glob.is_match(above))
            });
            prop_assert_eq!(found.contains(&u32::try_from(rule).unwrap()), expected, "{} {}", text, path);
        }
    }
}
