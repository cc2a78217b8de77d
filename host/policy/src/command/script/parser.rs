//! The reader of one text: what is open, and what each character means there.
//!
//! It keeps its own stack, so no text can exhaust the machine's. Command lists nest in substitutions and parentheses; their
//! state is a [`List`]. Everything else that nests only decides where it ends.

use std::mem;

use super::cursor::Cursor;
use super::list::{List, Reading, Separator};
use super::word::Builder;
use super::{DEEPEST_NESTING, MOST_COMMANDS, Simple, TooLarge};

/// What came out so far, over all texts of a script.
#[derive(Default)]
pub(super) struct Findings {
    pub(super) commands: Vec<Simple>,
    pub(super) complete: bool,
    /// Whether another reading of the text may have other commands.
    pub(super) in_doubt: bool,
    /// The text itself, and those inside it that are read on their own.
    pub(super) fragments: Vec<Fragment>,
}

impl Findings {
    pub(super) fn push(&mut self, command: Simple) -> Result<(), TooLarge> {
        if self.commands.len() >= MOST_COMMANDS {
            return Err(TooLarge { what: "commands", limit: MOST_COMMANDS });
        }
        self.commands.push(command);
        Ok(())
    }
}

/// A text that is read on its own.
#[derive(Clone)]
pub(super) struct Fragment {
    pub(super) text: String,
    context: Context,
    depth: usize,
}

impl Fragment {
    /// The script itself, or what is between backticks.
    pub(super) fn commands(text: String, depth: usize) -> Self {
        Self { text, context: Context::List, depth }
    }

    /// The lines of a here-document in which substitutions happen.
    pub(super) fn body(text: String, depth: usize) -> Self {
        Self { text, context: Context::Body, depth }
    }
}

/// What characters mean at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// Commands.
    List,
    /// Between double quotes.
    Quote,
    /// In `${...}`.
    Parameter,
    /// In `((...))` or `$((...))`, with the number of parentheses that are open.
    Arithmetic(usize),
    /// In a here-document.
    Body,
}

/// One open construct.
pub(super) struct Frame {
    pub(super) context: Context,
    start: usize,
    /// Whether the whole construct becomes part of a word, as it was written.
    in_word: bool,
    /// Whether the characters in it don't go to a word one by one.
    raw: bool,
    /// Whether quotes around it change what quotes in it mean.
    pub(super) quoted: bool,
}

/// Reads a text from start to end. What it finds goes to `findings`.
pub(super) struct Parser<'run> {
    pub(super) cursor: Cursor<'run>,
    pub(super) findings: &'run mut Findings,
    pub(super) list: List,
    outer: Vec<List>,
    frames: Vec<Frame>,
    /// The commands with the places where they start.
    found: Vec<(usize, Simple)>,
    depth: usize,
}

/// Reads one fragment. Texts inside it that need a reading of their own go to the end of `findings.fragments`.
pub(super) fn read(fragment: &Fragment, findings: &mut Findings) -> Result<(), TooLarge> {
    let mut parser = Parser {
        cursor: Cursor::new(&fragment.text),
        findings,
        list: List::default(),
        outer: Vec::new(),
        frames: Vec::new(),
        found: Vec::new(),
        depth: fragment.depth,
    };
    parser.open(fragment.context, 0, false)?;
    while parser.step()? {}
    parser.finish()
}

