//! What a decision costs, with the same matching by a plain loop over `globset` beside it.
//!
//! `cargo bench -p toolbay-policy`

#![allow(missing_docs, clippy::indexing_slicing, clippy::unwrap_used, reason = "a benchmark")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use globset::{GlobBuilder, GlobMatcher};
use toolbay_policy::{
    Access, Address, Anchors, Command, List, Location, Policy, Request, Rules, Source, Written, decide,
};

/// A mix as in a large organisation's settings: paths for the most part, commands, hosts and names.
fn rule(number: usize) -> (List, String) {
    let list = List::ALL[number % 3];
    let text = match number % 10 {
        0 => format!("Read(**/secret-{number}.txt)"),
        1 => format!("Read(//srv/data-{number}/**)"),
        2 => format!("Edit(src/module_{number}/*.rs)"),
        3 => format!("Edit(//home/ada/projects/p{number}/**)"),
        4 => format!("Read(*.private{number})"),
        5 => format!("Bash(tool-{number} run *)"),
        6 => format!("Bash(git checkout branch-{number})"),
        7 => format!("WebFetch(domain:host-{number}.example.com)"),
        8 => format!("WebFetch(domain:*.zone-{number}.example.org)"),
        _ => format!("Env(VARIABLE_{number})"),
    };
    (list, text)
}

fn plain(path: &str) -> Location {
    Location::plain(Path::new(path))
}

fn accesses() -> Vec<Access> {
    let arguments = ["commit", "-m", "a message"].map(str::to_owned).to_vec();
    vec![
        Access::Read(plain("/work/app/src/module/deep/in/the/tree.rs")),
        Access::Read(plain("/usr/share/doc/readme.txt")),
        Access::Write(plain("/work/app/src/module_2/main.rs")),
        Access::Run(Box::new(Command::new("git".into(), arguments, plain("/work/app"), |_| None))),
        Access::Fetch(Address::parse("https://docs.example.com/page").unwrap()),
    ]
}

fn policy(rules: usize) -> Arc<Policy> {
    let written = (0..rules).map(|number| {
        let (list, text) = rule(number);
        Written::new(list, text.parse().unwrap(), Source::User)
    });
    let anchors = Anchors { roots: vec![plain("/work/app")], home: Some(plain("/home/ada")) };
    let rules = Rules::compile(written.collect(), &anchors, &|_| None).unwrap();
    Arc::new(Policy { roots: anchors.roots, rules: Arc::new(rules), ..Policy::default() })
}

/// The path rules alone, each as one glob, tried one after the other: no commands, hosts, names, links, lists or reasons.
fn globs(rules: usize) -> Vec<GlobMatcher> {
    let text = |number: usize| match number % 10 {
        0 => Some(format!("/work/app/**/secret-{number}.txt")),
        1 => Some(format!("/srv/data-{number}/**")),
        2 => Some(format!("/work/app/src/module_{number}/*.rs")),
        3 => Some(format!("/home/ada/projects/p{number}/**")),
        4 => Some(format!("/work/app/**/*.private{number}")),
        _ => None,
    };
    let compile = |text: String| GlobBuilder::new(&text).literal_separator(true).build().unwrap().compile_matcher();
    (0..rules).filter_map(text).map(compile).collect()
}

fn benchmark(criterion: &mut Criterion) {
    for rules in [200, 5_000] {
        let (policy, access) = (policy(rules), accesses());
        criterion.bench_function(&format!("decide: {rules} rules, 5 accesses"), |bencher| {
            bencher.iter_batched(
                || Request { tool: "Tool".into(), access: access.clone(), ..Request::default() },
                |request| black_box(decide(&policy, request)),
                criterion::BatchSize::SmallInput,
            );
        });
        let globs = globs(rules);
        let paths: Vec<&Path> = access.iter().filter_map(Access::location).map(Location::named).collect();
        criterion.bench_function(
            &format!("globset loop: the {} path rules among {rules}, 3 paths", globs.len()),
            |bencher| {
                bencher.iter(|| {
                    paths
                        .iter()
                        .map(|path| globs.iter().filter(|glob| glob.is_match(black_box(path))).count())
                        .sum::<usize>()
                });
            },
        );
    }
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
