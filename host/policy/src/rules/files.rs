//! The rules about files, for looking up a path in all lists at once.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::access::Kind;
use crate::location::Identity;
use crate::path::{Form, PathIndex};
use crate::rule::{Specifier, Subject};
use crate::rule_error::RuleError;
use crate::{Anchors, Held, List, Location, Written};

/// Finds what lies at an absolute path: where it leads, and which file it is. None: nothing that can be known.
pub type Look<'a> = &'a dyn Fn(&Path) -> Option<Location>;

#[derive(Debug, Clone)]
pub(super) struct Files {
    exact: PathIndex,
    /// The rules that deny and ask, for names that can be spelled in several ways.
    composed: PathIndex,
    folded: PathIndex,
    /// Files that deny and ask rules name and that have more names than one.
    identities: HashMap<Identity, Vec<u32>>,
    closes: bool,
}

/// For each list and kind, the first rule that covers a path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hits([[Option<u32>; 2]; 3]);

impl Hits {
    fn note(&mut self, list: List, edit: bool, rule: u32) {
        if let Some(slot) = self.0.get_mut(list as usize).and_then(|kinds| kinds.get_mut(usize::from(edit))) {
            *slot = Some(slot.map_or(rule, |known| known.min(rule)));
        }
    }

    fn of(&self, list: List, edit: bool) -> Option<u32> {
        self.0.get(list as usize).and_then(|kinds| kinds.get(usize::from(edit)).copied()).flatten()
    }

    /// The first rule that stands in the way of reading or, which includes reading, of writing.
    pub(super) fn against(&self, list: List, writes: bool) -> Option<u32> {
        let edit = if writes { self.of(list, true) } else { None };
        [self.of(list, false), edit].into_iter().flatten().min()
    }

    /// The first rule that lets reading or writing pass. What may be written may be read.
    pub(super) fn allowed(&self, writes: bool) -> Option<u32> {
        let read = if writes { None } else { self.of(List::Allow, false) };
        [self.of(List::Allow, true), read].into_iter().flatten().min()
    }
}

impl Files {
    pub(super) fn compile(written: &[Written], anchors: &Anchors, look: Look<'_>) -> Result<Self, RuleError> {
        let mut files = Self {
            exact: PathIndex::new(Form::Exact),
            composed: PathIndex::new(Form::Composed),
            folded: PathIndex::new(Form::Folded),
            identities: HashMap::new(),
            closes: false,
        };
        for (place, entry) in written.iter().enumerate() {
            if edits(entry).is_some() {
                files.add(u32::try_from(place).unwrap_or(u32::MAX), entry, anchors, look)?;
            }
        }
        Ok(files)
    }

    fn add(&mut self, id: u32, entry: &Written, anchors: &Anchors, look: Look<'_>) -> Result<(), RuleError> {
        let mut places = match &entry.rule.specifier {
            Specifier::Path(pattern) if pattern.is_below_home() && anchors.home.is_none() => {
                return Err(RuleError::NoHome(entry.rule.to_string()));
            }
            Specifier::Path(pattern) => pattern.places(entry.list, anchors, entry.base.as_ref()),
            Specifier::Everything => vec![("/".into(), Vec::new())],
            _ => return Ok(()),
        };
        if entry.list == List::Allow {
            places.iter().for_each(|(start, tail)| self.exact.add(start, tail, id));
            return Ok(());
        }
        self.closes = true;
        for at in 0..places.len() {
            let Some((start, tail)) = places.get(at).cloned() else { continue };
            let Some(location) = look(&start) else { continue };
            if tail.is_empty()
                && let Some(identity) = location.identity()
            {
                self.identities.entry(identity).or_default().push(id);
            }
            // A path that is a link, or lies below one, has two names, and must be closed under both.
            if location.real() != start {
                places.push((location.real().to_owned(), tail));
            }
        }
        for (start, tail) in &places {
            for index in [&mut self.exact, &mut self.composed, &mut self.folded] {
                index.add(start, tail, id);
            }
        }
        Ok(())
    }

    /// Whether any rule about files denies or asks.
    pub(super) fn closes(&self) -> bool {
        self.closes
    }

    /// What covers one path. `is_for` leaves out rules for other tools.
    pub(super) fn hits(
        &self,
        written: &[Written],
        path: &Path,
        folds: bool,
        is_for: impl Fn(&Written) -> bool,
    ) -> Hits {
        let mut hits = Hits::default();
        let mut note = |id: u32| {
            if let Some((entry, edit)) = written.get(id as usize).and_then(|entry| Some((entry, edits(entry)?)))
                && is_for(entry)
            {
                hits.note(entry.list, edit, id);
            }
        };
        self.exact.covering(path, &mut note);
        if folds {
            self.folded.covering(path, &mut note);
        } else if !path.as_os_str().as_bytes().is_ascii() {
            self.composed.covering(path, &mut note);
        }
        hits
    }

    /// What covers the file itself, by whichever name it's reached.
    pub(super) fn hits_of_file(
        &self,
        written: &[Written],
        file: Option<Identity>,
        is_for: impl Fn(&Written) -> bool,
    ) -> Hits {
        let mut hits = Hits::default();
        for id in file.and_then(|file| self.identities.get(&file)).into_iter().flatten() {
            if let Some((entry, edit)) = written.get(*id as usize).and_then(|entry| Some((entry, edits(entry)?)))
                && is_for(entry)
            {
                hits.note(entry.list, edit, *id);
            }
        }
        hits
    }

    /// Every rule of a list that covers what is held.
    pub(super) fn all(
        &self,
        written: &[Written],
        held: Held<'_>,
        list: List,
        writes: bool,
        is_for: impl Fn(&Written) -> bool,
    ) -> Vec<u32> {
        let mut found = Vec::new();
        let mut note = |id: u32| {
            let counts = |entry: &&Written| {
                entry.list == list && is_for(entry) && edits(entry).is_some_and(|edit| writes || !edit)
            };
            found.extend(written.get(id as usize).filter(counts).map(|_| id));
        };
        self.exact.covering(held.real, &mut note);
        if held.folds_case {
            self.folded.covering(held.real, &mut note);
        } else if !held.real.as_os_str().as_bytes().is_ascii() {
            self.composed.covering(held.real, &mut note);
        }
        held.identity.and_then(|file| self.identities.get(&file)).into_iter().flatten().for_each(|id| note(*id));
        found
    }

    /// Whether all that deny and ask rules close below `old` is closed in the same place below `new`.
    pub(super) fn stays_closed(&self, old: &Path, new: &Path, counts: impl Fn(u32) -> bool) -> bool {
        [&self.exact, &self.folded].iter().all(|index| index.stays_covered(old, new, &counts))
    }
}

/// Whether it's about writing; none: not about files.
fn edits(entry: &Written) -> Option<bool> {
    match entry.rule.subject {
        Subject::Access(Kind::Read) => Some(false),
        Subject::Access(Kind::Edit) => Some(true),
        _ => None,
    }
}
