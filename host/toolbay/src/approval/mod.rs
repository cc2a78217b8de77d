//! Approvals: what a person is asked about a call, who asks, and what an answer is bound to.

mod binding;
mod inbox;

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use binding::Bound;
pub use inbox::{Entry, Inbox, InboxError, Listing, Moment, Unreadable};

/// What a person is asked: one call, and everything it would hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Names the question: the first 16 hexadecimal digits of its binding. The same call asks with the same identifier.
    pub id: String,
    /// SHA-256 of everything that the answer is bound to: tool, component, exact input, accesses with their resolved
    /// targets, the files that a command would run, the agent's folder.
    pub binding: String,
    /// The session.
    pub session: String,
    /// The agent that called.
    pub agent: String,
    /// The identifier of the use.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// Where the tool comes from: `built-in Read`, a file, a pack.
    pub origin: String,
    /// SHA-256 of its component.
    pub digest: String,
    /// The exact input, JSON text.
    pub input: String,
    /// Whether the call runs already, and asks for more.
    pub running: bool,
    /// What the call will do, in the tool's own words: untrusted.
    pub summary: Option<String>,
    /// What is asked about: each access with the reason why it asks.
    pub asks: Vec<Ask>,
    /// Everything that the call would hold, in words: what is asked about, what isn't, and what it holds already.
    pub accesses: Vec<String>,
    /// The rules that "session" and "always" would add, in the rule language; none: only this once can be answered.
    pub rules: Option<Vec<String>>,
    /// The file that "always" would write to; none: always can't be answered.
    pub file: Option<PathBuf>,
}

/// One access that is asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    /// The access, in words.
    pub access: String,
    /// Why it asks.
    pub reason: String,
}

/// What a person answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// This call, this once.
    Once,
    /// This and what the rules cover, until the session ends.
    Session,
    /// This and what the rules cover, from now on.
    Always,
    /// No.
    Deny {
        /// What the agent is told.
        message: Option<String>,
    },
    /// Nobody is there.
    Nobody,
}

/// An answer on its way. Dropped: the question is withdrawn.
pub type Asking<'a> = Pin<Box<dyn Future<Output = Reply> + Send + 'a>>;

/// Asks a person.
pub trait Approver: Send + Sync {
    /// Asks, and waits as long as a person may take.
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a>;

    /// Whether a person is there to answer at once.
    fn is_there(&self) -> bool {
        true
    }

    /// Whether several questions can wait beside each other. Otherwise the next is asked when the one before is answered,
    /// unless the answer covers it too.
    fn takes_many(&self) -> bool {
        false
    }

    /// How a question that nobody has answered can still be.
    fn hint(&self, _question: &Question) -> Option<String> {
        None
    }
}

/// Nobody is there: what would ask is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn ask<'a>(&'a self, _question: &'a Question) -> Asking<'a> {
        Box::pin(std::future::ready(Reply::Nobody))
    }

    fn is_there(&self) -> bool {
        false
    }

    fn takes_many(&self) -> bool {
        true
    }
}

/// Asks the first; where nobody is there, the second.
#[derive(Clone)]
pub struct Either(pub Arc<dyn Approver>, pub Arc<dyn Approver>);

impl Approver for Either {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            match self.0.ask(question).await {
                Reply::Nobody => self.1.ask(question).await,
                answered => answered,
            }
        })
    }

    fn is_there(&self) -> bool {
        self.0.is_there() || self.1.is_there()
    }

    fn takes_many(&self) -> bool {
        self.0.takes_many() && self.1.takes_many()
    }

    fn hint(&self, question: &Question) -> Option<String> {
        self.1.hint(question).or_else(|| self.0.hint(question))
    }
}

/// A function that answers.
pub struct Callback<F>(pub F);

impl<F, Answer> Approver for Callback<F>
where
    F: Fn(Question) -> Answer + Send + Sync,
    Answer: Future<Output = Reply> + Send + 'static,
{
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin((self.0)(question.clone()))
    }
}
