//! One file a command.

pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod cache;
pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod inspect;
pub(crate) mod permissions;
pub(crate) mod settings;
pub(crate) mod tools;
pub(crate) mod trust;
pub(crate) mod why;
