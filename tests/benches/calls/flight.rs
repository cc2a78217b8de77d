//! Many calls at a time.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use toolbay::{Agent, Use};

use crate::bare::Bare;
use crate::{Subject, Table};

const ECHO: &str = r#"{"text":"a short text, as models send them"}"#;
/// Long enough that all of them are in flight before the first one ends.
const DOZE: &str = r#"{"milliseconds":1500,"concurrent":true}"#;
const CALLS: u32 = 20_000;

pub fn run(subject: &Subject, table: &mut Table) {
    let agent = subject.agent();
    two_cores(subject, &agent, table);
    thousand(subject, &agent, table);
    memory(subject, &agent, table);
}

/// Two tasks, each making its calls one after the other, against two tasks of bare wasmtime.
fn two_cores(subject: &Subject, agent: &Agent, table: &mut Table) {
    let bare = std::sync::Arc::new(Bare::new(subject.folder.path().join("echo.wasm").to_str().unwrap(), 16));
    let mut best = (0.0_f64, 0.0_f64);
    for _ in 0..5 {
        let ours = per_second(subject, 2, CALLS, |_| {
            let agent = agent.clone();
            async move { agent.call(Use::new("Echo", ECHO)).await.result.map(drop).unwrap() }
        });
        let floor = per_second(subject, 2, CALLS, |_| {
            let bare = bare.clone();
            async move {
                assert!(bare.call("Echo", ECHO).await > 0);
            }
        });
        best = (best.0.max(ours), best.1.max(floor));
    }
    table.row("`Echo` on two cores, calls a second; floor: bare wasmtime", best.0, best.1, "/s");
}

/// A thousand calls in flight, against one at a time.
fn thousand(subject: &Subject, agent: &Agent, table: &mut Table) {
    let call = |_| {
        let agent = agent.clone();
        async move { agent.call(Use::new("Echo", ECHO)).await.result.map(drop).unwrap() }
    };
    let (mut many, mut one) = (0.0_f64, 0.0_f64);
    for _ in 0..5 {
        many = many.max(per_second(subject, 1_000, CALLS, call));
        one = one.max(per_second(subject, 1, CALLS, call));
    }
    table.row("1,000 calls in flight, calls a second; floor: one at a time", many, one, "/s");
}

/// A thousand guests that wait in the host, against none.
fn memory(subject: &Subject, agent: &Agent, table: &mut Table) {
    let doze = |agent: Agent| async move { agent.call(Use::new("Doze", DOZE)).await.result.map(drop).unwrap() };
    subject.host.block_on(doze(agent.clone()));
    let before = resident();
    let peak = subject.host.block_on(async {
        let mut running = JoinSet::new();
        for _ in 0..1_000 {
            running.spawn(doze(agent.clone()));
        }
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        let peak = resident();
        while let Some(done) = running.join_next().await {
            done.unwrap();
        }
        peak
    });
    table.row("resident memory of each of 1,000 waiting calls", (peak - before) / 1_000.0, 0.0, "KB");
}

fn per_second<F>(subject: &Subject, tasks: u32, calls: u32, call: impl Fn(u32) -> F) -> f64
where
    F: Future<Output = ()> + Send + 'static,
{
    subject.host.block_on(async {
        let start = Instant::now();
        let mut running = JoinSet::new();
        for task in 0..tasks {
            let mine: Vec<F> = (0..calls / tasks).map(|_| call(task)).collect();
            running.spawn(async move {
                for call in mine {
                    call.await;
                }
            });
        }
        while let Some(done) = running.join_next().await {
            done.unwrap();
        }
        f64::from(calls) / start.elapsed().as_secs_f64()
    })
}

/// The process's resident memory in KB.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
