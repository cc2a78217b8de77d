//! The life of a call, from top to bottom: find, check, preflight, decide, run, fit, record.
//!
//! Each stage is one function with that name. A call that ends early has a report like any other.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use toolbay_policy::{self as policy, Decision, Grant, Verdict};
use toolbay_sandbox::contract::{Content, Failure, Invocation, Outcome, Request};
use toolbay_sandbox::{CallContext, CallControl, Component, Permit, Preflight, Ran};

use crate::agent::AgentContext;
use crate::approve::{Matter, Settled};
use crate::call::Call;
use crate::catalogue::Tool;
use crate::changes::Honoured;
use crate::error::bounded;
use crate::fit::{Fitted, Rule};
use crate::mid_call::MidCall;
use crate::record::Record;
use crate::report::{Answer, Explanation, Report};
use crate::request::{Places, parameters, resolve};
use crate::{Agent, CallError, Code, Digest, Stage, Use, changes, fit, json, repair, schema};

/// A call that may run.
pub(crate) struct Prepared {
    judged: Judged,
    grant: Arc<Grant>,
    /// What a person has said yes to.
    answered: Option<Digest>,
}

/// A call that didn't come to where it may run.
pub(crate) enum Early {
    /// It ended.
    Ended(Box<Report>),
    /// It has to wait for those before it in its turn: nothing was asked, and nothing written down.
    Waits,
}

impl Prepared {
    /// Gives its place away, to wait for others of its turn: they may need it.
    pub(crate) fn step_aside(&mut self) {
        self.judged.permit = None;
    }

    /// Whether it may run beside its neighbours of the same turn.
    pub(crate) fn concurrency_safe(&self) -> bool {
        self.judged.concurrency_safe
    }

    /// Its identifier, its tool as it was called, and what ends it.
    pub(crate) fn identity(&self) -> (String, String, Arc<CallControl>) {
        let call = &self.judged.call;
        (call.id.clone(), call.used.tool.clone(), call.control.clone())
    }
}

/// What a call leaves behind, filled in by the stages that it reaches.
#[derive(Default)]
struct Trace {
    tool: Option<Arc<Tool>>,
    decision: Option<Decision>,
    notes: Vec<String>,
    cpu_milliseconds: u32,
    memory_bytes: u64,
    requests: u32,
}

/// The whole story.
pub(crate) async fn call(agent: &Agent, used: Use, control: Arc<CallControl>) -> Report {
    let call = Arc::new(Call::begin(agent, used, control));
    let mut trace = Trace::default();
    match settle(&call, &mut trace, None).await {
        Ok(prepared) => complete(prepared).await,
        Err(error) => record(&call, Err(error), trace),
    }
}

/// Its first half: everything that can be done before anything happens. With others of its turn before it, only a call goes
/// on that may run beside them, and about which nobody has to be asked.
pub(crate) async fn prepare(
    agent: &Agent,
    used: Use,
    control: Arc<CallControl>,
    first: bool,
) -> Result<Box<Prepared>, Early> {
    let call = Arc::new(Call::begin(agent, used, control));
    let mut trace = Trace::default();
    let settled = async {
        if !first {
            let judged = judge(&call, &mut trace).await?;
            if !judged.concurrency_safe || judged.decision.verdict == Verdict::Ask {
                return Ok(None);
            }
        }
        settle(&call, &mut trace, None).await.map(Some)
    };
    match settled.await {
        Ok(Some(prepared)) => Ok(Box::new(prepared)),
        Ok(None) => Err(Early::Waits),
        Err(error) => Err(Early::Ended(Box::new(record(&call, Err(error), trace)))),
    }
}

