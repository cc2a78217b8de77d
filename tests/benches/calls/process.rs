//! From the start of the process to its result, with a warm cache.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::{Subject, Table};

const RUNS: usize = 60;

pub fn run(subject: &Subject, table: &mut Table) {
    let toolbay = build();
    let file = subject.folder.path().join("40.txt");
    let input = format!(r#"{{"file_path":"{}"}}"#, file.display());
    let read = || {
        let mut command = Command::new(&toolbay);
        command.args(["call", "Read", &input, "--root"]).arg(subject.folder.path());
        command.env("TOOLBAY_CACHE", subject.folder.path().join("cache"));
        command
    };
    let numbered = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_numbered"));
        command.arg(&file);
        command
    };
    once(read());
    let (mut ours, mut native, mut nothing) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        ours.push(once(read()));
        native.push(once(numbered()));
        nothing.push(once(Command::new("true")));
    }
    let [ours, native, nothing] = [ours, native, nothing].map(median);
    table.row("process start to result of `Read`, warm; floor: a native program", ours, native, "ms");
    table.row("the same; floor: `true`", ours, nothing, "ms");
    table.difference("the same, more than the native program", ours - native, "ms");
}

/// The command line, built as it's released.
fn build() -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let built =
        Command::new(env!("CARGO")).args(["build", "--release", "-p", "toolbay-cli"]).current_dir(workspace).status();
    assert!(built.unwrap().success());
    Path::new(env!("CARGO_BIN_EXE_numbered")).with_file_name("toolbay")
}

fn once(mut command: Command) -> f64 {
    let start = Instant::now();
    let output = command.stdin(Stdio::null()).output().unwrap();
    let elapsed = start.elapsed().as_secs_f64() * 1_000.0;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    elapsed
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
