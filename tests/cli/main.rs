//! The program from outside: arguments, output, exit codes.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests"
)]

mod calls;
mod permissions;
mod support;
mod terminal;
