//! How a Toolbay tool is written in Rust.
//!
//! A tool is a type that implements [`Tool`]; [`export_tools!`] turns one or several of them into a component. Everything
//! that isn't written down fails closed: no access, no traits, no objection that would loosen a rule.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use toolbay_sdk::{Context, Failure, Outcome, Tool, export_tools};
//!
//! struct Greet;
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Input {
//!     /// Whom to greet.
//!     name: String,
//! }
//!
//! impl Tool for Greet {
//!     const NAME: &str = "Greet";
//!     const DESCRIPTION: &str = "Greets somebody by name.";
//!     type Input = Input;
//!
//!     fn call(input: Input, _context: &Context) -> Result<Outcome, Failure> {
//!         Ok(Outcome::text(format!("Hello, {}!", input.name)))
//!     }
//! }
//!
//! export_tools!(Greet);
//!
//! // Natively a tool is ordinary Rust, so its tests are too.
//! let said = Greet::call(Input { name: "Ada".into() }, &Context::mock("/work")).unwrap();
//! assert_eq!(said.as_text(), "Hello, Ada!");
//! ```
//!
//! Build with `cargo build --release --target wasm32-wasip2` as a `cdylib`.

#[doc(hidden)]
pub mod bindings;
mod context;
#[doc(hidden)]
pub mod dispatch;
mod tool;
mod words;

pub use bindings::toolbay::tool::context::Level;
pub use bindings::toolbay::tool::permissions::Denied;
pub use bindings::toolbay::tool::read_state::{Entry as ReadEntry, Refusal as ReadRefusal};
pub use bindings::toolbay::tool::types::{
    Access, Blob, Change, Command, Content, Definition, Environment, Failure, Link, Loading, Message, Mode, Outcome,
    Overflow, Request, Role, Traits, Verdict,
};
pub use context::Context;
pub use schemars::JsonSchema;
pub use tool::Tool;
