//! The reading of last resort: cut at everything that could separate commands, whatever is quoted.
//!
//! Wherever a command begins for some shell, a separator, a parenthesis or a reserved word is in front of it, so a piece
//! begins there too. Only assignments and redirects can stand between, with cuts of their own inside quotes; that's why a
//! piece is also read from behind its first word and its first quotes.

use super::parser::{self, Findings, Fragment};
use super::{Simple, TooLarge};

/// Adds the commands of all pieces of the text.
pub(super) fn read(text: &str, findings: &mut Findings) -> Result<(), TooLarge> {
    read_pieces(text, findings)?;
    let joined = text.replace("\\\n", "");
    if joined.len() < text.len() { read_pieces(&joined, findings) } else { Ok(()) }
}

fn read_pieces(text: &str, findings: &mut Findings) -> Result<(), TooLarge> {
    let mut before = ' ';
    let mut inside_word = false;
    let mut start = 0;
    for (at, character) in text.char_indices() {
        let is_comment = character == '#' && " \t\n;&|()`{}<>".contains(before);
        if is_comment || ";&|()`{}\n".contains(character) {
            read_piece(text.get(start..at).unwrap_or_default(), inside_word, findings)?;
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
    read_piece(text.get(start..).unwrap_or_default(), inside_word, findings)
}

fn read_piece(piece: &str, inside_word: bool, findings: &mut Findings) -> Result<(), TooLarge> {
    parser::read(&Fragment::commands(piece.to_owned(), 0), findings)?;
    if inside_word {
        read_behind_word(piece, findings)?;
    }
    if let Some((_, rest)) = piece.split_once('\'') {
        read_behind_word(rest, findings)?;
    }
    let quote = piece.match_indices('"').find(|(at, _)| !piece.get(..*at).unwrap_or_default().ends_with('\\'));
    match quote.and_then(|(at, _)| piece.get(at + 1..)) {
        Some(rest) => read_behind_word(rest, findings),
        None => Ok(()),
    }
}

/// Reads the piece as if it began in the middle of an assignment.
fn read_behind_word(piece: &str, findings: &mut Findings) -> Result<(), TooLarge> {
    let mut behind = Findings::default();
    parser::read(&Fragment::commands(format!("_={piece}"), 0), &mut behind)?;
    for mut command in behind.commands {
        if !command.assignments.is_empty() {
            command.assignments.remove(0);
        }
        if command != Simple::default() {
            findings.push(command)?;
        }
    }
    Ok(())
}
