//! Who hears what a running tool says when nobody was named: the host's own log.

use toolbay_sandbox::{Level, Observer, Progress};

/// Writes progress and log of tools to the host's log, as data: text of a tool never becomes a line of its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct ToHostLog;

impl Observer for ToHostLog {
    fn progress(&self, call: &str, update: Progress) {
        tracing::debug!(target: "toolbay::tool", call, done = update.done, total = update.total, message = ?update.message);
    }

    fn log(&self, call: &str, level: Level, message: &str) {
        match level {
            Level::Debug => tracing::debug!(target: "toolbay::tool", call, ?message),
            Level::Info => tracing::info!(target: "toolbay::tool", call, ?message),
            Level::Warning => tracing::warn!(target: "toolbay::tool", call, ?message),
            Level::Error => tracing::error!(target: "toolbay::tool", call, ?message),
        }
    }
}
