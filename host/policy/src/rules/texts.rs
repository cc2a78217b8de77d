//! The rules about hosts and names in one list.

use std::collections::HashMap;

use crate::access::Kind;
use crate::address::HostPattern;
use crate::rule::{Specifier, Subject};
use crate::{Access, Written};

#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    /// By kind and the one text that they mean.
    exact: HashMap<(Kind, Box<str>), Vec<u32>>,
    /// Hosts below this one; begins with a dot.
    below: HashMap<Box<str>, Vec<u32>>,
    /// With wildcards, and whole kinds.
    others: Vec<u32>,
    /// About tools.
    pub(super) tools: Vec<u32>,
    /// About parameters.
    pub(super) parameters: Vec<u32>,
}

impl Texts {
    pub(super) fn add(&mut self, id: u32, written: &Written) {
        let rule = &written.rule;
        if rule.parameter.is_some() {
            self.parameters.push(id);
        }
        if rule.specifier == Specifier::Everything {
            self.tools.push(id);
        }
        let Subject::Access(kind) = rule.subject else { return };
        match &rule.specifier {
            Specifier::Host(HostPattern::Exactly(host)) => {
                self.exact.entry((kind, host.as_str().into())).or_default().push(id);
            }
            Specifier::Host(HostPattern::Below(ending)) => {
                self.below.entry(ending.as_str().into()).or_default().push(id);
            }
            Specifier::Name(name) => match name.literal() {
                Some(name) => self.exact.entry((kind, name.into())).or_default().push(id),
                None => self.others.push(id),
            },
            Specifier::Host(_) | Specifier::Everything => self.others.push(id),
            Specifier::Path(_) | Specifier::Command(_) | Specifier::OnlyParameter => {}
        }
    }

    /// The first rule about this access, which is no file and no command.
    pub(super) fn first(&self, written: &[Written], access: &Access, is_for: impl Fn(&Written) -> bool) -> Option<u32> {
        let kind = access.kind();
        let texts: Vec<&str> = match access {
            Access::Fetch(address) => address.hosts().collect(),
            Access::Variable(name) | Access::Secret(name) | Access::UseTool(name) | Access::Spawn(name) => vec![name],
            _ => Vec::new(),
        };
        let likely = texts.iter().flat_map(|text| {
            let exact = self.exact.get(&(kind, (*text).into())).into_iter().flatten();
            exact.chain(self.below(kind, text)).copied().collect::<Vec<_>>()
        });
        let fits =
            |id: &u32| written.get(*id as usize).is_some_and(|entry| is_for(entry) && touches(entry, kind, &texts));
        likely.chain(self.others.iter().copied()).filter(fits).min()
    }

    fn below(&self, kind: Kind, host: &str) -> impl Iterator<Item = &u32> {
        let dots = host.match_indices('.').filter(move |_| kind == Kind::WebFetch && !self.below.is_empty());
        dots.filter_map(|(at, _)| self.below.get(host.get(at..)?)).flatten()
    }
}

fn touches(entry: &Written, kind: Kind, texts: &[&str]) -> bool {
    entry.rule.subject == Subject::Access(kind)
        && match &entry.rule.specifier {
            Specifier::Everything => true,
            Specifier::Host(pattern) => texts.iter().any(|text| pattern.matches(text)),
            Specifier::Name(name) => texts.iter().any(|text| name.matches(text)),
            _ => false,
        }
}
