//! `toolbay:tool/read-state`: what the calling agent has read.
//!
//! Of the grant: a path can be recorded only by a call that may read it. In preflight it can be looked up, not recorded.

use std::path::Path;

use wasmtime::component::{HasSelf, Linker};

pub use crate::bindings::tool::toolbay::tool::read_state::Entry as ReadEntry;

use crate::bindings::tool::toolbay::tool::read_state;
use crate::state::{Phase, State};

/// The longest path, in bytes: the kernel's own limit.
const LONGEST_PATH: usize = 4_096;

/// Where an agent's read state is kept. Bounded by whoever keeps it.
pub trait ReadState: Send + Sync {
    /// What was read of the file at this path.
    fn get(&self, path: &str) -> Option<ReadEntry>;
    /// The file at this path was read.
    fn put(&self, path: &str, entry: ReadEntry);
}

impl read_state::Host for State {
    fn get(&mut self, path: String) -> Option<ReadEntry> {
        self.context.as_ref().and_then(|context| context.read_state.get(&path))
    }

    fn put(&mut self, path: String, entry: ReadEntry) -> Result<(), read_state::Refusal> {
        if self.phase == Phase::Preflight {
            return Err(read_state::Refusal::ReadOnly);
        }
        let digits = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if path.len() > LONGEST_PATH || entry.digest.len() != 64 || !entry.digest.bytes().all(digits) {
            return Err(read_state::Refusal::Invalid);
        }
        let path = toolbay_policy::normalize(Path::new(&path));
        let Some(path) = path.to_str().filter(|_| self.grant.names_readable(&path)) else {
            return Err(read_state::Refusal::NotGranted);
        };
        if let Some(context) = &self.context {
            context.read_state.put(path, entry);
        }
        Ok(())
    }
}

pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    read_state::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
}
