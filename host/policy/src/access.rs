//! What a call can need from outside its sandbox.

use std::fmt;

use crate::command::quote_for_rule;
use crate::path::escape;
use crate::{Address, Command, Location, Rule};

/// One thing that a call needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Read this file, or this folder and what is in it.
    Read(Location),
    /// Create, change or delete this file, or anything in this folder; includes reading.
    Write(Location),
    /// Fetch this URL.
    Fetch(Address),
    /// Run this program with exactly these arguments.
    Run(Box<Command>),
    /// See this environment variable.
    Variable(String),
    /// Use this secret.
    Secret(String),
    /// Call this tool.
    UseTool(String),
    /// Start a subagent of this type.
    Spawn(String),
    /// Ask the auxiliary model.
    Complete,
    /// Put a question to the user.
    AskUser,
}

/// The kinds of access that a rule can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `Read`
    Read,
    /// `Edit`
    Edit,
    /// `Bash`
    Bash,
    /// `WebFetch`
    WebFetch,
    /// `Env`
    Env,
    /// `Secret`
    Secret,
    /// `Agent`
    Agent,
    /// `Tool`
    Tool,
    /// `Complete`
    Complete,
    /// `AskUser`
    AskUser,
}

impl Kind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::Read,
        Self::Edit,
        Self::Bash,
        Self::WebFetch,
        Self::Env,
        Self::Secret,
        Self::Agent,
        Self::Tool,
        Self::Complete,
        Self::AskUser,
    ];

    /// The word that rules use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Edit => "Edit",
            Self::Bash => "Bash",
            Self::WebFetch => "WebFetch",
            Self::Env => "Env",
            Self::Secret => "Secret",
            Self::Agent => "Agent",
            Self::Tool => "Tool",
            Self::Complete => "Complete",
            Self::AskUser => "AskUser",
        }
    }

    /// The kind of this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

impl Access {
    /// The kind of rule that speaks about it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Read(_) => Kind::Read,
            Self::Write(_) => Kind::Edit,
            Self::Fetch(_) => Kind::WebFetch,
            Self::Run(_) => Kind::Bash,
            Self::Variable(_) => Kind::Env,
            Self::Secret(_) => Kind::Secret,
            Self::UseTool(_) => Kind::Tool,
            Self::Spawn(_) => Kind::Agent,
            Self::Complete => Kind::Complete,
            Self::AskUser => Kind::AskUser,
        }
    }

    /// The place that a read or a write is about.
    #[must_use]
    pub fn location(&self) -> Option<&Location> {
        match self {
            Self::Read(location) | Self::Write(location) => Some(location),
            _ => None,
        }
    }

    /// The narrowest rules that would allow it: two where a link leads to another place, since both must be allowed. None
    /// where no rule can be written, such as for a name that isn't UTF-8.
    #[must_use]
    pub fn rules(&self) -> Option<Vec<String>> {
        let word = self.kind().word();
        let specifiers = match self {
            Self::Read(location) | Self::Write(location) => {
                let mut paths = vec![location.named()];
                paths.extend(Some(location.real()).filter(|real| *real != location.named()));
                // The root of the file system is `//`, anything else `/` and its path.
                let text = |path: &std::path::Path| Some(format!("/{}", escape(path.to_str()?)));
                paths.into_iter().map(text).collect::<Option<Vec<_>>>()?
            }
            Self::Fetch(address) => vec![format!("domain:{}", address.host())],
            Self::Run(command) => {
                let mut rules = vec![format!("{word}({})", quote_for_rule(command.program(), command.arguments()))];
                // What its redirections write is decided like any other write.
                for place in &command.analysis().redirected {
                    rules.extend(Self::Write(place.clone()).rules()?);
                }
                return rules.iter().all(|rule| means_one(rule)).then_some(rules);
            }
            // Blanks around a name would be taken off.
            Self::Variable(name) | Self::Secret(name) | Self::UseTool(name) | Self::Spawn(name)
                if name.trim() != name =>
            {
                return None;
            }
            Self::Variable(name) | Self::Secret(name) | Self::UseTool(name) | Self::Spawn(name) => vec![name.clone()],
            Self::Complete | Self::AskUser => return Some(vec![word.to_owned()]),
        };
        let rules: Vec<String> = specifiers.into_iter().map(|specifier| format!("{word}({specifier})")).collect();
        rules.iter().all(|rule| means_one(rule)).then_some(rules)
    }
}

/// A text with a wildcard, or one that's too long, would mean something else or nothing.
fn means_one(text: &str) -> bool {
    text.parse::<Rule>().is_ok_and(|rule| rule.is_about_one())
}

/// In the words of the person who is asked: `read /etc/passwd`.
impl fmt::Display for Access {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(location) => write!(formatter, "read {}", Described(location)),
            Self::Write(location) => write!(formatter, "write {}", Described(location)),
            Self::Fetch(address) => write!(formatter, "fetch {address}"),
            Self::Run(command) => {
                write!(formatter, "run `{}` in {}", command.quoted(), Described(command.directory()))
            }
            Self::Variable(name) => write!(formatter, "see the environment variable {name}"),
            Self::Secret(name) => write!(formatter, "use the secret {name}"),
            Self::UseTool(name) => write!(formatter, "call the tool {name}"),
            Self::Spawn(name) => write!(formatter, "start a subagent of type {name}"),
            Self::Complete => write!(formatter, "ask the auxiliary model"),
            Self::AskUser => write!(formatter, "ask the user"),
        }
    }
}

/// A place, with where it leads when that's somewhere else.
struct Described<'a>(&'a Location);

impl fmt::Display for Described<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.named().display())?;
        if self.0.real() != self.0.named() {
            write!(formatter, " (which is {})", self.0.real().display())?;
        }
        Ok(())
    }
}
