//! `Asker`: declares nothing, and asks for what it needs while it runs.

use std::fs;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Access, Context, Failure, Outcome, Request, Tool, Traits, export_tools};
use toolbay_test_guests::line;

struct Asker;

#[derive(Deserialize, JsonSchema, Default)]
#[serde(default, deny_unknown_fields)]
struct Input {
    /// Paths to ask for and read, one after the other.
    read: Vec<String>,
    /// Paths to ask for and write.
    write: Vec<String>,
    /// Paths to read without asking, after the others.
    open: Vec<String>,
    /// Asks so often for the first path.
    times: u32,
    /// Asks in `permissions` too.
    early: bool,
}

impl Tool for Asker {
    const NAME: &str = "Asker";
    const DESCRIPTION: &str = "Asks for what it needs while it runs.";
    type Input = Input;

    fn permissions(input: &Input, context: &Context) -> Request {
        let asked = input.early.then(|| context.request(&Access::read("/etc/passwd")));
        let summary = asked.map_or_else(String::new, |answer| format!("{answer:?}"));
        Request::nothing().with(Traits::READ_ONLY).summary(summary)
    }

    fn call(input: Input, context: &Context) -> Result<Outcome, Failure> {
        let mut lines = Vec::new();
        for path in &input.read {
            let asked = context.request(&Access::read(path)).map_err(|denied| denied.message);
            lines.push(format!("{path}: {asked:?}"));
            lines.push(line(path, fs::read_to_string(path)));
        }
        for path in &input.write {
            let asked = context.request(&Access::write(path)).map_err(|denied| denied.message);
            lines.push(format!("{path}: {asked:?}"));
            lines.push(line(path, fs::write(path, "written").map(|()| "written".to_owned())));
        }
        lines.extend(input.open.iter().map(|path| line(path, fs::read_to_string(path))));
        if let Some(path) = input.read.first() {
            let refused = (0..input.times).filter(|_| context.request(&Access::read(path)).is_err()).count();
            lines.push(format!("{refused} refused"));
        }
        Ok(Outcome::text(lines.join("\n")))
    }
}

export_tools!(Asker);

fn main() {}