/// Its second half: the call itself, and what becomes of its result.
pub(crate) async fn complete(mut prepared: Prepared) -> Report {
    if !prepared.judged.is_current() {
        // It has waited, and what was decided then may not be so now.
        let (call, mut trace) = (prepared.judged.call.clone(), Trace::default());
        prepared = match settle(&call, &mut trace, prepared.answered).await {
            Ok(prepared) => prepared,
            Err(error) => return record(&call, Err(error), trace),
        };
    }
    let Prepared { judged, grant, answered } = prepared;
    let Judged { call, tool, invocation, context, decision, concurrency_safe, permit, requests, .. } = judged;
    let mut trace = Trace { tool: Some(tool.clone()), decision: Some(decision), ..Trace::default() };
    let result = match run(&call, &tool, &context, grant, &invocation, permit, &mut trace).await {
        Ok(ran) => {
            let honoured = Honoured { alone: !concurrency_safe, approved: answered.is_some() };
            fit(&call, &tool, ran.answer, honoured, &mut trace.notes)
        }
        Err(error) => Err(error),
    };
    trace.notes.extend(requests.refusals());
    record(&call, result, trace)
}

/// What a call would be allowed, without its second half.
pub(crate) async fn explain(agent: &Agent, used: Use, control: Arc<CallControl>) -> Result<Explanation, CallError> {
    let call = Arc::new(Call::begin(agent, used, control));
    let judged = judge(&call, &mut Trace::default()).await?;
    let (tool, digest) = (judged.tool.definition().name.clone(), *judged.tool.digest());
    Ok(Explanation { tool, digest, summary: judged.summary, decision: judged.decision })
}

/// What the tool said, with which words it was asked, and what was decided.
struct Judged {
    call: Arc<Call>,
    tool: Arc<Tool>,
    invocation: Invocation,
    context: Arc<CallContext>,
    summary: Option<String>,
    concurrency_safe: bool,
    decision: Decision,
    /// Where the agent stood when it was decided.
    folder: PathBuf,
    /// What it asks for while it runs.
    requests: Arc<MidCall>,
    /// A call keeps its place from its preflight on, so that it isn't refused half-way.
    permit: Option<Permit>,
}

impl Judged {
    /// Whether the agent may still do what it might when this was decided.
    fn is_current(&self) -> bool {
        Arc::ptr_eq(self.decision.policy(), &self.call.agent.context().policy)
    }
}

/// Judges, and asks a person where that's the verdict; then judges again, for what the person said yes to must still be so.
async fn settle(call: &Arc<Call>, trace: &mut Trace, mut before: Option<Digest>) -> Result<Prepared, CallError> {
    loop {
        let mut judged = judge(call, trace).await?;
        if !judged.is_current() {
            // Another call has changed the agent's mode meanwhile, or a person its rules.
            continue;
        }
        trace.decision = Some(judged.decision.clone());
        if judged.decision.verdict == Verdict::Ask && before.is_none() {
            // Others run while a person thinks.
            judged.permit = None;
        }
        let (tool, input, summary) = (&judged.tool, &judged.invocation.input, judged.summary.as_deref());
        let matter = Matter { call, tool, input, summary, folder: &judged.folder, held: None };
        match matter.settle(&judged.decision, before).await? {
            Settled::Granted(grant) => return Ok(Prepared { grant: Arc::new(grant), judged, answered: before }),
            Settled::Again(answered) => before = answered,
        }
    }
}

/// The gate and the explanation share this, so that they can't differ.
async fn judge(call: &Arc<Call>, trace: &mut Trace) -> Result<Judged, CallError> {
    let tool = find(call)?;
    trace.tool = Some(tool.clone());
    let (input, parameters) = check(call, &tool)?;
    let state = call.agent.context().clone();
    let requests = Arc::new(MidCall::new(call.clone(), tool.clone(), input.clone()));
    let context = Arc::new(call.context(&state, requests.clone()));
    let invocation = Invocation { tool: tool.definition().name.clone(), id: call.id.clone(), input };
    let component = load(call, &tool, Stage::Preflight).await?;
    let permit = Some(call.admit(Stage::Preflight).await?);
    let mut request = preflight(call, component, &context, &invocation).await?;
    let summary = request.summary.take();
    let (decision, concurrency_safe) = decide(call, &state, &tool, request, parameters)?;
    let (call, folder) = (call.clone(), state.working_directory);
    Ok(Judged { call, tool, invocation, context, summary, concurrency_safe, decision, folder, requests, permit })
}

