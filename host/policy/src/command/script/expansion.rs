//! Quotes, and what begins with `$` or a backtick.

use super::list::Reading;
use super::parser::{Context, Fragment, Parser};
use super::word::Builder;
use super::{TooLarge, ansi};

impl Parser<'_> {
    fn is_quoted(&self) -> bool {
        self.frame().is_some_and(|frame| frame.quoted)
    }

    /// Takes in all of `'...'`, of which the first quote was read.
    pub(super) fn single_quote(&mut self) {
        let text = self.cursor.until('\'').unwrap_or_else(|rest| {
            self.doubt();
            rest
        });
        self.write(|word| word.quoted(text));
    }

    /// One character between double quotes.
    pub(super) fn in_quote(&mut self, next: char) -> Result<(), TooLarge> {
        match next {
            '"' => self.close()?,
            '$' => self.dollar()?,
            '`' => self.backticks(),
            '\\' => {
                let escaped = self.cursor.next_raw();
                if !matches!(escaped, Some('$' | '`' | '"' | '\\')) {
                    self.write(|word| word.quoted_character(next));
                }
                if let Some(escaped) = escaped {
                    self.write(|word| word.quoted_character(escaped));
                }
            }
            _ => self.write(|word| word.quoted_character(next)),
        }
        Ok(())
    }

    /// One character in the lines of a here-document.
    pub(super) fn in_body(&mut self, next: char) -> Result<(), TooLarge> {
        match next {
            '$' => self.dollar(),
            '`' => {
                self.backticks();
                Ok(())
            }
            '\\' => {
                self.cursor.next_raw();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// One character in `${...}`.
    pub(super) fn in_parameter(&mut self, next: char) -> Result<(), TooLarge> {
        match next {
            '}' => self.close(),
            '$' => self.dollar(),
            '"' => {
                if self.is_quoted() {
                    self.doubt();
                }
                self.open(Context::Quote, self.last(), false)
            }
            // Between double quotes, bash takes it for a quote, a POSIX shell only in some operators.
            '\'' if self.is_quoted() => {
                self.doubt();
                Ok(())
            }
            '<' | '>' if self.cursor.eat('(') => {
                self.doubt();
                self.open_list(self.last(), false, Reading::Commands)
            }
            _ => {
                match next {
                    '\'' => self.single_quote(),
                    '`' => self.backticks(),
                    '\\' => _ = self.cursor.next_raw(),
                    _ => {}
                }
                Ok(())
            }
        }
    }

    /// One character in `$((...))` or `((...))`. What seems to be arithmetic may turn out to be commands.
    pub(super) fn in_arithmetic(&mut self, next: char, open: usize) -> Result<(), TooLarge> {
        match next {
            '(' => self.set_context(Context::Arithmetic(open + 1)),
            ')' if open > 1 => {
                if open == 2 && self.cursor.peek() != Some(')') {
                    self.doubt();
                }
                self.set_context(Context::Arithmetic(open - 1));
            }
            ')' => self.close()?,
            '$' => self.dollar()?,
            '`' => self.backticks(),
            '\\' => _ = self.cursor.next_raw(),
            '"' => {
                self.doubt();
                self.open(Context::Quote, self.last(), false)?;
            }
            '\'' => {
                self.doubt();
                self.single_quote();
            }
            ';' | '\n' => self.doubt(),
            _ => {}
        }
        Ok(())
    }

    /// Takes in what begins with the `$` that was read.
    pub(super) fn dollar(&mut self) -> Result<(), TooLarge> {
        let start = self.last();
        let quoted = self.is_quoted();
        match self.cursor.peek() {
            Some('(') => {
                self.cursor.eat('(');
                if !self.cursor.eat('(') {
                    return self.open_list(start, true, Reading::Commands);
                }
                self.expansion("");
                return self.open(Context::Arithmetic(2), start, true);
            }
            Some('{') => {
                self.cursor.eat('{');
                let name = self.cursor.peek();
                if !name.is_some_and(|name| name.is_ascii_alphanumeric() || "_#!@*?$-".contains(name)) {
                    self.doubt();
                }
                self.expansion("");
                return self.open(Context::Parameter, start, true);
            }
            Some('\'') if !quoted => {
                self.cursor.eat('\'');
                self.ansi_quote();
            }
            Some('"') if !quoted => {
                self.incomplete();
                self.cursor.eat('"');
                self.write(Builder::quote);
                return self.open(Context::Quote, start, false);
            }
            Some('[') => {
                self.doubt();
                self.expansion("$");
            }
            Some(first) if first == '_' || first.is_ascii_alphabetic() => {
                let mut written = String::from('$');
                while let Some(part) = self.cursor.peek().filter(|part| *part == '_' || part.is_ascii_alphanumeric()) {
                    self.cursor.eat(part);
                    written.push(part);
                }
                self.expansion(&written);
            }
            Some(name) if name.is_ascii_digit() || "@*#?-$!".contains(name) => {
                self.cursor.eat(name);
                self.expansion(&format!("${name}"));
            }
            // A `$` at the end of a word is only that.
            None | Some(' ' | '\t' | '\n') => self.write(|word| word.quoted_character('$')),
            Some('"') => self.write(|word| word.quoted_character('$')),
            Some(';' | '&' | '|' | ')') if !quoted => self.write(|word| word.quoted_character('$')),
            Some(_) => self.expansion("$"),
        }
        Ok(())
    }

    /// Takes in all of `` `...` ``, of which the first backtick was read. It ends at the next one, whatever is in it.
    pub(super) fn backticks(&mut self) {
        let start = self.last();
        let quoted = self.is_quoted();
        let mut commands = String::new();
        loop {
            match self.cursor.next_raw() {
                Some('`') => break,
                Some('\\') => {
                    let escaped = self.cursor.next_raw();
                    let is_special = matches!(escaped, Some('$' | '`' | '\\')) || (quoted && escaped == Some('"'));
                    if !is_special {
                        commands.push('\\');
                    }
                    commands.extend(escaped);
                }
                Some(next) => commands.push(next),
                None => {
                    self.doubt();
                    break;
                }
            }
        }
        // Shells differ in whether a comment can hide the last backtick.
        if commands.contains('#') {
            self.doubt();
        }
        self.findings.fragments.push(Fragment::commands(commands, self.nesting()));
        self.expansion(self.cursor.since(start));
    }

    /// Takes in all of `$'...'`, of which the first quote was read. In a plain POSIX shell it's `$` and another quote.
    fn ansi_quote(&mut self) {
        self.incomplete();
        let quote = ansi::read(&mut self.cursor);
        if quote.ambiguous {
            self.doubt();
        }
        self.write(|word| word.quoted(&quote.text));
    }
}
