//! Examples that rules carry: what they must match, and what they mustn't. A settings file so tests itself.

use std::path::Path;

use crate::access::Kind;
use crate::command::words_of;
use crate::rule::Subject;
use crate::rule_error::RuleError;
use crate::{Access, Address, Anchors, Command, Location, Rules, Written, normalize};

/// Whether the rule does to the example what is expected. The example is a path, a command line, a URL or a name,
/// according to the rule's word.
///
/// # Errors
/// When it doesn't, and when the example isn't of that kind.
pub fn check(written: &Written, example: &str, expected: bool, anchors: &Anchors) -> Result<(), RuleError> {
    let rule = || written.rule.to_string();
    let odd = |why: String| RuleError::OddExample { rule: rule(), example: example.to_owned(), why };
    let nothing = |_: &Path| None;
    let rules = Rules::compile(vec![Written { tools: None, ..written.clone() }], anchors, &nothing)?;
    let matches = match &written.rule.subject {
        Subject::Access(kind) => rules.decide(&access(*kind, example, anchors).map_err(odd)?, "").is_some(),
        Subject::Tool(_) | Subject::Server(_) => match example.split_once('(') {
            None => rules.about_tool(written.list, example).is_some(),
            Some((tool, inner)) => {
                let parameter = inner.strip_suffix(')').and_then(|inner| inner.split_once(':'));
                let (name, value) = parameter.ok_or_else(|| odd("write `Tool(parameter:value)`".to_owned()))?;
                rules.about_call(written.list, tool, &[(name.trim().to_owned(), value.trim().to_owned())]).is_some()
            }
        },
    };
    if matches == expected {
        return Ok(());
    }
    Err(RuleError::Example { rule: rule(), example: example.to_owned(), expected })
}

fn access(kind: Kind, text: &str, anchors: &Anchors) -> Result<Access, String> {
    let name = || text.to_owned();
    Ok(match kind {
        Kind::Read => Access::Read(place(text, anchors)?),
        Kind::Edit => Access::Write(place(text, anchors)?),
        Kind::Bash => Access::Run(Box::new(command(text, anchors))),
        Kind::WebFetch => Access::Fetch(Address::parse(text).map_err(|error| error.to_string())?),
        Kind::Env => Access::Variable(name()),
        Kind::Secret => Access::Secret(name()),
        Kind::Agent => Access::Spawn(name()),
        Kind::Tool => Access::UseTool(name()),
        Kind::Complete => Access::Complete,
        Kind::AskUser => Access::AskUser,
    })
}

fn place(text: &str, anchors: &Anchors) -> Result<Location, String> {
    let below = |base: Option<&Location>, rest: &str| {
        base.map(|base| base.named().join(rest)).ok_or("its folder isn't known".to_owned())
    };
    let path = match text.strip_prefix("~/") {
        Some(rest) => below(anchors.home.as_ref(), rest)?,
        None => below(anchors.roots.first(), text)?,
    };
    Ok(Location::plain(&normalize(&path)))
}

/// A command line as a shell reads it: one command, or several as a shell would be given them.
fn command(text: &str, anchors: &Anchors) -> Command {
    let directory = anchors.roots.first().cloned().unwrap_or_else(|| Location::plain(Path::new("/")));
    let (program, arguments) = match words_of(text) {
        Some((program, arguments)) => (program, arguments),
        None => ("sh".to_owned(), vec!["-c".to_owned(), text.to_owned()]),
    };
    Command::new(program, arguments, directory, |path| place(path, anchors).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{List, Source};

    #[test]
    fn a_rule_is_held_against_its_examples() {
        let anchors = Anchors { roots: vec![Location::plain(Path::new("/w"))], home: None };
        let checked = |list, rule: &str, example: &str| {
            check(&Written::new(list, rule.parse().unwrap(), Source::User), example, true, &anchors).is_ok()
        };
        assert!(checked(List::Allow, "Bash(git log *)", "git log --oneline"));
        assert!(!checked(List::Allow, "Bash(git log *)", "git log && rm x"));
        assert!(checked(List::Deny, "Bash(rm *)", "git log && rm x"));
        assert!(checked(List::Deny, "Read(.env)", "sub/.env"));
        assert!(checked(List::Allow, "WebFetch(domain:docs.rs)", "https://docs.rs/x"));
        assert!(checked(List::Deny, "mcp__s", "mcp__s__tool"));
        assert!(checked(List::Ask, "Deploy(target:prod*)", "Deploy(target:production)"));
        assert!(!checked(List::Ask, "Deploy(target:prod*)", "Deploy(target:test)"));
        assert!(!checked(List::Allow, "WebFetch(domain:docs.rs)", "nonsense"));
    }
}
