//! `toolbay:tool/permissions`: asking for more in mid-call.
//!
//! Of the grant: it's what changes. The decision is whoever's who passed in [`Permissions`]; here are only the bounds.

use std::pin::Pin;
use std::sync::Arc;

use toolbay_policy::Grant;
use wasmtime::component::{HasSelf, Linker};

use crate::bindings::tool::toolbay::tool::permissions::{self, Denied};
use crate::contract::Access;
use crate::state::{Phase, State};

/// The most requests of one call. Each can cost a look at the disk and an entry in the audit.
const MOST_REQUESTS: u32 = 1_000;

/// A decision that may take as long as a person does.
pub type Deciding<'a> = Pin<Box<dyn Future<Output = Result<Grant, String>> + Send + 'a>>;

/// Decides about what a running call asks for.
pub trait Permissions: Send + Sync {
    /// What the call holds beside its grant when this access is granted, or a sentence for the guest when it isn't: one that
    /// tells nothing about what lies outside its sandbox.
    fn request<'a>(&'a self, held: &'a Grant, access: Access) -> Deciding<'a>;
}

impl permissions::Host for State {
    async fn request(&mut self, access: Access) -> Result<(), Denied> {
        let denied = |message: &str| Denied { message: message.to_owned() };
        let Some(context) = self.context.clone().filter(|_| self.phase == Phase::Run) else {
            return Err(denied("nothing can be asked for before the call runs; declare it in `permissions`"));
        };
        self.requests += 1;
        if self.requests > MOST_REQUESTS {
            return Err(denied("a call can ask at most 1,000 times"));
        }
        let held = self.grant.clone();
        let more = context.permissions.request(&held, access).await.map_err(|message| Denied { message })?;
        self.grant = Arc::new(held.extended(more));
        Ok(())
    }
}

pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    permissions::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
}
