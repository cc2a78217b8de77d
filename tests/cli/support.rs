//! A folder with the program in it, and what the program said.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A folder for one test, and the program in it. Compiled code is shared by all tests.
pub struct Place(pub tempfile::TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> std::path::PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_toolbay"));
        command.args(arguments).current_dir(self.0.path());
        command.env("TOOLBAY_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
        command.env("TOOLBAY_CONFIG", self.0.path().join("config")).env("TOOLBAY_STATE", self.0.path().join("state"));
        command.env("TOOLBAY_PROMPT", "never").env_remove("TOOLBAY_LOG");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Said {
        Said(self.command(arguments).stdin(Stdio::null()).output().unwrap())
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Said {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that has read enough closes its end; that's no failure of the writer.
        drop(child.stdin.take().unwrap().write_all(input));
        Said(child.wait_with_output().unwrap())
    }
}

pub struct Said(pub Output);

impl Said {
    pub fn code(&self) -> i32 {
        self.0.status.code().unwrap()
    }

    pub fn output(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub fn error(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.output()).unwrap_or_else(|error| panic!("{error}: {}", self.output()))
    }

    pub fn all(&self) -> String {
        format!("{}{}", self.output(), self.error())
    }
}
