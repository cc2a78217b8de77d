//! What a call asks for while it runs: decided by the same rules and people as the call itself.
//!
//! The guest hears whether it was granted, and no more: a reason would tell where links lead and what settings say. The whole
//! reason goes to the audit, and to the notes of the report.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use toolbay_policy::{Decision, Grant, Request, Verdict, decide};
use toolbay_sandbox::contract::Access;
use toolbay_sandbox::{Deciding, Permissions};

use crate::agent::AgentContext;
use crate::approve::{Matter, Settled};
use crate::call::Call;
use crate::catalogue::Tool;
use crate::request::{Places, resolve_access};

/// The most questions that one call puts to people. More would be answered without being read.
const MOST_QUESTIONS: u32 = 20;
/// The most refusals that a report tells about.
const MOST_TOLD: usize = 20;

/// The requests of one running call.
pub(crate) struct MidCall {
    call: Arc<Call>,
    tool: Arc<Tool>,
    input: String,
    questions: AtomicU32,
    /// What was refused, and why. The same isn't asked twice.
    refused: Mutex<Vec<(Access, String)>>,
}

impl MidCall {
    pub(crate) fn new(call: Arc<Call>, tool: Arc<Tool>, input: String) -> Self {
        Self { call, tool, input, questions: AtomicU32::new(0), refused: Mutex::default() }
    }

    /// Why requests were refused, for those who see the report.
    pub(crate) fn refusals(&self) -> Vec<String> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.iter().take(MOST_TOLD).map(|(_, why)| why.clone()).collect()
    }

    fn was_refused(&self, access: &Access) -> bool {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.iter().any(|(known, _)| known == access)
    }

    fn refuse(&self, access: Access, why: String) -> String {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).push((access, why));
        "it isn't granted".to_owned()
    }

    fn decide(&self, access: &Access, state: &AgentContext) -> Result<Decision, String> {
        let home = self.call.agent.session().inner().host.inner().options.home.as_deref();
        let places = Places { working_directory: &state.working_directory, home };
        let resolved = resolve_access(access.clone(), places);
        let access = resolved.map_err(|why| format!("what is asked for can't be decided: {why}"))?;
        let tool = self.tool.definition().name.clone();
        Ok(decide(&state.policy, Request { tool, access: vec![access], running: true, ..Request::default() }))
    }

    async fn settle(&self, held: &Grant, access: &Access) -> Result<Grant, String> {
        let mut before = None;
        loop {
            let state = self.call.agent.context().clone();
            let decision = self.decide(access, &state)?;
            let asks = decision.verdict == Verdict::Ask && before.is_none();
            if asks && self.questions.fetch_add(1, Ordering::Relaxed) >= MOST_QUESTIONS {
                return Err(format!("a call can ask people {MOST_QUESTIONS} times, and this one has"));
            }
            let matter = Matter {
                call: &self.call,
                tool: &self.tool,
                input: &self.input,
                summary: None,
                folder: &state.working_directory,
                held: Some(held),
            };
            match matter.settle(&decision, before).await.map_err(|error| error.message)? {
                Settled::Granted(grant) => return Ok(grant),
                Settled::Again(answered) => before = answered,
            }
        }
    }
}

impl Permissions for MidCall {
    fn request<'a>(&'a self, held: &'a Grant, access: Access) -> Deciding<'a> {
        Box::pin(async move {
            if self.was_refused(&access) {
                return Err("it was refused before in this call".to_owned());
            }
            self.settle(held, &access).await.map_err(|why| self.refuse(access, why))
        })
    }
}
