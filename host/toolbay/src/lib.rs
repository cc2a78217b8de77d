#![doc = include_str!("../../../README.md")]
//! # For the reader of the code
//!
//! [`Host`] is the process: engine, tools, settings. A [`Session`] is one run for one client; an [`Agent`] is an identity
//! in it. The story of a call is the file `pipeline.rs`, read from top to bottom: find, check, preflight, decide, run, fit,
//! record.

mod agent;
mod approval;
mod approve;
mod audit;
mod builtin;
mod call;
mod catalogue;
mod changes;
mod definitions;
mod error;
mod fit;
mod host;
mod json;
mod mid_call;
mod observe;
mod pipeline;
mod read_state;
mod record;
mod repair;
mod report;
mod request;
mod results;
mod schema;
mod schema_cost;
mod session;
mod settings;
mod source;
mod turn;

pub use agent::{Agent, Use};
pub use approval::{
    Approver, Ask, Asking, Callback, Either, Entry, Inbox, InboxError, Listing, Moment, Nobody, Question, Reply,
    Unreadable,
};
pub use audit::{AuditError, AuditFile, Flaw, ToAudit, Verified, read as read_audit, verify as verify_audit};
pub use catalogue::{Broken, Catalogue, Tool};
pub use error::{CallError, Code, Stage};
pub use host::{Host, HostError, HostOptions};
pub use observe::ToHostLog;
pub use record::{Decided, Record, RecordError, Recorder, ToLog};
pub use report::{Answer, Explanation, Report, Spilled};
pub use results::Results;
pub use session::{Session, SessionSettings};
pub use settings::{
    AllocatorSetting, AuditSettings, EngineSettings, Forbidden, Imported, Layer, LayerState, Layers,
    PermissionSettings, RuleEntry, RuleLists, Settings, SettingsError, SettingsPlaces, Trust, TrustError, TrustState,
    import as import_settings, schema as settings_schema,
};
pub use source::Origin;

pub use toolbay_policy as policy;
/// The words of the contract, and what is known of a component.
pub use toolbay_sandbox::{
    Allocator, CallControl, ComponentError, Digest, Engine, EngineError, Inspection, Level, LocateError, Observer,
    Progress, contract, inspect, locate,
};
