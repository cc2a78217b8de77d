//! Fitting a result to its tool's limit.
//!
//! Sizes are Unicode scalar values. A result of exactly the limit passes; a cut never splits a character, and always says
//! how much is missing.

use toolbay_sandbox::contract::{Content, Overflow};

use crate::Results;
use crate::report::Spilled;

/// How much of a spilled result the model sees, from its start and, for failures, from its end.
const PREVIEW: usize = 2_000;

/// A text that was fitted.
#[derive(Debug, PartialEq)]
pub(crate) enum Fitted {
    /// It was small enough, or was made so.
    Text { content: Vec<Content>, spilled: Option<Spilled> },
    /// It's an error to have asked for so much.
    Refused(String),
}

/// What to do with a result that's too large.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule<'a> {
    pub(crate) limit: Option<u32>,
    pub(crate) overflow: Overflow,
    pub(crate) results: &'a Results,
    pub(crate) call: &'a str,
    /// The end of a failure says most, so a preview shows it too.
    pub(crate) failure: bool,
}

/// Fits the text blocks of a result; all other blocks stay as they are.
pub(crate) fn fit(content: Vec<Content>, rule: Rule<'_>) -> Fitted {
    let Some(limit) = rule.limit.map(|limit| limit as usize) else {
        return Fitted::Text { content, spilled: None };
    };
    // A text has at most as many characters as bytes, so most results need no counting. Blocks are counted with the line
    // ends that join them, which is how a model reads them and a file keeps them.
    let joints = texts(&content).count().saturating_sub(1);
    let bytes = texts(&content).map(str::len).sum::<usize>() + joints;
    if bytes <= limit {
        return Fitted::Text { content, spilled: None };
    }
    let size = texts(&content).map(|text| text.chars().count()).sum::<usize>() + joints;
    if size <= limit {
        return Fitted::Text { content, spilled: None };
    }
    let whole = texts(&content).collect::<Vec<_>>().join("\n");
    let (text, spilled) = match rule.overflow {
        Overflow::Guide if !rule.failure => {
            return Fitted::Refused(format!(
                "the result has {size} characters, the limit is {limit}; ask for a smaller part"
            ));
        }
        Overflow::Spill => spill(&whole, size, limit, rule),
        // Without an auxiliary model, a summary is the start.
        Overflow::Truncate | Overflow::Summarise | Overflow::Guide => (truncate(&whole, limit), None),
    };
    Fitted::Text { content: replace_texts(content, text), spilled }
}

/// The one text in the place of the first; everything else stays where it is.
fn replace_texts(content: Vec<Content>, text: String) -> Vec<Content> {
    let mut text = Some(text);
    let replaced = content.into_iter().filter_map(|block| match block {
        Content::Text(_) => text.take().map(Content::Text),
        other => Some(other),
    });
    replaced.collect()
}

fn texts(content: &[Content]) -> impl Iterator<Item = &str> {
    content.iter().filter_map(|block| match block {
        Content::Text(text) => Some(text.as_str()),
        _ => None,
    })
}

fn spill(whole: &str, size: usize, limit: usize, rule: Rule<'_>) -> (String, Option<Spilled>) {
    let path = match rule.results.keep(rule.call, whole) {
        Ok(path) => path,
        Err(error) => {
            tracing::error!(folder = %rule.results.folder().display(), %error, "a result can't be kept");
            return (truncate(whole, limit), None);
        }
    };
    let preview = PREVIEW.min(limit);
    let head = first(whole, preview);
    let mut text = format!(
        "The result has {size} characters, which is over the limit of {limit}. All of it is in {}. It starts with:\n\n{head}",
        path.display()
    );
    if rule.failure {
        let tail = last(whole.get(head.len()..).unwrap_or_default(), preview);
        text.push_str("\n\nIt ends with:\n\n");
        text.push_str(tail);
    }
    let spilled = Spilled { path, characters: whole.chars().count() as u64, bytes: whole.len() as u64 };
    (text, Some(spilled))
}

