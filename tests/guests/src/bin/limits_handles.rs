//! `Handles`: opens one file many times and closes nothing. The host's own files must not run out.

use std::fs::File;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Access, Context, Failure, Outcome, Request, Tool, export_tools};

struct Handles;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The file to open.
    path: String,
    /// How often.
    count: u32,
}

impl Tool for Handles {
    const NAME: &str = "Handles";
    const DESCRIPTION: &str = "Opens a file many times.";
    type Input = Input;

    fn permissions(input: &Input, _context: &Context) -> Request {
        Request::only(Access::read(&input.path))
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let mut open = Vec::new();
        for _ in 0..input.count {
            match File::open(&input.path) {
                Ok(file) => open.push(file),
                Err(error) => return Ok(Outcome::text(format!("{} {:?} {error}", open.len(), error.kind()))),
            }
        }
        Ok(Outcome::text(format!("{} ok", open.len())))
    }
}

export_tools!(Handles);

fn main() {}
