//! `Whoami`: says everything that a call may know of its surroundings, and uses everything that it may say.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolbay_sdk::{Context, Failure, Level, Outcome, Tool, export_tools};

struct Whoami;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

impl Tool for Whoami {
    const NAME: &str = "Whoami";
    const DESCRIPTION: &str = "Says in whose name it was called.";
    type Input = Input;

    fn call(_input: Input, context: &Context) -> Result<Outcome, Failure> {
        context.progress(1.0, Some(2.0), "half");
        context.log(Level::Info, "hello");
        let answer = json!({
            "session": context.session(),
            "agent": context.agent(),
            "call_id": context.call_id(),
            "working_directory": context.working_directory(),
            "roots": context.roots(),
            "mode": format!("{:?}", context.mode()),
            "interactive": context.interactive(),
            "cancelled": context.cancelled(),
        });
        Ok(Outcome::text(answer.to_string()))
    }
}

export_tools!(Whoami);

fn main() {}
