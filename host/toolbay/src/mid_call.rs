//! What a call asks for while it runs: decided by the same rules and people as the call itself.

use std::sync::Arc;

use toolbay_policy::{Request, decide};
use toolbay_sandbox::contract::Access;
use toolbay_sandbox::{Deciding, Permissions};

use crate::approve::{Matter, Settled};
use crate::call::Call;
use crate::catalogue::Tool;
use crate::request::{Places, resolve_access};

/// The requests of one running call.
pub(crate) struct MidCall {
    pub(crate) call: Arc<Call>,
    pub(crate) tool: Arc<Tool>,
    pub(crate) input: String,
}

impl Permissions for MidCall {
    fn request(&self, access: Access) -> Deciding<'_> {
        Box::pin(async move {
            let matter =
                Matter { call: &self.call, tool: &self.tool, input: &self.input, summary: None, running: true };
            let mut before = None;
            loop {
                let state = self.call.agent.context().clone();
                let home = self.call.agent.session().inner().host.inner().options.home.as_deref();
                let places = Places { working_directory: &state.working_directory, home };
                let access = resolve_access(access.clone(), places)
                    .map_err(|why| format!("what is asked for can't be decided: {why}"))?;
                let tool = self.tool.definition().name.clone();
                let request = Request { tool, access: vec![access], running: true, ..Request::default() };
                let decision = decide(&state.policy, request);
                match matter.settle(&decision, before).await.map_err(|error| error.message)? {
                    Settled::Granted(grant) => return Ok(grant),
                    Settled::Again(answered) => before = answered,
                }
            }
        })
    }
}
