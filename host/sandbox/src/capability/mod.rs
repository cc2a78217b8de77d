//! What a guest can import. One module for each capability, all of one shape: what it reads of the grant, its state, the
//! host's functions, and how it's linked. A capability never imports another.

pub(crate) mod context;
pub(crate) mod filesystem;
pub(crate) mod permissions;
pub(crate) mod read_state;
pub(crate) mod wasi;

use wasmtime::Result;
use wasmtime::component::Linker;

use crate::state::State;

/// Links everything that a component may import. A component that imports anything else can't be loaded.
pub(crate) fn link(linker: &mut Linker<State>) -> Result<()> {
    wasi::link(linker)?;
    filesystem::link(linker)?;
    context::link(linker)?;
    permissions::link(linker)?;
    read_state::link(linker)
}
