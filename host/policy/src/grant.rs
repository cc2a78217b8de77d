//! What a call was given. Its sandbox is built from this and from nothing else.

use std::path::Path;
use std::sync::Arc;

use crate::location::Identity;
use crate::{Access, Location, Policy};

/// The accesses that a call holds. Only a [`Decision`](crate::Decision) makes one that isn't empty.
///
/// A grant of a folder leaves closed what a rule denies or asks about, what is protected, and what is the host's own,
/// further down in it: a rule is decided on the file that's really opened, whichever folder the call declared.
#[derive(Debug, Clone, Default)]
pub struct Grant {
    access: Vec<Access>,
    /// Places about which a person was asked, and said yes.
    opened: Vec<Location>,
    held: Option<(Arc<Policy>, Arc<str>)>,
}

/// An object of the file system that is held, before anything is done with it.
#[derive(Debug, Clone, Copy)]
pub struct Held<'a> {
    /// Its path without links, as the kernel knows it.
    pub real: &'a Path,
    /// Whether its file system doesn't tell upper from lower case.
    pub folds_case: bool,
    /// Which file it is, when it has several names.
    pub identity: Option<Identity>,
}

impl<'a> Held<'a> {
    /// A path alone.
    #[must_use]
    pub fn at(real: &'a Path) -> Self {
        Self { real, folds_case: false, identity: None }
    }
}

impl Grant {
    /// Holds nothing. The preflight sandbox always gets this one.
    #[must_use]
    pub const fn nothing() -> Self {
        Self { access: Vec::new(), opened: Vec::new(), held: None }
    }

    pub(crate) fn new(access: Vec<Access>, opened: Vec<Location>, policy: Arc<Policy>, tool: Arc<str>) -> Self {
        Self { access, opened, held: Some((policy, tool)) }
    }

    /// The same with what another grant of the same call holds. What either leaves closed by rules that are there now stays
    /// so: the newer policy counts.
    #[must_use]
    pub fn extended(&self, more: Self) -> Self {
        let mut all = self.clone();
        all.access.extend(more.access.into_iter().filter(|access| !self.access.contains(access)));
        all.opened.extend(more.opened);
        all.held = more.held.or(all.held);
        all
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
        self.readable().any(|location| location.covers_name(path)) && !self.is_closed(Held::at(path), false)
    }

    /// Whether this spelling may be looked up for writing.
    #[must_use]
    pub fn names_writable(&self, path: &Path) -> bool {
        self.writable().any(|location| location.covers_name(path)) && !self.is_closed(Held::at(path), true)
    }

    /// Whether the object that is held may be read.
    #[must_use]
    pub fn may_read(&self, held: Held<'_>) -> bool {
        self.readable().any(|location| location.covers_real(held.real)) && !self.is_closed(held, false)
    }

    /// Whether the object that is held may be created, changed or deleted.
    #[must_use]
    pub fn may_write(&self, held: Held<'_>) -> bool {
        self.writable().any(|location| location.covers_real(held.real)) && !self.is_closed(held, true)
    }

    /// Whether the object at this path without links may be removed, or replaced by another: not the folders that the agent
    /// works in, nor those above them.
    #[must_use]
    pub fn may_remove(&self, real: &Path) -> bool {
        self.may_write(Held::at(real)) && self.held.as_ref().is_some_and(|(policy, _)| !policy.is_critical(real))
    }

    /// Whether the object at `from` may be moved to `to` with all that is in it: not where something in it is closed by its
    /// name here, and would be open there.
    #[must_use]
    pub fn may_move(&self, from: &Path, to: &Path) -> bool {
        let stays = |(policy, tool): &(Arc<Policy>, Arc<str>)| {
            let own = policy.own.iter().any(|place| place.real().starts_with(from) || place.named().starts_with(from));
            !own && policy.stays_closed(from, to, tool)
        };
        self.may_remove(from) && self.may_remove(to) && self.held.as_ref().is_some_and(stays)
    }

    /// The names of the environment variables that may be seen.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.access.iter().filter_map(|access| match access {
            Access::Variable(name) => Some(name.as_str()),
            _ => None,
        })
    }

    fn is_closed(&self, held: Held<'_>, writes: bool) -> bool {
        let Some((policy, tool)) = &self.held else { return true };
        if policy.is_own(held.real) && (writes || !policy.readable.iter().any(|place| place.covers_name(held.real))) {
            return true;
        }
        let (denied, asked) = policy.closes(held, writes, tool);
        let protected = writes && policy.is_protected(held.real);
        denied || (asked || protected) && !self.is_opened(policy, tool, held, writes, protected)
    }

    /// A person's yes to a place opens what was asked about there, and nothing that would ask for another reason further down.
    fn is_opened(&self, policy: &Policy, tool: &str, held: Held<'_>, writes: bool, protected: bool) -> bool {
        let opens = |place: &Location| {
            place.covers_name(held.real)
                && (!protected || policy.is_protected(place.named()) || policy.is_protected(place.real()))
                && !policy.asks_further_down(held, place, writes, tool)
        };
        self.opened.iter().any(opens)
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
