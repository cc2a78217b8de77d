//! What is shown of a question.
//!
//! Nearly all of it comes from others, who may want it to look like something else. So each part is neutral, on its own
//! line, and short; rows are broken here, so that none but ours begins at the left edge; and what isn't plain ASCII is
//! named, since it may only look like it.

use std::fmt::Write;

use crate::neutral::neutral;
use toolbay::Question;

/// Undoes what a tool's output may have left: an unfinished sequence, the alternate screen, margins, a hidden cursor,
/// colours, line drawing in place of letters. Leaving the screen and the margins moves the cursor, which is why its
/// place is kept around each.
pub(super) const RESET: &str =
    "\x18\x1b\\\x1b7\x1b[?1049l\x1b7\x1b[r\x1b8\x1b(B\x0f\x1b[0m\x1b[4l\x1b[?7h\x1b[?25h\r\n\x1b[J";

const NAME: usize = 100;
const WORDS: usize = 500;
const ACCESS: usize = 1_000;
const INPUT: usize = 2_000;
/// Lines of accesses or rules.
const LINES: usize = 50;
/// Code points that are named.
const NAMED: usize = 8;
/// Rows are never broken into less.
const NARROWEST: usize = 24;
const INDENT: usize = 6;

/// A question for a terminal.
#[derive(Debug)]
pub(super) struct Page {
    /// All of it, up to where the cursor waits.
    pub(super) text: String,
    /// The keys that are an answer.
    pub(super) offered: Vec<u8>,
    /// The line on which the cursor waits.
    pub(super) answer: String,
    /// What is said about other keys.
    pub(super) hint: String,
    width: usize,
}

/// Text that is safe to show.
struct Shown {
    text: String,
    whole: bool,
}

impl Page {
    /// Lays out the question for a terminal of so many columns.
    pub(super) fn new(question: &Question, width: usize) -> Self {
        let id = digits(&question.id);
        let answer = format!("Answer for {id}: ");
        // A terminal that has written its last column may or may not have gone to the next row.
        let width = width.max(NARROWEST) - 1;
        let mut page = Self { text: String::new(), offered: Vec::new(), answer, hint: String::new(), width };
        let heading = format!("\u{2500}\u{2500} approval {id} ");
        let rest = width.min(60).saturating_sub(heading.chars().count());
        page.text = heading + &"\u{2500}".repeat(rest) + "\n";
        let whole = page.asked(question);
        page.held(question);
        if let Some(summary) = &question.summary {
            page.row(0, &format!("In its own words: {}", show(summary, WORDS).text));
        }
        page.row(0, &format!("Input: {}", show(&question.input, INPUT).text));
        page.answers(question, whole);
        let keys: Vec<String> = page.offered.iter().map(|key| char::from(*key).to_string()).collect();
        page.hint = format!("Press {}.", keys.join(", "));
        page.text += &page.answer;
        page
    }

    /// The tool, and what is asked. False: not all of it is shown.
    fn asked(&mut self, question: &Question) -> bool {
        let (tool, origin) = (name(&question.tool, NAME), name(&question.origin, WORDS));
        let wants = if question.asks.is_empty() { "asks to run." } else { "wants to:" };
        let digest = digits(&question.digest);
        self.row(0, &format!("{} ({}, sha256 {digest}\u{2026}) {wants}", tool.text, origin.text));
        let mut whole = tool.whole && origin.whole && question.asks.len() <= LINES;
        for ask in question.asks.iter().take(LINES) {
            let access = name(&ask.access, ACCESS);
            self.row(2, &format!("{}  ({})", access.text, show(&ask.reason, WORDS).text));
            whole &= access.whole;
        }
        self.more(question.asks.len());
        whole
    }

    /// What the call would hold without being asked about.
    fn held(&mut self, question: &Question) {
        let asked = |access: &str| question.asks.iter().any(|ask| ask.access == access);
        let held: Vec<&String> = question.accesses.iter().filter(|access| !asked(access)).collect();
        if !held.is_empty() {
            self.text += "With it the call would hold:\n";
        }
        held.iter().take(LINES).for_each(|access| self.row(2, &name(access, ACCESS).text));
        self.more(held.len());
    }

    fn answers(&mut self, question: &Question, whole: bool) {
        if whole {
            self.answer("o", "once");
            self.lasting(question);
        } else {
            self.row(0, "What is asked can't be shown whole, so here it can only be denied.");
        }
        self.answer("d", "deny");
        self.answer("m", "deny with a message");
    }

    /// The answers that add rules: offered only when the rules can be read.
    fn lasting(&mut self, question: &Question) {
        let Some(rules) = question.rules.as_ref().filter(|rules| (1..=LINES).contains(&rules.len())) else { return };
        let shown: Vec<Shown> = rules.iter().map(|rule| name(rule, ACCESS)).collect();
        if !shown.iter().all(|rule| rule.whole) {
            return self.row(0, "A lasting answer's rules can't be shown whole, so none is offered.");
        }
        let texts: Vec<&str> = shown.iter().map(|rule| &*rule.text).collect();
        self.answer("s", &format!("for this session: {} for {}", texts.join(", "), name(&question.tool, NAME).text));
        if let Some(file) = &question.file {
            let same = if rules.len() == 1 { "the same rule" } else { "the same rules" };
            let file = name(&file.to_string_lossy(), ACCESS).text;
            self.answer("a", &format!("always: {same}, written to {file}"));
        }
    }

    fn answer(&mut self, key: &str, meaning: &str) {
        self.offered.extend_from_slice(key.as_bytes());
        self.row(2, &format!("{key}  {meaning}"));
    }

    fn more(&mut self, count: usize) {
        if let Some(more @ 1..) = count.checked_sub(LINES) {
            self.row(2, &format!("\u{2026} {more} more"));
        }
    }

    /// One line, broken into as many rows as it needs.
    fn row(&mut self, indent: usize, text: &str) {
        self.text += &" ".repeat(indent);
        let mut column = indent;
        for character in text.chars() {
            // Too much for most: then a row is short, which is better than too long.
            let columns = if character.is_ascii() { 1 } else { 2 };
            if column + columns > self.width {
                self.text.push('\n');
                self.text += &" ".repeat(INDENT);
                column = INDENT;
            }
            self.text.push(character);
            column += columns;
        }
        self.text.push('\n');
    }
}

/// The text on one line, at most so many characters of it.
fn show(text: &str, most: usize) -> Shown {
    let (start, rest) = cut(text, most);
    let mut shown = neutral(start).replace('\n', "\\n").replace('\t', "\\t");
    if !rest.is_empty() {
        let _ = write!(shown, "\u{2026} {} more characters", rest.chars().count());
    }
    Shown { text: shown, whole: rest.is_empty() }
}

/// As [`show`], with a note of the characters that may be mistaken for others.
fn name(text: &str, most: usize) -> Shown {
    let mut shown = show(text, most);
    let mut odd: Vec<char> = cut(text, most).0.chars().filter(|character| !character.is_ascii()).collect();
    odd.sort_unstable();
    odd.dedup();
    if !odd.is_empty() {
        let named: Vec<String> = odd.iter().take(NAMED).map(|odd| format!("U+{:04X}", u32::from(*odd))).collect();
        let others = if odd.len() > NAMED { " and others" } else { "" };
        let _ = write!(shown.text, " [contains {}{others}]", named.join(", "));
    }
    shown
}

/// The first digits of an identifier: enough to tell it from others by eye.
fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_hexdigit).take(8).collect()
}

fn cut(text: &str, most: usize) -> (&str, &str) {
    text.split_at(text.char_indices().nth(most).map_or(text.len(), |(place, _)| place))
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