fn truncate(whole: &str, limit: usize) -> String {
    let head = first(whole, limit);
    let missing = whole.get(head.len()..).unwrap_or_default().chars().count();
    format!("{head}\n\n[{missing} more characters were left out; the limit is {limit}. Ask for a smaller part.]")
}

/// The first `count` characters.
fn first(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

/// The last `count` characters.
fn last(text: &str, count: usize) -> &str {
    let Some(before) = count.checked_sub(1) else { return "" };
    text.char_indices().nth_back(before).and_then(|(start, _)| text.get(start..)).unwrap_or(text)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at what was done")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use toolbay_sandbox::contract::Blob;

    fn fitted(text: &str, limit: u32, overflow: Overflow, failure: bool) -> (String, Option<Spilled>) {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::new(folder.path().join("results"));
        let rule = Rule { limit: Some(limit), overflow, results: &results, call: "call", failure };
        match fit(vec![Content::Text(text.to_owned())], rule) {
            Fitted::Text { content, spilled } => {
                let kept = spilled.as_ref().map(|kept| std::fs::read_to_string(&kept.path).unwrap());
                assert!(kept.is_none_or(|kept| kept == text));
                (texts(&content).collect(), spilled)
            }
            Fitted::Refused(why) => (why, None),
        }
    }

    #[test]
    fn exactly_the_limit_passes_and_one_more_does_not() {
        let ten = "\u{1F600}".repeat(10);
        assert_eq!(fitted(&ten, 10, Overflow::Spill, false), (ten.clone(), None));
        let (text, spilled) = fitted(&format!("{ten}x"), 10, Overflow::Spill, false);
        assert!(text.starts_with("The result has 11 characters"), "{text}");
        assert_eq!(spilled.map(|spilled| (spilled.characters, spilled.bytes)), Some((11, 41)));
    }

    #[test]
    fn several_blocks_count_together_and_keep_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::new(folder.path().join("results"));
        let image = Content::Image(Blob { media_type: "image/png".into(), bytes: vec![1] });
        let text = |text: &str| Content::Text(text.to_owned());
        let content = vec![image.clone(), text("abc"), image.clone(), text("def")];
        let rule = |limit| Rule {
            limit: Some(limit),
            overflow: Overflow::Truncate,
            results: &results,
            call: "call",
            failure: false,
        };
        assert_eq!(fit(content.clone(), rule(7)), Fitted::Text { content: content.clone(), spilled: None });
        let Fitted::Text { content: cut, .. } = fit(content, rule(6)) else { panic!("text is cut") };
        assert!(
            matches!(&cut[..], [Content::Image(_), Content::Text(text), Content::Image(_)] if text.starts_with("abc\nde\n"))
        );
    }

    #[test]
    fn a_failure_shows_its_end_and_a_success_does_not() {
        let text = format!("{}END", "x".repeat(10_000));
        assert!(fitted(&text, 10, Overflow::Spill, true).0.ends_with("END"));
        assert!(!fitted(&text, 10, Overflow::Spill, false).0.contains("END"));
    }

    #[test]
    fn guidance_and_truncation_name_the_numbers() {
        assert_eq!(
            fitted("abcdef", 4, Overflow::Guide, false).0,
            "the result has 6 characters, the limit is 4; ask for a smaller part"
        );
        assert!(fitted("abcdef", 4, Overflow::Truncate, false).0.starts_with("abcd\n\n[2 more characters"));
        assert!(fitted("abcdef", 4, Overflow::Summarise, false).0.starts_with("abcd\n\n[2 more characters"));
    }

    proptest! {
        #[test]
        fn a_cut_keeps_whole_characters_and_counts_the_rest(text in "\\PC{0,40}", limit in 0_u32..40) {
            let (result, _) = fitted(&text, limit, Overflow::Truncate, false);
            let count = text.chars().count();
            if count <= limit as usize {
                prop_assert_eq!(result, text);
            } else {
                let head: String = text.chars().take(limit as usize).collect();
                let tail = format!("[{} more characters", count - limit as usize);
                prop_assert!(result.starts_with(&head) && result.contains(&tail));
            }
        }
    }
}
