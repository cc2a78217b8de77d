//! The lines that are shown: which of a file's lines, and how many fit.
//!
//! Owns paging and the cap on a result. It holds the text that is shown and one line, never the file.

use std::num::NonZeroU32;

use crate::{decode::Piece, line::Line};

/// How many lines are shown when nobody says.
const DEFAULT_LINES: u32 = 2000;
/// The most numbered text in one result, in Unicode scalar values: numbers, tabs, marks and line ends count.
pub const MAX_CHARACTERS: u64 = 200_000;

/// The lines that are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first line, from 1.
    pub first: u32,
    /// At most this many lines, at least 1.
    pub limit: u32,
    /// Whether the model named a range, so that a part of it would be a surprise.
    pub explicit: bool,
}

impl Range {
    /// Line 0 counts as line 1.
    pub fn new(offset: Option<u32>, limit: Option<NonZeroU32>) -> Self {
        Self {
            first: offset.unwrap_or(1).max(1),
            limit: limit.map_or(DEFAULT_LINES, NonZeroU32::get),
            explicit: offset.is_some() || limit.is_some(),
        }
    }

    /// The last line, if the file has so many.
    pub const fn last(self) -> u32 {
        self.first.saturating_add(self.limit.saturating_sub(1))
    }

    fn has(self, number: u32) -> bool {
        (self.first..=self.last()).contains(&number)
    }

    /// Whether none of the lines `from` to `to` belongs to it.
    const fn misses(self, from: u32, to: u32) -> bool {
        to < self.first || from > self.last()
    }
}

/// What a file gives for a range.
#[derive(Debug, Default)]
pub struct Page {
    /// The numbered lines, joined by line ends.
    pub text: String,
    /// The number of lines in `text`.
    pub lines: u32,
    /// How many of them are cut.
    pub cut: u32,
    /// How many of them hold bytes that can't be decoded.
    pub damaged: u32,
    /// The length of all lines of the range, numbered and cut, whether they fit in `text` or not.
    pub characters: u64,
    /// The number of lines of the file.
    pub total: u32,
}

impl Page {
    /// Whether lines of the range are left out because the result would be too long.
    pub fn is_over_the_cap(&self) -> bool {
        self.characters > MAX_CHARACTERS
    }

    /// Whether the file has lines, but not the first one of the range.
    pub fn is_past_the_end(&self, range: Range) -> bool {
        self.total > 0 && range.first > self.total
    }

    /// Whether lines, or parts of lines, of the file are left out.
    pub fn is_partial(&self) -> bool {
        self.lines < self.total || self.cut > 0
    }

    fn add(&mut self, line: &Line) {
        let text = line.numbered(self.total);
        let separator = u64::from(self.characters > 0);
        self.characters += separator + text.chars().count() as u64;
        // Once a line didn't fit, the sum stays above the cap: no later, shorter line slips in behind the gap.
        if self.is_over_the_cap() {
            return;
        }
        if separator > 0 {
            self.text.push('\n');
        }
        self.text.push_str(&text);
        self.lines += 1;
        self.cut += u32::from(line.is_cut());
        self.damaged += u32::from(line.is_damaged());
    }
}

/// Makes a page from a file's text, piece by piece.
#[derive(Debug)]
pub struct Pager {
    range: Range,
    page: Page,
    line: Line,
}

impl Pager {
    pub fn new(range: Range) -> Self {
        Self { range, page: Page::default(), line: Line::default() }
    }

    pub fn push(&mut self, piece: Piece<'_>) {
        match piece {
            Piece::Text(text) => self.text(text),
            Piece::Damaged => self.line.push_damaged(),
        }
    }

    /// A last line without a line end counts; the end of the last line begins no other.
    pub fn finish(mut self) -> Page {
        if self.line.is_begun() {
            self.line.end_of_file();
            self.end_line();
        }
        self.page
    }

    fn text(&mut self, text: &str) {
        let ends = text.bytes().filter(|&byte| byte == b'\n').count() as u32;
        let current = self.page.total + 1;
        if self.range.misses(current, current + ends) {
            self.skip(text, ends);
            return;
        }
        for part in text.split_inclusive('\n') {
            let body = part.strip_suffix('\n');
            self.line.push(body.unwrap_or(part));
            if body.is_some() {
                self.end_line();
            }
        }
    }

