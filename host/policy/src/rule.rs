//! One rule: text that names accesses, or a tool.
//!
//! `Kind` and `Kind(*)` are every access of that kind, whichever tool makes it; `Kind(specifier)` are those that the
//! specifier names: a path pattern for `Read` and `Edit`, a command for `Bash`, `domain:host` for `WebFetch`, a name for
//! the others. Any other word is a tool: `Name`, `pack__*`, `mcp__server`, and `Name(parameter:value)` for calls with this
//! value in their input.

use std::fmt;
use std::str::FromStr;

use crate::access::Kind;
use crate::address::HostPattern;
use crate::command::CommandPattern;
use crate::path::PathPattern;
use crate::rule_error::RuleError;
use crate::{List, Wildcard};

/// A rule longer than this is refused: 4,096 bytes of path, each escaped, would never be written by a person.
pub(crate) const LONGEST: usize = 8_192;

/// A parsed rule. Its text form parses to itself again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    text: Box<str>,
    pub(crate) subject: Subject,
    pub(crate) specifier: Specifier,
    /// `parameter:value`, where the text can be read so.
    pub(crate) parameter: Option<Parameter>,
}

/// What the word in front of the parenthesis names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    Access(Kind),
    /// A tool, or several.
    Tool(Wildcard),
    /// All tools of a server: `mcp__server`.
    Server(Box<str>),
}

/// Which of the accesses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Specifier {
    Everything,
    Path(PathPattern),
    Command(CommandPattern),
    Host(HostPattern),
    Name(Wildcard),
    /// Calls with a parameter, and no accesses.
    OnlyParameter,
}

/// A field of a tool's input and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: Box<str>,
    pub(crate) value: Wildcard,
}

