//! What a call costs. Every figure is a ratio to a floor that was measured in the same run.
//!
//! `cargo bench -p toolbay-tests` prints the table that the README shows.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark"
)]

mod bare;
mod flight;
mod latency;
mod process;

use std::path::PathBuf;

use criterion::Criterion;
use toolbay::{Agent, Host, HostOptions, SessionSettings, Settings};

/// A host as a server has it, with the guests of the tests beside the built-in tools.
pub struct Subject {
    pub host: Host,
    pub folder: tempfile::TempDir,
}

impl Subject {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let components = [toolbay_tests::CONTRACT_PURE, toolbay_tests::LIMITS_SLEEP].map(PathBuf::from).to_vec();
        let settings = Settings { components, ..Settings::default() };
        let options = HostOptions { settings, results: Some(folder.path().join("results")), ..HostOptions::default() };
        Self { host: Host::new(options).unwrap(), folder }
    }

    /// A fresh agent that works in the subject's folder.
    pub fn agent(&self) -> Agent {
        let settings = SessionSettings::in_folder(self.folder.path());
        self.host.block_on(self.host.session(settings)).unwrap().agent()
    }
}

/// The rows of the table.
#[derive(Default)]
pub struct Table(Vec<[String; 4]>);

impl Table {
    /// One comparison, in microseconds.
    pub fn row(&mut self, what: &str, ours: f64, floor: f64, unit: &str) {
        let (floor, ratio) = (format!("{floor:.1} {unit}"), format!("{:.2}", ours / floor));
        self.0.push([what.into(), format!("{ours:.1} {unit}"), floor, ratio]);
    }

    /// A figure that is itself a difference to the floor.
    pub fn difference(&mut self, what: &str, difference: f64, unit: &str) {
        self.0.push([what.into(), format!("{difference:.1} {unit}"), String::new(), String::new()]);
    }

    fn print(&self) {
        println!("\n| what | ours | floor | ratio |\n| --- | ---: | ---: | ---: |");
        for [what, ours, floor, ratio] in &self.0 {
            println!("| {what} | {ours} | {floor} | {ratio} |");
        }
    }
}

fn main() {
    // `cargo test --benches` starts every benchmark once to see that it runs; timings would mean nothing there.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    let subject = Subject::new();
    let mut table = Table::default();
    latency::run(&mut criterion, &subject, &mut table);
    flight::run(&subject, &mut table);
    process::run(&subject, &mut table);
    table.print();
}