    /// Counts the lines of a text that nobody will see: most of a large file, and several times as fast.
    fn skip(&mut self, text: &str, ends: u32) {
        // No overflow here and below: a file of at most 2^30 bytes has at most 2^30 lines.
        self.page.total += ends;
        if text.ends_with('\n') {
            self.line.clear();
        } else if !text.is_empty() {
            self.line.skip();
        }
    }

    fn end_line(&mut self) {
        self.page.total += 1;
        if self.range.has(self.page.total) {
            self.page.add(&self.line);
        }
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str, offset: Option<u32>, limit: Option<u32>) -> Page {
        let mut pager = Pager::new(Range::new(offset, limit.and_then(NonZeroU32::new)));
        pager.push(Piece::Text(text));
        pager.finish()
    }

    fn whole(text: &str) -> String {
        page(text, None, None).text
    }

    #[test]
    fn a_final_line_end_makes_no_extra_line() {
        assert_eq!(whole("a\nb"), "     1\ta\n     2\tb");
        assert_eq!(whole("a\nb\n"), whole("a\nb"));
        assert_eq!(page("a\n\n", None, None).total, 2);
        assert_eq!(page("", None, None).total, 0);
    }

    #[test]
    fn windows_line_ends_are_shown_as_any_other() {
        assert_eq!(whole("a\r\n\r\nb\r\n"), "     1\ta\n     2\t\n     3\tb");
    }

    #[test]
    fn line_zero_is_line_one() {
        assert_eq!(page("a\nb\n", Some(0), None).text, page("a\nb\n", Some(1), None).text);
    }

    #[test]
    fn pages_of_any_size_join_to_the_whole() {
        let text: String = (1..=23).map(|number| format!("line {number}\r\n")).collect();
        for limit in 1..=24 {
            let pages = (1..=23).step_by(limit as usize).map(|first| page(&text, Some(first), Some(limit)).text);
            assert_eq!(pages.collect::<Vec<_>>().join("\n"), whole(&text), "in pages of {limit}");
        }
    }

    #[test]
    fn pieces_of_any_size_make_the_same_page() {
        let text = "a\r\n\n\tb\rc\r\r\n\u{e9}\r\nlast\r";
        for (cut, offset) in text.char_indices().flat_map(|(cut, _)| (1..=6).map(move |offset| (cut, offset))) {
            let mut pager = Pager::new(Range::new(Some(offset), NonZeroU32::new(2)));
            pager.push(Piece::Text(&text[..cut]));
            pager.push(Piece::Text(&text[cut..]));
            let (pieces, whole) = (pager.finish(), page(text, Some(offset), Some(2)));
            assert_eq!((pieces.text, pieces.total), (whole.text, 5), "cut at {cut}, offset {offset}");
        }
    }

    #[test]
    fn ranges_at_the_edges_of_the_numbers_are_safe() {
        assert_eq!(page("a\nb\n", Some(2), Some(u32::MAX)).text, "     2\tb");
        assert_eq!(page("a\nb\n", Some(u32::MAX), Some(u32::MAX)).text, "");
    }

    #[test]
    fn exactly_the_cap_fits() {
        // 100 lines of 7 + 1,992 characters, joined by 99 line ends, lack one character to the cap.
        let text = format!("{}\n", "x".repeat(1992)).repeat(100);
        assert_eq!(page(&text, None, None).characters, 199_999);
        for (extra, lines) in [("x", 100), ("xx", 99)] {
            let page = page(&format!("{}{extra}", text.trim_end()), None, None);
            assert_eq!((page.lines, page.is_over_the_cap()), (lines, lines == 99));
        }
    }

    #[test]
    fn no_short_line_slips_in_behind_one_that_did_not_fit() {
        let text = format!("{}{}\nshort\n", format!("{}\n", "x".repeat(1992)).repeat(99), "x".repeat(2000));
        let page = page(&text, None, None);
        assert_eq!((page.lines, page.total), (99, 101));
        assert!(page.text.chars().count() as u64 <= MAX_CHARACTERS);
    }

    #[test]
    fn lines_with_damage_are_counted_in_the_range_only() {
        let mut pager = Pager::new(Range::new(Some(2), None));
        for piece in [Piece::Damaged, Piece::Text("\na"), Piece::Damaged, Piece::Damaged, Piece::Text("\n")] {
            pager.push(piece);
        }
        let page = pager.finish();
        assert_eq!((page.text.as_str(), page.damaged), ("     2\ta\u{fffd}\u{fffd}", 1));
    }
}
