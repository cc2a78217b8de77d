//! Counts what an instance takes from the host's memory, over all its memories and tables, and all running guests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use wasmtime::{ResourceLimiter, Result, bail};

use crate::stop::StopKind;

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
    /// What the growth that was just permitted takes, until it's known whether it succeeds.
    pending: u64,
    refused: Option<StopKind>,
}

impl Meter {
    pub(crate) fn new(bound: u64, budget: Arc<Budget>) -> Self {
        Self { used: 0, bound, budget, pending: 0, refused: None }
    }

    /// Why a growth was refused, if one was. The guest was ended by that.
    pub(crate) fn refused(&self) -> Option<StopKind> {
        self.refused
    }

    /// The bytes in use. Memories and tables only grow, so at the end of a call this is its peak.
    pub(crate) fn used(&self) -> u64 {
        self.used
    }

    fn grow(&mut self, current: usize, desired: usize, maximum: Option<usize>, unit: u64, what: &str) -> Result<bool> {
        self.pending = 0;
        // The engine asks before it looks at the maximum that the guest declared itself; such a growth only fails.
        if maximum.is_some_and(|maximum| desired > maximum) {
            return Ok(false);
        }
        let more = (desired.saturating_sub(current) as u64).saturating_mul(unit);
        let used = self.used.saturating_add(more);
        if used > self.bound {
            self.refused = Some(StopKind::Memory);
            bail!("a {what} would bring the call to {used} bytes of memory; its limit is {} bytes", self.bound);
        }
        if !self.budget.take(more) {
            self.refused = Some(StopKind::Busy);
            bail!("all running calls together have no memory left for {more} more bytes of a {what}");
        }
        self.used = used;
        self.pending = more;
        Ok(true)
    }

    fn failed(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        self.used -= pending;
        self.budget.give_back(pending);
    }
}

impl ResourceLimiter for Meter {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        self.grow(current, desired, maximum, 1, "memory")
    }

    fn memory_grow_failed(&mut self, _error: wasmtime::Error) -> Result<()> {
        self.failed();
        Ok(())
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> Result<bool> {
        self.grow(current, desired, maximum, TABLE_ELEMENT, "table")
    }

    fn table_grow_failed(&mut self, _error: wasmtime::Error) -> Result<()> {
        self.failed();
        Ok(())
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
        assert_eq!(meter.refused(), Some(StopKind::Memory));
    }

    #[test]
    fn a_growth_that_fails_costs_nothing() {
        let mut meter = Meter::new(100, Budget::new(100));
        for _ in 0..50 {
            assert!(meter.memory_growing(0, 60, None).unwrap());
            meter.memory_grow_failed(wasmtime::Error::msg("no room")).unwrap();
            assert!(!meter.memory_growing(0, 60, Some(50)).unwrap());
        }
        assert_eq!((meter.used(), meter.refused()), (0, None));
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
