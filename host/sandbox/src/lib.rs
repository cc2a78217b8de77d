//! One component, one sandbox, one run.
//!
//! This crate loads components, and runs their functions in fresh instances that hold what a grant says and nothing else.
//! It never knows sessions, pools, models or protocols: whatever a guest may reach is passed in with the call.
//!
//! Reading order: [`Engine`] (the one wasmtime configuration), [`Component`] (bytes that were checked and compiled),
//! `run` (describe, preflight, call), `state` (what a running guest holds), `capability` (one module for each import),
//! [`Stop`] (how a guest ends when it doesn't return).

mod bindings;
mod cache;
mod capability;
mod component;
pub mod contract;
mod control;
mod digest;
mod engine;
mod inspect;
mod locate;
mod meter;
mod run;
mod state;
mod stop;
mod volume;

pub use cache::{Cache, CacheError};
pub use capability::context::{CallContext, Level, Observer, Progress};
pub use capability::permissions::{Deciding, Permissions};
pub use capability::read_state::{ReadEntry, ReadState};
pub use component::{Component, ComponentError};
pub use control::{CallControl, Paused};
pub use digest::Digest;
pub use engine::{Allocator, Engine, EngineError, EngineSettings, Permit, Refused};
pub use inspect::{Inspection, inspect};
pub use locate::{LocateError, locate};
pub use run::{Preflight, Ran};
pub use stop::{Stop, StopKind};
