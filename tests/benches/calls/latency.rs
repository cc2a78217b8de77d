//! One call after another.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion};
use toolbay::{Agent, Use};
use toolbay_read::{Input, Read};
use toolbay_sdk::{Context, Tool};

use crate::bare::Bare;
use crate::{Subject, Table};

const ECHO: &str = r#"{"text":"a short text, as models send them"}"#;

pub fn run(criterion: &mut Criterion, subject: &Subject, table: &mut Table) {
    let agent = subject.agent();
    echo(criterion, subject, &agent, table);
    results(criterion, subject, &agent, table);
    read(criterion, subject, &agent, table);
}

fn echo(criterion: &mut Criterion, subject: &Subject, agent: &Agent, table: &mut Table) {
    let component = subject.folder.path().join("echo.wasm");
    let (_, _, bytes) = subject.host.components().find(|(origin, ..)| origin.to_string().contains("echo")).unwrap();
    std::fs::write(&component, bytes).unwrap();
    let bare = Bare::new(component.to_str().unwrap(), 16);
    let mut group = criterion.benchmark_group("echo");
    group.measurement_time(Duration::from_secs(4));
    group.bench_function("bare", |bencher| {
        bencher.iter_custom(|count| {
            subject.host.block_on(async {
                let start = std::time::Instant::now();
                for _ in 0..count {
                    bare.call("Echo", ECHO).await;
                }
                start.elapsed()
            })
        });
    });
    group.bench_function("pipeline", |bencher| {
        bencher.iter_custom(|count| subject.host.block_on(calls(agent, "Echo", ECHO, count)));
    });
    let outside = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    group.bench_function("pipeline from another runtime", |bencher| {
        bencher.iter_custom(|count| outside.block_on(calls(agent, "Echo", ECHO, count)));
    });
    group.finish();
    let floor = median("echo", "bare");
    table.row("`Echo`, whole pipeline; floor: bare wasmtime", median("echo", "pipeline"), floor, "us");
    let outside = median("echo", "pipeline from another runtime");
    table.row("the same, called from another runtime", outside, floor, "us");
}

fn results(criterion: &mut Criterion, subject: &Subject, agent: &Agent, table: &mut Table) {
    let bare = Bare::new(toolbay_tests::CONTRACT_PURE, 16);
    let mut group = criterion.benchmark_group("results");
    group.measurement_time(Duration::from_secs(3)).sample_size(20);
    for megabytes in [1, 10] {
        let input = format!(r#"{{"text":"{}"}}"#, "x".repeat(megabytes << 20));
        group.bench_function(BenchmarkId::new("bare", megabytes), |bencher| {
            bencher.iter(|| subject.host.block_on(bare.call("Pure", &input)));
        });
        group.bench_function(BenchmarkId::new("pipeline", megabytes), |bencher| {
            bencher.iter_custom(|count| subject.host.block_on(calls(agent, "Pure", &input, count)));
        });
    }
    group.finish();
    for megabytes in [1, 10] {
        let id = |name| format!("{name}/{megabytes}");
        let (ours, floor) = (median("results", &id("pipeline")), median("results", &id("bare")));
        table.row(&format!("input and result of {megabytes} MB; floor: bare wasmtime"), ours, floor, "us");
    }
}

fn read(criterion: &mut Criterion, subject: &Subject, agent: &Agent, table: &mut Table) {
    let mut group = criterion.benchmark_group("read");
    group.measurement_time(Duration::from_secs(3)).sample_size(30);
    for (name, lines) in [("2 KB", 40), ("1 MB", 20_000)] {
        let path = subject.folder.path().join(format!("{lines}.txt"));
        std::fs::write(&path, format!("{}\n", "y".repeat(49)).repeat(lines)).unwrap();
        let path = path.to_str().unwrap().to_owned();
        let input = format!(r#"{{"file_path":"{path}"}}"#);
        let context = Context::mock("/");
        group.bench_function(BenchmarkId::new("native", name), |bencher| {
            bencher.iter(|| {
                let input = Input { file_path: path.clone(), offset: None, limit: None };
                Read::call(input, &context).unwrap()
            });
        });
        group.bench_function(BenchmarkId::new("pipeline", name), |bencher| {
            bencher.iter_custom(|count| subject.host.block_on(calls(agent, "Read", &input, count)));
        });
    }
    group.finish();
    for name in ["2 KB", "1 MB"] {
        let (ours, floor) = (median("read", &format!("pipeline/{name}")), median("read", &format!("native/{name}")));
        table.row(&format!("`Read` of {name}; floor: the same code, native, no sandbox"), ours, floor, "us");
    }
}

/// The time of `count` calls that must all succeed.
pub async fn calls(agent: &Agent, tool: &str, input: &str, count: u64) -> Duration {
    let uses: Vec<Use> = (0..count).map(|_| Use::new(tool, input)).collect();
    let start = std::time::Instant::now();
    for used in uses {
        agent.call(used).await.result.unwrap();
    }
    start.elapsed()
}

/// What criterion measured, in microseconds.
fn median(group: &str, id: &str) -> f64 {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../target")),
        std::path::PathBuf::from,
    );
    let path = target.join("criterion").join(group).join(id).join("new/estimates.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let estimates: serde_json::Value = serde_json::from_str(&text).unwrap();
    estimates["median"]["point_estimate"].as_f64().unwrap() / 1_000.0
}
