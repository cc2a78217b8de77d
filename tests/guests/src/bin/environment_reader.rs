//! `Surroundings`: says what a call without any grant sees of the system. There should be no variables, arguments, input
//! and network; time and randomness there should be.

use std::{
    collections::hash_map::RandomState,
    env,
    hash::BuildHasher as _,
    io::{self, Read as _},
    net::TcpStream,
    time::SystemTime,
};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolbay_sdk::{Context, Failure, Outcome, Tool, export_tools};

struct Surroundings;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {}

fn from_stdin() -> io::Result<String> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    Ok(text)
}

/// The value, or the kind of the error.
fn told<T: ToString>(result: io::Result<T>) -> String {
    result.map_or_else(|error| format!("{:?}", error.kind()), |value| value.to_string())
}

impl Tool for Surroundings {
    const NAME: &str = "Surroundings";
    const DESCRIPTION: &str = "Says what it sees of the system.";
    type Input = Input;

    fn call(_input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let seconds = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs());
        let answer = json!({
            "variables": env::vars_os().map(|variable| format!("{variable:?}")).collect::<Vec<_>>(),
            "arguments": env::args_os().map(|argument| format!("{argument:?}")).collect::<Vec<_>>(),
            "current_directory": told(env::current_dir().map(|path| path.display().to_string())),
            "stdin": told(from_stdin()),
            "connect": told(TcpStream::connect("127.0.0.1:1").map(|_| "connected")),
            "time_is_real": seconds > 1_700_000_000,
            // Two states of one instance always differ, whatever the host's seed; `random` is to be compared across calls.
            "random_differs": RandomState::new().hash_one(0) != RandomState::new().hash_one(0),
            "random": RandomState::new().hash_one(0).to_string(),
        });
        Ok(Outcome::text(answer.to_string()))
    }
}

export_tools!(Surroundings);

fn main() {}
