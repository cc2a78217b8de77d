//! How a guest ends when it doesn't return: by a limit, by a trap, or by the caller's wish.

use std::fmt;

use wasmtime::{PoolConcurrencyLimitError, Trap};
use wasmtime_wasi::{I32Exit, ResourceTableError};

use crate::state::State;

/// What ended a guest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopKind {
    /// The caller wanted no answer any more.
    Cancelled,
    /// The wall-clock deadline passed.
    Deadline,
    /// The budget of processor time was used up.
    Cpu,
    /// It asked for more memory than it may have.
    Memory,
    /// It called itself too deeply.
    Stack,
    /// It handed over more than the result limit at a time.
    TooLarge,
    /// It held too many host objects, or was made of too many parts.
    Handles,
    /// It trapped, or ended itself.
    Trap,
    /// The host had no room for it.
    Busy,
}

/// A guest that ended without returning. Its instance is gone; the next call gets a fresh one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// What ended it.
    pub kind: StopKind,
    /// For a person: the trap, and what the guest wrote to standard error. Untrusted text, at most 4,096 characters.
    pub cause: String,
    /// Processor time that the guest had used, in milliseconds.
    pub cpu_milliseconds: u32,
    /// Memory that it held, in bytes.
    pub memory_bytes: u64,
}

impl fmt::Display for Stop {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}: {}", self.kind, self.cause)
    }
}

impl std::error::Error for Stop {}

/// The longest cause, in Unicode scalar values.
const LONGEST_CAUSE: usize = 4_096;

impl Stop {
    /// The step was dropped from outside.
    pub(crate) fn outside(kind: StopKind, state: &State) -> Self {
        Self::new(kind, String::new(), state)
    }

    /// The guest, or a host function on its behalf, gave this error.
    pub(crate) fn classify(error: &wasmtime::Error, state: &State) -> Self {
        let kind = state.stopped().unwrap_or_else(|| kind_of(error));
        Self::new(kind, format!("{error:#}"), state)
    }

    fn new(kind: StopKind, mut cause: String, state: &State) -> Self {
        let written = state.standard_error();
        if !written.is_empty() {
            cause = format!("{written}\n{cause}");
        }
        let cause = cause.trim().chars().take(LONGEST_CAUSE).collect();
        Self { kind, cause, cpu_milliseconds: state.cpu_milliseconds(), memory_bytes: state.meter.used() }
    }
}

fn kind_of(error: &wasmtime::Error) -> StopKind {
    if error.downcast_ref::<PoolConcurrencyLimitError>().is_some() {
        return StopKind::Busy;
    }
    if error.downcast_ref::<I32Exit>().is_some() {
        return StopKind::Trap;
    }
    if let Some(ResourceTableError::Full) = error.downcast_ref() {
        return StopKind::Handles;
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::StackOverflow) => StopKind::Stack,
        Some(_) => StopKind::Trap,
        None => kind_of_text(&format!("{error:#}")),
    }
}

/// The engine has no types for these. The version is pinned, and the tests of the limits hold each phrase.
fn kind_of_text(text: &str) -> StopKind {
    let says = |phrase: &str| text.contains(phrase);
    if says("fuel allocated for hostcalls has been exhausted") {
        StopKind::TooLarge
    } else if says("cannot allocate another handle") || says("handle limit exceeded") || says("count too high") {
        StopKind::Handles
    } else {
        StopKind::Trap
    }
}
