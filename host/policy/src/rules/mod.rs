//! All rules of a session, ready to be asked.
//!
//! The lists of every source are merged: the first list that has a matching rule decides, whoever wrote it and however
//! narrow it is.

mod commands;
mod files;
mod texts;

use std::fmt;
use std::path::Path;

use crate::access::Kind;
use crate::rule::Subject;
use crate::rule_error::RuleError;
use crate::{Access, Anchors, Held, List, Location, Written};

use commands::Commands;
use files::{Files, Hits};
use texts::Texts;

pub use files::Look;

/// The most rules of all sources together. More can't be reviewed by anybody.
pub(crate) const MOST: usize = 10_000;

/// The rules, with an index for each kind.
#[derive(Clone)]
pub struct Rules {
    written: Vec<Written>,
    files: Files,
    commands: [Commands; 3],
    texts: [Texts; 3],
}

/// A rule that decides.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The rule.
    pub written: &'a Written,
    /// The command inside another that it's about.
    pub part: Option<&'a str>,
}

/// Without the indexes, which nobody could read.
impl fmt::Debug for Rules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each =
            self.written.iter().map(|written| format!("{} in {} of {}", written.rule, written.list, written.origin));
        formatter.debug_list().entries(each).finish()
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::empty()
    }
}

impl Rules {
    fn empty() -> Self {
        let nothing = |_: &Path| None;
        match Files::compile(&[], &Anchors::default(), &nothing) {
            Ok(files) => Self { written: Vec::new(), files, commands: Default::default(), texts: Default::default() },
            Err(_) => unreachable!("without rules there's nothing that could be wrong"),
        }
    }

    /// Makes them ready. `look` finds what lies at the paths that deny and ask rules name, so that a file is closed under
    /// all its names.
    ///
    /// # Errors
    /// For a rule that can't stand in its list, for one about a home folder that doesn't exist, and for more than 10,000.
    pub fn compile(written: Vec<Written>, anchors: &Anchors, look: Look<'_>) -> Result<Self, RuleError> {
        if written.len() > MOST {
            return Err(RuleError::TooMany);
        }
        let files = Files::compile(&written, anchors, look)?;
        let (mut commands, mut texts): ([Commands; 3], [Texts; 3]) = Default::default();
        for (place, entry) in written.iter().enumerate() {
            entry.rule.check(entry.list)?;
            let (id, list) = (u32::try_from(place).unwrap_or(u32::MAX), entry.list as usize);
            if let Some(texts) = texts.get_mut(list) {
                texts.add(id, entry);
            }
            if let Some(commands) = commands.get_mut(list).filter(|_| entry.rule.subject == Subject::Access(Kind::Bash))
            {
                commands.add(id, &entry.rule.specifier);
            }
        }
        Ok(Self { written, files, commands, texts })
    }

    /// The rules as they were written.
    #[must_use]
    pub fn written(&self) -> &[Written] {
        &self.written
    }

