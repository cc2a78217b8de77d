//! The three lists, and where each rule came from.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::{Access, Kind, Mode, Rule};

/// Where a rule was written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A settings file that was named on the command line, or given by the embedding program.
    Settings,
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Settings => "settings",
        })
    }
}

/// A rule with its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sourced {
    /// The rule.
    pub rule: Rule,
    /// Where it was written.
    pub source: Source,
}

/// Which of the three lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// Denies; looked at first.
    Deny,
    /// Asks; looked at second.
    Ask,
    /// Allows; looked at last.
    Allow,
}

impl fmt::Display for List {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Deny => "permissions.deny",
            Self::Ask => "permissions.ask",
            Self::Allow => "permissions.allow",
        })
    }
}

/// All rules of a session.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Nothing lifts these.
    pub deny: Vec<Sourced>,
    /// These ask a person.
    pub ask: Vec<Sourced>,
    /// These pass.
    pub allow: Vec<Sourced>,
}

impl Rules {
    /// The list that decides about this access, and the rule in it. Specificity is irrelevant: the first list counts.
    ///
    /// Writing includes reading, so a `Read` rule in deny or ask also stops a write, and an `Edit` rule in allow also
    /// lets a read pass.
    #[must_use]
    pub fn decide(&self, access: &Access) -> Option<(List, &Sourced)> {
        let included = match access {
            Access::Write(location) => Some(Access::Read(location.clone())),
            _ => None,
        };
        let touches = |sourced: &&Sourced| {
            sourced.rule.touches(access) || included.as_ref().is_some_and(|read| sourced.rule.touches(read))
        };
        let denied = self.deny.iter().find(touches).map(|found| (List::Deny, found));
        let asked = || self.ask.iter().find(touches).map(|found| (List::Ask, found));
        denied.or_else(asked).or_else(|| self.allowed(access).map(|found| (List::Allow, found)))
    }

    /// The same rules, with each deny and ask rule about a path repeated for the place that the path leads to. A path that
    /// is a link, or lies below one, has two names, and must be closed under both. Allow rules need both as they are.
    #[must_use]
    pub fn resolved(mut self, resolve: impl Fn(&Path) -> Option<PathBuf>) -> Self {
        for list in [&mut self.deny, &mut self.ask] {
            let moved = |sourced: &Sourced| {
                let path = sourced.rule.path()?;
                let real = resolve(path).filter(|real| real != path)?;
                Some(Sourced { rule: sourced.rule.moved_to(&real), source: sourced.source })
            };
            let more: Vec<Sourced> = list.iter().filter_map(moved).collect();
            list.extend(more);
        }
        self
    }

    /// The rules about files that a grant of a folder above must leave closed.
    pub(crate) fn closed(&self, mode: Mode) -> Vec<Rule> {
        let asks: &[Sourced] = if mode == Mode::Bypass { &[] } else { &self.ask };
        let about_files = |sourced: &&Sourced| sourced.rule.is_about_files();
        self.deny.iter().chain(asks).filter(about_files).map(|sourced| sourced.rule.clone()).collect()
    }

    /// A link may be allowed by two rules, one for each end.
    fn allowed(&self, access: &Access) -> Option<&Sourced> {
        let Some(location) = access.location() else {
            return self.allow.iter().find(|sourced| sourced.rule.allows(access));
        };
        let covering = |path| {
            let covers = |sourced: &&Sourced| {
                let reads = matches!(access, Access::Read(_)) && sourced.rule.covers_path(Kind::Read, path);
                reads || sourced.rule.covers_path(Kind::Edit, path)
            };
            self.allow.iter().find(covers)
        };
        covering(location.real()).filter(|_| covering(location.named()).is_some())
    }
}
