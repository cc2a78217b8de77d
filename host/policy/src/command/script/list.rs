//! One list of commands while it's being read: the command at hand, and what its next word would mean.

use super::parser::Parser;
use super::redirection::{HereDocument, Operator};
use super::reserved;
use super::word::{Builder, Token};
use super::{MOST_WORDS, Simple, TooLarge, Word};

/// What is open in a list.
#[derive(Default)]
pub(super) struct List {
    pub(super) command: Simple,
    /// Where the command starts.
    pub(super) started: Option<usize>,
    pub(super) word: Option<Builder>,
    /// The redirect whose target comes next.
    pub(super) operator: Option<Operator>,
    /// The here-documents that begin on the next line.
    pub(super) documents: Vec<HereDocument>,
    /// The `case` constructs that are open, innermost last.
    pub(super) cases: Vec<Case>,
    pub(super) header: Header,
    /// Whether `&&`, `||` or `|` came before.
    pub(super) needs_command: bool,
    pub(super) reading: Reading,
    /// Whether `&>` came before, after which shells without it see a new command.
    pub(super) after_both: bool,
}

/// How far bash agrees that a list is one of commands.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    #[default]
    Commands,
    /// It may only look for a closing parenthesis: in patterns.
    Parentheses,
    /// It's an array. Bash drops the line when there are more than words in it, and goes on with the next.
    Array,
    /// It's between `[[` and `]]`.
    Test,
}

/// Where in a `case` construct the list is.
pub(super) enum Case {
    Subject,
    In,
    Pattern { open: bool },
    Body,
}

/// What the next words mean after a reserved word that isn't followed by a command at once.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    #[default]
    None,
    /// After `for` and `select`: the variable.
    Variable,
    /// After the variable: `in`, `do` or the end of the line.
    In,
    /// After `in`: the values.
    Values,
    /// After `function`: its name.
    Function,
    /// After `coproc`: a command, or a name and a compound command.
    Coprocess,
    /// After the first word of it.
    CoprocessBody,
    /// After `time`: its options or a command.
    Time,
}

/// What ends a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Newline,
    /// `;`, `&` and the like.
    Sequence,
    /// `&&`, `||` and pipes: another command must follow.
    Joint,
    /// The end of the text or of the construct around it.
    End,
}

impl List {
    /// Whether the next word could be a reserved one.
    pub(super) fn is_at_start(&self) -> bool {
        self.command == Simple::default() && self.operator.is_none()
    }

    /// Whether what isn't a plain word may mean something else here.
    pub(super) fn is_uncertain(&self) -> bool {
        self.reading != Reading::Commands
    }

    /// How bash reads what is in a parenthesis just behind the word at hand.
    pub(super) fn reading_behind_word(&self) -> Reading {
        let is_assignment = self.word.as_ref().is_some_and(Builder::ends_in_assignment);
        if is_assignment { Reading::Array } else { Reading::Parentheses }
    }

    /// Whether the word at hand is reserved where it stands.
    pub(super) fn is_reserved_word(&self) -> bool {
        self.is_at_start() && self.word.as_ref().and_then(Builder::as_plain).is_some_and(reserved::is_reserved)
    }

    /// Whether a pair of parentheses makes what is at hand the name of a function.
    pub(super) fn is_function_name(&self) -> bool {
        if let Some(word) = &self.word {
            return self.is_at_start() && word.as_plain().is_some();
        }
        let Simple { assignments, words, redirects } = &self.command;
        let one_word = assignments.is_empty() && redirects.is_empty() && words.len() == 1;
        one_word && words.iter().all(|word| word.literal) && self.operator.is_none()
    }

    /// Whether an opening parenthesis only begins the patterns of a `case`.
    pub(super) fn opens_pattern(&mut self) -> bool {
        let at_start = self.word.is_none() && self.is_at_start();
        match self.cases.last_mut() {
            Some(Case::Pattern { open }) if at_start && !*open => {
                *open = true;
                true
            }
            _ => false,
        }
    }

    /// Whether a closing parenthesis only ends the patterns of a `case`.
    pub(super) fn closes_pattern(&mut self) -> bool {
        let only_words = self.operator.is_none() && self.command.redirects.is_empty();
        match self.cases.last_mut() {
            Some(case @ Case::Pattern { .. }) if only_words => {
                *case = Case::Body;
                self.forget_command();
                true
            }
            _ => false,
        }
    }

    pub(super) fn forget_command(&mut self) {
        self.command = Simple::default();
        self.started = None;
        self.word = None;
        self.header = Header::None;
    }

    pub(super) fn forget_header(&mut self) {
        self.header = Header::None;
    }
}

