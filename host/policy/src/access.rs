//! What a call can need from outside its sandbox.

use std::fmt;

use crate::Location;
use crate::command::quote;

/// One thing that a call needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// Read this file, or this folder and what is in it.
    Read(Location),
    /// Create, change or delete this file, or anything in this folder; includes reading.
    Write(Location),
    /// Fetch this URL.
    Fetch(String),
    /// Run this program with exactly these arguments.
    Run {
        /// As given, found by the search path when it's a bare name.
        program: String,
        /// Without the program's name.
        arguments: Vec<String>,
        /// Where it runs.
        directory: Location,
    },
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `Read`
    Read,
    /// `Edit`
    Edit,
    /// `WebFetch`
    WebFetch,
    /// `Bash`
    Bash,
    /// `Env`
    Env,
    /// `Secret`
    Secret,
    /// `Tool`
    Tool,
    /// `Agent`
    Agent,
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
            Self::WebFetch => "WebFetch",
            Self::Bash => "Bash",
            Self::Env => "Env",
            Self::Secret => "Secret",
            Self::Tool => "Tool",
            Self::Agent => "Agent",
            Self::Complete => "Complete",
            Self::AskUser => "AskUser",
        }
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
            Self::Run { .. } => Kind::Bash,
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

    /// What stands between the parentheses of the narrowest rule, for accesses that aren't paths.
    #[must_use]
    pub fn specifier(&self) -> Option<String> {
        match self {
            Self::Read(_) | Self::Write(_) | Self::Complete | Self::AskUser => None,
            Self::Fetch(url) => Some(url.clone()),
            Self::Run { program, arguments, .. } => Some(quote(program, arguments)),
            Self::Variable(name) | Self::Secret(name) | Self::UseTool(name) | Self::Spawn(name) => Some(name.clone()),
        }
    }

    /// The narrowest rules that would allow it: two where a link leads to another place, since both must be allowed.
    #[must_use]
    pub fn rules(&self) -> Vec<String> {
        let word = self.kind().word();
        match (self.location(), self.specifier()) {
            (Some(location), _) => {
                let mut rules = vec![format!("{word}(/{})", location.named().display())];
                if location.real() != location.named() {
                    rules.push(format!("{word}(/{})", location.real().display()));
                }
                rules
            }
            (None, Some(specifier)) => vec![format!("{word}({specifier})")],
            (None, None) => vec![word.to_owned()],
        }
    }
}

/// In the words of the person who is asked: `read /etc/passwd`.
impl fmt::Display for Access {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(location) => write!(formatter, "read {}", Described(location)),
            Self::Write(location) => write!(formatter, "write {}", Described(location)),
            Self::Fetch(url) => write!(formatter, "fetch {url}"),
            Self::Run { program, arguments, directory } => {
                write!(formatter, "run `{}` in {}", quote(program, arguments), directory.named().display())
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
