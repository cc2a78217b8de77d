//! One line: how much of it is shown, and how.
//!
//! Owns numbering, cutting and line ends. It never splits a character, here always a Unicode scalar value, and holds no
//! more than what can be shown.

/// The longest line that is shown whole, in characters.
pub const MAX_CHARACTERS: usize = 2000;

/// The line that is being read.
#[derive(Debug, Default)]
pub struct Line {
    /// Its first characters, at most [`MAX_CHARACTERS`].
    start: String,
    /// How many characters `start` has.
    kept: usize,
    /// How many more the line has.
    hidden: u64,
    /// Whether a carriage return came last: part of the line end, or of the line, as the next character tells.
    carriage_return: bool,
    damaged: bool,
    begun: bool,
}

impl Line {
    /// More of the line, without the line feed that ends it.
    pub fn push(&mut self, text: &str) {
        self.begun = true;
        if text.is_empty() {
            return;
        }
        self.keep_carriage_return();
        let body = text.strip_suffix('\r');
        self.carriage_return = body.is_some();
        self.keep(body.unwrap_or(text));
    }

    /// Bytes that can't be decoded, in the place of one character.
    pub fn push_damaged(&mut self) {
        self.damaged = true;
        self.push("\u{fffd}");
    }

    /// Says that this line has begun, be its text of no interest.
    pub fn skip(&mut self) {
        self.begun = true;
    }

    /// Says that no line feed follows, so that a last carriage return belongs to the line.
    pub fn end_of_file(&mut self) {
        self.keep_carriage_return();
    }

    /// Whether anything came, be it the empty text before a line end.
    pub const fn is_begun(&self) -> bool {
        self.begun
    }

    pub const fn is_damaged(&self) -> bool {
        self.damaged
    }

    pub const fn is_cut(&self) -> bool {
        self.hidden > 0
    }

    /// The line as it is shown, like `cat -n`: the number in 6 columns, a tab, the text, and a mark where it is cut.
    pub fn numbered(&self, number: u32) -> String {
        match self.hidden {
            0 => format!("{number:>6}\t{}", self.start),
            hidden => format!("{number:>6}\t{} [... {hidden} more characters]", self.start),
        }
    }

    /// Makes this the next line, and keeps its memory.
    pub fn clear(&mut self) {
        let mut start = std::mem::take(&mut self.start);
        start.clear();
        *self = Self { start, ..Self::default() };
    }

    fn keep_carriage_return(&mut self) {
        if std::mem::take(&mut self.carriage_return) {
            self.keep("\r");
        }
    }

    fn keep(&mut self, text: &str) {
        let room = MAX_CHARACTERS.saturating_sub(self.kept);
        let mut characters = text.chars();
        for character in characters.by_ref().take(room) {
            self.start.push(character);
            self.kept += 1;
        }
        self.hidden += characters.count() as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parts: &[&str]) -> String {
        let mut line = Line::default();
        parts.iter().for_each(|part| line.push(part));
        line.numbered(7)
    }

    #[test]
    fn the_number_has_six_columns_and_then_a_tab() {
        assert_eq!(shown(&["\tif x {"]), "     7\t\tif x {");
        assert_eq!(Line::default().numbered(1_234_567), "1234567\t");
    }

    #[test]
    fn a_line_of_2000_characters_is_whole() {
        assert_eq!(shown(&["\u{e9}".repeat(2000).as_str()]), format!("     7\t{}", "\u{e9}".repeat(2000)));
    }

    #[test]
    fn a_longer_line_is_cut_between_characters_and_says_so() {
        for parts in [vec!["\u{1f600}".repeat(2003)], vec!["\u{1f600}".repeat(1500), "\u{1f600}".repeat(503)]] {
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            assert_eq!(shown(&parts), format!("     7\t{} [... 3 more characters]", "\u{1f600}".repeat(2000)));
        }
    }

    #[test]
    fn a_carriage_return_at_the_line_end_is_not_shown() {
        assert_eq!(shown(&["a\r"]), "     7\ta");
        assert_eq!(shown(&["a\r", ""]), "     7\ta");
        assert_eq!(shown(&["a\r", "\r"]), "     7\ta\r");
        assert_eq!(shown(&["a\r", "b"]), "     7\ta\rb");
    }

    #[test]
    fn a_carriage_return_at_the_end_of_the_file_belongs_to_the_line() {
        let mut line = Line::default();
        line.push("a\r");
        line.end_of_file();
        assert_eq!(line.numbered(1), "     1\ta\r");
    }

    #[test]
    fn a_line_end_is_no_character_that_is_cut() {
        assert!(!shown(&["x".repeat(2000).as_str(), "\r"]).contains("more"));
    }

    #[test]
    fn nothing_of_a_line_is_left_for_the_next() {
        let mut line = Line::default();
        line.push(&"x".repeat(3000));
        line.push_damaged();
        line.clear();
        assert!(!line.is_begun() && !line.is_cut() && !line.is_damaged());
        assert_eq!(line.numbered(1), "     1\t");
    }
}
