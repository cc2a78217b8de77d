//! Real components through the whole pipeline. One module a promise.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests"
)]

mod cache;
mod canary;
mod context;
mod contract;
mod files;
mod input;
mod kernel;
mod liar;
mod limits;
mod preflight;
mod race;
mod read;
mod results;
mod support;
mod tidy;
mod tree;
mod turn;
