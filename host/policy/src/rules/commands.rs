//! The rules about commands in one list, found by the first word.

use std::collections::HashMap;

use crate::Written;
use crate::command::{Analysis, CommandPattern};
use crate::rule::Specifier;

/// Numbers of rules, by the word that everything they match begins with.
#[derive(Debug, Clone, Default)]
pub(super) struct Commands {
    by_first: HashMap<Box<str>, Vec<u32>>,
    others: Vec<u32>,
    /// Rules about every command.
    all: Vec<u32>,
}

impl Commands {
    pub(super) fn add(&mut self, id: u32, specifier: &Specifier) {
        match specifier {
            Specifier::Everything => self.all.push(id),
            Specifier::Command(pattern) => match pattern.first_word() {
                Some(first) => self.by_first.entry(first.into()).or_default().push(id),
                None => self.others.push(id),
            },
            _ => {}
        }
    }

    /// The first rule that touches any command inside, with the part that it touches.
    pub(super) fn touching<'a>(
        &self,
        written: &[Written],
        analysis: &'a Analysis,
        is_for: impl Fn(&Written) -> bool,
    ) -> Option<(u32, Option<&'a str>)> {
        let touch = |joined: &str| self.first(written, joined, |pattern| pattern.could_be(joined), &is_for);
        let found = analysis.vectors.iter().filter_map(|vector| {
            let by_name = vector.by_name.as_deref().and_then(touch);
            let id = [touch(&vector.joined), by_name].into_iter().flatten().min()?;
            Some((id, vector.part.as_deref()))
        });
        let in_parts = found.min_by_key(|(id, _)| *id);
        let everything =
            self.all.iter().find(|id| written.get(**id as usize).is_some_and(&is_for)).map(|id| (*id, None));
        [everything, in_parts].into_iter().flatten().min_by_key(|(id, _)| *id)
    }

    /// The rule that allows the whole: one that means it exactly, or one for each command that needs it.
    pub(super) fn allowing(
        &self,
        written: &[Written],
        analysis: &Analysis,
        is_for: impl Fn(&Written) -> bool,
    ) -> Option<u32> {
        let whole = analysis.vectors.first()?;
        let exactly =
            self.first(written, &whole.joined, |pattern| pattern.is_one_command() && pattern.is(&whole.exact), &is_for);
        if exactly.is_some() {
            return exactly;
        }
        let everything = self.all.iter().copied().find(|id| written.get(*id as usize).is_some_and(&is_for));
        let mut first = None;
        for place in analysis.needed.as_ref()? {
            let vector = analysis.vectors.get(*place)?;
            let found = self.first(written, &vector.joined, |pattern| pattern.is(&vector.exact), &is_for);
            let found = [found, everything].into_iter().flatten().min()?;
            first = first.or(Some(found));
        }
        first
    }

    fn first(
        &self,
        written: &[Written],
        joined: &str,
        matches: impl Fn(&CommandPattern) -> bool,
        is_for: &impl Fn(&Written) -> bool,
    ) -> Option<u32> {
        let first_word = joined.split(' ').next().unwrap_or_default();
        let likely = self.by_first.get(first_word).into_iter().flatten();
        let fits = |id: &&u32| {
            written.get(**id as usize).is_some_and(|entry| {
                is_for(entry) && matches!(&entry.rule.specifier, Specifier::Command(pattern) if matches(pattern))
            })
        };
        let likely = likely.into_iter().find(fits);
        let other = self.others.iter().find(fits);
        [likely, other].into_iter().flatten().min().copied()
    }
}
