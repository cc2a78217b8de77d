//! What may happen: accesses, rules, modes, decisions, grants and limits.
//!
//! Everything here is a pure, total function of its arguments: no files, no clock, no environment, no engine. Paths come
//! in resolved, as [`Location`]s; looking at the disk is the sandbox's work.

mod access;
mod command;
mod decision;
mod grant;
mod limits;
mod location;
mod mode;
mod protected;
mod rule;
mod rules;

pub use access::{Access, Kind};
pub use decision::{Decision, Policy, Reason, Request, Step, ToolVerdict, Traits, Verdict, decide};
pub use grant::Grant;
pub use limits::Limits;
pub use location::{Location, normalize};
pub use mode::Mode;
pub use rule::{Rule, RuleError};
pub use rules::{List, Rules, Source, Sourced};
