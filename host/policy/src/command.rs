//! Argument vectors as text that means exactly one vector.

use std::borrow::Cow;

/// The vector in the quoting of a POSIX shell. Two different vectors never give the same text.
pub(crate) fn quote(program: &str, arguments: &[String]) -> String {
    let words = std::iter::once(program).chain(arguments.iter().map(String::as_str));
    words.map(word).collect::<Vec<_>>().join(" ")
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
    }
}