/// By name or alias.
fn find(call: &Call) -> Result<Arc<Tool>, CallError> {
    let (name, catalogue) = (&call.used.tool, call.agent.session().catalogue());
    catalogue.find(name).cloned().ok_or_else(|| {
        let shown: String = name.chars().take(100).collect();
        let nearest = catalogue.nearest(name);
        let hint = match nearest.as_slice() {
            [] => format!(
                "there are {}",
                catalogue.tools().iter().map(|tool| &*tool.definition().name).collect::<Vec<_>>().join(", ")
            ),
            names => format!("did you mean {}?", names.join(" or ")),
        };
        call.error(Code::UnknownTool, Stage::Find, bounded(format!("there is no tool `{shown}`; {hint}")))
    })
}

/// The input against the tool's schema. Gives the JSON text that the tool gets, since what was checked is what is passed; and
/// the values that rules look at.
fn check(call: &Call, tool: &Tool) -> Result<(String, Vec<(String, String)>), CallError> {
    let (input, limit) = (&call.used.input, call.limits().input_bytes);
    if input.len() as u64 > limit {
        let message =
            format!("the input has {} bytes; the limit is {limit} (setting `limits.inputBytes`)", input.len());
        return Err(call.error(Code::InputTooLarge, Stage::Check, message));
    }
    let invalid = |message: String| call.error(Code::InvalidInput, Stage::Check, message);
    let mut value = json::parse(input).map_err(|error| invalid(format!("the input is no usable JSON: {error}")))?;
    let repaired = repair::repair(&mut value, tool.scalars());
    let validator = tool
        .validator()
        .ok_or_else(|| call.error(Code::ComponentInvalid, Stage::Check, "the tool's input schema can't be used"))?;
    let faults = schema::faults(validator, &value, input.len());
    if !faults.is_empty() {
        return Err(invalid(format!("the input of `{}` is wrong: {}", tool.definition().name, faults.join("; "))));
    }
    let parameters = parameters(&call.agent.context().policy, &tool.definition().name, &value);
    Ok((if repaired { value.to_string() } else { input.clone() }, parameters))
}

/// What the tool says about this input, in a sandbox without capabilities.
async fn preflight(
    call: &Call,
    component: &Component,
    context: &Arc<CallContext>,
    invocation: &Invocation,
) -> Result<Request, CallError> {
    match component.ask(&call.control, context, invocation).await {
        Ok(Preflight::Accepted(request)) => Ok(request),
        Ok(Preflight::Refused(failure)) => {
            let message = bounded(failure.message);
            Err(call.error(Code::ValidationFailed, Stage::Preflight, message).because(format!("code {}", failure.code)))
        }
        Err(stop) => Err(CallError::stopped(&stop, Stage::Preflight, &call.used.tool, call.limits(), 0)),
    }
}

/// Rules, mode, defaults, and the tool's own verdict.
fn decide(
    call: &Call,
    state: &AgentContext,
    tool: &Tool,
    request: Request,
    parameters: Vec<(String, String)>,
) -> Result<(Decision, bool), CallError> {
    let home = call.agent.session().inner().host.inner().options.home.as_deref();
    let places = Places { working_directory: &state.working_directory, home };
    let request = resolve(request, places).map_err(|why| {
        call.error(Code::Denied, Stage::Decide, bounded(format!("what the call needs can't be decided: {why}")))
    })?;
    let concurrency_safe = request.traits.concurrency_safe;
    let request = policy::Request { tool: tool.definition().name.clone(), parameters, ..request };
    Ok((policy::decide(&state.policy, request), concurrency_safe))
}

/// The call, in a fresh sandbox that holds the grant.
async fn run(
    call: &Call,
    tool: &Tool,
    context: &Arc<CallContext>,
    grant: Arc<Grant>,
    invocation: &Invocation,
    permit: Option<Permit>,
    trace: &mut Trace,
) -> Result<Ran, CallError> {
    let component = load(call, tool, Stage::Run).await?;
    let deadline = call.deadline();
    let _permit = match permit {
        Some(permit) => permit,
        None => call.admit(Stage::Run).await?,
    };
    let ran = component.call(&call.control, context, grant, invocation, deadline).await;
    let milliseconds = u32::try_from(deadline.as_millis()).unwrap_or(u32::MAX);
    let ran = ran.map_err(|stop| {
        (trace.cpu_milliseconds, trace.memory_bytes) = (stop.cpu_milliseconds, stop.memory_bytes);
        CallError::stopped(&stop, Stage::Run, &call.used.tool, call.limits(), milliseconds)
    })?;
    (trace.cpu_milliseconds, trace.memory_bytes, trace.requests) =
        (ran.cpu_milliseconds, ran.memory_bytes, ran.requests);
    if ran.withheld > 0 {
        let withheld = ran.withheld;
        trace
            .notes
            .push(format!("{withheld} names in granted folders were left out of listings, since rules close them"));
    }
    Ok(ran)
}

