//! Words that mean something to the shell itself.

use super::list::{Case, Header, Reading};
use super::parser::Parser;
use super::word::Token;
use super::{TooLarge, Word};

/// Whether the word is part of the grammar where a command could start. Shells that lack one see a command there.
pub(super) fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "if" | "then" | "elif" | "else" | "fi" | "for" | "select" | "while" | "until" | "do" | "done" | "case" | "esac"
    ) || matches!(word, "{" | "}" | "!" | "[[" | "]]" | "in" | "function" | "time" | "coproc")
}

/// Whether the command may change how the shell reads the text after it.
pub(super) fn changes_reading(words: &[Word]) -> bool {
    let mut words = words.iter().map(|word| word.text.as_str());
    match words.find(|word| !matches!(*word, "command" | "builtin" | "-p" | "--")) {
        Some("alias" | "shopt" | "enable") => true,
        Some("set") => !words.all(|word| {
            let flags = word.strip_prefix('-').unwrap_or(word);
            word == "pipefail" || (word != flags && flags.chars().all(|flag| "euxo".contains(flag)))
        }),
        _ => false,
    }
}

impl Parser<'_> {
    /// Takes in a reserved word at the start of a command. After most of them a command may follow.
    pub(super) fn reserved_word(&mut self, token: Token) -> Result<(), TooLarge> {
        self.incomplete();
        if self.list.is_uncertain() {
            self.doubt();
        }
        let word = token.word.text.as_str();
        let header = match word {
            "for" | "select" => Header::Variable,
            "function" => Header::Function,
            "coproc" => Header::Coprocess,
            "time" => Header::Time,
            _ => Header::None,
        };
        if word == "case" {
            self.check_nesting()?;
            self.list.cases.push(Case::Subject);
        }
        if word == "esac" && self.list.cases.pop().is_none() {
            self.doubt();
        }
        if word == "[[" {
            self.list.reading = Reading::Test;
        }
        if matches!(word, "[[" | "]]") {
            self.list.command.words.push(token.word);
        } else {
            self.list.forget_command();
            self.list.header = header;
        }
        Ok(())
    }
}
