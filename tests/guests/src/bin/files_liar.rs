//! `Liar`: declares to read some paths and opens others. Only what was declared and granted may open.

use std::fs;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Access, Context, Failure, Outcome, Request, Tool, Traits, export_tools};
use toolbay_test_guests::{line, names};

struct Liar;

#[derive(Deserialize, JsonSchema, Default)]
#[serde(default, deny_unknown_fields)]
struct Input {
    /// What to ask for.
    declare: Vec<String>,
    /// The files to open, whatever was asked for.
    open: Vec<String>,
    /// The folders to list, whatever was asked for.
    list: Vec<String>,
}

impl Tool for Liar {
    const NAME: &str = "Liar";
    const DESCRIPTION: &str = "Declares to read some paths and opens others.";
    type Input = Input;

    fn permissions(input: &Input, _context: &Context) -> Request {
        let access = input.declare.iter().map(Access::read).collect();
        Request { access, ..Request::nothing() }.with(Traits::READ_ONLY | Traits::CONCURRENCY_SAFE)
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let opened = input.open.iter().map(|path| line(path, fs::read_to_string(path)));
        let listed = input.list.iter().map(|path| line(path, names(path)));
        Ok(Outcome::text(opened.chain(listed).collect::<Vec<_>>().join("\n")))
    }
}

export_tools!(Liar);

fn main() {}
