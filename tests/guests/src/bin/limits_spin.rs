//! `Spin`: never comes back from the step that its input names. The host has to end it, in each step.

use std::hint::black_box;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Request, Tool, export_tools};

struct Spin;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The step that never ends.
    at: Step,
}

#[derive(Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Step {
    Validate,
    Permissions,
    Call,
}

fn spin() -> ! {
    loop {
        black_box(());
    }
}

impl Tool for Spin {
    const NAME: &str = "Spin";
    const DESCRIPTION: &str = "Computes for ever.";
    type Input = Input;

    fn validate(input: &Input, _context: &Context) -> Result<(), Failure> {
        if input.at == Step::Validate { spin() } else { Ok(()) }
    }

    fn permissions(input: &Input, _context: &Context) -> Request {
        if input.at == Step::Permissions { spin() } else { Request::nothing() }
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        if input.at == Step::Call { spin() } else { Ok(Outcome::text("called")) }
    }
}

export_tools!(Spin);

fn main() {}
