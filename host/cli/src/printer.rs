//! The only writer of standard output and standard error.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde_json::{Value, json};

use crate::neutral::neutral;

/// Prints for a person or, with `--json`, for a script.
pub(crate) struct Printer {
    pub(crate) json: bool,
    output: anstream::Stdout,
    output_is_terminal: bool,
    errors: anstream::Stderr,
    error_is_terminal: bool,
}

const STRONG: anstyle::Style = anstyle::Style::new().bold();
const BAD: anstyle::Style = anstyle::AnsiColor::Red.on_default().bold();

impl Printer {
    pub(crate) fn new(json: bool) -> Self {
        Self {
            json,
            output: anstream::stdout(),
            output_is_terminal: io::stdout().is_terminal(),
            errors: anstream::stderr(),
            error_is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Text of a tool, as it is; on a terminal with its control characters made visible. Ends with a line end.
    pub(crate) fn tool_text(&mut self, text: &str) {
        let shown = if self.output_is_terminal { neutral(text) } else { Cow::Borrowed(text) };
        write_all(&mut self.output, &shown);
        if !shown.ends_with('\n') {
            write_all(&mut self.output, "\n");
        }
    }

    /// A line of ours, which may hold text of others.
    pub(crate) fn line(&mut self, text: &str) {
        let shown = if self.output_is_terminal { neutral(text) } else { Cow::Borrowed(text) };
        write_all(&mut self.output, &format!("{shown}\n"));
    }

    /// A heading.
    pub(crate) fn heading(&mut self, text: &str) {
        write_all(&mut self.output, &format!("{STRONG}{}{STRONG:#}\n", neutral(text)));
    }

    /// One JSON document.
    pub(crate) fn document(&mut self, value: &Value) {
        write_all(&mut self.output, &format!("{value:#}\n"));
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
        write_all(&mut self.errors, &text);
    }

    /// A hint that isn't part of the result.
    pub(crate) fn note(&mut self, text: &str) {
        write_all(&mut self.errors, &format!("note: {}\n", neutral(text)));
    }

    /// What is wrong with the arguments or the settings.
    pub(crate) fn usage_error(&mut self, error: &anyhow::Error) {
        let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
        if self.json {
            let cause = causes.join(": ");
            self.document(&json!({ "error": { "code": "usage", "message": error.to_string(), "cause": cause } }));
        } else {
            self.error("usage", &error.to_string(), Some(causes.join("\n")).filter(|text| !text.is_empty()).as_deref());
        }
    }
}

/// A reader that has gone away (`toolbay tools | head -1`) is no error.
fn write_all(stream: &mut impl Write, text: &str) {
    drop(stream.write_all(text.as_bytes()).and_then(|()| stream.flush()));
}
