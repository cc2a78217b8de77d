//! Several uses in one turn.

use tokio::task::JoinSet;

use crate::pipeline::{Early, Prepared};
use crate::report::Report;
use crate::{Agent, CallError, Use};

/// Neighbours that are concurrency-safe for their inputs wait together and run in parallel; any other use first lets them
/// end, then runs alone. A use is prepared only when all before it that could change the context have ended.
pub(crate) async fn run(agent: &Agent, uses: Vec<Use>) -> Vec<Report> {
    // A report for each use, whatever happens: one that's still this at the end was lost by the host.
    let mut reports: Vec<Report> = uses.iter().map(lost).collect();
    let mut together: Vec<(usize, Prepared)> = Vec::new();
    for (place, used) in uses.into_iter().enumerate() {
        let mut prepared = prepare(agent, used.clone(), together.is_empty()).await;
        if matches!(prepared, Err(Early::Waits)) {
            // What it said may rest on what those before it have yet to do, and a question must not hold them up.
            beside_each_other(agent, &mut together, &mut reports).await;
            prepared = prepare(agent, used, true).await;
        }
        match prepared {
            Ok(prepared) if prepared.concurrency_safe() => together.push((place, *prepared)),
            Ok(prepared) => put(&mut reports, place, agent.complete(*prepared).await),
            Err(Early::Ended(report)) => put(&mut reports, place, *report),
            Err(Early::Waits) => {}
        }
    }
    beside_each_other(agent, &mut together, &mut reports).await;
    reports
}

/// Prepared, and with its place given away: it may have to wait for others of its turn.
async fn prepare(agent: &Agent, used: Use, first: bool) -> Result<Box<Prepared>, Early> {
    let mut prepared = agent.prepare(used, first).await?;
    prepared.step_aside();
    Ok(prepared)
}

async fn beside_each_other(agent: &Agent, together: &mut Vec<(usize, Prepared)>, reports: &mut [Report]) {
    let parallel = agent.session().inner().host.engine().limits().parallel as usize;
    let mut running = JoinSet::new();
    for (place, prepared) in together.drain(..) {
        if running.len() >= parallel {
            collect(running.join_next().await, reports);
        }
        let agent = agent.clone();
        running.spawn(async move { (place, agent.complete(prepared).await) });
    }
    while let Some(done) = running.join_next().await {
        collect(Some(done), reports);
    }
}

fn collect(done: Option<Result<(usize, Report), tokio::task::JoinError>>, reports: &mut [Report]) {
    match done {
        Some(Ok((place, report))) => put(reports, place, report),
        Some(Err(error)) => tracing::error!(%error, "a call of a turn failed in the host"),
        None => {}
    }
}

fn lost(used: &Use) -> Report {
    Report::failed(used.id.clone().unwrap_or_default(), used.tool.clone(), CallError::lost(&used.tool))
}

fn put(reports: &mut [Report], place: usize, report: Report) {
    if let Some(slot) = reports.get_mut(place) {
        *slot = report;
    }
}
