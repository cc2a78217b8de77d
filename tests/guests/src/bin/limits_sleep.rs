//! `Doze`: waits in the host instead of computing. For deadlines, cancellation, and which calls run side by side.

use std::{thread::sleep, time::Duration};

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Request, Tool, Traits, export_tools};

struct Doze;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// How long.
    milliseconds: u32,
    /// Whether neighbours may run beside it.
    #[serde(default)]
    concurrent: bool,
}

impl Tool for Doze {
    const NAME: &str = "Doze";
    const DESCRIPTION: &str = "Sleeps.";
    type Input = Input;

    fn permissions(input: &Input, _context: &Context) -> Request {
        let traits = if input.concurrent { Traits::READ_ONLY | Traits::CONCURRENCY_SAFE } else { Traits::empty() };
        Request::nothing().with(traits)
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        sleep(Duration::from_millis(input.milliseconds.into()));
        Ok(Outcome::text("slept"))
    }
}

export_tools!(Doze);

fn main() {}