impl Parser<'_> {
    /// Ends the word at hand, if there is one, and puts it where it belongs.
    pub(super) fn end_word(&mut self) -> Result<(), TooLarge> {
        let Some(builder) = self.list.word.take() else { return Ok(()) };
        let token = builder.finish();
        if !token.word.literal {
            self.incomplete();
        }
        if token.open_subscript {
            self.doubt();
        }
        if let Some(operator) = self.list.operator.take() {
            return self.target(operator, token);
        }
        if self.list.after_both {
            self.doubt();
        }
        if self.list.reading == Reading::Test && token.as_plain() == Some("]]") {
            self.list.reading = Reading::Commands;
        }
        if !matches!(self.list.cases.last(), None | Some(Case::Body)) {
            return self.case_word(token);
        }
        if self.list.is_at_start() || self.list.header == Header::CoprocessBody {
            return self.first_word(token);
        }
        if self.list.command.words.is_empty() { self.assignment_or_word(token) } else { self.push_word(token.word) }
    }

    fn case_word(&mut self, token: Token) -> Result<(), TooLarge> {
        let plain = token.as_plain();
        let at_start = self.list.is_at_start();
        match self.list.cases.last_mut() {
            Some(case @ Case::Subject) => *case = Case::In,
            Some(case @ Case::In) if plain == Some("in") => *case = Case::Pattern { open: false },
            Some(Case::Pattern { open: false }) if plain == Some("esac") && at_start => {
                self.list.cases.pop();
            }
            Some(Case::Pattern { .. }) => return self.push_word(token.word),
            _ => {
                self.doubt();
                self.list.cases.pop();
                return self.push_word(token.word);
            }
        }
        self.list.forget_command();
        Ok(())
    }

    fn first_word(&mut self, token: Token) -> Result<(), TooLarge> {
        let header = std::mem::take(&mut self.list.header);
        let plain = token.as_plain();
        let next = match header {
            Header::Variable => Some(Header::In),
            Header::In if plain == Some("in") => Some(Header::Values),
            Header::Values => Some(Header::Values),
            Header::Function => Some(Header::None),
            Header::Time if matches!(plain, Some("-p" | "--")) => Some(Header::Time),
            Header::In if plain != Some("do") => {
                self.doubt();
                None
            }
            _ => None,
        };
        if let Some(header) = next {
            self.list.header = header;
            self.list.started = None;
            return Ok(());
        }
        if plain.is_some_and(reserved::is_reserved) {
            if header == Header::CoprocessBody {
                self.end_command(Separator::Newline)?;
            }
            return self.reserved_word(token);
        }
        if header == Header::Time && token.word.text.starts_with('-') {
            // Without the reserved word it's a program of that name, with options.
            self.push_word(Word { text: "time".to_owned(), literal: true })?;
        }
        if header == Header::Coprocess {
            self.list.header = Header::CoprocessBody;
        }
        self.assignment_or_word(token)
    }

    fn assignment_or_word(&mut self, token: Token) -> Result<(), TooLarge> {
        let Some((name, value, simple)) = token.assignment() else { return self.push_word(token.word) };
        if !simple {
            self.incomplete();
        }
        self.check_words()?;
        self.list.command.assignments.push((name, value));
        Ok(())
    }

    fn push_word(&mut self, word: Word) -> Result<(), TooLarge> {
        self.check_words()?;
        self.list.command.words.push(word);
        Ok(())
    }

    /// Fails when one more word would be too many.
    pub(super) fn check_words(&self) -> Result<(), TooLarge> {
        let Simple { assignments, words, redirects } = &self.list.command;
        if assignments.len() + words.len() + redirects.len() >= MOST_WORDS {
            return Err(TooLarge { what: "words in one command", limit: MOST_WORDS });
        }
        Ok(())
    }

    /// Ends the word and the command at hand.
    pub(super) fn end_command(&mut self, separator: Separator) -> Result<(), TooLarge> {
        self.end_word()?;
        let list = &mut self.list;
        let start = list.started.take().unwrap_or_default();
        let command = std::mem::take(&mut list.command);
        let no_target = list.operator.take().is_some();
        let in_pattern = matches!(list.cases.last(), Some(Case::Pattern { .. }));
        let empty = command == Simple::default();
        let in_array = list.reading == Reading::Array;
        let misplaced = match separator {
            Separator::Newline => false,
            Separator::End => list.needs_command,
            Separator::Sequence | Separator::Joint => true,
        };
        if !(empty && separator == Separator::Newline) {
            list.needs_command = separator == Separator::Joint;
        }
        if !(list.header == Header::In && separator == Separator::Newline) {
            list.header = Header::None;
        }
        list.after_both = false;
        if no_target || (empty && misplaced) || reserved::changes_reading(&command.words) {
            self.incomplete();
        }
        if in_array && matches!(separator, Separator::Sequence | Separator::Joint) {
            self.doubt();
        }
        if empty {
            return Ok(());
        }
        if in_pattern {
            self.doubt();
        }
        self.report(start, command)
    }
}
