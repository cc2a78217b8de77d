//! Text from tools on its way to a terminal.
//!
//! A terminal obeys control sequences: text of a stranger could rewrite what was printed before, or fill the clipboard.
//! Everything but line ends and tabs that a terminal or a reader's eye would obey is shown as an escape instead.

use std::borrow::Cow;
use std::fmt::Write;

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

/// Text of others as a part of one line of ours: its line ends and tabs are escapes too, so that it forges no line.
pub(crate) fn one_line(text: &str) -> String {
    neutral(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// JSON text with the same characters as JSON escapes. They only ever stand in strings, so it's the same document.
pub(crate) fn neutral_json(text: &str) -> Cow<'_, str> {
    if !text.contains(obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if obeyed(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string can't fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

fn obeyed(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Bidirectional marks, zero-width characters, variation selectors, tags.
        '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e01ef}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(neutral("a\x1b[31mb\x07\r\u{9b}c"), "a\\u{1b}[31mb\\u{7}\\u{d}\\u{9b}c");
        assert_eq!(neutral_json("\"\u{9b}\u{e0001}\u{7f}\""), r#""\u009b\udb40\udc01\u007f""#);
        assert_eq!(neutral("\u{202e}evil"), "\\u{202e}evil");
        assert_eq!(neutral("plain\ttext\n\u{e9}"), "plain\ttext\n\u{e9}");
        assert_eq!(one_line("a\n\tb\r"), r"a\n\tb\u{d}");
    }
}