    /// The list that decides about this access of this tool, and the rule in it.
    ///
    /// Writing includes reading, so a `Read` rule in deny or ask also stops a write, and an `Edit` rule in allow also
    /// lets a read pass.
    #[must_use]
    pub fn decide<'a>(&'a self, access: &'a Access, tool: &str) -> Option<(List, Found<'a>)> {
        match access {
            Access::Read(location) => self.decide_place(location, false, tool),
            Access::Write(location) => self.decide_place(location, true, tool),
            _ => List::ALL.into_iter().find_map(|list| Some((list, self.find(list, access, tool)?))),
        }
    }

    fn find<'a>(&'a self, list: List, access: &'a Access, tool: &str) -> Option<Found<'a>> {
        let is_for = |entry: &Written| entry.is_for(tool);
        let texts = self.texts.get(list as usize)?;
        let (id, part) = match access {
            Access::Run(command) => {
                let commands = self.commands.get(list as usize)?;
                match list {
                    List::Allow => (commands.allowing(&self.written, command.analysis(), is_for)?, None),
                    _ => commands.touching(&self.written, command.analysis(), is_for)?,
                }
            }
            Access::UseTool(name) => {
                let named = texts.tools.iter().copied().find(|id| {
                    self.written.get(*id as usize).is_some_and(|entry| is_for(entry) && is_tool(entry, name))
                });
                ([named, texts.first(&self.written, access, is_for)].into_iter().flatten().min()?, None)
            }
            _ => (texts.first(&self.written, access, is_for)?, None),
        };
        self.found(id, part)
    }

    fn found<'a>(&'a self, id: u32, part: Option<&'a str>) -> Option<Found<'a>> {
        Some(Found { written: self.written.get(id as usize)?, part })
    }

    fn hits(&self, path: &Path, folds: bool, tool: &str) -> Hits {
        self.files.hits(&self.written, path, folds, |entry| entry.is_for(tool))
    }

    fn decide_place(&self, location: &Location, writes: bool, tool: &str) -> Option<(List, Found<'_>)> {
        let folds = location.folds_case();
        let named = self.hits(location.named(), folds, tool);
        let real = if location.real() == location.named() { named } else { self.hits(location.real(), folds, tool) };
        let file = self.files.hits_of_file(&self.written, location.identity(), |entry| entry.is_for(tool));
        for list in [List::Deny, List::Ask] {
            let against = [&named, &real, &file].into_iter().filter_map(|hits| hits.against(list, writes)).min();
            if let Some(found) = against.and_then(|id| self.found(id, None)) {
                return Some((list, found));
            }
        }
        // A link may be allowed by two rules, one for each end.
        let allowed = named.allowed(writes).and_then(|_| real.allowed(writes))?;
        Some((List::Allow, self.found(allowed, None)?))
    }

    /// Whether rules deny what is held, and whether they ask about it, where a grant of a folder above doesn't say so.
    pub(crate) fn close(&self, held: Held<'_>, writes: bool, tool: &str) -> (bool, bool) {
        if !self.files.closes() {
            return (false, false);
        }
        let hits = [
            self.hits(held.real, held.folds_case, tool),
            self.files.hits_of_file(&self.written, held.identity, |entry| entry.is_for(tool)),
        ];
        let against = |list| hits.iter().any(|hits| hits.against(list, writes).is_some());
        (against(List::Deny), against(List::Ask))
    }

    /// The ask rules that cover what is held.
    pub(crate) fn asking(&self, held: Held<'_>, writes: bool, tool: &str) -> Vec<u32> {
        let is_for = |entry: &Written| entry.is_for(tool);
        self.files.all(&self.written, held, List::Ask, writes, is_for)
    }

    /// Whether all that is closed below `old` would be closed in the same place below `new`.
    pub(crate) fn stay_closed(&self, old: &Path, new: &Path, tool: &str) -> bool {
        let counts = |id: u32| {
            self.written.get(id as usize).is_some_and(|entry| entry.list != List::Allow && entry.is_for(tool))
        };
        !self.files.closes() || self.files.stays_closed(old, new, counts)
    }

    /// The rule in this list that names the tool itself.
    #[must_use]
    pub fn about_tool(&self, list: List, tool: &str) -> Option<&Written> {
        let about =
            |id: &u32| self.written.get(*id as usize).filter(|entry| entry.is_for(tool) && is_tool(entry, tool));
        self.texts.get(list as usize)?.tools.iter().find_map(about)
    }

    /// The rule in this list that is about the values in a call's input.
    pub(crate) fn about_call(&self, list: List, tool: &str, parameters: &[(String, String)]) -> Option<&Written> {
        let about = |id: &u32| {
            self.written
                .get(*id as usize)
                .filter(|entry| entry.is_for(tool) && entry.rule.is_about_call(tool, parameters))
        };
        self.texts.get(list as usize)?.parameters.iter().find_map(about)
    }

    /// The fields of the input that rules about this tool look at.
    pub fn parameters<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a str> {
        let ids = [List::Deny, List::Ask]
            .into_iter()
            .filter_map(|list| self.texts.get(list as usize))
            .flat_map(|texts| &texts.parameters);
        let rules = ids
            .filter_map(|id| self.written.get(*id as usize))
            .filter(|entry| entry.is_for(tool) && entry.rule.subject_is(tool));
        rules.filter_map(|entry| Some(&*entry.rule.parameter.as_ref()?.name))
    }
}

/// Kinds of access are tools' names too: a deny of `Read` is one of the tool `Read`. An allow isn't.
fn is_tool(entry: &Written, tool: &str) -> bool {
    let kind = matches!(entry.rule.subject, Subject::Access(_));
    entry.rule.names_tool(tool) && !(kind && entry.list == List::Allow)
}
