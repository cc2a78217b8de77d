//! Counts what an instance takes from the host's memory, over all its memories and tables, and all running guests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wasmtime::{ResourceLimiter, Result, bail};

/// Bytes that a table element takes.
const TABLE_ELEMENT: u64 = 16;

/// The memory that all guests of an engine share.
#[derive(Debug)]
pub(crate) struct Budget {
    left: AtomicU64,
}

impl Budget {
    pub(crate) fn new(bytes: u64) -> Arc<Self> {
        Arc::new(Self { left: AtomicU64::new(bytes) })
    }

    fn take(&self, bytes: u64) -> bool {
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(bytes)).is_ok()
    }

    fn give_back(&self, bytes: u64) {
        self.left.fetch_add(bytes, Ordering::AcqRel);
    }
}

/// The meter of one instance. The engine's own limit would hold for each memory by itself, and a component can have many.
#[derive(Debug)]
pub(crate) struct Meter {
    used: u64,
    bound: u64,
    budget: Arc<Budget>,
    refused: bool,
}

impl Meter {
    pub(crate) fn new(bound: u64, budget: Arc<Budget>) -> Self {
        Self { used: 0, bound, budget, refused: false }
    }

    /// Whether a growth was refused. The guest was ended by that.
    pub(crate) fn refused(&self) -> bool {
        self.refused
    }

    /// The bytes in use. Memories and tables only grow, so at the end of a call this is its peak.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    fn grow(&mut self, current: usize, desired: usize, unit: u64, what: &str) -> Result<bool> {
        let more = (desired.saturating_sub(current) as u64).saturating_mul(unit);
        let used = self.used.saturating_add(more);
        if used > self.bound {
            self.refused = true;
            bail!("a {what} would bring the call to {used} bytes of memory; its limit is {} bytes", self.bound);
        }
        if !self.budget.take(more) {
            self.refused = true;
            bail!("all running calls together have no memory left for {more} more bytes of a {what}");
        }
        self.used = used;
        Ok(true)
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        self.grow(current, desired, 1, "memory")
    }

    fn table_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        self.grow(current, desired, TABLE_ELEMENT, "table")
    }

    // Interpreters are made of a dozen core modules; nothing honest needs hundreds.
    fn instances(&self) -> usize {
        64
    }

    fn tables(&self) -> usize {
        64
    }

    fn memories(&self) -> usize {
        16
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.budget.give_back(self.used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_memories_of_an_instance_count_together() {
        let budget = Budget::new(1_000);
        let mut meter = Meter::new(100, budget);
        assert!(meter.memory_growing(0, 60, None).is_ok());
        assert!(meter.memory_growing(0, 60, None).is_err());
        assert!(meter.refused());
    }

    #[test]
    fn all_instances_share_one_budget_and_give_it_back() {
        let budget = Budget::new(100);
        let mut first = Meter::new(100, budget.clone());
        assert!(first.memory_growing(0, 80, None).is_ok());
        assert!(Meter::new(100, budget.clone()).memory_growing(0, 80, None).is_err());
        drop(first);
        assert!(Meter::new(100, budget).memory_growing(0, 80, None).is_ok());
    }
}
