//! The life of a call, from top to bottom: find, check, preflight, decide, run, fit, record.
//!
//! Each stage is one function with that name. A call that ends early has a report like any other.

use std::sync::Arc;

use serde_json::Value;
use toolbay_policy::{self as policy, Decision, Grant, Verdict};
use toolbay_sandbox::contract::{Content, Failure, Invocation, Outcome, Request};
use toolbay_sandbox::{CallContext, CallControl, Component, Permit, Preflight, Ran};

use crate::agent::AgentContext;
use crate::approve::{Matter, Settled};
use crate::call::Call;
use crate::catalogue::Tool;
use crate::error::bounded;
use crate::fit::{Fitted, Rule};
use crate::mid_call::MidCall;
use crate::record::Record;
use crate::report::{Answer, Explanation, Report};
use crate::request::{Places, resolve};
use crate::{Agent, CallError, Code, Stage, Use, changes, fit, json, repair, schema};

/// A call that may run.
pub(crate) struct Prepared {
    judged: Judged,
    grant: Arc<Grant>,
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
    match prepare(agent, used, control).await {
        Ok(prepared) => complete(*prepared).await,
        Err(report) => *report,
    }
}

/// Its first half: everything that can be done before anything happens.
pub(crate) async fn prepare(agent: &Agent, used: Use, control: Arc<CallControl>) -> Result<Box<Prepared>, Box<Report>> {
    let call = Arc::new(Call::begin(agent, used, control));
    let mut trace = Trace::default();
    match settle(&call, &mut trace).await {
        Ok(prepared) => Ok(Box::new(prepared)),
        Err(error) => Err(Box::new(record(&call, Err(error), trace))),
    }
}

/// Its second half: the call itself, and what becomes of its result.
pub(crate) async fn complete(prepared: Prepared) -> Report {
    let Prepared { judged: Judged { call, tool, invocation, context, decision, concurrency_safe, permit, .. }, grant } =
        prepared;
    let mut trace = Trace { tool: Some(tool.clone()), decision: Some(decision), ..Trace::default() };
    let result = match run(&call, &tool, &context, grant, &invocation, permit, &mut trace).await {
        Ok(ran) => {
            (trace.cpu_milliseconds, trace.memory_bytes, trace.requests) =
                (ran.cpu_milliseconds, ran.memory_bytes, ran.requests);
            if ran.withheld > 0 {
                trace.notes.push(format!(
                    "{} names in granted folders were left out of listings, since rules close them",
                    ran.withheld
                ));
            }
            fit(&call, &tool, ran.answer, concurrency_safe, &mut trace.notes)
        }
        Err(error) => Err(error),
    };
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
    /// A call keeps its place from its preflight on, so that it isn't refused half-way.
    permit: Option<Permit>,
}

/// Judges, and asks a person where that's the verdict; then judges again, for what the person said yes to must still be so.
async fn settle(call: &Arc<Call>, trace: &mut Trace) -> Result<Prepared, CallError> {
    let mut before = None;
    loop {
        let mut judged = judge(call, trace).await?;
        trace.decision = Some(judged.decision.clone());
        if judged.decision.verdict == Verdict::Ask && before.is_none() {
            // Others run while a person thinks.
            judged.permit = None;
        }
        let (tool, input, summary) = (&judged.tool, &judged.invocation.input, judged.summary.as_deref());
        let matter = Matter { call, tool, input, summary, running: false };
        match matter.settle(&judged.decision, before).await? {
            Settled::Granted(grant) => return Ok(Prepared { grant: Arc::new(grant), judged }),
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
    let permissions = Arc::new(MidCall { call: call.clone(), tool: tool.clone(), input: input.clone() });
    let context = Arc::new(call.context(&state, permissions));
    let invocation = Invocation { tool: tool.definition().name.clone(), id: call.id.clone(), input };
    let component = load(call, &tool, Stage::Preflight).await?;
    let permit = Some(call.admit(Stage::Preflight).await?);
    let mut request = preflight(call, component, &context, &invocation).await?;
    let summary = request.summary.take();
    let (decision, concurrency_safe) = decide(call, &state, &tool, request, parameters)?;
    Ok(Judged { call: call.clone(), tool, invocation, context, summary, concurrency_safe, decision, permit })
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
    let policy = call.agent.context().policy.clone();
    let wanted = policy.parameters(&tool.definition().name);
    let parameters = wanted.filter_map(|name| Some((name.to_owned(), plain(value.get(name)?)?))).collect();
    Ok((if repaired { value.to_string() } else { input.clone() }, parameters))
}

/// A value as it stands in the input; none for lists and objects, which rules can't look into.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
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
    ran.map_err(|stop| {
        (trace.cpu_milliseconds, trace.memory_bytes) = (stop.cpu_milliseconds, stop.memory_bytes);
        CallError::stopped(&stop, Stage::Run, &call.used.tool, call.limits(), milliseconds)
    })
}

/// The result, made to fit the tool's limit; and the context changes that are honoured.
fn fit(
    call: &Call,
    tool: &Tool,
    answer: Result<Outcome, Failure>,
    concurrency_safe: bool,
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
    notes.extend(changes::apply(&mut call.agent.context(), outcome.changes, concurrency_safe));
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
