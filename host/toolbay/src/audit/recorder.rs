//! Records as entries of the audit.

use serde_json::{Map, Value, json};

use super::AuditFile;
use crate::record::{Decided, Record, RecordError, Recorder};
use crate::{Code, Digest};

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
        let accesses = decided.decision.steps.iter().map(|step| {
            json!({
                "access": step.access.as_ref().map(ToString::to_string),
                "verdict": step.verdict.word(),
                "reason": step.reason.to_string(),
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
            "call": decided.call,
            "tool": decided.tool,
            "digest": decided.digest.to_string(),
            "inputHash": Digest::of(decided.input.as_bytes()).to_string(),
            "verdict": decided.decision.verdict.word(),
            "answer": decided.answer,
            "accesses": accesses.collect::<Vec<_>>(),
            "grant": granted.access().iter().map(ToString::to_string).collect::<Vec<_>>(),
        }));
        if self.inputs {
            entry.insert("input".to_owned(), decided.input.into());
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
            "call": record.call.chars().take(200).collect::<String>(),
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

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}
