//! What may happen: accesses, rules, modes, decisions, grants and limits.
//!
//! Everything here is a pure, total function of its arguments: no files, no clock, no environment, no engine. Paths come
//! in resolved, as [`Location`]s; looking at the disk is the sandbox's work.
//!
//! Reading order: [`Access`] (what a call needs), [`Rule`] (the language), [`Rules`] (all of them, indexed), [`Policy`] (the
//! snapshot), [`decide`] and `judge` (the decision), [`Grant`] (what a sandbox is built from).

mod access;
mod address;
mod command;
mod decision;
mod example;
mod grant;
mod judge;
mod limits;
mod lint;
mod location;
mod mode;
mod path;
mod policy;
mod protected;
mod rule;
mod rule_error;
mod rules;
mod source;
mod wildcard;

pub use access::{Access, Kind};
pub use address::{Address, AddressError};
pub use command::Command;
pub use decision::{Decision, Reason, Request, Step, ToolVerdict, Traits, Verdict, decide};
pub use example::check as check_example;
pub use grant::{Grant, Held};
pub use limits::Limits;
pub use lint::{Fault, Finding, lint};
pub use location::{Identity, Location, normalize};
pub use mode::Mode;
pub use path::Anchors;
pub use policy::{Policy, Refused, Wish};
pub use rule::Rule;
pub use rule_error::RuleError;
pub use rules::{Found, Look, Rules};
pub use source::{List, Origin, Source, Written};
pub use wildcard::Wildcard;
