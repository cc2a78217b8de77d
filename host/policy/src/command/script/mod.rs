//! What a POSIX shell or bash would be asked to do by a text: every simple command in it, wherever it stands.
//!
//! Two questions need two kinds of answer. Rules that deny look at every command, so in doubt there are too many. Rules
//! that allow hold only where [`Script::complete`] says that the text means its commands and nothing else, in every such
//! shell. Nothing is executed, expanded or looked up.
//!
//! Where shells disagree about a text, or bash itself reads it in more than one way, the main reading isn't enough: the
//! text is then also cut at everything that could separate commands, inside quotes too (`sweep`).

mod ansi;
mod cursor;
mod expansion;
mod list;
mod operators;
mod parser;
mod redirection;
mod reserved;
mod sweep;
mod word;

use std::fmt;

use parser::{Findings, Fragment};

/// The longest text that is read, in bytes.
const LONGEST_TEXT: usize = 65_536;
/// The most simple commands in one text.
const MOST_COMMANDS: usize = 10_000;
/// The most words, assignments and redirects together in one command.
const MOST_WORDS: usize = 10_000;
/// How deep quotes, substitutions, subshells and `case` may nest.
const DEEPEST_NESTING: usize = 64;

/// What a shell would be asked to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Script {
    /// The simple commands, each outer one before those inside it. An incomplete script may have more than would run, and
    /// the same text in more than one reading.
    pub(crate) commands: Vec<Simple>,
    /// Whether all of the text was understood and every word is what it says: plain words, separators, assignments and
    /// redirects, without variables, substitutions, globs, control flow, subshells, here-documents or functions. An empty
    /// text is complete and has no commands.
    pub(crate) complete: bool,
}

/// One simple command. One with no words sets variables in the shell itself, or opens files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Simple {
    /// `NAME=value` in front, in order.
    pub(crate) assignments: Vec<(String, Word)>,
    /// The program and its arguments.
    pub(crate) words: Vec<Word>,
    /// Files that the shell opens for it, in order. Here-documents and here-strings open none.
    pub(crate) redirects: Vec<Redirect>,
}

/// One word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Word {
    /// Without quotes and backslashes. Expansions stand as they were written, such as `$HOME/x`.
    pub(crate) text: String,
    /// Whether the command gets exactly this text: no expansion, glob, brace expansion or unquoted tilde.
    pub(crate) literal: bool,
}

/// A file or descriptor that a command is connected to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Redirect {
    /// What is done with the target.
    pub(crate) kind: RedirectKind,
    /// The path, or the number or `-` for a descriptor.
    pub(crate) target: Word,
}

/// What a redirect does with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum RedirectKind {
    /// Reads a file: `<`.
    Input,
    /// Creates or writes a file: `>`, `>>`, `>|`, `&>`, `&>>`, `<>`, and `>&` with a name.
    Output,
    /// Copies or closes a descriptor: `2>&1`, `<&-`.
    Descriptor,
}

/// A text over one of the limits. Nothing is known about what it does, so it must be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLarge {
    /// What there is too much of, in the plural.
    pub(crate) what: &'static str,
    /// The most that is read.
    pub(crate) limit: usize,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the command has more than {} {}; split it up or put it in a file", self.limit, self.what)
    }
}

impl std::error::Error for TooLarge {}

/// The commands in the text that would be given to `sh -c` or `bash -c`.
///
/// # Errors
/// [`TooLarge`] for over 65,536 bytes, 10,000 commands, 10,000 words in a command or 64 levels of nesting.
pub(crate) fn split(text: &str) -> Result<Script, TooLarge> {
    if text.len() > LONGEST_TEXT {
        return Err(TooLarge { what: "bytes", limit: LONGEST_TEXT });
    }
    let mut findings = Findings { complete: !text.chars().any(is_odd), ..Findings::default() };
    findings.fragments.push(Fragment::commands(text.to_owned(), 0));
    let mut read = 0;
    while let Some(fragment) = findings.fragments.get(read).cloned() {
        parser::read(&fragment, &mut findings)?;
        read += 1;
    }
    if findings.in_doubt {
        sweep::read(&mut findings)?;
    }
    Ok(Script { commands: findings.commands, complete: findings.complete })
}

/// Shells treat these differently, or people don't see them: control characters, unusual blanks, marks of direction.
fn is_odd(character: char) -> bool {
    match character {
        '\n' | '\t' | ' ' => false,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => true,
        _ => character.is_control() || character.is_whitespace(),
    }
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "script_property_tests.rs"]
mod property_tests;
