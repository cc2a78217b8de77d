//! What one agent has read. Bounded: the least recently used entries leave first.

use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lru::LruCache;
use toolbay_sandbox::{ReadEntry, ReadState};

/// The most files that are remembered.
const MOST_FILES: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();

/// An agent's own memory of files.
pub(crate) struct AgentReadState(Mutex<LruCache<String, ReadEntry>>);

impl AgentReadState {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(LruCache::new(MOST_FILES)))
    }

    fn entries(&self) -> MutexGuard<'_, LruCache<String, ReadEntry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadState for AgentReadState {
    fn get(&self, path: &str) -> Option<ReadEntry> {
        self.entries().get(path).cloned()
    }

    fn put(&self, path: &str, entry: ReadEntry) {
        self.entries().put(path.to_owned(), entry);
    }
}
