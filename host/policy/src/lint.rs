//! What a reviewer should know about rules: dead ones, shadowed ones, and such as are weaker or wider than they look.

use std::fmt;

use crate::access::Kind;
use crate::command::runs_anything;
use crate::rule::{Specifier, Subject};
use crate::{List, Rules, Written};

/// A rule that isn't what it seems.
#[derive(Debug, Clone)]
pub struct Finding<'a> {
    /// The rule.
    pub written: &'a Written,
    /// What is the matter.
    pub fault: Fault,
}

/// What is the matter with a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// A deny or ask rule covers all of it, so it never decides.
    Shadowed(String),
    /// The same rule stands in the same list before.
    Repeated,
    /// No tool has this name now.
    NoTool,
    /// `/etc/x` starts at the settings' folder; `//etc/x` at the root of the file system.
    LooksAbsolute,
    /// A command that runs whatever its arguments say.
    OpenEnded(String),
    /// A deny that names options: the same options can be written in other ways.
    Options,
    /// Letters that only look like others.
    Letters(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shadowed(by) => write!(formatter, "never decides: {by} covers all of it"),
            Self::Repeated => write!(formatter, "stands in this list already"),
            Self::NoTool => write!(formatter, "names no tool that is here now"),
            Self::LooksAbsolute => {
                write!(formatter, "starts at the settings' own folder; the root of the file system is `//`")
            }
            Self::OpenEnded(program) => write!(formatter, "allows everything: `{program}` runs what its arguments say"),
            Self::Options => {
                write!(formatter, "names options, which can be written in other ways and orders; deny the program")
            }
            Self::Letters(letters) => write!(formatter, "has letters that look like others: {letters}"),
        }
    }
}

/// Looks at every rule. `tools` are the names of the tools that are there.
#[must_use]
pub fn lint<'a>(rules: &'a Rules, tools: &[&str]) -> Vec<Finding<'a>> {
    let mut findings = Vec::new();
    for (place, written) in rules.written().iter().enumerate() {
        let before = rules.written().get(..place).unwrap_or_default();
        let faults = [
            shadowed(rules, written),
            repeated(before, written),
            no_tool(written, tools),
            absolute(written),
            open_ended(written),
            options(written),
            letters(written),
        ];
        findings.extend(faults.into_iter().flatten().map(|fault| Finding { written, fault }));
    }
    findings
}

fn covers_tools(one: &Written, other: &Written) -> bool {
    one.tools.is_none() || one.tools == other.tools
}

fn shadowed(rules: &Rules, written: &Written) -> Option<Fault> {
    let stronger = |other: &&Written| {
        other.list < written.list
            && covers_tools(other, written)
            && other.rule.subject == written.rule.subject
            && (other.rule.specifier == Specifier::Everything
                || other.rule.specifier == written.rule.specifier && other.base == written.base)
    };
    let by = rules.written().iter().find(stronger)?;
    Some(Fault::Shadowed(format!("{} in {}", by.rule, by.list)))
}

fn repeated(before: &[Written], written: &Written) -> Option<Fault> {
    let same = |other: &Written| {
        other.list == written.list
            && other.rule == written.rule
            && other.tools == written.tools
            && other.base == written.base
    };
    before.iter().any(same).then_some(Fault::Repeated)
}

fn no_tool(written: &Written, tools: &[&str]) -> Option<Fault> {
    let Subject::Tool(name) = &written.rule.subject else { return None };
    // A name of several parts belongs to a pack or server, which may come and go.
    let alone = name.literal().is_some_and(|name| !name.contains("__"));
    (alone && !tools.iter().any(|tool| name.matches(tool))).then_some(Fault::NoTool)
}

fn absolute(written: &Written) -> Option<Fault> {
    match &written.rule.specifier {
        Specifier::Path(pattern) if pattern.looks_absolute() => Some(Fault::LooksAbsolute),
        _ => None,
    }
}

fn open_ended(written: &Written) -> Option<Fault> {
    let Specifier::Command(pattern) = &written.rule.specifier else { return None };
    let words = pattern.words();
    let program = words.first()?;
    let wide = written.list == List::Allow && !pattern.is_one_command() && words.len() <= 2;
    (wide && runs_anything(program)).then(|| Fault::OpenEnded(program.clone()))
}

fn options(written: &Written) -> Option<Fault> {
    let Specifier::Command(pattern) = &written.rule.specifier else { return None };
    let names_option = pattern.words().iter().skip(1).any(|word| word.starts_with('-'));
    (written.list == List::Deny && names_option).then_some(Fault::Options)
}

fn letters(written: &Written) -> Option<Fault> {
    if matches!(written.rule.subject, Subject::Access(Kind::Read | Kind::Edit)) {
        return None;
    }
    let text = written.rule.to_string();
    let mixed = |word: &str| {
        word.chars().any(|letter| letter.is_ascii_alphabetic())
            && word.chars().any(|letter| letter.is_alphabetic() && !letter.is_ascii())
    };
    let word = text.split(|letter: char| !letter.is_alphanumeric()).find(|word| mixed(word))?;
    let odd: Vec<String> =
        word.chars().filter(|letter| !letter.is_ascii()).map(|letter| format!("U+{:04X}", u32::from(letter))).collect();
    Some(Fault::Letters(odd.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Anchors, Location, Source};
    use std::path::Path;

    #[test]
    fn each_fault_is_found_and_nothing_else() {
        let written = |list, text: &str| Written::new(list, text.parse().unwrap(), Source::User);
        let anchors = Anchors { roots: vec![Location::plain(Path::new("/w"))], home: None };
        let rules = vec![
            written(List::Deny, "Read(secret/**)"),
            written(List::Deny, "Bash(rm -rf /:*)"),
            written(List::Deny, "Nope"),
            written(List::Deny, "mcp__later"),
            written(List::Ask, "Bash(g\u{456}t *)"),
            written(List::Allow, "Read(secret/**)"),
            written(List::Allow, "Bash(bash *)"),
            written(List::Allow, "Bash(git log *)"),
            written(List::Allow, "Bash(git log *)"),
            written(List::Allow, "Edit(/etc/hosts)"),
            written(List::Allow, "Bash(bash build.sh)"),
        ];
        let rules = Rules::compile(rules, &anchors, &|_| None).unwrap();
        let found: Vec<String> = lint(&rules, &["Read"])
            .iter()
            .map(|finding| format!("{} {:?}", finding.written.rule, finding.fault))
            .collect();
        assert_eq!(
            found,
            [
                "Bash(rm -rf /:*) Options",
                "Nope NoTool",
                "Bash(g\u{456}t *) Letters(\"U+0456\")",
                "Read(secret/**) Shadowed(\"Read(secret/**) in permissions.deny\")",
                "Bash(bash *) OpenEnded(\"bash\")",
                "Bash(git log *) Repeated",
                "Edit(/etc/hosts) LooksAbsolute",
            ]
        );
    }
}
