//! `Flood`: says far too much, in every way in which a tool can say something.

use std::io::{self, Write as _};

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Level, Outcome, Tool, export_tools};

struct Flood;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// Where to.
    what: Channel,
    /// How much, in MiB.
    megabytes: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Channel {
    Stdout,
    Stderr,
    Log,
    Progress,
    Result,
    Failure,
}

/// More than any single message may have, and still many of them.
const CHUNK: usize = 16 << 10;

impl Tool for Flood {
    const NAME: &str = "Flood";
    const DESCRIPTION: &str = "Says far too much.";
    type Input = Input;

    fn call(input: Input, context: &Context) -> Result<Outcome, Failure> {
        let size = (input.megabytes as usize) << 20;
        match input.what {
            Channel::Result => return Ok(Outcome::text("x".repeat(size))),
            Channel::Failure => return Err(Failure::new(1, "x".repeat(size))),
            _ => {}
        }
        let (chunk, mut done) = ("x".repeat(CHUNK), 0.0);
        for _ in 0..size / CHUNK {
            // Whether the host still listens is no reason to stop.
            match input.what {
                Channel::Stdout => _ = io::stdout().write_all(chunk.as_bytes()),
                Channel::Stderr => _ = io::stderr().write_all(chunk.as_bytes()),
                Channel::Log => context.log(Level::Error, &chunk),
                _ => context.progress(done, None, &chunk),
            }
            done += 1.0;
        }
        Ok(Outcome::text("done"))
    }
}

export_tools!(Flood);

fn main() {}
