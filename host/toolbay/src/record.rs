//! What is kept of every decision and every call.

use std::time::Duration;

use toolbay_policy::Decision;
use toolbay_sandbox::Digest;

use crate::Code;

/// A decision, before anything comes of it.
#[derive(Debug, Clone, Copy)]
pub struct Decided<'a> {
    /// The session.
    pub session: &'a str,
    /// The agent that called.
    pub agent: &'a str,
    /// The identifier of the use.
    pub call: &'a str,
    /// The tool's own name.
    pub tool: &'a str,
    /// The digest of its component.
    pub digest: &'a Digest,
    /// The exact input: may be secret.
    pub input: &'a str,
    /// Each access with its verdict, and the rule and source behind it.
    pub decision: &'a Decision,
    /// How a person answered, when one was asked.
    pub answer: Option<&'a str>,
    /// Whether the call ran already, and asked for more.
    pub running: bool,
}

/// One call, as it ended. Holds sizes and decisions, never inputs or results: those may be secret.
#[derive(Debug)]
pub struct Record<'a> {
    /// The session.
    pub session: &'a str,
    /// The agent that called.
    pub agent: &'a str,
    /// The identifier of the use.
    pub call: &'a str,
    /// The tool, as it was called.
    pub tool: &'a str,
    /// The digest of its component, when the tool was found.
    pub digest: Option<&'a Digest>,
    /// The size of the input in bytes.
    pub input_bytes: usize,
    /// The decision, when it came to one.
    pub decision: Option<&'a Decision>,
    /// How it ended; none: with a result.
    pub error: Option<Code>,
    /// From the first look to the result, time that a person took included.
    pub elapsed: Duration,
    /// Processor time of the guest, in milliseconds.
    pub cpu_milliseconds: u32,
    /// Memory of the guest at its peak, in bytes.
    pub memory_bytes: u64,
    /// How often the call asked for more while it ran.
    pub requests: u32,
}

/// Why a record couldn't be kept.
pub type RecordError = Box<dyn std::error::Error + Send + Sync>;

/// Keeps records.
pub trait Recorder: Send + Sync {
    /// Called for each decision, before anything comes of it.
    ///
    /// # Errors
    /// When it can't be kept: then the call doesn't happen.
    fn decided(&self, decided: &Decided<'_>) -> Result<(), RecordError> {
        tracing::debug!(
            target: "toolbay::record",
            session = decided.session,
            call = decided.call,
            tool = decided.tool,
            verdict = %decided.decision.verdict,
            answer = decided.answer,
            running = decided.running,
        );
        Ok(())
    }

    /// Called once for each call, when it has ended.
    fn record(&self, record: &Record<'_>);
}

/// Writes records to the host's log.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToLog;

impl Recorder for ToLog {
    fn record(&self, record: &Record<'_>) {
        tracing::debug!(
            target: "toolbay::record",
            session = record.session,
            agent = record.agent,
            call = record.call,
            tool = ?record.tool,
            digest = record.digest.map(tracing::field::display),
            input_bytes = record.input_bytes,
            verdict = record.decision.map(|decision| tracing::field::display(decision.verdict)),
            error = record.error.map(Code::word),
            elapsed = ?record.elapsed,
            cpu_milliseconds = record.cpu_milliseconds,
            memory_bytes = record.memory_bytes,
            requests = record.requests,
        );
    }
}
