//! Where rules come from, and which list they stand in.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Location, Rule, Wildcard};

/// Who wrote a rule down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The machine's administrator.
    Policy,
    /// The user, for all folders.
    User,
    /// The project, in a file that everybody who works on it shares.
    Project,
    /// The user, for this project.
    Local,
    /// The command line, or the program that embeds the host.
    CommandLine,
    /// A person's answer, until the session ends.
    Session,
}

impl Source {
    /// Every source.
    pub const ALL: [Self; 6] = [Self::Policy, Self::User, Self::Project, Self::Local, Self::CommandLine, Self::Session];

    /// The word that settings use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Policy => "policy",
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
            Self::CommandLine => "command-line",
            Self::Session => "session",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.word())
    }
}

/// The exact place where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Who wrote it.
    pub source: Source,
    /// The file, its line and column, both from 1.
    pub place: Option<(Arc<Path>, u32, u32)>,
}

impl From<Source> for Origin {
    fn from(source: Source) -> Self {
        Self { source, place: None }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} settings", self.source)?;
        match &self.place {
            Some((file, line, column)) => write!(formatter, " ({}:{line}:{column})", file.display()),
            None => Ok(()),
        }
    }
}

/// Which of the three lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// Denies; looked at first.
    Deny,
    /// Asks; looked at second.
    Ask,
    /// Allows; looked at last.
    Allow,
}

impl List {
    /// The three, in the order in which they're looked at.
    pub const ALL: [Self; 3] = [Self::Deny, Self::Ask, Self::Allow];

    /// The word that settings use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Allow => "allow",
        }
    }
}

impl fmt::Display for List {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "permissions.{}", self.word())
    }
}

/// A rule as it was written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its list.
    pub list: List,
    /// The rule.
    pub rule: Rule,
    /// Where it stands.
    pub origin: Origin,
    /// The tools that it's for; none: all.
    pub tools: Option<Wildcard>,
    /// Where `/x` starts; none: at the first root.
    pub base: Option<Location>,
}

impl Written {
    /// A rule for all tools, with nothing known but its source.
    #[must_use]
    pub fn new(list: List, rule: Rule, source: Source) -> Self {
        Self { list, rule, origin: source.into(), tools: None, base: None }
    }

    pub(crate) fn is_for(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.matches(tool))
    }
}
