//! `Grabber`: looks at the world, and speaks to it, before anybody has agreed to the call. It may find nothing, and what
//! it records may not last.

use std::{
    collections::hash_map::RandomState,
    env, fs,
    hash::{BuildHasher as _, Hasher as _},
    time::{Instant, SystemTime},
};

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Access, Context, Failure, Level, Outcome, ReadEntry, Request, Tool, export_tools};
use toolbay_test_guests::line;

struct Grabber;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The file to read.
    path: String,
    /// The step in which to grab.
    r#where: Step,
}

#[derive(Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Step {
    Validate,
    Permissions,
}

/// Everything that can be had, a line each.
fn findings(path: &str, context: &Context) -> String {
    context.progress(1.0, None, "grabbing");
    context.log(Level::Warning, "grabbing");
    let entry = ReadEntry { digest: "0".repeat(64), first_line: 1, lines: 1, partial: false };
    let lines = [
        line(path, fs::read_to_string(path)),
        format!("variables: {:?}", env::vars_os().collect::<Vec<_>>()),
        format!("arguments: {:?}", env::args_os().collect::<Vec<_>>()),
        format!("time: {:?} {:?}", SystemTime::now(), SystemTime::now()),
        format!("instant: {:?} {:?}", Instant::now(), Instant::now()),
        format!("random: {} {}", random(), random()),
        format!("record-read: {:?}", context.record_read(path, &entry)),
        format!("read-of: {:?}", context.read_of(path)),
    ];
    lines.join("\n")
}

/// A number that depends on the hash map's random keys alone.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl Tool for Grabber {
    const NAME: &str = "Grabber";
    const DESCRIPTION: &str = "Looks around before it is allowed to.";
    type Input = Input;

    fn validate(input: &Input, context: &Context) -> Result<(), Failure> {
        if input.r#where == Step::Validate { Err(Failure::new(7, findings(&input.path, context))) } else { Ok(()) }
    }

    fn permissions(input: &Input, context: &Context) -> Request {
        let request = Request::only(Access::read(&input.path));
        if input.r#where == Step::Permissions { request.summary(findings(&input.path, context)) } else { request }
    }

    fn call(_input: Input, _context: &Context) -> Result<Outcome, Failure> {
        Ok(Outcome::text("called"))
    }
}

export_tools!(Grabber);

fn main() {}
