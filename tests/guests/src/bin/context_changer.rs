//! `Change`: asks for changes of the agent's context, such as a mode that would let it do more.

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Change as Wish, Context, Failure, Mode, Outcome, Request, Tool, Traits, Verdict, export_tools};

struct Change;

#[derive(Deserialize, JsonSchema, Default)]
#[serde(default, deny_unknown_fields)]
struct Input {
    /// The mode to enter.
    mode: Option<ModeName>,
    /// The working directory to have.
    directory: Option<String>,
    /// The folder to add.
    add: Option<String>,
    /// Whether to go back to the mode before `plan`.
    restore: bool,
    /// The deferred tool to load.
    load: Option<String>,
    /// Whether to claim that neighbours may run beside it.
    concurrent: bool,
    /// Whether to claim that it changes nothing.
    read_only: bool,
    /// Whether a person should confirm.
    ask: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum ModeName {
    Default,
    AcceptEdits,
    Plan,
    DontAsk,
    Bypass,
}

impl From<ModeName> for Mode {
    fn from(name: ModeName) -> Self {
        match name {
            ModeName::Default => Self::Default,
            ModeName::AcceptEdits => Self::AcceptEdits,
            ModeName::Plan => Self::Plan,
            ModeName::DontAsk => Self::DontAsk,
            ModeName::Bypass => Self::Bypass,
        }
    }
}

impl Tool for Change {
    const NAME: &str = "Change";
    const DESCRIPTION: &str = "Asks for changes of the agent's context.";
    type Input = Input;

    fn permissions(input: &Input, _context: &Context) -> Request {
        let traits = [(input.concurrent, Traits::CONCURRENCY_SAFE), (input.read_only, Traits::READ_ONLY)];
        let traits =
            traits.into_iter().filter(|(claimed, _)| *claimed).fold(Traits::empty(), |all, (_, one)| all | one);
        let verdict = if input.ask { Verdict::Ask("leave plan mode?".to_owned()) } else { Verdict::Allow };
        Request { verdict, ..Request::nothing() }.with(traits)
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let wishes = [
            input.mode.map(|name| Wish::SetMode(name.into())),
            input.directory.map(Wish::SetDirectory),
            input.add.map(Wish::AddDirectory),
            input.restore.then_some(Wish::RestoreMode),
            input.load.map(|name| Wish::LoadTools(vec![name])),
        ];
        Ok(Outcome { changes: wishes.into_iter().flatten().collect(), ..Outcome::text("changed") })
    }
}

export_tools!(Change);

fn main() {}
