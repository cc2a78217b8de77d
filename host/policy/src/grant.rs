//! What a call was given. Its sandbox is built from this and from nothing else.

use std::path::Path;

use crate::access::Kind;
use crate::protected::names_protected;
use crate::{Access, Location, Rule};

/// The accesses that a call holds. Only [`decide`](crate::decide) makes one that isn't empty.
///
/// A grant of a folder leaves closed what a rule denies or asks about, and what is protected, further down in it: a rule is
/// decided on the file that's really opened, whichever folder the call declared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    access: Vec<Access>,
    closed: Vec<Rule>,
}

impl Grant {
    /// Holds nothing. The preflight sandbox always gets this one.
    #[must_use]
    pub const fn nothing() -> Self {
        Self { access: Vec::new(), closed: Vec::new() }
    }

    pub(crate) fn new(access: Vec<Access>, closed: Vec<Rule>) -> Self {
        Self { access, closed }
    }

    /// What it holds, in the order of the request.
    #[must_use]
    pub fn access(&self) -> &[Access] {
        &self.access
    }

    /// Whether this spelling may be looked up for reading. Asked before the disk is touched, so that a refusal tells
    /// nothing about what exists.
    #[must_use]
    pub fn names_readable(&self, path: &Path) -> bool {
        self.readable().any(|location| location.covers_name(path)) && !self.is_closed(path, false)
    }

    /// Whether this spelling may be looked up for writing.
    #[must_use]
    pub fn names_writable(&self, path: &Path) -> bool {
        self.writable().any(|location| location.covers_name(path)) && !self.is_closed(path, true)
    }

    /// Whether the object that was really opened, at this path without links, may be read.
    #[must_use]
    pub fn may_read(&self, real: &Path) -> bool {
        self.readable().any(|location| location.covers_real(real)) && !self.is_closed(real, false)
    }

    /// Whether the object at this path without links may be created, changed or deleted.
    #[must_use]
    pub fn may_write(&self, real: &Path) -> bool {
        self.writable().any(|location| location.covers_real(real)) && !self.is_closed(real, true)
    }

    /// Whether the object at this path without links may be moved away with all that is in it: not where something in it
    /// is closed, which a new name would open.
    #[must_use]
    pub fn may_move(&self, real: &Path) -> bool {
        self.may_write(real) && !self.closed.iter().any(|rule| rule.path().is_none_or(|path| path.starts_with(real)))
    }

    /// The names of the environment variables that may be seen.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.access.iter().filter_map(|access| match access {
            Access::Variable(name) => Some(name.as_str()),
            _ => None,
        })
    }

    fn is_closed(&self, path: &Path, writes: bool) -> bool {
        let covers = |rule: &Rule| rule.covers_path(Kind::Read, path) || writes && rule.covers_path(Kind::Edit, path);
        self.closed.iter().any(covers) || writes && names_protected(path)
    }

    fn readable(&self) -> impl Iterator<Item = &Location> {
        self.access.iter().filter_map(Access::location)
    }

    fn writable(&self) -> impl Iterator<Item = &Location> {
        self.access.iter().filter_map(|access| match access {
            Access::Write(location) => Some(location),
            _ => None,
        })
    }
}
