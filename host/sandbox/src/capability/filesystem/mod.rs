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

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use wasmtime::component::{HasSelf, Linker, Resource};

use crate::bindings::filesystem::types::{DescriptorFlags, ErrorCode};
use crate::bindings::filesystem::{preopens, types};
use crate::state::State;

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

/// An open file, counted while the descriptor or a stream of it lives.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "part of a type that generated code names")]
pub struct OpenFile {
    file: File,
    count: Arc<AtomicU32>,
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
    }
}

/// The open files of one call.
#[derive(Debug)]
#[expect(unreachable_pub, reason = "part of a type that generated code names")]
pub struct OpenFiles {
    count: Arc<AtomicU32>,
    bound: u32,
}

impl OpenFiles {
    pub(crate) fn new(bound: u32) -> Self {
        Self { count: Arc::default(), bound }
    }

    /// Fails like a process that has too many open files. Descriptors are the whole host's: one call must not use them up.
    fn reserve(&self) -> Result<Reserved, ErrorCode> {
        if self.count.fetch_add(1, Ordering::AcqRel) >= self.bound {
            self.count.fetch_sub(1, Ordering::AcqRel);
            return Err(ErrorCode::Quota);
        }
        Ok(Reserved(Some(self.count.clone())))
    }
}

/// Room for one open file; given back unless a file takes it.
struct Reserved(Option<Arc<AtomicU32>>);

impl Reserved {
    fn fill(mut self, file: File) -> Option<Arc<OpenFile>> {
        self.0.take().map(|count| Arc::new(OpenFile { file, count }))
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if let Some(count) = &self.0 {
            count.fetch_sub(1, Ordering::AcqRel);
        }
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

    /// The absolute path that a folder's descriptor and a path below it name. WASI paths are relative and stay below.
    fn below(&self, folder: &Resource<Descriptor>, path: &str) -> Result<PathBuf, ErrorCode> {
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
