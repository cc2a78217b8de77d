//! `Spilled`, `Truncated`, `Guided` and `Summarised`: results and failures of any size, against a limit of 1,000
//! characters, one tool for each way of handling what is above it. Also a component of several tools and an alias.

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Definition, Environment, Failure, Outcome, Overflow, Tool, export_tools};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What to say.
    text: String,
    /// How often.
    times: u32,
    /// Whether to say it as a failure.
    #[serde(default)]
    fail: bool,
}

/// A tool of this name whose results overflow in this way.
macro_rules! sized {
    ($tool:ident, $overflow:ident, $aliases:expr) => {
        struct $tool;

        impl Tool for $tool {
            const NAME: &str = stringify!($tool);
            const DESCRIPTION: &str = "Repeats a text.";
            type Input = Input;

            fn definition(_environment: &Environment) -> Definition {
                Definition {
                    aliases: $aliases,
                    max_result_chars: Some(1000),
                    overflow: Overflow::$overflow,
                    ..Definition::of::<Self>()
                }
            }

            fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
                let text = input.text.repeat(input.times as usize);
                if input.fail { Err(Failure::new(2, text)) } else { Ok(Outcome::text(text)) }
            }
        }
    };
}

sized!(Spilled, Spill, vec!["OldSpilled".to_owned()]);
sized!(Truncated, Truncate, Vec::new());
sized!(Guided, Guide, Vec::new());
sized!(Summarised, Summarise, Vec::new());

export_tools!(Spilled, Truncated, Guided, Summarised);

fn main() {}
