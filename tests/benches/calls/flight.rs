//! Many calls at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use toolbay::{Agent, Use};

use crate::bare::Bare;
use crate::{Subject, Table};

const ECHO: &str = r#"{"text":"a short text, as models send them"}"#;
/// Long enough that all of them are in flight before the first one ends.
const DOZE: &str = r#"{"milliseconds":1500,"concurrent":true}"#;
const CALLS: u32 = 20_000;
const RUNS: usize = 7;

pub fn run(subject: &Subject, table: &mut Table) {
    let agent = subject.agent();
    two_cores(subject, &agent, table);
    thousand(subject, &agent, table);
    memory(subject, &agent, table);
}

/// Two tasks, each making its calls one after the other, against two tasks of bare wasmtime.
fn two_cores(subject: &Subject, agent: &Agent, table: &mut Table) {
    let echo = subject.folder.path().join("echo.wasm");
    let (ours, floor) = (Ours(agent.clone()), Floor(Arc::new(Bare::new(echo.to_str().unwrap(), 16))));
    let mut pairs: Vec<[f64; 2]> =
        (0..RUNS).map(|_| [per_second(subject, 2, CALLS, &ours), per_second(subject, 2, CALLS, &floor)]).collect();
    let [ours, floor] = middle(&mut pairs);
    table.row("`Echo` on two cores, calls a second; floor: bare wasmtime", ours, floor, "/s");
}

/// A thousand calls in flight, against one at a time.
fn thousand(subject: &Subject, agent: &Agent, table: &mut Table) {
    let ours = Ours(agent.clone());
    let mut pairs: Vec<[f64; 2]> =
        (0..RUNS).map(|_| [per_second(subject, 1_000, CALLS, &ours), per_second(subject, 1, CALLS, &ours)]).collect();
    let [many, one] = middle(&mut pairs);
    table.row("1,000 calls in flight, calls a second; floor: one at a time", many, one, "/s");
}

/// The pair with the middle ratio.
fn middle(pairs: &mut [[f64; 2]]) -> [f64; 2] {
    pairs.sort_by(|one, two| (one[0] / one[1]).total_cmp(&(two[0] / two[1])));
    pairs[pairs.len() / 2]
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
    table.difference("resident memory of each of 1,000 waiting calls", (peak - before) / 1_000.0, "KB");
}

/// Calls a second, made by this many tasks, each of which makes its calls one after the other.
fn per_second<C: Callable>(subject: &Subject, tasks: u32, calls: u32, call: &C) -> f64 {
    subject.host.block_on(async {
        let start = Instant::now();
        let mut running = JoinSet::new();
        for _ in 0..tasks {
            let call = call.clone();
            running.spawn(async move {
                for _ in 0..calls / tasks {
                    call.call().await;
                }
            });
        }
        while let Some(done) = running.join_next().await {
            done.unwrap();
        }
        f64::from(calls) / start.elapsed().as_secs_f64()
    })
}

/// What is called.
trait Callable: Clone + Send + 'static {
    fn call(&self) -> impl Future<Output = ()> + Send;
}

/// `Echo` through the whole pipeline.
#[derive(Clone)]
struct Ours(Agent);

impl Callable for Ours {
    async fn call(&self) {
        self.0.call(Use::new("Echo", ECHO)).await.result.map(drop).unwrap();
    }
}

/// `Echo` on wasmtime alone.
#[derive(Clone)]
struct Floor(Arc<Bare>);

impl Callable for Floor {
    async fn call(&self) {
        assert!(self.0.call("Echo", ECHO).await > 0);
    }
}

/// The process's resident memory in KB.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
