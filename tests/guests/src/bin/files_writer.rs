//! `Writer`: declares to write some paths and does every kind of change to others. Nothing outside the grant may change,
//! not by links and not by renaming either.

use std::{
    fs::{self, File, FileTimes},
    io::{self, Write as _},
    time::{Duration, SystemTime},
};

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Access, Context, Failure, Outcome, Request, Tool, export_tools};
use toolbay_test_guests::{line, names, soft_link};

struct Writer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What to ask for.
    #[serde(default)]
    declare: Vec<String>,
    /// What to do, in order, whatever was asked for.
    operations: Vec<Operation>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Operation {
    kind: Kind,
    path: String,
    /// The new name, of `rename` and the links. A soft link at `path` points to `to`; a hard link of `path` is made at
    /// `to`.
    #[serde(default)]
    to: String,
    /// What is written; for `set-times`, seconds since 1970.
    #[serde(default)]
    content: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Write,
    Append,
    CreateNew,
    Truncate,
    MakeFolder,
    RemoveFile,
    RemoveFolder,
    Rename,
    HardLink,
    SoftLink,
    SetTimes,
    Stat,
    Read,
    List,
}

impl Operation {
    fn run(&self) -> io::Result<String> {
        let Self { kind, path, to, content } = self;
        let mut options = File::options();
        match kind {
            Kind::Write => fs::write(path, content)?,
            Kind::Append => options.append(true).open(path)?.write_all(content.as_bytes())?,
            Kind::CreateNew => options.write(true).create_new(true).open(path)?.write_all(content.as_bytes())?,
            Kind::Truncate => options.write(true).open(path)?.set_len(0)?,
            Kind::MakeFolder => fs::create_dir(path)?,
            Kind::RemoveFile => fs::remove_file(path)?,
            Kind::RemoveFolder => fs::remove_dir(path)?,
            Kind::Rename => fs::rename(path, to)?,
            Kind::HardLink => fs::hard_link(path, to)?,
            Kind::SoftLink => soft_link(to, path)?,
            Kind::SetTimes => set_times(path, content)?,
            Kind::Stat => return stat(path),
            Kind::Read => return fs::read_to_string(path),
            Kind::List => return names(path),
        }
        Ok("done".to_owned())
    }
}

fn set_times(path: &str, seconds: &str) -> io::Result<()> {
    let seconds = seconds.parse().map_err(io::Error::other)?;
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    File::options().write(true).open(path)?.set_times(FileTimes::new().set_accessed(time).set_modified(time))
}

fn stat(path: &str) -> io::Result<String> {
    let about = fs::symlink_metadata(path)?;
    let kind = match about.file_type() {
        kind if kind.is_file() => "file",
        kind if kind.is_dir() => "folder",
        kind if kind.is_symlink() => "link",
        _ => "other",
    };
    Ok(format!("{kind} {}", about.len()))
}

impl Tool for Writer {
    const NAME: &str = "Writer";
    const DESCRIPTION: &str = "Declares to write some paths and changes others.";
    type Input = Input;

    fn permissions(input: &Input, _context: &Context) -> Request {
        Request { access: input.declare.iter().map(Access::write).collect(), ..Request::nothing() }
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let lines = input.operations.iter().map(|operation| line(&operation.path, operation.run()));
        Ok(Outcome::text(lines.collect::<Vec<_>>().join("\n")))
    }
}

export_tools!(Writer);

fn main() {}