/// The result, made to fit the tool's limit; and the context changes that are honoured.
fn fit(
    call: &Call,
    tool: &Tool,
    answer: Result<Outcome, Failure>,
    honoured: Honoured,
    notes: &mut Vec<String>,
) -> Result<Answer, CallError> {
    let definition = tool.definition();
    let rule = Rule {
        limit: definition.max_result_chars,
        overflow: definition.overflow,
        results: &call.agent.session().inner().results,
        call: &call.id,
        failure: answer.is_err(),
    };
    let outcome = match answer {
        Ok(outcome) => outcome,
        Err(failure) => {
            let message = match fit::fit(vec![Content::Text(failure.message)], rule) {
                Fitted::Text { content, .. } => Answer { content, ..Answer::default() }.text(),
                Fitted::Refused(message) => message,
            };
            return Err(call.error(Code::ToolFailed, Stage::Run, message).because(format!("code {}", failure.code)));
        }
    };
    let structured = outcome.structured.map(|text| read_json(call, &text, "structured result")).transpose()?;
    let meta = outcome.meta.map(|text| read_json(call, &text, "meta")).transpose()?;
    notes.extend(changes::apply(&mut call.agent.context(), outcome.changes, honoured));
    match fit::fit(outcome.content, rule) {
        Fitted::Refused(message) => Err(call.error(Code::ResultTooLarge, Stage::Fit, message)),
        Fitted::Text { content, spilled } => {
            // The structured form says the same as the text. Where that was too large, so is this.
            let size = |value: &Value| value.to_string().chars().count();
            let fits = |value: &Value| definition.max_result_chars.is_none_or(|limit| size(value) <= limit as usize);
            let structured = structured.filter(|value| spilled.is_none() && fits(value));
            Ok(Answer { content, structured, messages: outcome.messages, meta, spilled })
        }
    }
}

/// The audit's line, and the report for the caller.
fn record(call: &Call, result: Result<Answer, CallError>, trace: Trace) -> Report {
    let session = call.agent.session().inner();
    let elapsed = call.started.elapsed();
    let digest = trace.tool.map(|tool| *tool.digest());
    session.recorder.record(&Record {
        session: &session.id,
        agent: &call.agent.inner().id,
        call: &call.id,
        tool: &call.used.tool,
        digest: digest.as_ref(),
        input_bytes: call.used.input.len(),
        decision: trace.decision.as_ref(),
        error: result.as_ref().err().map(|error| error.code),
        elapsed,
        cpu_milliseconds: trace.cpu_milliseconds,
        memory_bytes: trace.memory_bytes,
        requests: trace.requests,
    });
    Report {
        id: call.id.clone(),
        tool: call.used.tool.clone(),
        result,
        digest,
        decision: trace.decision,
        notes: trace.notes,
        elapsed,
        cpu_milliseconds: trace.cpu_milliseconds,
        memory_bytes: trace.memory_bytes,
    }
}

async fn load<'a>(call: &Call, tool: &'a Tool, stage: Stage) -> Result<&'a Component, CallError> {
    let loaded = tool.source.load(call.agent.session().inner().host.engine()).await;
    loaded.map_err(|error| {
        let code = if error.is_of_host() { Code::HostFault } else { Code::ComponentInvalid };
        call.error(code, stage, format!("`{}` can't be loaded", call.used.tool)).because(error.to_string())
    })
}

fn read_json(call: &Call, text: &str, what: &str) -> Result<Value, CallError> {
    json::parse(text).map_err(|error| {
        let message = format!("`{}` gave a {what} that is no JSON; this is the tool's fault", call.used.tool);
        call.error(Code::ComponentInvalid, Stage::Fit, message).because(error.to_string())
    })
}
