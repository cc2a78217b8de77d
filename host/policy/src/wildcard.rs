//! Text with `*` in it: any text, the empty one too.

use std::fmt;

/// A pattern over one text. `*` stands for any text; everything else for itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wildcard {
    /// The texts between the stars; one more than there are stars.
    parts: Vec<Box<str>>,
}

impl Wildcard {
    /// The pattern that this text spells.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self { parts: text.split('*').map(Into::into).collect() }
    }

    /// A pattern from its parts, which mean themselves, stars included.
    pub(crate) fn of_parts(parts: Vec<Box<str>>) -> Self {
        Self { parts }
    }

    /// The text that it stands for, when it stands for one alone.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// What every text that matches begins with.
    #[must_use]
    pub fn start(&self) -> &str {
        self.parts.first().map_or("", |part| part)
    }

    pub(crate) fn parts(&self) -> &[Box<str>] {
        &self.parts
    }

    /// Whether the text matches. Time is bounded by the product of both lengths.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.parts.split_first() else { return false };
        let Some((last, middle)) = rest.split_last() else { return text == &**first };
        let Some(text) = text.strip_prefix(&**first) else { return false };
        let Some(mut text) = text.strip_suffix(&**last) else { return false };
        // The leftmost place for each part leaves the most for the next.
        for part in middle {
            match text.find(&**part) {
                Some(at) => text = text.get(at + part.len()..).unwrap_or_default(),
                None => return false,
            }
        }
        true
    }
}

impl fmt::Display for Wildcard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.parts.join("*"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, yes, no) in [
            ("a", &["a"][..], &["", "ab", "ba"][..]),
            ("a*", &["a", "ab"], &["ba"]),
            ("*a", &["a", "ba"], &["ab"]),
            ("a*a", &["aa", "aba"], &["a"]),
            ("*", &["", "x"], &[]),
            ("a*b*c", &["abc", "a-b-c", "abcbc"], &["ac", "acb", "ab"]),
            ("*x*", &["x", "axb"], &["ab"]),
        ] {
            let wildcard = Wildcard::new(pattern);
            yes.iter().for_each(|text| assert!(wildcard.matches(text), "{pattern} {text}"));
            no.iter().for_each(|text| assert!(!wildcard.matches(text), "{pattern} {text}"));
        }
    }

    /// The plainest way to say what a star is.
    fn plain(pattern: &str, text: &str) -> bool {
        match pattern.split_at_checked(1) {
            None => text.is_empty(),
            Some(("*", rest)) => (0..=text.len()).any(|at| plain(rest, &text[at..])),
            Some((one, rest)) => text.strip_prefix(one).is_some_and(|text| plain(rest, text)),
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_plainest_matcher(pattern in "[ab*]{0,6}", text in "[ab]{0,8}") {
            prop_assert_eq!(Wildcard::new(&pattern).matches(&text), plain(&pattern, &text));
        }
    }
}
