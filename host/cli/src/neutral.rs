//! Text from tools on its way to a terminal.
//!
//! A terminal obeys control sequences: text of a stranger could rewrite what was printed before, or fill the clipboard.
//! Everything but line ends and tabs that a terminal or a reader's eye would obey is shown as an escape instead.

use std::borrow::Cow;

/// The text with every control character, and every character that reorders or hides others, made visible.
pub(crate) fn neutral(text: &str) -> Cow<'_, str> {
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if obeyed(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn obeyed(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Bidirectional overrides and isolates, zero-width characters, tag characters.
        '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(neutral("a\x1b[31mb\x07\r\u{9b}c"), "a\\u{1b}[31mb\\u{7}\\u{d}\\u{9b}c");
        assert_eq!(neutral("\u{202e}evil"), "\\u{202e}evil");
        assert_eq!(neutral("plain\ttext\n\u{e9}"), "plain\ttext\n\u{e9}");
    }
}
