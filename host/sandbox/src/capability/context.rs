//! `toolbay:tool/context`: who calls, where, and whether it still wants the answer.
//!
//! Needs no grant. In preflight the reading half works, so that a tool can resolve a path; progress and log do nothing.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::Result;
use wasmtime::component::{HasSelf, Linker};

pub use crate::bindings::tool::toolbay::tool::context::{Level, ProgressUpdate as Progress};

use super::permissions::Permissions;
use super::read_state::ReadState;
use crate::bindings::tool::toolbay::tool::{context, types};
use crate::contract::Mode;
use crate::state::{Phase, State};

/// At most one update in this time is passed on. Stops a guest from flooding the caller.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// The longest progress message, in Unicode scalar values.
const LONGEST_PROGRESS: usize = 500;
/// What a log message costs beside its text, in bytes: empty ones would be free otherwise.
const LOG_OVERHEAD: usize = 64;
/// The longest log message, in bytes.
const LONGEST_LOG: usize = 4_096;

/// Who calls, and the providers behind the call's capabilities. One for each use of a tool, shared by its steps.
#[derive(Clone)]
pub struct CallContext {
    /// The session's identifier.
    pub session: Arc<str>,
    /// The calling agent's identifier.
    pub agent: Arc<str>,
    /// The calling agent's type; none for the root agent.
    pub agent_type: Option<Arc<str>>,
    /// The identifier of this use.
    pub call: Arc<str>,
    /// Where relative paths start; absolute.
    pub working_directory: Arc<str>,
    /// The user's home folder, when it's known.
    pub home_directory: Option<Arc<str>>,
    /// The folders that the agent works in; absolute.
    pub roots: Arc<[String]>,
    /// The agent's permission mode.
    pub mode: Mode,
    /// The model that drives the agent.
    pub model: Option<Arc<str>>,
    /// Whether a person can be asked.
    pub interactive: bool,
    /// Hears progress and log.
    pub observer: Arc<dyn Observer>,
    /// What the agent has read.
    pub read_state: Arc<dyn ReadState>,
    /// Decides about what the call asks for while it runs.
    pub permissions: Arc<dyn Permissions>,
}

impl fmt::Debug for CallContext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CallContext")
            .field("agent", &self.agent)
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}

/// Hears what a running tool says. The text is the tool's: untrusted, but bounded in size and number.
pub trait Observer: Send + Sync {
    /// How far the call has come.
    fn progress(&self, call: &str, update: Progress);
    /// A line of the tool's log.
    fn log(&self, call: &str, level: Level, message: &str);
}

/// What is left of a call's log, and when it last told its progress.
#[derive(Debug)]
pub(crate) struct LogMeter {
    left: u64,
    told: Option<Instant>,
}

impl LogMeter {
    pub(crate) fn new(bytes: u64) -> Self {
        Self { left: bytes, told: None }
    }

    fn take(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes as u64);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    fn tells_again(&mut self) -> bool {
        let again = self.told.is_none_or(|told| told.elapsed() >= PROGRESS_INTERVAL);
        if again {
            self.told = Some(Instant::now());
        }
        again
    }
}

impl State {
    fn of_context<T: Default>(&self, field: impl FnOnce(&CallContext) -> T) -> T {
        self.context.as_deref().map(field).unwrap_or_default()
    }
}

impl types::Host for State {}

impl context::Host for State {
    fn session(&mut self) -> String {
        self.of_context(|context| context.session.to_string())
    }

    fn agent(&mut self) -> String {
        self.of_context(|context| context.agent.to_string())
    }

    fn agent_type(&mut self) -> Option<String> {
        self.of_context(|context| context.agent_type.as_deref().map(str::to_owned))
    }

    fn call_id(&mut self) -> String {
        self.of_context(|context| context.call.to_string())
    }

    fn working_directory(&mut self) -> String {
        self.of_context(|context| context.working_directory.to_string())
    }

    fn home_directory(&mut self) -> Option<String> {
        self.of_context(|context| context.home_directory.as_deref().map(str::to_owned))
    }

    fn roots(&mut self) -> Vec<String> {
        self.of_context(|context| context.roots.to_vec())
    }

    fn permission_mode(&mut self) -> Mode {
        self.context.as_ref().map_or(Mode::Default, |context| context.mode)
    }

    fn model(&mut self) -> Option<String> {
        self.of_context(|context| context.model.as_deref().map(str::to_owned))
    }

    fn interactive(&mut self) -> bool {
        self.of_context(|context| context.interactive)
    }

    fn progress(&mut self, mut update: Progress) {
        if self.phase == Phase::Preflight || !self.log.tells_again() {
            return;
        }
        update.message = update.message.map(|message| message.chars().take(LONGEST_PROGRESS).collect());
        if let Some(context) = &self.context {
            context.observer.progress(&context.call, update);
        }
    }

    fn log(&mut self, level: Level, message: String) {
        let message = message.get(..message.floor_char_boundary(LONGEST_LOG)).unwrap_or_default();
        if self.phase == Phase::Preflight || !self.log.take(message.len() + LOG_OVERHEAD) {
            return;
        }
        if let Some(context) = &self.context {
            context.observer.log(&context.call, level, message);
        }
    }

    fn cancelled(&mut self) -> bool {
        self.control.is_cancelled()
    }
}

pub(super) fn link(linker: &mut Linker<State>) -> Result<()> {
    context::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
}
