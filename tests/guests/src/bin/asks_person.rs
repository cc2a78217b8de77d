//! `Careful`: declares exactly what its input says, with any verdict. For every path through rules, modes and people.

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Access, Context, Failure, Outcome, Request, Tool, Verdict, export_tools};

struct Careful;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The tool's own opinion.
    verdict: Opinion,
    /// What to ask for.
    #[serde(default)]
    access: Vec<Wish>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Opinion {
    Allow,
    Ask,
    Deny,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wish {
    kind: Kind,
    /// The path, URL or name; of `run`, the program and its arguments, parted by spaces.
    #[serde(default)]
    value: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Read,
    Write,
    Fetch,
    Run,
    Variable,
    Secret,
    UseTool,
    Spawn,
    Complete,
    AskUser,
}

impl Wish {
    fn access(&self) -> Access {
        let value = self.value.clone();
        match self.kind {
            Kind::Read => Access::Read(value),
            Kind::Write => Access::Write(value),
            Kind::Fetch => Access::Fetch(value),
            Kind::Run => {
                let mut words = value.split_whitespace();
                Access::run(words.next().unwrap_or_default(), words)
            }
            Kind::Variable => Access::Variable(value),
            Kind::Secret => Access::Secret(value),
            Kind::UseTool => Access::UseTool(value),
            Kind::Spawn => Access::Spawn(value),
            Kind::Complete => Access::Complete,
            Kind::AskUser => Access::AskUser,
        }
    }
}

impl Tool for Careful {
    const NAME: &str = "Careful";
    const DESCRIPTION: &str = "Asks for what it is told to ask for.";
    type Input = Input;

    fn permissions(input: &Input, _context: &Context) -> Request {
        let reason = "because I say so".to_owned();
        let verdict = match input.verdict {
            Opinion::Allow => Verdict::Allow,
            Opinion::Ask => Verdict::Ask(reason),
            Opinion::Deny => Verdict::Deny(reason),
        };
        Request { access: input.access.iter().map(Wish::access).collect(), verdict, ..Request::nothing() }
    }

    fn call(_input: Input, _context: &Context) -> Result<Outcome, Failure> {
        Ok(Outcome::text("careful"))
    }
}

export_tools!(Careful);

fn main() {}
