//! All path rules at once: a tree of folder names in which every rule ends at a node.
//!
//! A path is walked from the top; at each name the set of nodes that patterns can be at moves on. So thousands of rules
//! cost about as much as the path has names, and the time is bounded by names times nodes, whatever the patterns are.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use super::segment::{Glob, Segment};

/// In which form names are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Byte for byte.
    Exact,
    /// Unicode's composed form: two spellings of one text are one name.
    Composed,
    /// The same, and without case, as on file systems that don't tell it apart.
    Folded,
}

impl Form {
    fn change(self, text: &str) -> String {
        match self {
            Self::Exact => text.to_owned(),
            Self::Composed => text.nfc().collect(),
            Self::Folded => text.nfc().flat_map(char::to_lowercase).nfc().collect(),
        }
    }
}

/// The tree.
#[derive(Debug, Clone)]
pub(crate) struct PathIndex {
    form: Form,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    literal: HashMap<Box<[u8]>, u32>,
    /// `*.ending`, by what stands behind the last dot. A name has one such part, so one look finds them all.
    endings: HashMap<Box<[u8]>, u32>,
    globs: Vec<(Glob, u32)>,
    /// The node of `**`, which is here already and stays.
    any_depth: Option<u32>,
    stays: bool,
    /// The rules that end here, and so cover this and everything below.
    rules: Vec<u32>,
}

impl PathIndex {
    pub(crate) fn new(form: Form) -> Self {
        Self { form, nodes: vec![Node::default()] }
    }

    /// Adds a rule: a folder without wildcards and the segments below it.
    pub(crate) fn add(&mut self, start: &Path, tail: &[Segment], rule: u32) {
        let mut at = 0;
        for name in names(start) {
            at = match std::str::from_utf8(name) {
                Ok(text) if self.form != Form::Exact => self.literal(at, self.form.change(text).as_bytes()),
                _ => self.literal(at, name),
            };
        }
        for segment in tail {
            at = match segment {
                Segment::Literal(name) => self.literal(at, self.form.change(name).as_bytes()),
                Segment::AnyDepth => self.any_depth(at),
                Segment::Glob(glob) => self.glob(at, glob),
            };
        }
        if let Some(node) = self.node_mut(at) {
            node.rules.push(rule);
        }
    }

    /// Hears every rule that covers the path. Stops when told `false`.
    pub(crate) fn covering(&self, path: &Path, mut hear: impl FnMut(u32)) {
        self.walk(path, |node| node.rules.iter().for_each(|rule| hear(*rule)));
    }

    /// Whether everything below `new` that is covered was covered below `old` in the same place, rules chosen by `counts`.
    pub(crate) fn stays_covered(&self, old: &Path, new: &Path, counts: impl Fn(u32) -> bool) -> bool {
        let here: Vec<u32> = self.walk(old, |_| ()).into_iter().filter(|at| self.leads_to(*at, &counts)).collect();
        let there = self.walk(new, |_| ());
        here.iter().all(|at| there.contains(at))
    }

    /// Whether a rule that counts ends at this node or further down.
    fn leads_to(&self, at: u32, counts: &impl Fn(u32) -> bool) -> bool {
        let mut open = vec![at];
        while let Some(node) = open.pop().and_then(|at| self.node(at)) {
            if node.rules.iter().any(|rule| counts(*rule)) {
                return true;
            }
            open.extend(node.literal.values().chain(node.endings.values()).chain(&node.any_depth));
            open.extend(node.globs.iter().map(|(_, next)| *next));
        }
        false
    }

