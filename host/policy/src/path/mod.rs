//! Paths in rules: gitignore patterns with anchors, and the index that matches thousands of them in one walk.

mod index;
mod pattern;
mod segment;

pub(crate) use index::{Form, PathIndex};
pub use pattern::Anchors;
pub(crate) use pattern::{PathPattern, PathPatternError, escape};
