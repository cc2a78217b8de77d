//! `wasi:filesystem`: the ordinary file functions of every language, decided one by one against the grant.
//!
//! The guest sees one preopened folder, `/`. Every operation first asks whether the spelling may be looked up at all, so
//! that a refusal says nothing about what exists; then takes hold of the object without opening it (`O_PATH`), asks the
//! kernel what it really is and where it really lies, decides on that, and opens exactly that object. Pipes, devices and
//! sockets are never opened. Links can be followed, never made. A refusal is the ordinary "permission denied".

mod convert;
mod find;
mod operations;
mod stream;

use std::cell::OnceCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use wasmtime::component::{HasSelf, Linker, Resource};

use crate::bindings::filesystem::types::{DescriptorFlags, ErrorCode};
use crate::bindings::filesystem::{preopens, types};
use crate::state::State;
use find::Named;

#[expect(unreachable_pub, reason = "generated code names it")]
pub use stream::Listing;

/// What a guest's file descriptor stands for.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "generated code names it")]
pub enum Descriptor {
    /// A folder. Only its path is kept: each use looks it up and decides again.
    Folder(PathBuf),
    /// A regular file that was opened, with the rights that were decided then.
    File { file: Arc<OpenFile>, flags: DescriptorFlags },
}

/// An open file. It lives as long as the descriptor or a stream of it.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "part of a type that generated code names")]
pub struct OpenFile {
    file: File,
    _slot: Slot,
}

/// How many files are open: those of one call, and those of all. Descriptors are the whole process's, and it needs some.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    /// Made with the first file: many calls open none.
    call: OnceCell<Arc<Count>>,
    bound: u32,
    all: Arc<Count>,
}

/// A number of open files and its bound.
#[derive(Debug)]
pub(crate) struct Count {
    open: AtomicU32,
    bound: u32,
}

impl Count {
    pub(crate) fn new(bound: u32) -> Arc<Self> {
        Arc::new(Self { open: AtomicU32::new(0), bound })
    }

    fn take(self: &Arc<Self>) -> Option<Counted> {
        let counted = Counted(self.clone());
        (self.open.fetch_add(1, Ordering::AcqRel) < self.bound).then_some(counted)
    }
}

/// One that is counted, until it's dropped.
#[derive(Debug)]
struct Counted(Arc<Count>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Room for one open file.
#[derive(Debug)]
struct Slot {
    _call: Counted,
    _all: Counted,
}

impl OpenFiles {
    pub(crate) fn new(bound: u32, all: Arc<Count>) -> Self {
        Self { call: OnceCell::new(), bound, all }
    }

    /// Fails as in a process that has too many open files.
    fn slot(&self) -> Result<Slot, ErrorCode> {
        let call = self.call.get_or_init(|| Count::new(self.bound));
        let (call, all) = (call.take(), self.all.take());
        call.zip(all).map(|(call, all)| Slot { _call: call, _all: all }).ok_or(ErrorCode::Quota)
    }
}

impl preopens::Host for State {
    fn get_directories(&mut self) -> Vec<(Resource<Descriptor>, String)> {
        let top = self.table.push(Descriptor::Folder(PathBuf::from("/")));
        top.map(|top| (top, "/".to_owned())).into_iter().collect()
    }
}

impl State {
    fn descriptor(&self, descriptor: &Resource<Descriptor>) -> Result<&Descriptor, ErrorCode> {
        self.table.get(descriptor).map_err(|_| ErrorCode::BadDescriptor)
    }

    /// What a folder's descriptor and a path below it name. WASI paths are relative and stay below.
    fn below(&self, folder: &Resource<Descriptor>, path: &str) -> Result<Named, ErrorCode> {
        let Descriptor::Folder(folder) = self.descriptor(folder)? else {
            return Err(ErrorCode::NotDirectory);
        };
        if path.is_empty() {
            return Err(ErrorCode::NoEntry);
        }
        if path.contains('\0') {
            return Err(ErrorCode::Invalid);
        }
        let named = toolbay_policy::normalize(&folder.join(path));
        // An absolute path, or one that climbs out of the folder, is refused like any other place outside.
        let stays = !Path::new(path).is_absolute() && named.starts_with(folder);
        let named = Named { path: named, folder: path.ends_with('/') || path.ends_with("/.") };
        if stays { Ok(named) } else { Err(ErrorCode::Access) }
    }

    fn push<T: Send + 'static>(&mut self, resource: T) -> Result<Resource<T>, ErrorCode> {
        self.table.push(resource).map_err(|_| ErrorCode::Quota)
    }
}

pub(super) fn link(linker: &mut Linker<State>) -> wasmtime::Result<()> {
    preopens::add_to_linker::<State, HasSelf<State>>(linker, |state| state)?;
    types::add_to_linker::<State, HasSelf<State>>(linker, |state| state)
}
