//! What goes with a use through all stages of its life.

use std::sync::Arc;
use std::time::{Duration, Instant};

use toolbay_policy::Limits;
use toolbay_sandbox::{CallContext, CallControl, Permissions, Permit, Refused};

use crate::agent::AgentContext;
use crate::changes::mode_word;
use crate::{Agent, CallError, Code, Stage, Use};

/// One use of a tool on its way through the pipeline.
pub(crate) struct Call {
    pub(crate) agent: Agent,
    pub(crate) used: Use,
    pub(crate) id: String,
    pub(crate) control: Arc<CallControl>,
    pub(crate) started: Instant,
}

impl Call {
    /// A use without an identifier gets one from its session.
    pub(crate) fn begin(agent: &Agent, used: Use, control: Arc<CallControl>) -> Self {
        let id = used.id.clone().unwrap_or_else(|| agent.session().inner().next_call());
        Self { agent: agent.clone(), used, id, control, started: Instant::now() }
    }

    /// An error of this call.
    pub(crate) fn error(&self, code: Code, stage: Stage, message: impl Into<String>) -> CallError {
        CallError::new(code, stage, &self.used.tool, message)
    }

    /// The bounds of every call.
    pub(crate) fn limits(&self) -> &Limits {
        self.agent.session().inner().host.engine().limits()
    }

    /// The wall-clock time of the run.
    pub(crate) fn deadline(&self) -> Duration {
        let longest = Duration::from_millis(Limits::LONGEST_DEADLINE.into());
        let usual = Duration::from_millis(self.limits().deadline_milliseconds.into());
        self.used.deadline.unwrap_or(usual).min(longest)
    }

    /// Waits for a place among the running calls.
    pub(crate) async fn admit(&self, stage: Stage) -> Result<Permit, CallError> {
        let engine = self.agent.session().inner().host.engine();
        engine.admit(&self.control).await.map_err(|refused| {
            let code = if refused == Refused::Cancelled { Code::Cancelled } else { Code::Limit };
            self.error(code, stage, refused.to_string())
        })
    }

    /// Who calls and where, as the tool may know it.
    pub(crate) fn context(&self, state: &AgentContext, permissions: Arc<dyn Permissions>) -> CallContext {
        let (agent, session) = (self.agent.inner(), self.agent.session().inner());
        CallContext {
            session: session.id.clone(),
            agent: agent.id.clone(),
            agent_type: None,
            call: self.id.as_str().into(),
            working_directory: state.working_directory.to_string_lossy().into(),
            home_directory: session.host.inner().home_text.clone(),
            roots: agent.roots.clone(),
            mode: mode_word(state.policy.mode),
            model: session.model.clone(),
            interactive: session.approver.is_there(),
            observer: session.observer.clone(),
            read_state: agent.read_state.clone(),
            permissions,
        }
    }
}
