//! `Recurse`: calls itself until a stack is full. `shadow` fills the stack in linear memory, where big variables live;
//! `native` fills the host's own, where WebAssembly keeps its return addresses. Neither may hurt the host.

use std::hint::black_box;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Tool, export_tools};

struct Recurse;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Which stack to fill.
    how: Stack,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Stack {
    Shadow,
    Native,
}

/// The buffer's address escapes, so it has to be in linear memory.
fn shadow(depth: u64, bottom: u64) -> u64 {
    let buffer = black_box([depth; 512]);
    if depth == bottom { 0 } else { shadow(depth + 1, bottom).wrapping_add(buffer.iter().sum()) }
}

/// Nothing here needs linear memory, and what follows the inner call can't be done before it, so it is no loop.
fn native(depth: u64, bottom: u64) -> u64 {
    if depth == bottom { 0 } else { native(depth + 1, bottom).rotate_left(7) ^ depth }
}

impl Tool for Recurse {
    const NAME: &str = "Recurse";
    const DESCRIPTION: &str = "Calls itself without end.";
    type Input = Input;

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let bottom = black_box(u64::MAX);
        let sum = match input.how {
            Stack::Shadow => shadow(0, bottom),
            Stack::Native => native(0, bottom),
        };
        Ok(Outcome::text(sum.to_string()))
    }
}

export_tools!(Recurse);

fn main() {}
