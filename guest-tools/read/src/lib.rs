//! `Read`: shows a text file as numbered lines.
//!
//! Owns the tool's contract: its input, its definition, what it asks for, and how an answer is put together. It opens
//! exactly the file that it was asked for, never writes, and never puts bytes of a binary file into an answer.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{
    Access, Context, Definition, Environment, Failure, Level, Outcome, Overflow, ReadEntry, Request, Tool, Traits,
    export_tools,
};

mod decode;
mod failure;
mod kind;
mod line;
mod notice;
mod page;
mod path;
mod scan;
mod view;

pub use failure::code;
pub use view::View;

use crate::{page::Range, scan::Scan};

/// The tool.
#[derive(Debug)]
pub struct Read;

/// Which file to read, and which of its lines.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The file to read: an absolute path, or one relative to the working directory.
    pub file_path: String,
    /// The number of the first line to show, counted from 1. Leave it out to start at the top.
    pub offset: Option<u32>,
    /// How many lines to show, at least 1. Leave it out for 2000 lines.
    #[schemars(range(min = 1))]
    pub limit: Option<NonZeroU32>,
}

impl Tool for Read {
    const NAME: &str = "Read";
    const DESCRIPTION: &str = "\
Reads a text file and returns its lines as `cat -n` does: the line number, a tab, then the line exactly as it is in \
the file. The number and the first tab are not part of the file.

- Without `offset` and `limit` you get the file from its first line, at most 2000 lines. For a part of a large file \
give `offset` and `limit`. One result holds at most 200000 characters.
- A line of more than 2000 characters is cut, and a mark at its end says how many are missing.
- After an empty line, notices in square brackets say what is not shown and how to go on, that a file is empty, or \
that an offset is past its end.
- UTF-8 and UTF-16 text can be read. Folders, images, PDF documents, archives and other binary files are refused.";
    type Input = Input;

    fn definition(_environment: &Environment) -> Definition {
        Definition {
            output_schema: Some(View::schema()),
            // The tool bounds its own text; the pipeline would cut lines that the notices say are shown.
            max_result_chars: None,
            overflow: Overflow::Guide,
            ..Definition::of::<Self>()
        }
    }

    fn validate(input: &Input, _context: &Context) -> Result<(), Failure> {
        path::check(&input.file_path)
    }

    fn permissions(input: &Input, _context: &Context) -> Request {
        Request::only(Access::read(&input.file_path))
            .with(Traits::READ_ONLY | Traits::CONCURRENCY_SAFE | Traits::IDEMPOTENT)
            .summary(format!("Read {}", input.file_path))
    }

    fn call(input: Input, context: &Context) -> Result<Outcome, Failure> {
        let directory = context.working_directory();
        let path = path::absolute(&input.file_path, &directory, context.home_directory().as_deref());
        let range = Range::new(input.offset, input.limit);
        let scan = scan::file(&path, &directory, range)?;
        if range.explicit && scan.page.is_over_the_cap() {
            return Err(failure::range_too_long(&path, scan.bytes, range, &scan.page));
        }
        let view = View::of(&path, range, &scan.page);
        if !scan.page.is_past_the_end(range) {
            record(context, &scan, &view);
        }
        let structured = serde_json::to_string(&view).ok();
        Ok(Outcome { structured, ..Outcome::text(answer(&scan, range)) })
    }
}

export_tools!(Read);

/// The lines, then the notices. Every line of the file has a number, so no file can forge a notice.
fn answer(scan: &Scan, range: Range) -> String {
    let notices = notice::all(scan, range).join("\n");
    match (scan.page.lines, notices.is_empty()) {
        (0, _) => notices,
        (_, true) => scan.page.text.clone(),
        (_, false) => format!("{}\n\n{notices}", scan.page.text),
    }
}

/// Remembers what the model has seen. A refusal costs the model nothing now: a later edit will ask for another read.
fn record(context: &Context, scan: &Scan, view: &View) {
    let entry = ReadEntry {
        digest: scan.digest.clone(),
        first_line: view.first_line,
        lines: view.lines,
        partial: view.truncated,
    };
    if let Err(refusal) = context.record_read(&view.path, &entry) {
        context.log(Level::Debug, &format!("the read of {} isn't recorded: {refusal:?}", view.path));
    }
}

#[cfg(test)]
mod tests;
