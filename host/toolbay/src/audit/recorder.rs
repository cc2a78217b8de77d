//! Records as entries of the audit.

use serde_json::{Map, Value, json};

use super::AuditFile;
use crate::record::{Decided, Record, RecordError, Recorder};
use crate::{Code, Digest};

/// The most accesses of one entry; how many more there were is told.
const MOST_ACCESSES: usize = 100;
/// The longest text of an access or reason, in bytes.
const MOST_TEXT: usize = 2_048;
/// The longest input that's kept, in bytes.
const MOST_INPUT: usize = 262_144;

/// Writes an entry for each decision before its effect, and one for each call when it has ended.
#[derive(Debug)]
pub struct ToAudit {
    file: AuditFile,
    inputs: bool,
}

impl ToAudit {
    /// Inputs are kept only when asked for: they may hold secrets. Their hashes always are.
    pub fn new(file: AuditFile, inputs: bool) -> Self {
        Self { file, inputs }
    }
}

impl Recorder for ToAudit {
    fn decided(&self, decided: &Decided<'_>) -> Result<(), RecordError> {
        let steps = &decided.decision.steps;
        let accesses = steps.iter().take(MOST_ACCESSES).map(|step| {
            json!({
                "access": step.access.as_ref().map(|access| cut(&access.to_string())),
                "verdict": step.verdict.word(),
                "reason": cut(&step.reason.to_string()),
            })
        });
        let granted = match decided.answer {
            Some("once" | "session" | "always") => decided.decision.approved_grant(),
            _ => decided.decision.grant(),
        };
        let mut entry = object(json!({
            "entry": if decided.running { "request" } else { "decision" },
            "session": decided.session,
            "agent": decided.agent,
            "call": cut(decided.call),
            "tool": decided.tool,
            "digest": decided.digest.to_string(),
            "inputHash": Digest::of(decided.input.as_bytes()).to_string(),
            "verdict": decided.decision.verdict.word(),
            "answer": decided.answer,
            "accesses": accesses.collect::<Vec<_>>(),
            "accessesLeftOut": steps.len().saturating_sub(MOST_ACCESSES),
            "grant": granted.access().iter().take(MOST_ACCESSES).map(|access| cut(&access.to_string())).collect::<Vec<_>>(),
        }));
        if self.inputs {
            let kept = decided.input.get(..decided.input.floor_char_boundary(MOST_INPUT)).unwrap_or_default();
            entry.insert("input".to_owned(), kept.into());
            entry.insert("inputBytes".to_owned(), decided.input.len().into());
        }
        Ok(self.file.append(entry)?)
    }

    fn record(&self, record: &Record<'_>) {
        // A name that a model made up may be as long as it likes.
        let tool: String = record.tool.chars().take(100).collect();
        let entry = object(json!({
            "entry": "call",
            "session": record.session,
            "agent": record.agent,
            "call": cut(record.call),
            "tool": tool,
            "digest": record.digest.map(ToString::to_string),
            "outcome": record.error.map_or("done", Code::word),
            "inputBytes": record.input_bytes,
            "elapsedMicroseconds": u64::try_from(record.elapsed.as_micros()).unwrap_or(u64::MAX),
            "cpuMilliseconds": record.cpu_milliseconds,
            "memoryBytes": record.memory_bytes,
            "requests": record.requests,
        }));
        if let Err(error) = self.file.append(entry) {
            tracing::error!(%error, "the end of a call couldn't be kept in the audit");
        }
    }
}

/// A text that others made, bounded, so that no call is too large to be written down.
fn cut(text: &str) -> String {
    match text.get(..text.floor_char_boundary(MOST_TEXT)).filter(|kept| kept.len() < text.len()) {
        Some(kept) => format!("{kept}... ({} bytes in all)", text.len()),
        None => text.to_owned(),
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