    /// The nodes that patterns are at behind the last name. `seen` hears each node on the way at which rules end.
    fn walk(&self, path: &Path, mut seen: impl FnMut(&Node)) -> Vec<u32> {
        let mut now = Vec::with_capacity(8);
        let mut next = Vec::with_capacity(8);
        self.enter(0, &mut now, &mut seen);
        let mut changed;
        for name in names(path) {
            let name = match std::str::from_utf8(name) {
                Ok(text) if self.form == Form::Folded || self.form == Form::Composed && !name.is_ascii() => {
                    changed = self.form.change(text);
                    changed.as_bytes()
                }
                _ => name,
            };
            for at in now.drain(..) {
                let Some(node) = self.node(at) else { continue };
                if node.stays {
                    self.enter(at, &mut next, &mut seen);
                }
                if let Some(found) = node.literal.get(name) {
                    self.enter(*found, &mut next, &mut seen);
                }
                if !node.endings.is_empty()
                    && let Some(found) = ending(name).and_then(|ending| node.endings.get(ending))
                {
                    self.enter(*found, &mut next, &mut seen);
                }
                for (_, found) in node.globs.iter().filter(|(glob, _)| glob.matches(name)) {
                    self.enter(*found, &mut next, &mut seen);
                }
            }
            if next.is_empty() {
                return next;
            }
            std::mem::swap(&mut now, &mut next);
        }
        now
    }

    /// At this node, and at that of `**` below it, which stands for no folder too.
    fn enter(&self, at: u32, set: &mut Vec<u32>, seen: &mut impl FnMut(&Node)) {
        let mut at = Some(at);
        while let Some((place, node)) = at.and_then(|at| Some((at, self.node(at)?))) {
            if set.contains(&place) {
                return;
            }
            set.push(place);
            if !node.rules.is_empty() {
                seen(node);
            }
            at = node.any_depth;
        }
    }

    fn literal(&mut self, at: u32, name: &[u8]) -> u32 {
        if let Some(found) = self.node(at).and_then(|node| node.literal.get(name)) {
            return *found;
        }
        self.child(at, |node, child| {
            node.literal.insert(name.into(), child);
        })
    }

    fn any_depth(&mut self, at: u32) -> u32 {
        match self.node(at) {
            Some(node) if node.stays => return at,
            Some(Node { any_depth: Some(found), .. }) => return *found,
            _ => {}
        }
        let child = self.child(at, |node, child| node.any_depth = Some(child));
        if let Some(node) = self.node_mut(child) {
            node.stays = true;
        }
        child
    }

    fn glob(&mut self, at: u32, glob: &Glob) -> u32 {
        let glob = if self.form == Form::Exact { glob.clone() } else { glob.changed(&|text| self.form.change(text)) };
        let by_ending = glob.ending().filter(|text| text.rfind('.') == Some(0));
        match (&by_ending, self.node(at)) {
            (Some(ending), Some(node)) if node.endings.contains_key(ending.as_bytes()) => {
                return node.endings.get(ending.as_bytes()).copied().unwrap_or_default();
            }
            (None, Some(node)) => {
                if let Some((_, found)) = node.globs.iter().find(|(known, _)| *known == glob) {
                    return *found;
                }
            }
            _ => {}
        }
        self.child(at, |node, child| match by_ending {
            Some(ending) => {
                node.endings.insert(ending.into_bytes().into(), child);
            }
            None => node.globs.push((glob, child)),
        })
    }

    fn child(&mut self, at: u32, hang: impl FnOnce(&mut Node, u32)) -> u32 {
        let child = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        self.nodes.push(Node::default());
        if let Some(node) = self.node_mut(at) {
            hang(node, child);
        }
        child
    }

    fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    fn node_mut(&mut self, at: u32) -> Option<&mut Node> {
        self.nodes.get_mut(at as usize)
    }
}

/// The names of a normalized absolute path.
fn names(path: &Path) -> impl Iterator<Item = &[u8]> {
    path.as_os_str().as_bytes().split(|byte| *byte == b'/').filter(|name| !name.is_empty())
}

/// From the last dot on.
fn ending(name: &[u8]) -> Option<&[u8]> {
    name.get(name.iter().rposition(|byte| *byte == b'.')?..)
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
