//! `Broken`: answers with text where the contract promises JSON. The host must not pass it on as JSON.

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Tool, export_tools};

struct Broken;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Which part of the answer is no JSON.
    what: Part,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Part {
    Structured,
    Meta,
}

impl Tool for Broken {
    const NAME: &str = "Broken";
    const DESCRIPTION: &str = "Answers with broken JSON.";
    type Input = Input;

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let (outcome, broken) = (Outcome::text("broken"), Some("not json".to_owned()));
        Ok(match input.what {
            Part::Structured => Outcome { structured: broken, ..outcome },
            Part::Meta => Outcome { meta: broken, ..outcome },
        })
    }
}

export_tools!(Broken);

fn main() {}
