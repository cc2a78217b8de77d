//! The words of the contract as plain Rust values: what tools say, and what they are told.

pub use crate::bindings::tool::toolbay::tool::types::{
    Access, Blob, Change, Command, Content, Definition, Environment, Failure, Invocation, Link, Loading, Message, Mode,
    Outcome, Overflow, Request, Role, Traits, Verdict,
};

/// The version of the contract that this host serves.
pub const VERSION: &str = "0.1.0";
/// The package that every tool component exports from.
pub(crate) const PACKAGE: &str = "toolbay:tool";
/// The interface that every tool component exports.
pub(crate) const INTERFACE: &str = "tool";