impl Rule {
    /// Whether it can stand in this list.
    ///
    /// # Errors
    /// A rule that allows names tools one by one, or behind a pack or server of its own; and can't look at parameters.
    pub fn check(&self, list: List) -> Result<(), RuleError> {
        if list != List::Allow {
            return Ok(());
        }
        match &self.subject {
            _ if self.specifier == Specifier::OnlyParameter => Err(RuleError::ParameterAllows(self.text.to_string())),
            Subject::Tool(name) if name.literal().is_none() && !names_one_pack(name.start()) => {
                Err(RuleError::GlobAllows(self.text.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Whether it's about one access alone: no wildcard, no whole kind.
    pub(crate) fn is_about_one(&self) -> bool {
        match &self.specifier {
            Specifier::Everything | Specifier::OnlyParameter => false,
            Specifier::Path(_) => true,
            Specifier::Command(pattern) => pattern.is_one_command(),
            Specifier::Host(pattern) => matches!(pattern, HostPattern::Exactly(_)),
            Specifier::Name(name) => name.literal().is_some(),
        }
    }

    /// Whether it names this tool itself: then, as a deny, it takes the tool out of what a model sees.
    #[must_use]
    pub fn names_tool(&self, tool: &str) -> bool {
        self.specifier == Specifier::Everything && self.subject_is(tool)
    }

    /// Whether it's about a call of this tool whose input has these values.
    pub(crate) fn is_about_call(&self, tool: &str, parameters: &[(String, String)]) -> bool {
        self.parameter.as_ref().is_some_and(|wanted| {
            let given = parameters.iter().find(|(name, _)| **name == *wanted.name);
            self.subject_is(tool) && given.is_some_and(|(_, value)| wanted.value.matches(value))
        })
    }

    /// Whether it's about accesses, whichever tool makes them.
    pub(crate) fn is_about_accesses(&self) -> bool {
        matches!(self.subject, Subject::Access(_))
    }

    pub(crate) fn subject_is(&self, tool: &str) -> bool {
        match &self.subject {
            Subject::Access(kind) => kind.word() == tool,
            Subject::Tool(name) => name.matches(tool),
            Subject::Server(server) => tool.strip_prefix(&**server).is_some_and(|rest| rest.starts_with("__")),
        }
    }
}

/// `pack__` or `mcp__server__`: the names behind it are that one's own.
fn names_one_pack(start: &str) -> bool {
    start.strip_prefix("mcp__").unwrap_or(start).find("__").is_some_and(|at| at > 0)
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        if text.len() > LONGEST {
            return Err(RuleError::Length(text.len()));
        }
        let text = text.trim();
        let shape = || RuleError::Shape(text.to_owned());
        let (word, inner) = match text.split_once('(') {
            None => (text, None),
            Some((word, rest)) => (word, Some(rest.strip_suffix(')').ok_or_else(shape)?)),
        };
        let usual = |letter: char| letter.is_ascii_alphanumeric() || "_-*".contains(letter);
        if word.is_empty() || !word.chars().all(usual) {
            return Err(if word.is_ascii() { shape() } else { RuleError::Letters(word.to_owned()) });
        }
        let inner = inner.filter(|inner| inner.trim() != "*");
        let parameter = inner.and_then(parameter);
        let (subject, specifier) = match Kind::of_word(word) {
            Some(kind) => (Subject::Access(kind), access_specifier(kind, inner, parameter.is_some())?),
            None => (tool(word), tool_specifier(word, inner, parameter.is_some())?),
        };
        Ok(Self { text: text.into(), subject, specifier, parameter })
    }
}

fn access_specifier(kind: Kind, inner: Option<&str>, parameter: bool) -> Result<Specifier, RuleError> {
    let Some(text) = inner else { return Ok(Specifier::Everything) };
    if let Some((field, _)) = text.split_once(':').filter(|(field, _)| MAIN_FIELDS.contains(&field.trim())) {
        return Err(RuleError::MainField { word: kind.word(), field: field.trim().to_owned() });
    }
    let rule = || format!("{}({text})", kind.word());
    match kind {
        Kind::Read | Kind::Edit => {
            PathPattern::parse(text).map(Specifier::Path).map_err(|source| RuleError::Path { rule: rule(), source })
        }
        Kind::Bash => CommandPattern::parse(text)
            .map(Specifier::Command)
            .map_err(|source| RuleError::Command { rule: rule(), source }),
        Kind::WebFetch => match text.trim().strip_prefix("domain:") {
            Some(host) => HostPattern::parse(host).map(Specifier::Host).ok_or_else(|| RuleError::Host(host.to_owned())),
            None if parameter && !text.contains("://") => Ok(Specifier::OnlyParameter),
            None => Err(RuleError::NoDomain(text.to_owned())),
        },
        Kind::Env | Kind::Secret | Kind::Agent | Kind::Tool => match text.trim() {
            "" => Err(RuleError::Shape(rule())),
            name => Ok(Specifier::Name(Wildcard::new(name))),
        },
        Kind::Complete | Kind::AskUser => Err(RuleError::NoSpecifier(kind.word())),
    }
}

/// What stands in these fields is an access, and rules about the access can't be passed by.
const MAIN_FIELDS: [&str; 6] = ["command", "file_path", "path", "notebook_path", "url", "pattern"];

fn tool(word: &str) -> Subject {
    let server = word.strip_prefix("mcp__").and_then(|rest| match rest.split_once("__") {
        None if !rest.is_empty() && !rest.contains('*') => Some(word),
        Some((server, "*")) if !server.contains('*') => word.strip_suffix("__*"),
        _ => None,
    });
    server.map_or_else(|| Subject::Tool(Wildcard::new(word)), |server| Subject::Server(server.into()))
}

fn tool_specifier(word: &str, inner: Option<&str>, parameter: bool) -> Result<Specifier, RuleError> {
    match inner {
        None => Ok(Specifier::Everything),
        Some(_) if parameter => Ok(Specifier::OnlyParameter),
        Some(_) => Err(RuleError::NoParameter(word.to_owned())),
    }
}

/// `name:value`, as far as a field's name can look.
fn parameter(text: &str) -> Option<Parameter> {
    let (name, value) = text.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    // `git:*` is a command's beginning; `domain:` has a meaning of its own.
    let field = !name.is_empty() && name.chars().all(letter) && !matches!(value, "" | "*") && name != "domain";
    field.then(|| Parameter { name: name.into(), value: Wildcard::new(value) })
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}
