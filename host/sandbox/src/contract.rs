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

const TRAITS: [Traits; 5] =
    [Traits::READ_ONLY, Traits::DESTRUCTIVE, Traits::CONCURRENCY_SAFE, Traits::IDEMPOTENT, Traits::OPEN_WORLD];

/// As five truth values, in the order of the contract. The generated flags can't derive this.
impl serde::Serialize for Traits {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        TRAITS.map(|one| self.contains(one)).serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Traits {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let set = <[bool; 5]>::deserialize(deserializer)?;
        Ok(TRAITS.into_iter().zip(set).filter(|(_, on)| *on).fold(Traits::empty(), |all, (one, _)| all | one))
    }
}
