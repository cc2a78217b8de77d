//! A command in a rule: words, with `*` for any text.

use super::text::BETWEEN;
use crate::Wildcard;

/// A parsed pattern. It's compared with the whole argument vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    /// Words apart, so that one argument with a blank is never taken for two.
    exact: Wildcard,
    /// Words joined by blanks: covers more. For rules that deny and ask.
    loose: Wildcard,
    /// A trailing ` *` that is the only star also stands for nothing.
    also_bare: Option<Box<str>>,
}

/// Why a text is no command pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandPatternError {
    /// Nothing between the parentheses.
    #[error("it names no command")]
    Empty,
    /// A quote that isn't closed, or a backslash at the end.
    #[error("it has a quote that isn't closed, or ends with a backslash; write `\\'` for the character itself")]
    Quote,
    /// `a && b`
    #[error("`{0}` stands between commands, and a rule is about one; it could never match")]
    Operator(String),
    /// A NUL.
    #[error("no command has a NUL in it")]
    Nul,
}

const OPERATORS: [&str; 11] = ["&&", "||", ";", "|", "|&", "&", ">", ">>", "<", "2>", "&>"];

impl CommandPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, CommandPatternError> {
        if text.contains(BETWEEN) {
            return Err(CommandPatternError::Nul);
        }
        let text = text.trim_matches([' ', '\t']);
        let spaced;
        let text = match text.strip_suffix(":*").filter(|start| !start.ends_with('\\')) {
            Some(start) => {
                spaced = format!("{start} *");
                spaced.as_str()
            }
            None => text,
        };
        let operator = text.split([' ', '\t']).find(|word| OPERATORS.contains(word));
        if let Some(operator) = operator {
            return Err(CommandPatternError::Operator(operator.to_owned()));
        }
        let parts = read(text)?;
        if parts.iter().all(|part| part.is_empty()) && parts.len() == 1 {
            return Err(CommandPatternError::Empty);
        }
        let also_bare = match parts.as_slice() {
            [start, end] if end.is_empty() => start.strip_suffix(BETWEEN).map(Into::into),
            _ => None,
        };
        let loose = parts.iter().map(|part| part.replace(BETWEEN, " ").into()).collect();
        Ok(Self { exact: Wildcard::of_parts(parts), loose: Wildcard::of_parts(loose), also_bare })
    }

    /// Whether it's this vector, its words joined by [`BETWEEN`].
    pub(crate) fn is(&self, vector: &str) -> bool {
        self.exact.matches(vector) || self.also_bare.as_deref() == Some(vector)
    }

    /// Whether it could be this vector, its words joined by blanks.
    pub(crate) fn could_be(&self, joined: &str) -> bool {
        self.loose.matches(joined)
            || self.also_bare.as_deref().is_some_and(|bare| {
                bare.len() == joined.len()
                    && bare.chars().zip(joined.chars()).all(|(one, two)| one == two || one == BETWEEN && two == ' ')
            })
    }

    /// Without a wildcard.
    pub(crate) fn is_one_command(&self) -> bool {
        self.exact.literal().is_some()
    }

    /// What every vector that matches begins with, up to the first blank, when that's one word for all.
    pub(crate) fn first_word(&self) -> Option<&str> {
        let start = self.loose.start();
        match (start.split_once(' '), self.loose.literal()) {
            (Some((first, _)), _) => Some(first),
            (None, Some(only)) => Some(only),
            (None, None) => None,
        }
    }

    /// The words without their wildcards, for the eye of a reviewer.
    pub(crate) fn words(&self) -> Vec<String> {
        self.exact.parts().join("*").split(BETWEEN).map(str::to_owned).collect()
    }
}

