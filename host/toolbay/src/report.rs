//! What a caller gets back.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use toolbay_policy::Decision;
use toolbay_sandbox::Digest;
use toolbay_sandbox::contract::{Content, Message};

use crate::CallError;

/// A call, as it ended.
#[derive(Debug)]
pub struct Report {
    /// The identifier of the use.
    pub id: String,
    /// The tool, as it was called.
    pub tool: String,
    /// The result, or why there is none.
    pub result: Result<Answer, CallError>,
    /// The digest of the tool's component, when the tool was found.
    pub digest: Option<Digest>,
    /// The decision, when it came to one.
    pub decision: Option<Decision>,
    /// Context changes that the tool wanted and didn't get, each with the reason.
    pub notes: Vec<String>,
    /// From the first look to the result.
    pub elapsed: Duration,
    /// Processor time of the guest, in milliseconds.
    pub cpu_milliseconds: u32,
    /// Memory of the guest at its peak, in bytes.
    pub memory_bytes: u64,
}

impl Report {
    /// A call that the host lost.
    pub(crate) fn failed(id: String, tool: String, mut error: CallError) -> Self {
        error.tool.clone_from(&tool);
        Self {
            id,
            tool,
            result: Err(error),
            digest: None,
            decision: None,
            notes: Vec::new(),
            elapsed: Duration::ZERO,
            cpu_milliseconds: 0,
            memory_bytes: 0,
        }
    }
}

/// A tool's result, fitted to its limit.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// For the model, in order.
    pub content: Vec<Content>,
    /// The same as JSON.
    pub structured: Option<Value>,
    /// Messages to add to the conversation.
    pub messages: Vec<Message>,
    /// For the client; the model doesn't see it.
    pub meta: Option<Value>,
    /// Where the whole result is, when it was too large.
    pub spilled: Option<Spilled>,
}

/// A result that was too large for the model, kept whole in a private file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spilled {
    /// The file.
    pub path: PathBuf,
    /// Its size in Unicode scalar values.
    pub characters: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

impl Answer {
    /// The text blocks, joined by line ends.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Content::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// What a call would be allowed, without making it.
#[derive(Debug)]
pub struct Explanation {
    /// The tool's own name.
    pub tool: String,
    /// The digest of its component.
    pub digest: Digest,
    /// What the call will do, in the tool's words; untrusted.
    pub summary: Option<String>,
    /// The decision, with a step for each access.
    pub decision: Decision,
}
