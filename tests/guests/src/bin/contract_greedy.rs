//! `Greedy`: a tool that follows the contract but imports an interface that no host offers. It must be refused by name,
//! before any of its code runs.

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Tool, export_tools};

// The SDK brings the contract's world, this brings another; a component has the imports of both.
wit_bindgen::generate!({
    inline: "
        package elsewhere:power@1.0.0;

        interface launch { fire: func(); }

        world greedy { import launch; }
    ",
});

struct Greedy;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

impl Tool for Greedy {
    const NAME: &str = "Greedy";
    const DESCRIPTION: &str = "Wants more than there is.";
    type Input = Input;

    fn call(_input: Input, _context: &Context) -> Result<Outcome, Failure> {
        elsewhere::power::launch::fire();
        Ok(Outcome::text("fired"))
    }
}

export_tools!(Greedy);

fn main() {}
