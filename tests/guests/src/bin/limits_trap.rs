//! `Panic`: ends in the middle of a call, in each way that there is. The host has to turn each into an error.

use std::hint::{assert_unchecked, black_box};

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Tool, export_tools};

struct Panic;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What a panic says.
    #[serde(default)]
    message: String,
    /// How to end.
    #[serde(default)]
    how: End,
}

#[derive(Deserialize, JsonSchema, Default)]
#[serde(rename_all = "kebab-case")]
enum End {
    #[default]
    Panic,
    Unreachable,
    Exit,
    Divide,
}

/// The instruction itself: the check with which Rust surrounds a division would only be one more panic.
fn divide() -> u32 {
    let divisor = black_box(0);
    // SAFETY: none; this guest is here to trap. `black_box` keeps the compiler from seeing the zero.
    unsafe { assert_unchecked(divisor != 0) };
    black_box(1) / divisor
}

impl Tool for Panic {
    const NAME: &str = "Panic";
    const DESCRIPTION: &str = "Ends without an answer.";
    type Input = Input;

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        match input.how {
            End::Panic => panic!("{}", input.message),
            // On WebAssembly this is the instruction `unreachable`, without a message.
            End::Unreachable => std::process::abort(),
            End::Exit => std::process::exit(3),
            End::Divide => Ok(Outcome::text(divide().to_string())),
        }
    }
}

export_tools!(Panic);

fn main() {}
