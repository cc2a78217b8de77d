//! `Echo`: gives back its text. The smallest whole tool, for the reader and for tests.

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Request, Tool, Traits, export_tools};

/// The tool.
#[derive(Debug)]
pub struct Echo;

/// What it is called with.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The text to give back.
    pub text: String,
}

impl Tool for Echo {
    const NAME: &str = "Echo";
    const DESCRIPTION: &str = "Returns the given text unchanged. Use it to see that tools can be called.";
    type Input = Input;

    fn permissions(_input: &Input, _context: &Context) -> Request {
        Request::nothing().with(Traits::READ_ONLY | Traits::CONCURRENCY_SAFE | Traits::IDEMPOTENT)
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        Ok(Outcome::text(input.text))
    }
}

export_tools!(Echo);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_unchanged() {
        let input = Input { text: "a\u{1F600}\n".into() };
        assert_eq!(Echo::call(input, &Context::mock("/")).unwrap().as_text(), "a\u{1F600}\n");
    }
}
