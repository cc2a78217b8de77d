//! The reading of last resort: cut at everything that could separate commands, whatever is quoted.
//!
//! Wherever a command begins for some shell, a separator, a parenthesis or a reserved word is in front of it, so a piece
//! begins there too. Only assignments and redirects can stand between, with cuts of their own inside quotes; that's why a
//! piece is also read from behind what may be the end of one.

use std::collections::HashSet;

use super::parser::{self, Findings, Fragment};
use super::{Simple, TooLarge};

/// Adds to the findings what only such a reading of their texts sees.
pub(super) fn read(findings: &mut Findings) -> Result<(), TooLarge> {
    let fragments = std::mem::take(&mut findings.fragments);
    let seen = findings.commands.iter().cloned().collect();
    let mut sweep = Sweep { findings, seen };
    for fragment in fragments {
        sweep.text(&fragment.text)?;
        let joined = fragment.text.replace("\\\n", "");
        if joined.len() < fragment.text.len() {
            sweep.text(&joined)?;
        }
    }
    Ok(())
}

struct Sweep<'run> {
    findings: &'run mut Findings,
    seen: HashSet<Simple>,
}

impl Sweep<'_> {
    fn text(&mut self, text: &str) -> Result<(), TooLarge> {
        let mut before = ' ';
        let mut inside_word = false;
        let mut start = 0;
        for (at, character) in text.char_indices() {
            let is_comment = character == '#' && " \t\n;&|()`{}<>".contains(before);
            if is_comment || ";&|()`{}\n".contains(character) {
                self.piece(text.get(start..at).unwrap_or_default(), inside_word)?;
                inside_word = ")}`".contains(character) || "\\<>".contains(before);
                start = at + character.len_utf8();
                // The target of `>&` or `>|` is no program.
                if "<>".contains(before) {
                    let rest = text.get(start..).unwrap_or_default();
                    start += rest.len() - rest.trim_start_matches([' ', '\t']).len();
                }
            }
            before = character;
        }
        self.piece(text.get(start..).unwrap_or_default(), inside_word)
    }

    fn piece(&mut self, piece: &str, inside_word: bool) -> Result<(), TooLarge> {
        for command in commands(piece)? {
            self.add(command)?;
        }
        if inside_word {
            self.behind_word(piece)?;
        }
        // The end of a subscript, of a quote, and of the other quote.
        let subscript = piece.split_once("]=").or_else(|| piece.split_once("]+="));
        let is_escaped = |at: usize| piece.get(..at).is_some_and(|before| before.ends_with('\\'));
        let quote = piece.match_indices('"').find(|(at, _)| !is_escaped(*at));
        let behind_quote = quote.and_then(|(at, _)| piece.split_at_checked(at + 1));
        for (_, rest) in [subscript, piece.split_once('\''), behind_quote].into_iter().flatten() {
            self.behind_word(rest)?;
        }
        Ok(())
    }

    /// Reads the piece as if it began in the middle of an assignment.
    fn behind_word(&mut self, piece: &str) -> Result<(), TooLarge> {
        for mut command in commands(&format!("_={piece}"))? {
            if !command.assignments.is_empty() {
                command.assignments.remove(0);
            }
            self.add(command)?;
        }
        Ok(())
    }

    fn add(&mut self, command: Simple) -> Result<(), TooLarge> {
        if command != Simple::default() && self.seen.insert(command.clone()) {
            self.findings.push(command)?;
        }
        Ok(())
    }
}

fn commands(piece: &str) -> Result<Vec<Simple>, TooLarge> {
    let mut findings = Findings::default();
    parser::read(&Fragment::commands(piece.to_owned(), 0), &mut findings)?;
    Ok(findings.commands)
}
