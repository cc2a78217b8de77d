//! Real components through the whole pipeline. One module a promise.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests"
)]

mod agents;
mod approvals;
mod audited;
mod cache;
mod canary;
mod context;
mod contract;
mod files;
mod input;
mod kernel;
mod liar;
mod limits;
mod mid_call;
mod preflight;
mod race;
mod read;
mod results;
mod sources;
mod support;
mod tidy;
mod tree;
mod turn;
