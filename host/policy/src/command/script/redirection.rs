//! Redirects, and the lines of here-documents.

use super::list::Reading;
use super::parser::{Fragment, Parser};
use super::word::{Token, is_name};
use super::{Redirect, RedirectKind, TooLarge};

/// A redirect without its target.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Input,
    Output,
    /// `&>` and `&>>`.
    Both,
    /// `<&`, and `>&` which may also name a file.
    Duplicate {
        output: bool,
    },
    HereDocument {
        tabs: bool,
    },
    HereString,
}

/// A here-document whose lines are still to come.
pub(super) struct HereDocument {
    delimiter: String,
    /// Whether its lines mean themselves.
    quoted: bool,
    /// Whether tabs in front of its lines don't count.
    tabs: bool,
    /// Where its operator ends.
    at: usize,
}

impl Parser<'_> {
    /// Takes in a redirect operator or a process substitution, of which the first character was read.
    pub(super) fn redirection(&mut self, first: char) -> Result<(), TooLarge> {
        let start = self.last();
        if self.cursor.eat('(') {
            if self.cursor.peek() == Some('(') {
                self.doubt();
            }
            return self.open_list(start, true, Reading::Commands);
        }
        if self.list.reading == Reading::Array {
            self.doubt();
        }
        self.end_word_before_redirection()?;
        let operator = if first == '<' { self.input_operator() } else { self.output_operator() };
        self.expect_target(start, operator);
        if matches!(operator, Operator::Duplicate { .. }) && self.cursor.eat('-') {
            self.write(|word| word.plain('-'));
            // Bash ends the operator here, whatever follows.
            if self.cursor.peek().is_some_and(|next| !" \t\n;&|<>".contains(next)) {
                self.incomplete();
            }
            return self.end_word();
        }
        Ok(())
    }

    fn input_operator(&mut self) -> Operator {
        if self.cursor.eat('<') {
            self.incomplete();
            if self.list.is_uncertain() {
                self.doubt();
            }
            if self.cursor.eat('<') {
                Operator::HereString
            } else {
                Operator::HereDocument { tabs: self.cursor.eat('-') }
            }
        } else if self.cursor.eat('>') {
            Operator::Output
        } else if self.cursor.eat('&') {
            Operator::Duplicate { output: false }
        } else {
            Operator::Input
        }
    }

    fn output_operator(&mut self) -> Operator {
        if self.cursor.eat('&') {
            Operator::Duplicate { output: true }
        } else {
            if !self.cursor.eat('>') {
                self.cursor.eat('|');
            }
            Operator::Output
        }
    }

    /// A number just in front is the descriptor that is redirected. Shells differ about larger ones and about `{name}`.
    fn end_word_before_redirection(&mut self) -> Result<(), TooLarge> {
        let plain = self.list.word.as_ref().and_then(|word| word.as_plain()).unwrap_or_default();
        let number = !plain.is_empty() && plain.chars().all(|character| character.is_ascii_digit());
        let named = plain.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).is_some_and(is_name);
        if named || (number && plain.len() > 1) {
            self.incomplete();
        }
        if named || number {
            self.list.word = None;
            return Ok(());
        }
        self.end_word()
    }

    /// The next word is the target.
    pub(super) fn expect_target(&mut self, start: usize, operator: Operator) {
        self.list.started.get_or_insert(start);
        if self.list.operator.replace(operator).is_some() {
            self.incomplete();
        }
    }

    /// Takes in the target.
    pub(super) fn target(&mut self, operator: Operator, token: Token) -> Result<(), TooLarge> {
        let kind = match operator {
            Operator::Input => RedirectKind::Input,
            Operator::Output => RedirectKind::Output,
            Operator::Both => {
                self.list.after_both = true;
                RedirectKind::Output
            }
            Operator::Duplicate { output } => {
                let descriptor = token.word.text.strip_suffix('-').unwrap_or(&token.word.text);
                if token.word.literal && descriptor.chars().all(|character| character.is_ascii_digit()) {
                    RedirectKind::Descriptor
                } else if output {
                    RedirectKind::Output
                } else {
                    self.incomplete();
                    RedirectKind::Descriptor
                }
            }
            Operator::HereString => return Ok(()),
            Operator::HereDocument { tabs } => {
                if !token.word.literal {
                    self.doubt();
                }
                let (quoted, at) = (token.is_quoted(), self.cursor.at());
                self.list.documents.push(HereDocument { delimiter: token.word.text, quoted, tabs, at });
                return Ok(());
            }
        };
        self.check_words()?;
        self.list.command.redirects.push(Redirect { kind, target: token.word });
        Ok(())
    }

    /// Reads the lines of all here-documents that were announced before the end of this line.
    pub(super) fn here_documents(&mut self, line_end: usize) {
        let documents = std::mem::take(&mut self.list.documents);
        let Some(first) = documents.first() else { return };
        // Shells of some age begin the lines at a newline inside a quote or a substitution.
        let announced = self.cursor.since(first.at);
        let announced = announced.get(..line_end.saturating_sub(first.at)).unwrap_or_default();
        if announced.replace("\\\n", "").contains('\n') {
            self.doubt();
        }
        for document in documents {
            self.here_document(&document);
        }
    }

    fn here_document(&mut self, document: &HereDocument) {
        let start = self.cursor.at();
        let delimiter = document.delimiter.as_str();
        let mut after_backslash = false;
        loop {
            let end = self.cursor.at();
            let (line, last) = match self.cursor.until('\n') {
                Ok(line) => (line, false),
                Err(line) => (line, true),
            };
            let line = if document.tabs { line.trim_start_matches('\t') } else { line };
            if line == delimiter && !after_backslash {
                let length = end - start;
                self.body(document, self.cursor.since(start).get(..length).unwrap_or_default());
                return;
            }
            // Here shells disagree about where it ends.
            let text = line.trim_end_matches('\\');
            let continues = !document.quoted && (line.len() - text.len()) % 2 == 1;
            let joined = continues && !text.is_empty() && delimiter.starts_with(text);
            let closed = line.strip_prefix(delimiter).is_some_and(|rest| rest.starts_with(')'));
            if last || closed || joined || line == delimiter {
                self.doubt();
            }
            if last {
                self.body(document, self.cursor.since(start));
                return;
            }
            after_backslash = continues;
        }
    }

    fn body(&mut self, document: &HereDocument, text: &str) {
        if !document.quoted && text.contains(['$', '`']) {
            self.findings.fragments.push(Fragment::body(text.to_owned(), self.nesting()));
        }
    }
}