/// The texts between the stars. Blanks outside quotes stand between words; a star is one in quotes too.
fn read(text: &str) -> Result<Vec<Box<str>>, CommandPatternError> {
    let (mut parts, mut part, mut quote, mut blank) = (Vec::new(), String::new(), None, false);
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let separates = quote.is_none() && (character == ' ' || character == '\t');
        if blank && !separates {
            part.push(BETWEEN);
        }
        blank = separates;
        match (character, quote) {
            _ if separates => {}
            ('*', _) => parts.push(std::mem::take(&mut part).into()),
            ('\\', None | Some('"')) => part.push(characters.next().ok_or(CommandPatternError::Quote)?),
            ('\'' | '"', None) => quote = Some(character),
            (_, Some(open)) if character == open => quote = None,
            _ => part.push(character),
        }
    }
    if quote.is_some() {
        return Err(CommandPatternError::Quote);
    }
    parts.push(part.into());
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::super::text::quote_for_rule;
    use super::*;
    use proptest::prelude::*;

    fn vector(words: &[&str]) -> String {
        words.join("\0")
    }

    #[test]
    fn stars_and_blanks() {
        for (pattern, yes, no) in [
            ("ls", &[&["ls"][..]][..], &[&["ls", "-l"][..], &["lsof"]][..]),
            ("ls *", &[&["ls"], &["ls", "-l"], &["ls", "a", "b"]], &[&["lsof"], &["ls "]]),
            ("ls:*", &[&["ls"], &["ls", "-l"]], &[&["lsof"]]),
            ("ls*", &[&["ls"], &["lsof"], &["ls", "-l"]], &[&["als"]]),
            ("* --help *", &[&["npm", "--help", "x"]], &[&["npm", "--help"]]),
            ("ssh * uptime *", &[&["ssh", "h", "uptime", "-s"]], &[&["ssh", "h", "uptime"]]),
            ("git commit -m 'a b'", &[&["git", "commit", "-m", "a b"]], &[&["git", "commit", "-m", "a", "b"]]),
            ("echo  a\tb", &[&["echo", "a", "b"]], &[&["echo", "a b"]]),
            (r"ls \*", &[&["ls", "*"]], &[&["ls", "a"]]),
            ("git commit *", &[&["git", "commit", "-m", "one\ntwo"]], &[&["git", "push"]]),
            (
                "npm run test:*",
                &[&["npm", "run", "test"], &["npm", "run", "test", "x"]],
                &[&["npm", "run", "test:unit"]],
            ),
            ("a:b *", &[&["a:b", "c"]], &[&["a", "b"]]),
        ] {
            let parsed = CommandPattern::parse(pattern).unwrap();
            yes.iter().for_each(|words| assert!(parsed.is(&vector(words)), "{pattern} {words:?}"));
            no.iter().for_each(|words| assert!(!parsed.is(&vector(words)), "{pattern} {words:?}"));
        }
        assert!(CommandPattern::parse("*gcloud auth*").unwrap().could_be("sh -c gcloud auth list"));
    }

    #[test]
    fn what_is_no_command_says_why() {
        assert_eq!(CommandPattern::parse(" "), Err(CommandPatternError::Empty));
        assert_eq!(CommandPattern::parse("echo it's"), Err(CommandPatternError::Quote));
        assert_eq!(CommandPattern::parse("a && b"), Err(CommandPatternError::Operator("&&".into())));
        assert_eq!(CommandPattern::parse("a > b"), Err(CommandPatternError::Operator(">".into())));
    }

    proptest! {
        #[test]
        fn a_vector_as_a_rule_is_that_vector_alone(words in prop::collection::vec("[ab *'\"\\\\:]{0,4}", 1..4), other in prop::collection::vec("[ab *'\"\\\\:]{0,4}", 1..4)) {
            prop_assume!(!words[0].is_empty());
            let text = quote_for_rule(&words[0], &words[1..]);
            let pattern = CommandPattern::parse(&text).unwrap();
            prop_assert!(pattern.is(&words.join("\0")), "{}", text);
            prop_assert!(pattern.could_be(&words.join(" ")), "{}", text);
            prop_assert_eq!(pattern.is(&other.join("\0")), words == other, "{}", text);
        }

        #[test]
        fn both_spellings_of_a_prefix_are_one(start in "[a-z]{1,3}( [a-z]{1,3}){0,2}", words in prop::collection::vec("[a-z \n]{1,4}", 1..5)) {
            let (one, two) = (CommandPattern::parse(&format!("{start} *")).unwrap(), CommandPattern::parse(&format!("{start}:*")).unwrap());
            prop_assert_eq!(&one, &two);
            prop_assert_eq!(one.is(&words.join("\0")), two.is(&words.join("\0")));
        }
    }
}
