//! What must hold for any bytes: one function a target, which panics exactly when a promise is broken.
//!
//! `cargo run -p toolbay-fuzz` runs them on any toolchain; `cargo-fuzz/` is for libFuzzer.

#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a broken promise is a panic here"
)]

pub mod mutate;
mod path;
mod rules;
mod settings;

/// A target's name, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target. Each has a folder of its name in `corpus`.
pub const TARGETS: [Target; 4] =
    [("rule", rules::rule), ("command", rules::command), ("settings", settings::settings), ("path", path::path)];

/// A target that breaks its promise for some inputs, to show that the runner notices.
pub fn broken(data: &[u8]) {
    assert!(!data.contains(&b'!'), "an exclamation mark");
}
