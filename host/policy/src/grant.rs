//! What a call was given. Its sandbox is built from this and from nothing else.

use std::path::Path;

use crate::{Access, Location};

/// The accesses that a call holds. Only [`decide`](crate::decide) makes one that isn't empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Grant {
    access: Vec<Access>,
}

impl Grant {
    /// Holds nothing. The preflight sandbox always gets this one.
    #[must_use]
    pub const fn nothing() -> Self {
        Self { access: Vec::new() }
    }

    pub(crate) fn new(access: Vec<Access>) -> Self {
        Self { access }
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
        self.readable().any(|location| location.covers_name(path))
    }

    /// Whether this spelling may be looked up for writing.
    #[must_use]
    pub fn names_writable(&self, path: &Path) -> bool {
        self.writable().any(|location| location.covers_name(path))
    }

    /// Whether the object that was really opened, at this path without links, may be read.
    #[must_use]
    pub fn may_read(&self, real: &Path) -> bool {
        self.readable().any(|location| location.covers_real(real))
    }

    /// Whether the object at this path without links may be created, changed or deleted.
    #[must_use]
    pub fn may_write(&self, real: &Path) -> bool {
        self.writable().any(|location| location.covers_real(real))
    }

    /// The names of the environment variables that may be seen.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.access.iter().filter_map(|access| match access {
            Access::Variable(name) => Some(name.as_str()),
            _ => None,
        })
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