impl Parser<'_> {
    /// The text isn't only plain commands.
    pub(super) fn incomplete(&mut self) {
        self.findings.complete = false;
    }

    /// Some shell may read the text differently, or it can't be read.
    pub(super) fn doubt(&mut self) {
        self.findings.complete = false;
        self.findings.in_doubt = true;
    }

    /// The position of the one-byte character that was read last.
    pub(super) fn last(&self) -> usize {
        self.cursor.at().saturating_sub(1)
    }

    pub(super) fn frame(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Whether anything is open besides the text itself.
    pub(super) fn is_nested(&self) -> bool {
        self.frames.len() > 1
    }

    pub(super) fn set_context(&mut self, context: Context) {
        if let Some(frame) = self.frames.last_mut() {
            frame.context = context;
        }
    }

    pub(super) fn nesting(&self) -> usize {
        self.depth + self.frames.len() + self.list.cases.len()
    }

    /// Fails when one more level would be too deep.
    pub(super) fn check_nesting(&self) -> Result<(), TooLarge> {
        if self.nesting() > DEEPEST_NESTING {
            return Err(TooLarge { what: "levels of nesting", limit: DEEPEST_NESTING });
        }
        Ok(())
    }

    /// Begins a construct other than a nested list.
    pub(super) fn open(&mut self, context: Context, start: usize, in_word: bool) -> Result<(), TooLarge> {
        self.check_nesting()?;
        let (raw, quoted) = self.frame().map_or((false, false), |frame| (frame.raw, frame.quoted));
        let frame = match context {
            Context::List => Frame { context, start, in_word, raw: false, quoted: false },
            Context::Quote => Frame { context, start, in_word, raw, quoted: true },
            Context::Parameter => Frame { context, start, in_word, raw: true, quoted },
            Context::Arithmetic(_) | Context::Body => Frame { context, start, in_word, raw: true, quoted: true },
        };
        self.frames.push(frame);
        Ok(())
    }

    /// Begins a list inside another. It goes to the word at hand if it's part of one.
    pub(super) fn open_list(&mut self, start: usize, in_word: bool, reading: Reading) -> Result<(), TooLarge> {
        self.incomplete();
        if in_word {
            self.expansion("");
        }
        self.open(Context::List, start, in_word)?;
        self.outer.push(mem::replace(&mut self.list, List { reading, ..List::default() }));
        Ok(())
    }

    /// Ends the innermost construct.
    pub(super) fn close(&mut self) -> Result<(), TooLarge> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if frame.context == Context::List {
            self.end_command(Separator::End)?;
            if !self.list.cases.is_empty() {
                self.doubt();
            }
            let outer = self.outer.pop().unwrap_or_default();
            let inner = mem::replace(&mut self.list, outer);
            if frame.in_word && !inner.documents.is_empty() {
                self.doubt();
            } else {
                self.list.documents.extend(inner.documents);
            }
        }
        if frame.in_word {
            self.expansion(self.cursor.since(frame.start));
        }
        Ok(())
    }

    /// Writes to the word at hand, or to a new one. In a construct that goes to the word as a whole it does nothing.
    pub(super) fn write(&mut self, write: impl FnOnce(&mut Builder)) {
        if self.frame().is_some_and(|frame| frame.raw) {
            return;
        }
        self.list.started.get_or_insert(self.cursor.at());
        write(self.list.word.get_or_insert_default());
    }

    /// Adds something that only the shell could know to the word.
    pub(super) fn expansion(&mut self, written: &str) {
        self.incomplete();
        self.write(|word| word.expansion(written));
    }

    pub(super) fn report(&mut self, start: usize, command: Simple) -> Result<(), TooLarge> {
        if self.found.len() >= MOST_COMMANDS {
            return Err(TooLarge { what: "commands", limit: MOST_COMMANDS });
        }
        self.found.push((start, command));
        Ok(())
    }

    fn step(&mut self) -> Result<bool, TooLarge> {
        let Some(context) = self.frame().map(|frame| frame.context) else { return Ok(false) };
        let Some(next) = self.cursor.next() else { return Ok(false) };
        match context {
            Context::List => self.in_list(next)?,
            Context::Quote => self.in_quote(next)?,
            Context::Parameter => self.in_parameter(next)?,
            Context::Arithmetic(open) => self.in_arithmetic(next, open)?,
            Context::Body => self.in_body(next)?,
        }
        Ok(true)
    }

    /// Ends what is still open, and gives the commands away in the order of the text.
    fn finish(mut self) -> Result<(), TooLarge> {
        if self.is_nested() {
            self.doubt();
        }
        while !self.frames.is_empty() {
            self.close()?;
        }
        let mut found = mem::take(&mut self.found);
        found.sort_by_key(|(start, _)| *start);
        found.into_iter().try_for_each(|(_, command)| self.findings.push(command))
    }
}
