//! `Racer`: does the same few things with files again and again, while somebody swaps what lies under their names. It
//! counts what came of each, and says everything that it saw.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
};

use schemars::JsonSchema;
use serde::Deserialize;
use toolbay_sdk::{Context, Failure, Outcome, Request, Tool, export_tools};
use toolbay_test_guests::{canary::Declared, canary::request, names, operations::MARK};

struct Racer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What to ask for.
    declare: Vec<Declared>,
    /// The folder with `swap`, a file, and `dir`, a folder.
    folder: String,
    /// How often.
    rounds: u32,
    /// Whether to change things, too.
    changes: bool,
}

/// How often each operation had each result.
struct Tally(BTreeMap<String, u32>);

impl Tally {
    fn note(&mut self, operation: &str, result: io::Result<String>) {
        let result = result.map_or_else(|error| format!("{:?}", error.kind()), |seen| format!("ok {seen:?}"));
        *self.0.entry(format!("{operation}: {result}")).or_default() += 1;
    }
}

fn done(result: io::Result<()>) -> io::Result<String> {
    result.map(|()| String::new())
}

fn look(folder: &str, tally: &mut Tally) {
    let (swap, dir) = (format!("{folder}/swap"), format!("{folder}/dir"));
    tally.note("read swap", fs::read_to_string(&swap));
    tally.note("stat swap", fs::metadata(&swap).map(|about| about.len().to_string()));
    tally.note("read in dir", fs::read_to_string(format!("{dir}/secret.txt")));
    tally.note("stat in dir", fs::metadata(format!("{dir}/secret.txt")).map(|about| about.len().to_string()));
    tally.note("list dir", names(&dir));
}

fn change(folder: &str, round: u32, tally: &mut Tally) {
    let (swap, dir, own) = (format!("{folder}/swap"), format!("{folder}/dir"), format!("{folder}/own"));
    let (secret, new) = (format!("{dir}/secret.txt"), format!("{dir}/new-{}", round % 10));
    tally.note("write swap", done(fs::write(&swap, MARK)));
    tally.note(
        "append in dir",
        done(File::options().append(true).open(&secret).and_then(|mut file| file.write_all(b"+"))),
    );
    tally.note("write in dir", done(fs::write(&secret, MARK)));
    tally.note("create in dir", done(File::create_new(&new).map(drop)));
    tally.note("remove in dir", done(fs::remove_file(&new)));
    tally.note("make folder in dir", done(fs::create_dir(&new)));
    tally.note("remove folder in dir", done(fs::remove_dir(&new)));
    tally.note("make own", done(fs::write(&own, MARK)));
    tally.note("move into dir", done(fs::rename(&own, &secret)));
    tally.note("move out of dir", done(fs::rename(&secret, &own)));
    tally.note("read what was moved", fs::read_to_string(&own));
    tally.note("put it back", done(fs::rename(&own, &secret)));
}

impl Tool for Racer {
    const NAME: &str = "Racer";
    const DESCRIPTION: &str = "Does things with files while they are swapped.";
    type Input = Input;

    fn permissions(input: &Input, _context: &Context) -> Request {
        request(&input.declare)
    }

    fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
        let mut tally = Tally(BTreeMap::new());
        for round in 0..input.rounds {
            look(&input.folder, &mut tally);
            if input.changes {
                change(&input.folder, round, &mut tally);
            }
        }
        let lines = tally.0.iter().map(|(what, times)| format!("{what}\t{times}"));
        Ok(Outcome::text(lines.collect::<Vec<_>>().join("\n")))
    }
}

export_tools!(Racer);

fn main() {}
