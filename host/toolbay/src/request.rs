//! From what a tool says it needs to what the policy decides on: the same accesses, with every path resolved.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolbay_policy::{Access, Address, Command, Location, Policy, Request, ToolVerdict, Traits};
use toolbay_sandbox::{contract, locate};

/// The most accesses of one call. Nobody could judge more, and deciding costs time for each.
const MOST_ACCESSES: usize = 1_000;
/// The longest text of an access that isn't a path, in bytes.
const LONGEST_TEXT: usize = 16_384;

/// Where relative paths and `~/` lead.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) working_directory: &'a Path,
    pub(crate) home: Option<&'a Path>,
}

/// Resolves a tool's request. What can't be resolved can't be decided, and is refused.
pub(crate) fn resolve(request: contract::Request, places: Places<'_>) -> Result<Request, String> {
    if request.access.len() > MOST_ACCESSES {
        return Err(format!("it needs {} accesses; the limit is {MOST_ACCESSES}", request.access.len()));
    }
    let access = request.access.into_iter().map(|access| resolve_access(access, places)).collect::<Result<_, _>>()?;
    let verdict = match request.verdict {
        contract::Verdict::Allow => ToolVerdict::Allow,
        contract::Verdict::Ask(reason) => ToolVerdict::Ask(reason),
        contract::Verdict::Deny(reason) => ToolVerdict::Deny(reason),
    };
    Ok(Request { access, verdict, traits: traits(request.traits), ..Request::default() })
}

/// The plain values of the input that rules about this tool look at.
pub(crate) fn parameters(policy: &Policy, tool: &str, input: &Value) -> Vec<(String, String)> {
    policy.parameters(tool).filter_map(|name| Some((name.to_owned(), plain(input.get(name)?)?))).collect()
}

/// A value as it stands in the input; none for lists and objects, which rules can't look into.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn traits(traits: contract::Traits) -> Traits {
    Traits {
        read_only: traits.contains(contract::Traits::READ_ONLY),
        destructive: traits.contains(contract::Traits::DESTRUCTIVE),
        concurrency_safe: traits.contains(contract::Traits::CONCURRENCY_SAFE),
        idempotent: traits.contains(contract::Traits::IDEMPOTENT),
        open_world: traits.contains(contract::Traits::OPEN_WORLD),
    }
}

pub(crate) fn resolve_access(access: contract::Access, places: Places<'_>) -> Result<Access, String> {
    Ok(match access {
        contract::Access::Read(path) => Access::Read(resolve_path(&path, places)?),
        contract::Access::Write(path) => Access::Write(resolve_path(&path, places)?),
        contract::Access::Fetch(url) => {
            Access::Fetch(Address::parse(&bounded(url)?).map_err(|error| error.to_string())?)
        }
        contract::Access::Run(command) => {
            let directory = resolve_path(command.directory.as_deref().unwrap_or("."), places)?;
            let program = Some(bounded(command.program)?).filter(|program| !program.is_empty());
            let program = program.ok_or("a command without a program runs nothing")?;
            let arguments = command.arguments.into_iter().map(bounded).collect::<Result<_, _>>()?;
            let folder = directory.named().to_owned();
            let places = Places { working_directory: &folder, ..places };
            Access::Run(Box::new(Command::new(program, arguments, directory, |path| resolve_path(path, places).ok())))
        }
        contract::Access::Variable(name) => Access::Variable(bounded(name)?),
        contract::Access::Secret(name) => Access::Secret(bounded(name)?),
        contract::Access::UseTool(name) => Access::UseTool(bounded(name)?),
        contract::Access::Spawn(kind) => Access::Spawn(bounded(kind)?),
        contract::Access::Complete => Access::Complete,
        contract::Access::AskUser => Access::AskUser,
    })
}

fn bounded(text: String) -> Result<String, String> {
    if text.len() > LONGEST_TEXT {
        return Err(format!("a text of {} bytes is too long; the limit is {LONGEST_TEXT}", text.len()));
    }
    Ok(text)
}

/// An absolute path as it is, `~/` below the home folder, everything else below the working directory.
fn resolve_path(path: &str, places: Places<'_>) -> Result<Location, String> {
    if path.is_empty() {
        return Err("an empty path names nothing".to_owned());
    }
    let absolute = match (path.strip_prefix("~/"), places.home) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_), None) => return Err("there is no home folder for `~/`".to_owned()),
        (None, home) if path == "~" => home.map(PathBuf::from).ok_or("there is no home folder for `~`")?,
        (None, _) => places.working_directory.join(path),
    };
    locate(&absolute).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_start_at_the_working_directory_and_tildes_at_home() {
        let places = Places { working_directory: Path::new("/nowhere/work"), home: Some(Path::new("/nowhere/home")) };
        let named = |path| resolve_path(path, places).unwrap().named().to_owned();
        assert_eq!(named("a/../b"), Path::new("/nowhere/work/b"));
        assert_eq!(named("~/a"), Path::new("/nowhere/home/a"));
        assert_eq!(named("~"), Path::new("/nowhere/home"));
        assert_eq!(named("~other/a"), Path::new("/nowhere/work/~other/a"));
        assert_eq!(named("/a"), Path::new("/a"));
        assert!(resolve_path("", places).is_err());
        assert!(resolve_path("~/a", Places { home: None, ..places }).is_err());
    }
}
