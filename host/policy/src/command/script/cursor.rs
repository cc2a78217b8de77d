//! A place in a text, with and without the shell's line continuations.

/// Reads a text from left to right.
pub(super) struct Cursor<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Cursor<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        Self { text, at: 0 }
    }

    /// The position in bytes.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// All that is still to be read.
    pub(super) fn rest(&self) -> &'text str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// What was read from `start` on.
    pub(super) fn since(&self, start: usize) -> &'text str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// The next character as it stands, for places where a backslash means itself.
    pub(super) fn next_raw(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// The next character after any line continuations, without reading it.
    pub(super) fn peek(&mut self) -> Option<char> {
        while self.rest().starts_with("\\\n") {
            self.at += 2;
        }
        self.rest().chars().next()
    }

    /// The next character after any line continuations.
    pub(super) fn next(&mut self) -> Option<char> {
        self.peek()?;
        self.next_raw()
    }

    /// Reads this character if it's the next one. Operators may be split by line continuations.
    pub(super) fn eat(&mut self, character: char) -> bool {
        let is_next = self.peek() == Some(character);
        if is_next {
            self.at += character.len_utf8();
        }
        is_next
    }

    /// Reads up to the character and over it. Without one it reads everything and gives `Err` with it.
    pub(super) fn until(&mut self, character: char) -> Result<&'text str, &'text str> {
        let rest = self.rest();
        if let Some((before, _)) = rest.split_once(character) {
            self.at += before.len() + character.len_utf8();
            Ok(before)
        } else {
            self.at = self.text.len();
            Err(rest)
        }
    }

    /// Reads so many bytes of [`Self::rest`], which must end between two characters.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }
}
