//! The permission block of a settings file, and the rules in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolbay_policy::{
    Anchors, List, Location, Mode, Origin, Rule, RuleError, Source, Wildcard, Written, check_example,
};

use super::{RuleEntry, SettingsError};

/// Rules and mode.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PermissionSettings {
    /// What passes.
    pub allow: Vec<RuleEntry>,
    /// What asks a person.
    pub ask: Vec<RuleEntry>,
    /// What never happens.
    pub deny: Vec<RuleEntry>,
    /// Rules for one tool, or for the tools of one pack (`pack__*`).
    pub tools: BTreeMap<String, RuleLists>,
    /// More folders to work in; relative paths start at the file's folder.
    pub additional_directories: Vec<PathBuf>,
    /// What happens where no rule decides.
    pub default_mode: Option<Mode>,
    /// What no other source may do. Only in the administrator's policy.
    pub forbid: Forbidden,
    /// The file that it was read from.
    #[serde(skip)]
    pub(crate) file: Option<Arc<Path>>,
}

/// The three lists.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct RuleLists {
    /// What passes.
    pub allow: Vec<RuleEntry>,
    /// What asks a person.
    pub ask: Vec<RuleEntry>,
    /// What never happens.
    pub deny: Vec<RuleEntry>,
}

/// What an administrator's policy takes away from everybody.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Forbidden {
    /// Modes that can't be chosen.
    pub modes: Vec<Mode>,
    /// Sources whose allow rules, folders and mode don't count: `user`, `project`, `local`, `command-line`, `session`. What
    /// they deny and ask about still does.
    pub sources: Vec<Source>,
    /// Imports of components: a component that imports one of them isn't loaded. `wasi:http` stands for all of its
    /// interfaces.
    pub capabilities: Vec<String>,
}

/// Rules as they were read, and what was left out of them.
pub(crate) type Read = (Vec<Written>, Vec<String>);

impl PermissionSettings {
    /// Rules that can't be read in the lists that restrict are errors, whatever else happens.
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        // Versions come and go; what is forbidden stays.
        if self.forbid.capabilities.iter().any(|name| name.contains('@')) {
            return Err(SettingsError::Shape("each of `permissions.forbid.capabilities`, without a version, "));
        }
        self.written(Source::CommandLine, None, None).map(drop)
    }

    /// The rules, and a warning for each one that was left out: an allow that can't be used.
    ///
    /// With anchors, the rules are held against their own examples too.
    ///
    /// # Errors
    /// For a rule that denies or asks and can't be used.
    pub(crate) fn written(
        &self,
        source: Source,
        base: Option<&Location>,
        anchors: Option<&Anchors>,
    ) -> Result<Read, SettingsError> {
        let (mut written, mut warnings) = (Vec::new(), Vec::new());
        let own = [(List::Deny, &self.deny), (List::Ask, &self.ask), (List::Allow, &self.allow)]
            .map(|(list, entries)| (list, None, entries));
        let for_tools = self.tools.iter().flat_map(|(tools, lists)| {
            let tools = Some(Wildcard::new(tools));
            [
                (List::Deny, tools.clone(), &lists.deny),
                (List::Ask, tools.clone(), &lists.ask),
                (List::Allow, tools, &lists.allow),
            ]
        });
        for (list, tools, entries) in own.into_iter().chain(for_tools) {
            for entry in entries {
                let place =
                    self.file.as_ref().zip(entry.place).map(|(file, (line, column))| (file.clone(), line, column));
                let origin = Origin { source, place };
                let read = read(entry, list, anchors, |rule| Written {
                    list,
                    rule,
                    origin,
                    tools: tools.clone(),
                    base: base.cloned(),
                });
                match read {
                    Ok(read) => written.push(read),
                    Err(error) if list == List::Allow => {
                        warnings.push(format!("a rule in `permissions.allow`{} was left out: {error}", at(entry)));
                    }
                    Err(source) => return Err(SettingsError::Rule { list, at: at(entry), source: Box::new(source) }),
                }
            }
        }
        Ok((written, warnings))
    }

    /// Notes the line and column of each rule in the text that these settings were read from.
    pub(super) fn find_places(&mut self, text: &str) {
        let Ok(Document { permissions: Some(mut raw) }) = serde_json::from_str::<Document<'_>>(text) else { return };
        for (tools, own) in &mut self.tools {
            if let Some(raw) = raw.tools.remove(tools) {
                note([&mut own.allow, &mut own.ask, &mut own.deny], raw.each(), text);
            }
        }
        note([&mut self.allow, &mut self.ask, &mut self.deny], raw.each(), text);
    }
}

fn read(
    entry: &RuleEntry,
    list: List,
    anchors: Option<&Anchors>,
    write: impl FnOnce(Rule) -> Written,
) -> Result<Written, RuleError> {
    let rule: Rule = entry.rule.parse()?;
    rule.check(list)?;
    let written = write(rule);
    if let Some(anchors) = anchors {
        entry.matches.iter().try_for_each(|example| check_example(&written, example, true, anchors))?;
        entry.no_match.iter().try_for_each(|example| check_example(&written, example, false, anchors))?;
    }
    Ok(written)
}

fn at(entry: &RuleEntry) -> String {
    entry.place.map_or_else(String::new, |(line, column)| format!(" at line {line}, column {column}"))
}

/// The same file, to learn where in it each rule stands.
#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, default)]
    permissions: Option<Lists<'a>>,
}

#[derive(Deserialize)]
struct Lists<'a> {
    #[serde(borrow, default)]
    allow: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    ask: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    deny: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    tools: BTreeMap<String, Lists<'a>>,
}

impl<'a> Lists<'a> {
    fn each(self) -> [Vec<&'a RawValue>; 3] {
        [self.allow, self.ask, self.deny]
    }
}

fn note(entries: [&mut Vec<RuleEntry>; 3], raw: [Vec<&RawValue>; 3], text: &str) {
    for (entries, raw) in entries.into_iter().zip(raw) {
        for (entry, raw) in entries.iter_mut().zip(raw) {
            // A raw value is a slice of the text that it was read from.
            let offset = raw.get().as_ptr().addr().checked_sub(text.as_ptr().addr());
            entry.place = offset.and_then(|offset| text.get(..offset)).map(|before| {
                let line = before.matches('\n').count() + 1;
                let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
                (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
            });
        }
    }
}
