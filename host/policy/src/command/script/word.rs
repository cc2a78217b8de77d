//! One word while it's being read: what it says, and which of it was quoted.

use super::Word;

/// A word that grows.
#[derive(Debug, Default)]
pub(super) struct Builder {
    text: String,
    /// How much of the front is neither quoted nor expanded, once something is.
    plain: Option<usize>,
    expanded: bool,
    brace: Option<usize>,
    bracket: Option<usize>,
    open_brackets: usize,
}

/// A word that is read to its end.
pub(super) struct Token {
    pub(super) word: Word,
    /// The bytes in front that are neither quoted nor expanded.
    plain: usize,
    quoted: bool,
    /// Whether bash may read on, over blanks and all, for the end of a subscript.
    pub(super) open_subscript: bool,
}

impl Builder {
    /// An unquoted character.
    pub(super) fn plain(&mut self, character: char) {
        match character {
            '*' | '?' => self.expanded = true,
            '~' if self.text.is_empty() || self.text.ends_with(['=', ':']) => self.expanded = true,
            '[' => {
                self.bracket.get_or_insert(self.text.len());
                self.open_brackets += 1;
            }
            ']' => self.open_brackets = self.open_brackets.saturating_sub(1),
            '{' => _ = self.brace.get_or_insert(self.text.len()),
            _ => {}
        }
        self.text.push(character);
    }

    /// A quote begins. It counts even when it's empty.
    pub(super) fn quote(&mut self) {
        self.plain.get_or_insert(self.text.len());
    }

    /// Text that means itself.
    pub(super) fn quoted(&mut self, text: &str) {
        self.quote();
        self.text.push_str(text);
    }

    /// One character that means itself.
    pub(super) fn quoted_character(&mut self, character: char) {
        self.quote();
        self.text.push(character);
    }

    /// Something that only the shell could know, as it was written.
    pub(super) fn expansion(&mut self, written: &str) {
        self.quoted(written);
        self.expanded = true;
    }

    /// The text when all of it is unquoted and stands for itself so far.
    pub(super) fn as_plain(&self) -> Option<&str> {
        (self.plain.is_none() && !self.expanded).then_some(self.text.as_str())
    }

    /// Whether it could be the name of an array that is set.
    pub(super) fn ends_in_assignment(&self) -> bool {
        self.text.ends_with('=')
    }

    pub(super) fn finish(self) -> Token {
        let after = |start: Option<usize>| start.and_then(|start| self.text.get(start..)).unwrap_or_default();
        let bracketed = after(self.bracket).contains(']');
        let from_brace = after(self.brace);
        let braced = from_brace.contains(',') || from_brace.contains("..");
        let subscript = self.bracket.and_then(|start| self.text.get(..start)).is_some_and(is_name);
        let literal = !(self.expanded || bracketed || braced);
        Token {
            plain: self.plain.unwrap_or(self.text.len()),
            quoted: self.plain.is_some(),
            open_subscript: subscript && self.open_brackets > 0,
            word: Word { text: self.text, literal },
        }
    }
}

impl Token {
    /// The text when nothing in it is quoted or expanded: only such words can be reserved.
    pub(super) fn as_plain(&self) -> Option<&str> {
        (!self.quoted).then_some(self.word.text.as_str())
    }

    /// Whether any of it was quoted.
    pub(super) fn is_quoted(&self) -> bool {
        self.quoted
    }

    /// The name, the value and whether every shell would see this assignment.
    pub(super) fn assignment(&self) -> Option<(String, Word, bool)> {
        let text = self.word.text.as_str();
        let (name, value, simple) = if let Some((name, value)) = text.split_once('=')
            && !name.contains('[')
        {
            (name.strip_suffix('+').unwrap_or(name), value, !name.ends_with('+'))
        } else {
            let (name, value) = text.split_once("]=").or_else(|| text.split_once("]+="))?;
            (name.split_once('[')?.0, value, false)
        };
        let value = Word { text: value.to_owned(), literal: self.word.literal };
        (is_name(name) && name.len() < self.plain).then(|| (name.to_owned(), value, simple))
    }
}

/// Whether this could be the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.chars().all(|character| character == '_' || character.is_ascii_alphanumeric())
}
