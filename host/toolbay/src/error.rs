//! What a caller sees when a call doesn't give a result.

use std::fmt;

use serde::Serialize;
use toolbay_policy::Decision;
use toolbay_sandbox::{Stop, StopKind};

/// A stable code for each kind of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Code {
    /// No tool of this name.
    UnknownTool,
    /// The input isn't JSON, has duplicate keys, or doesn't fit the schema.
    InvalidInput,
    /// The input is over the size limit.
    InputTooLarge,
    /// The tool refused the input.
    ValidationFailed,
    /// A rule, a mode, a default or the tool itself said no.
    Denied,
    /// A person would have to say yes, and nobody is there.
    ApprovalNeeded,
    /// The caller wanted no answer any more.
    Cancelled,
    /// The wall-clock deadline passed.
    Deadline,
    /// The processor time was used up.
    Cpu,
    /// The memory limit was reached.
    Memory,
    /// Another limit was reached: stack, handles, calls in flight.
    Limit,
    /// The tool crashed.
    Trap,
    /// The result is over its limit.
    ResultTooLarge,
    /// The tool said that it failed.
    ToolFailed,
    /// The component isn't a tool that this host can run, or breaks the contract.
    ComponentInvalid,
    /// The host's own fault.
    HostFault,
}

impl Code {
    /// The code as text, such as `unknown-tool`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown-tool",
            Self::InvalidInput => "invalid-input",
            Self::InputTooLarge => "input-too-large",
            Self::ValidationFailed => "validation-failed",
            Self::Denied => "denied",
            Self::ApprovalNeeded => "approval-needed",
            Self::Cancelled => "cancelled",
            Self::Deadline => "deadline",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Limit => "limit",
            Self::Trap => "trap",
            Self::ResultTooLarge => "result-too-large",
            Self::ToolFailed => "tool-failed",
            Self::ComponentInvalid => "component-invalid",
            Self::HostFault => "host-fault",
        }
    }
}

/// Where in its life a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Looking for the tool.
    Find,
    /// Checking the input.
    Check,
    /// Asking the tool, in a sandbox without capabilities.
    Preflight,
    /// Deciding.
    Decide,
    /// Running the call.
    Run,
    /// Fitting the result to its limit.
    Fit,
}

/// A call that gave no result.
#[derive(Debug, Clone)]
pub struct CallError {
    /// What kind of error; stable.
    pub code: Code,
    /// Where it happened.
    pub stage: Stage,
    /// The tool, as it was called.
    pub tool: String,
    /// For the model: what to change. One sentence, or one a fault.
    pub message: String,
    /// For a person: what was behind it. May hold text that the tool wrote.
    pub cause: Option<String>,
    /// The decision, when it came to one.
    pub decision: Option<Box<Decision>>,
}

impl CallError {
    pub(crate) fn new(code: Code, stage: Stage, tool: &str, message: impl Into<String>) -> Self {
        Self { code, stage, tool: tool.to_owned(), message: message.into(), cause: None, decision: None }
    }

    /// A call that the host lost.
    pub(crate) fn lost(tool: &str) -> Self {
        Self::new(Code::HostFault, Stage::Run, tool, "the host failed during this call; try again")
    }

    pub(crate) fn because(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(cause.into()).filter(|cause: &String| !cause.is_empty());
        self
    }

    /// A guest that ended without answering. Its limits stand in the message, with the setting that changes them.
    pub(crate) fn stopped(
        stop: &Stop,
        stage: Stage,
        tool: &str,
        limits: &toolbay_policy::Limits,
        deadline: u32,
    ) -> Self {
        let preflight = stage == Stage::Preflight;
        let (code, message) = match stop.kind {
            StopKind::Cancelled => (Code::Cancelled, format!("the call of `{tool}` was cancelled")),
            StopKind::Deadline if preflight => (Code::Deadline, preflight_time(tool, limits)),
            StopKind::Deadline => (
                Code::Deadline,
                format!(
                    "`{tool}` took longer than {deadline} ms (setting `limits.deadlineMilliseconds`); ask for less at a time"
                ),
            ),
            StopKind::Cpu if preflight => (Code::Cpu, preflight_time(tool, limits)),
            StopKind::Cpu => (
                Code::Cpu,
                format!(
                    "`{tool}` used more than {} ms of processor time (setting `limits.cpuMilliseconds`); ask for less at a time",
                    limits.cpu_milliseconds
                ),
            ),
            StopKind::Memory => {
                let (bytes, setting) = if preflight {
                    (limits.preflight_memory_bytes, "preflightMemoryBytes")
                } else {
                    (limits.memory_bytes, "memoryBytes")
                };
                (
                    Code::Memory,
                    format!(
                        "`{tool}` needed more than {bytes} bytes of memory (setting `limits.{setting}`); ask for less at a time"
                    ),
                )
            }
            StopKind::Stack => (Code::Limit, format!("`{tool}` called itself too deeply; use a simpler input")),
            StopKind::TooLarge => (
                Code::ResultTooLarge,
                format!(
                    "`{tool}` handed over more than {} bytes at a time (setting `limits.resultBytes`); ask for less",
                    limits.result_bytes
                ),
            ),
            StopKind::Handles => (
                Code::Limit,
                format!(
                    "`{tool}` held more than {} host objects at a time (setting `limits.handles`); ask for less at a time",
                    limits.handles
                ),
            ),
            StopKind::Trap => (Code::Trap, format!("`{tool}` crashed; another input may work")),
            StopKind::Busy => (Code::Limit, "the host has no room for this call now; try again later".to_owned()),
        };
        Self::new(code, stage, tool, message).because(&stop.cause)
    }
}

fn preflight_time(tool: &str, limits: &toolbay_policy::Limits) -> String {
    format!(
        "`{tool}` took longer than {} ms to look at its input (setting `limits.preflightMilliseconds`)",
        limits.preflight_milliseconds
    )
}

/// A message that never passes through a result limit, made of texts that may be long.
pub(crate) fn bounded(message: String) -> String {
    const LONGEST: usize = 10_000;
    match message.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} [and more]", message.get(..end).unwrap_or_default()),
        None => message,
    }
}

/// The sentence for the model.
impl fmt::Display for CallError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for CallError {}
