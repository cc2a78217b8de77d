//! Stub.
use std::fmt;
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// The simple commands, each outer one before those inside it. An incomplete script may have more than would run, and
    /// the same text in more than one reading.
    pub commands: Vec<Simple>,
    /// Whether all of the text was understood and every word is what it says: plain words, separators, assignments and
    /// redirects, without variables, substitutions, globs, control flow, subshells, here-documents or functions. An empty
    /// text is complete and has no commands.
    pub complete: bool,
}

/// One simple command. One with no words sets variables in the shell itself, or opens files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Simple {
    /// `NAME=value` in front, in order.
    pub assignments: Vec<(String, Word)>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Files that the shell opens for it, in order. Here-documents and here-strings open none.
    pub redirects: Vec<Redirect>,
}

/// One word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Word {
    /// Without quotes and backslashes. Expansions stand as they were written, such as `$HOME/x`.
    pub text: String,
    /// Whether the command gets exactly this text: no expansion, glob, brace expansion or unquoted tilde.
    pub literal: bool,
}

/// A file or descriptor that a command is connected to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Redirect {
    /// What is done with the target.
    pub kind: RedirectKind,
    /// The path, or the number or `-` for a descriptor.
    pub target: Word,
}

/// What a redirect does with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RedirectKind {
    /// Reads a file: `<`.
    Input,
    /// Creates or writes a file: `>`, `>>`, `>|`, `&>`, `&>>`, `<>`, and `>&` with a name.
    Output,
    /// Copies or closes a descriptor: `2>&1`, `<&-`.
    Descriptor,
}

/// A text over one of the limits. Nothing is known about what it does, so it must be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    /// What there is too much of, in the plural.
    pub what: &'static str,
    /// The most that is read.
    pub limit: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the command has more than {} {}; split it up or put it in a file", self.limit, self.what)
    }
}

impl std::error::Error for TooLarge {}

pub fn split(text: &str) -> Result<Script, TooLarge> { let words: Vec<Word> = text.split_whitespace().map(|t| Word{text:t.into(), literal:true}).collect(); Ok(Script{commands: vec![Simple{assignments: vec![], words, redirects: vec![]}], complete: true}) }
