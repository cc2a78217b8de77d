//! `Eat`: asks for memory until there is none. The host has to say no at the limit, and to survive.

use std::hint::black_box;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Tool, export_tools};

struct Eat;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

impl Tool for Eat {
    const NAME: &str = "Eat";
    const DESCRIPTION: &str = "Fills the memory.";
    type Input = Input;

    fn call(_input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let mut eaten: Vec<Vec<u8>> = Vec::new();
        loop {
            // Not zero, so that every page is touched.
            eaten.push(black_box(vec![0xa5; 1 << 20]));
        }
    }
}

export_tools!(Eat);

fn main() {}
