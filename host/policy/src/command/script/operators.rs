//! Characters between words: blanks, separators, comments and parentheses.

use super::TooLarge;
use super::list::{Case, Reading, Separator};
use super::parser::{Context, Parser};
use super::redirection::Operator;
use super::word::Builder;

impl Parser<'_> {
    /// One character of a list of commands.
    pub(super) fn in_list(&mut self, next: char) -> Result<(), TooLarge> {
        match next {
            ' ' | '\t' => self.end_word()?,
            '\n' => {
                let line_end = self.last();
                self.end_command(Separator::Newline)?;
                self.here_documents(line_end);
            }
            '#' if self.list.word.is_none() => self.comment(),
            '\'' => self.single_quote(),
            '"' => {
                self.write(Builder::quote);
                self.open(Context::Quote, self.last(), false)?;
            }
            '\\' => match self.cursor.next_raw() {
                Some(escaped) => self.write(|word| word.quoted_character(escaped)),
                None => self.doubt(),
            },
            '$' => self.dollar()?,
            '`' => self.backticks(),
            '<' | '>' => self.redirection(next)?,
            '&' => self.ampersand()?,
            '|' => self.bar()?,
            ';' => self.semicolon()?,
            '(' => self.open_parenthesis()?,
            ')' => self.close_parenthesis()?,
            _ => self.write(|word| word.plain(next)),
        }
        Ok(())
    }

    fn comment(&mut self) {
        let line = self.cursor.rest().split('\n').next().unwrap_or_default();
        self.cursor.skip(line.len());
        if self.list.is_uncertain() {
            self.doubt();
        }
    }

    fn ampersand(&mut self) -> Result<(), TooLarge> {
        let start = self.last();
        if self.cursor.eat('&') {
            return self.end_command(Separator::Joint);
        }
        if !self.cursor.eat('>') {
            return self.end_command(Separator::Sequence);
        }
        self.end_word()?;
        self.cursor.eat('>');
        self.expect_target(start, Operator::Both);
        Ok(())
    }

    fn bar(&mut self) -> Result<(), TooLarge> {
        let or = self.cursor.eat('|');
        let both = !or && self.cursor.eat('&');
        if !or && !both && matches!(self.list.cases.last(), Some(Case::Pattern { .. })) {
            return self.end_word();
        }
        self.end_command(Separator::Joint)
    }

    fn semicolon(&mut self) -> Result<(), TooLarge> {
        let double = self.cursor.eat(';');
        let through = self.cursor.eat('&');
        self.end_command(Separator::Sequence)?;
        if double || through {
            self.incomplete();
            match self.list.cases.last_mut() {
                Some(case @ Case::Body) => *case = Case::Pattern { open: false },
                _ => self.doubt(),
            }
        }
        Ok(())
    }

    fn open_parenthesis(&mut self) -> Result<(), TooLarge> {
        self.incomplete();
        let start = self.last();
        if self.list.opens_pattern() {
            return Ok(());
        }
        if self.list.is_reserved_word() {
            self.end_word()?;
        }
        if self.list.is_function_name() && self.skip_empty_parentheses() {
            self.list.forget_command();
            return Ok(());
        }
        if self.list.reading == Reading::Array {
            self.doubt();
        }
        if self.list.word.is_some() {
            return self.open_list(start, true, self.list.reading_behind_word());
        }
        if self.list.is_at_start() {
            if self.cursor.eat('(') {
                self.list.forget_header();
                self.doubt();
                return self.open(Context::Arithmetic(2), start, false);
            }
        } else if self.list.reading != Reading::Test {
            self.doubt();
        }
        let reading = if self.list.is_uncertain() { Reading::Parentheses } else { Reading::Commands };
        self.end_command(Separator::Sequence)?;
        self.open_list(start, false, reading)
    }

    fn skip_empty_parentheses(&mut self) -> bool {
        let rest = self.cursor.rest();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let empty = rest.get(blanks..).is_some_and(|rest| rest.starts_with(')'));
        if empty {
            self.cursor.skip(blanks + 1);
        }
        empty
    }

    fn close_parenthesis(&mut self) -> Result<(), TooLarge> {
        self.incomplete();
        self.end_word()?;
        if self.list.closes_pattern() {
            return Ok(());
        }
        if self.is_nested() {
            return self.close();
        }
        self.doubt();
        self.end_command(Separator::Sequence)
    }
}
