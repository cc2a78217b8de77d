//! Argument vectors as text that means exactly one vector.

use std::borrow::Cow;

/// What stands between the words of a vector: no argument can hold it.
pub(crate) const BETWEEN: char = '\0';

/// The vector in the quoting of a POSIX shell, for people. Two different vectors never give the same text.
pub(crate) fn quote(program: &str, arguments: &[String]) -> String {
    let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
    words.map(word).collect::<Vec<_>>().join(" ")
}

/// The vector as the text of a rule that means this vector alone: a star is a wildcard in rules, in quotes too.
pub(crate) fn quote_for_rule(program: &str, arguments: &[String]) -> String {
    let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
    let escaped = |text: &str| {
        text.split('*').map(|part| if part.is_empty() { "".into() } else { word(part) }).collect::<Vec<_>>().join(r"\*")
    };
    words.map(|text| if text.is_empty() { "''".to_owned() } else { escaped(text) }).collect::<Vec<_>>().join(" ")
}

fn word(text: &str) -> Cow<'_, str> {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,@%+".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_argument_with_a_blank_differs_from_two() {
        assert_eq!(quote("echo", &["a b".into()]), "echo 'a b'");
        assert_eq!(quote("echo", &["a".into(), "b".into()]), "echo a b");
        assert_eq!(quote("echo", &[String::new()]), "echo ''");
        assert_eq!(quote("echo", &["it's".into()]), r"echo 'it'\''s'");
        assert_eq!(quote_for_rule("ls", &["*.rs".into(), "a b*".into()]), r"ls \*.rs 'a b'\*");
    }
}
