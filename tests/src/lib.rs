//! Where the guests of the tests are. Knows nothing of the host.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't be set up fails loudly")]

mod wat;

pub use wat::component_from_wat;

include!(concat!(env!("OUT_DIR"), "/guests.rs"));

/// The folder of the workspace.
pub const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
