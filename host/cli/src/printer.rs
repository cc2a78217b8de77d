//! The only writer of standard output and standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

use crate::neutral::{neutral, neutral_json};

/// Prints for a person or, with `--json`, for a script.
#[expect(clippy::struct_excessive_bools, reason = "facts about two streams, each for itself")]
pub(crate) struct Printer {
    pub(crate) json: bool,
    output: io::Stdout,
    output_is_terminal: bool,
    errors: anstream::Stderr,
    error_is_terminal: bool,
    failed: bool,
}

const STRONG: anstyle::Style = anstyle::Style::new().bold();
const BAD: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();

impl Printer {
    pub(crate) fn new(json: bool) -> Self {
        Self {
            json,
            output: io::stdout(),
            output_is_terminal: io::stdout().is_terminal(),
            errors: anstream::stderr(),
            error_is_terminal: io::stderr().is_terminal(),
            failed: false,
        }
    }

    /// Whether something could not be written, such as on a full disk.
    pub(crate) fn failed(&self) -> bool {
        self.failed
    }

    /// Text of a tool, as it is; on a terminal with its control characters made visible. Ends with a line end.
    pub(crate) fn tool_text(&mut self, text: &str) {
        let shown = if self.output_is_terminal { neutral(text) } else { Cow::Borrowed(text) };
        self.write(&shown);
        if !shown.ends_with('\n') {
            self.write("\n");
        }
    }

    /// A line of ours, which may hold text of others.
    pub(crate) fn line(&mut self, text: &str) {
        self.tool_text(text);
    }

    /// A heading: bold where colours are shown.
    pub(crate) fn heading(&mut self, text: &str) {
        let text = neutral(text);
        let styled =
            self.output_is_terminal && anstream::AutoStream::choice(&self.output) != anstream::ColorChoice::Never;
        let line = if styled { format!("{STRONG}{text}{STRONG:#}\n") } else { format!("{text}\n") };
        self.write(&line);
    }

    /// One JSON document; on a terminal with what it would obey as escapes, which JSON reads as the same text.
    pub(crate) fn document(&mut self, value: &Value) {
        let text = format!("{value:#}\n");
        let shown = if self.output_is_terminal { neutral_json(&text) } else { Cow::Borrowed(&*text) };
        self.write(&shown);
    }

    /// What went wrong in a call or in a component.
    pub(crate) fn error(&mut self, code: &str, message: &str, cause: Option<&str>) {
        let shown = |text: &str| if self.error_is_terminal { neutral(text).into_owned() } else { text.to_owned() };
        let mut text = format!("{BAD}error[{code}]{BAD:#}: {}\n", shown(message));
        if let Some(cause) = cause {
            text += "  cause: ";
            text += &shown(cause).replace('\n', "\n         ");
            text.push('\n');
        }
        drop(self.errors.write_all(text.as_bytes()));
    }

    /// A hint that isn't part of the result.
    pub(crate) fn note(&mut self, text: &str) {
        drop(self.errors.write_all(format!("note: {}\n", neutral(text)).as_bytes()));
    }

    /// What kept a command from its work: a mistake of use, or a fault of the host.
    pub(crate) fn failure(&mut self, code: &str, error: &anyhow::Error) {
        let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
        if self.json {
            let cause = causes.join(": ");
            self.document(&json!({ "error": { "code": code, "message": error.to_string(), "cause": cause } }));
        } else {
            self.error(code, &error.to_string(), Some(causes.join("\n")).filter(|text| !text.is_empty()).as_deref());
        }
    }

    /// A reader that has gone away (`toolbay tools | head -1`) is no failure.
    fn write(&mut self, text: &str) {
        let written = self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush());
        self.failed |= written.is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe);
    }
}
