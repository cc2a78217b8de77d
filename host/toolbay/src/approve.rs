//! From a decision to a grant: where rules say so, a person is asked, and the answer holds for exactly what was shown.

use std::path::Path;
use std::sync::Arc;

use toolbay_policy::{Decision, Grant, Verdict};

use crate::approval::{Ask, Bound, Question, Reply};
use crate::call::Call;
use crate::catalogue::Tool;
use crate::record::Decided;
use crate::{CallError, Code, Digest, Stage};

/// What is decided about: a call before it runs, or what it asks for while it does.
pub(crate) struct Matter<'a> {
    pub(crate) call: &'a Call,
    pub(crate) tool: &'a Arc<Tool>,
    pub(crate) input: &'a str,
    /// In the tool's own words.
    pub(crate) summary: Option<&'a str>,
    /// Where the agent stands.
    pub(crate) folder: &'a Path,
    /// What the call holds already, when it runs.
    pub(crate) held: Option<&'a Grant>,
}

/// How it came out.
#[derive(Debug)]
pub(crate) enum Settled {
    /// It may happen, with this grant.
    Granted(Grant),
    /// It must be decided again: the world may have changed while a person thought. With what the person said yes to, if
    /// it was to this.
    Again(Option<Digest>),
}

impl Matter<'_> {
    /// Settles a decision. `before` is what a person has already said yes to.
    ///
    /// # Errors
    /// Where it's denied, where nobody is there to ask, and where the answer was for something else.
    pub(crate) async fn settle(&self, decision: &Decision, before: Option<Digest>) -> Result<Settled, CallError> {
        let bound = || self.binding(decision);
        match decision.verdict {
            Verdict::Allow => {
                self.record(decision, None)?;
                Ok(Settled::Granted(decision.grant()))
            }
            Verdict::Deny => {
                self.record(decision, None)?;
                Err(self.refused(
                    decision,
                    Code::Denied,
                    format!("`{}` is refused: {}", self.call.used.tool, obstacles(decision)),
                ))
            }
            Verdict::Ask => match before {
                Some(before) if before == bound() => {
                    self.record(decision, Some("once"))?;
                    Ok(Settled::Granted(decision.approved_grant()))
                }
                Some(_) => {
                    self.record(decision, Some("changed"))?;
                    let message = format!(
                        "what `{}` would do changed while a person was asked; call it again",
                        self.call.used.tool
                    );
                    Err(self.refused(decision, Code::Denied, message))
                }
                None => self.ask(decision).await,
            },
        }
    }

    async fn ask(&self, decision: &Decision) -> Result<Settled, CallError> {
        let session = self.call.agent.session();
        let approver = session.inner().approver.clone();
        // Before anybody is asked: an answer is for the world as it was then.
        let binding = self.binding(decision);
        let question = self.question(decision, &binding);
        let cancelled = |_| {
            let message = format!("the call of `{}` was cancelled", self.call.used.tool);
            self.call.error(Code::Cancelled, Stage::Decide, message)
        };
        // Only a person's time doesn't count.
        let paused = approver.is_there().then(|| self.call.control.pause());
        // Held until the answer counts: what is asked next is asked with this answer in mind.
        let _turn = if approver.takes_many() {
            None
        } else {
            Some(self.call.control.guard(session.inner().asking.lock()).await.map_err(cancelled)?)
        };
        if !Arc::ptr_eq(&decision.policy().rules, &session.policy().rules) {
            // Somebody has just allowed something: look again before anybody is asked.
            return Ok(Settled::Again(None));
        }
        let reply = self.call.control.guard(approver.ask(&question)).await.map_err(cancelled)?;
        drop(paused);
        match (reply, &question.rules) {
            // What can't be a rule is for once, whatever was answered.
            (Reply::Once, _) | (Reply::Session | Reply::Always, None) => {
                self.record(decision, Some("once"))?;
                Ok(Settled::Again(Some(binding)))
            }
            (reply @ (Reply::Session | Reply::Always), Some(rules)) => {
                let always = reply == Reply::Always && question.file.is_some();
                self.record(decision, Some(if always { "always" } else { "session" }))?;
                session.allow(&self.tool.definition().name, rules, always).map_err(|error| {
                    self.call
                        .error(Code::HostFault, Stage::Decide, "the answer couldn't be kept")
                        .because(error.to_string())
                })?;
                Ok(Settled::Again(Some(binding)))
            }
            (Reply::Deny { message }, _) => {
                self.record(decision, Some("deny"))?;
                let why = message.map_or_else(String::new, |message| format!(": {message}"));
                Err(self.refused(decision, Code::Denied, format!("a person said no to `{}`{why}", self.call.used.tool)))
            }
            (Reply::Nobody, _) => {
                self.record(decision, None)?;
                let remedy = match decision.remedy() {
                    Some(rules) => format!("this would be allowed by {} in `permissions.allow`", rules.join(" and ")),
                    None => "no rule can stand in for that answer".to_owned(),
                };
                let hint = approver.hint(&question).map_or_else(String::new, |hint| format!("; {hint}"));
                let tool = &self.call.used.tool;
                let message = format!(
                    "`{tool}` needs a person's approval, and nobody is there: {}; {remedy}{hint}",
                    obstacles(decision)
                );
                Err(self.refused(decision, Code::ApprovalNeeded, message))
            }
        }
    }

    fn question(&self, decision: &Decision, binding: &Digest) -> Question {
        let (call, session) = (self.call, self.call.agent.session());
        let binding = binding.to_string();
        let (until_end, for_good) = session.may_add_rules();
        let asks = decision.obstacles().map(|step| Ask {
            access: step.access.as_ref().map_or_else(|| "make the call at all".to_owned(), ToString::to_string),
            reason: step.reason.to_string(),
        });
        Question {
            id: binding.get(..16).unwrap_or_default().to_owned(),
            binding,
            session: session.id().to_owned(),
            agent: call.agent.inner().id.to_string(),
            call: call.id.clone(),
            tool: self.tool.definition().name.clone(),
            origin: self.tool.origin().to_string(),
            digest: self.tool.digest().to_string(),
            input: self.input.to_owned(),
            summary: self.summary.map(str::to_owned),
            asks: asks.collect(),
            running: self.held.is_some(),
            accesses: self
                .held
                .into_iter()
                .flat_map(Grant::access)
                .chain(decision.requested())
                .map(ToString::to_string)
                .collect(),
            rules: decision.remedy().filter(|_| until_end),
            file: session.local_file().filter(|_| for_good).map(Into::into),
        }
    }

    fn binding(&self, decision: &Decision) -> Digest {
        let bound = Bound {
            tool: &self.tool.definition().name,
            component: self.tool.digest(),
            input: self.input,
            folder: self.folder,
            running: self.held.is_some(),
        };
        bound.digest(decision)
    }

    /// The audit's entry, before anything comes of the decision.
    fn record(&self, decision: &Decision, answer: Option<&str>) -> Result<(), CallError> {
        let (call, session) = (self.call, self.call.agent.session().inner());
        let decided = Decided {
            session: &session.id,
            agent: &call.agent.inner().id,
            call: &call.id,
            tool: &self.tool.definition().name,
            digest: self.tool.digest(),
            input: self.input,
            decision,
            answer,
            running: self.held.is_some(),
        };
        session.recorder.decided(&decided).map_err(|error| {
            let message = "the decision couldn't be kept in the audit, so nothing was done";
            call.error(Code::HostFault, Stage::Decide, message).because(error.to_string())
        })
    }

    fn refused(&self, decision: &Decision, code: Code, message: String) -> CallError {
        let mut error = self.call.error(code, Stage::Decide, crate::error::bounded(message));
        error.decision = Some(Box::new(decision.clone()));
        error
    }
}

fn obstacles(decision: &Decision) -> String {
    let each = decision.obstacles().map(|step| match &step.access {
        Some(access) => format!("{access} ({})", step.reason),
        None => step.reason.to_string(),
    });
    each.take(10).collect::<Vec<_>>().join("; ")
}
