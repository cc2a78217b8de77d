//! What decisions are made from, and how a subagent's share of it is derived.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use crate::mode::Stance;
use crate::protected::names_protected;
use crate::rules::Found;
use crate::{Access, Held, List, Location, Mode, Rule, Rules, Written};

/// A snapshot of everything that a decision depends on, beside the request.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The folders that the agent works in; the first is where it began.
    pub roots: Vec<Location>,
    /// More places that may be read without asking, such as the folder of the session's own results.
    pub readable: Vec<Location>,
    /// The host's own places: settings, compiled code, audit, inbox. Closed for every call, whatever the rules say.
    pub own: Vec<Location>,
    /// More files that a write could turn into permissions or code, such as settings that were named: writing there always
    /// asks.
    pub guarded: Vec<Location>,
    /// The home folder.
    pub home: Option<Location>,
    /// The rules of every source.
    pub rules: Arc<Rules>,
    /// Rules that subagents brought along. They deny and ask; what they allow doesn't count.
    pub narrowing: Vec<Arc<Rules>>,
    /// What happens where no rule decides.
    pub mode: Mode,
    /// The modes of the agents above; the strictest of all counts.
    pub modes_above: Vec<Mode>,
}

/// What a new subagent would like to have.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// The folders that it works in; none: those of its parent.
    pub roots: Option<Vec<Location>>,
    /// Its mode; none: that of its parent.
    pub mode: Option<Mode>,
    /// Rules of its own, beside its parent's.
    pub rules: Option<Arc<Rules>>,
}

/// A wish that would have widened what the parent may do, and so wasn't granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// A looser mode.
    Mode(Mode),
    /// A folder outside the parent's.
    Root(Box<Location>),
    /// A rule that allows.
    Allow(Box<Rule>),
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mode(mode) => write!(formatter, "the mode `{mode}` is looser than the parent's"),
            Self::Root(root) => write!(formatter, "`{}` lies outside the parent's folders", root.named().display()),
            Self::Allow(rule) => write!(formatter, "the rule `{rule}` allows, and a subagent's rules can only narrow"),
        }
    }
}

impl Policy {
    /// What a subagent of this agent may do: never more. Made anew for each call, so that a deny which the parent gets
    /// later holds for the child's next call.
    #[must_use]
    pub fn derive(&self, wish: &Wish) -> (Self, Vec<Refused>) {
        let mut refused = Vec::new();
        let mut child = self.clone();
        if let Some(mode) = wish.mode {
            let (mine, wished) = (self.stance(), mode.stance());
            if wished.bypass && !mine.bypass || wished.accept_edits && !mine.accept_edits {
                refused.push(Refused::Mode(mode));
            }
            child.modes_above.push(self.mode);
            child.mode = mode;
        }
        if let Some(roots) = &wish.roots {
            let (inside, outside): (Vec<_>, Vec<_>) = roots.iter().cloned().partition(|root| self.is_inside(root));
            refused.extend(outside.into_iter().map(|root| Refused::Root(Box::new(root))));
            child.roots = inside;
        }
        if let Some(rules) = &wish.rules {
            let allows = rules.written().iter().filter(|written| written.list == List::Allow);
            refused.extend(allows.map(|written| Refused::Allow(Box::new(written.rule.clone()))));
            child.narrowing.push(rules.clone());
        }
        (child, refused)
    }

    /// The list that decides about this access of this tool, and the rule in it.
    #[must_use]
    pub fn rule_for<'a>(&'a self, access: &'a Access, tool: &str) -> Option<(List, Found<'a>)> {
        let mut decided = self.rules.decide(access, tool);
        for rules in &self.narrowing {
            let narrower = rules.decide(access, tool).filter(|(list, _)| *list != List::Allow);
            decided = match (decided, narrower) {
                (Some(one), Some(two)) => Some(if two.0 < one.0 { two } else { one }),
                (one, two) => one.or(two),
            };
        }
        decided
    }

    /// The rule in this list that names the tool itself, or is about the values in a call's input.
    #[must_use]
    pub fn rule_about_call(&self, list: List, tool: &str, parameters: &[(String, String)]) -> Option<&Written> {
        let layers = self.layers().filter(|rules| list != List::Allow || Arc::ptr_eq(rules, &self.rules));
        layers
            .into_iter()
            .find_map(|rules| rules.about_tool(list, tool).or_else(|| rules.about_call(list, tool, parameters)))
    }

    /// The fields of the input that rules about this tool look at.
    pub fn parameters<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a str> {
        self.layers().flat_map(|rules| rules.parameters(tool))
    }

    /// Whether rules deny what is held, and whether they ask about it.
    pub(crate) fn closes(&self, held: Held<'_>, writes: bool, tool: &str) -> (bool, bool) {
        let each = self.layers().map(|rules| rules.close(held, writes, tool));
        each.fold((false, false), |(denied, asked), (denies, asks)| (denied || denies, asked || asks))
    }

    pub(crate) fn stays_closed(&self, from: &Path, to: &Path, tool: &str) -> bool {
        self.layers().all(|rules| rules.stay_closed(from, to, tool))
    }

    fn layers(&self) -> impl Iterator<Item = &Arc<Rules>> {
        std::iter::once(&self.rules).chain(&self.narrowing)
    }

    pub(crate) fn stance(&self) -> Stance {
        self.modes_above.iter().fold(self.mode.stance(), |stance, mode| stance.narrowed(mode.stance()))
    }

    /// Whether all of it lies in the roots.
    pub(crate) fn is_inside(&self, location: &Location) -> bool {
        self.roots.iter().any(|root| root.covers(location))
    }

    pub(crate) fn is_readable(&self, location: &Location) -> bool {
        self.readable.iter().any(|place| place.covers(location))
    }

    /// Whether a path lies in one of the host's own places.
    pub(crate) fn is_own(&self, path: &Path) -> bool {
        self.own.iter().any(|place| place.covers_name(path))
    }

    /// Whether writing here always asks.
    pub(crate) fn is_protected(&self, path: &Path) -> bool {
        names_protected(path) || self.guarded.iter().any(|place| place.covers_name(path))
    }

    /// Whether an ask rule covers what is held and doesn't cover the place above it.
    pub(crate) fn asks_further_down(&self, held: Held<'_>, above: &Location, writes: bool, tool: &str) -> bool {
        self.layers().any(|rules| {
            let known = rules.asking(Held::at(above.real()), writes, tool);
            rules.asking(held, writes, tool).iter().any(|rule| !known.contains(rule))
        })
    }

    /// Whether losing what lies here would be a disaster: the root of the file system, the home folder, a folder that the
    /// agent works in, or one above.
    pub(crate) fn is_critical(&self, path: &Path) -> bool {
        let mut held = self.roots.iter().chain(&self.home);
        path == Path::new("/") || held.any(|place| place.named().starts_with(path) || place.real().starts_with(path))
    }
}
