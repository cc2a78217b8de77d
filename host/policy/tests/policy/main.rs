//! The policy from outside: publicly reported failures of comparable systems, golden tables, and properties.

#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod agents;
mod commands;
mod files;
mod forms;
mod golden;
mod precedence;
mod properties;
mod support;
