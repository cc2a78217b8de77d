//! One file a command.

pub(crate) mod cache;
pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod inspect;
pub(crate) mod tools;
pub(crate) mod why;
