//! What the canaries share: their input, what they ask for, and the lines of their answers.

use std::fmt::Display;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Access, Definition, Outcome, Request, Tool};

/// What a canary asks for, and what it tries then.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to ask for.
    pub declare: Vec<Declared>,
    /// The paths on which every operation is tried, whatever was asked for.
    pub paths: Vec<String>,
    /// The other paths of the operations that take two; also the folders from which paths climb out.
    pub targets: Vec<String>,
}

/// One access to a file or a folder.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Declared {
    access: Kind,
    path: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Read,
    Write,
}

/// A request for just this.
pub fn request(declared: &[Declared]) -> Request {
    let access = declared.iter().map(|declared| match declared.access {
        Kind::Read => Access::read(&declared.path),
        Kind::Write => Access::write(&declared.path),
    });
    Request { access: access.collect(), ..Request::nothing() }
}

impl Input {
    /// All that the operations gave on all paths.
    pub fn outcome(&self, try_all: impl Fn(&str, &[String]) -> Vec<String>) -> Outcome {
        let lines: Vec<_> = self.paths.iter().flat_map(|path| try_all(path, &self.targets)).collect();
        Outcome::text(lines.join("\n"))
    }
}

/// The definition of a canary: its answers are as long as they are.
pub fn definition<T: Tool + ?Sized>() -> Definition {
    Definition { max_result_chars: None, ..Definition::of::<T>() }
}

/// One line of a canary's answer, its parts separated by tabs: the path, the operation, `ok` or the error, and what was
/// seen. Whatever is in the path or was read stays on the line.
pub fn tried(path: &str, operation: &str, result: Result<impl Display, impl Display>) -> String {
    match result {
        Ok(seen) => format!("{path:?}\t{operation}\tok\t{:?}", seen.to_string()),
        Err(error) => format!("{path:?}\t{operation}\t{error}\t"),
    }
}
