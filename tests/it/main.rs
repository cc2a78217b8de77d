//! Real components through the whole pipeline. One module a promise.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

mod cache;
mod context;
mod contract;
mod files;
mod input;
mod liar;
mod limits;
mod preflight;
mod read;
mod results;
mod support;
mod tidy;
mod turn;
