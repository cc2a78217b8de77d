//! The only wasmtime configuration, and the parts that all components share.

use std::error::Error as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use toolbay_policy::{Grant, Limits};
use wasmtime::component::Linker;
use wasmtime::{Config, Enabled, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::cache::Cache;
use crate::capability::filesystem::Count;
use crate::control::{CallControl, Ticker};
use crate::meter::Budget;
use crate::state::State;
use crate::{CacheError, capability};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

/// Where instances live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocator {
    /// In slots that are kept ready, so that a call needs no system call for its memory. For processes that serve.
    Pool,
    /// Mapped for each call. Cheaper to start; for processes that make a few calls and end.
    OnDemand,
}

/// How an engine is made.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Where instances live.
    pub allocator: Allocator,
    /// The bounds of calls. Every call can be given tighter ones.
    pub limits: Limits,
    /// The folder of compiled code; none: compile in every process.
    pub cache: Option<PathBuf>,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Its configuration isn't possible on this machine.
    #[error("the WebAssembly engine could not be set up")]
    Setup(#[source] wasmtime::Error),
    /// The clock's thread could not start.
    #[error("the thread of the engine's clock could not start")]
    Clock(#[source] std::io::Error),
    /// The cache folder is not to be trusted.
    #[error("the cache can't be used")]
    Cache(#[source] CacheError),
}

/// The engine: compiles components and runs them.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: wasmtime::Engine,
    pub(crate) linker: Arc<Linker<State>>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) cache: Option<Arc<Cache>>,
    pub(crate) limits: Arc<Limits>,
    /// Shared by every preflight sandbox.
    pub(crate) nothing: Arc<Grant>,
    /// The open files of all calls.
    pub(crate) files: Arc<Count>,
    admission: Arc<Semaphore>,
    waiting: Arc<AtomicU32>,
    compiled: Arc<AtomicU64>,
    ticker: Arc<Ticker>,
    slots: u32,
}

impl Engine {
    /// Sets up the engine, its pool, its clock and its cache.
    ///
    /// # Errors
    /// When the machine can't give what the settings ask for, and when the cache folder belongs to somebody else.
    pub fn new(settings: &EngineSettings) -> Result<Self, EngineError> {
        let limits = settings.limits.clone().clamped();
        let slots = slots(limits.calls_in_flight);
        let config = config(settings.allocator, slots, &limits);
        let inner = wasmtime::Engine::new(&config).map_err(EngineError::Setup)?;
        let mut linker = Linker::new(&inner);
        capability::link(&mut linker).map_err(EngineError::Setup)?;
        let weak = inner.weak();
        let tick = move || weak.upgrade().map(|engine| engine.increment_epoch()).is_some();
        let ticker = Ticker::start(tick).map_err(EngineError::Clock)?;
        let cache = match settings.cache.clone().map(|folder| Cache::open(folder, &inner)).transpose() {
            Ok(cache) => cache.map(Arc::new),
            // Without a cache everything works, only slower. One that others could write to is another matter.
            Err(error @ CacheError::Folder { .. }) => {
                tracing::warn!(%error, cause = error.source().map(tracing::field::display), "nothing is cached");
                None
            }
            Err(error @ CacheError::Foreign(_)) => return Err(EngineError::Cache(error)),
        };
        let budget = Budget::new(limits.total_memory_bytes);
        let (linker, limits) = (Arc::new(linker), Arc::new(limits));
        Ok(Self {
            inner,
            linker,
            budget,
            cache,
            limits,
            nothing: Arc::default(),
            files: Count::new(descriptors() / 2),
            admission: Arc::new(Semaphore::new(slots as usize)),
            waiting: Arc::default(),
            compiled: Arc::default(),
            ticker,
            slots,
        })
    }

    /// A control for one use of a tool. Its steps share it.
    pub fn control(&self) -> Arc<CallControl> {
        self.ticker.watch()
    }

    /// Waits until there is room for one more running instance, first come, first served. Hold the permit until the
    /// instance is gone.
    ///
    /// # Errors
    /// When too many calls wait already, and when the call is cancelled while it waits.
    pub async fn admit(&self, control: &CallControl) -> Result<Permit, Refused> {
        if let Ok(permit) = self.admission.clone().try_acquire_owned() {
            return Ok(Permit { _permit: permit });
        }
        let waiting = Waiting::join(&self.waiting);
        let full = Refused::Full { in_flight: self.slots, waiting: self.limits.calls_waiting };
        if waiting.place > self.limits.calls_waiting {
            return Err(full);
        }
        match control.guard(self.admission.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Permit { _permit: permit }),
            Ok(Err(_)) => Err(full),
            Err(_) => Err(Refused::Cancelled),
        }
    }

    /// The bounds that the engine was made with, clamped.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many calls may run at a time: what was asked for, or what the kernel's limit on memory mappings leaves. The
    /// kernel's default of 65,530 mappings leaves room for 10,000, which is the most.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// How many components this engine has compiled because the cache had no usable entry.
    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }

    pub(crate) fn count_compiled(&self) {
        self.compiled.fetch_add(1, Ordering::Relaxed);
    }

    /// The cache of compiled code, if there is one.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_deref()
    }
}

/// Room for one running call.
#[derive(Debug)]
pub struct Permit {
    _permit: OwnedSemaphorePermit,
}

/// Why there is no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Too many calls run and wait.
    #[error(
        "{in_flight} calls run and {waiting} wait; try again later (settings `limits.callsInFlight` and `limits.callsWaiting`)"
    )]
    Full {
        /// Calls that run.
        in_flight: u32,
        /// Calls that wait.
        waiting: u32,
    },
    /// The caller wanted no answer any more.
    #[error("cancelled while it waited for its turn")]
    Cancelled,
}

/// A place in the queue, left when dropped: a cancelled caller waits no longer.
struct Waiting<'a> {
    count: &'a AtomicU32,
    place: u32,
}

impl<'a> Waiting<'a> {
    fn join(count: &'a AtomicU32) -> Self {
        Self { count, place: count.fetch_add(1, Ordering::AcqRel) + 1 }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Engine").field("slots", &self.slots).finish_non_exhaustive()
    }
}

/// A live instance takes up to six memory mappings. When they run out, the host itself gets no memory any more, so some
/// are left for it. (Counted with wasmtime 48: four for a memory in use, two for the stack's guard pages.)
const MAPPINGS_OF_AN_INSTANCE: u32 = 6;
const MAPPINGS_OF_THE_HOST: u32 = 5_000;
const DEFAULT_MAPPINGS: u32 = 65_530;
/// The pool reserves address space for each: two memories of four GiB, of the 128 TiB that there are.
const MOST_INSTANCES: u32 = 10_000;

fn slots(wanted: u32) -> u32 {
    #[expect(clippy::disallowed_methods, reason = "a fixed file of the kernel, read once")]
    let text = std::fs::read_to_string("/proc/sys/vm/max_map_count").unwrap_or_default();
    let mappings = text.trim().parse().unwrap_or(DEFAULT_MAPPINGS);
    let possible = (mappings.saturating_sub(MAPPINGS_OF_THE_HOST) / MAPPINGS_OF_AN_INSTANCE).clamp(1, MOST_INSTANCES);
    if wanted > possible {
        tracing::warn!(wanted, possible, "the kernel's vm.max_map_count allows fewer calls in flight");
    }
    wanted.min(possible)
}

/// How many descriptors this process may have. Calls get half of them.
fn descriptors() -> u32 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.map_or(u32::MAX, |limit| u32::try_from(limit).unwrap_or(u32::MAX))
}

fn config(allocator: Allocator, slots: u32, limits: &Limits) -> Config {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        // Dropping the future of a call then unwinds the guest at once.
        .concurrency_support(false)
        .max_wasm_stack(512 * KIB)
        // Host functions run on what is left of this stack.
        .async_stack_size(2 * MIB)
        .async_stack_zeroing(true)
        .wasm_memory64(false)
        .wasm_relaxed_simd(false)
        .wasm_backtrace_max_frames(NonZeroUsize::new(20));
    // Multi-memory and tail calls stay on: composed components and QuickJS need them.
    if allocator == Allocator::Pool {
        config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(slots, limits)));
    }
    config
}

/// The aim is no page fault and no system call between the start and the end of a call: each interrupts the other cores.
fn pool(slots: u32, limits: &Limits) -> PoolingAllocationConfig {
    let memory = limits.memory_bytes.max(limits.preflight_memory_bytes);
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(slots)
        .total_stacks(slots)
        .total_core_instances(slots.saturating_mul(16).max(64))
        .total_memories(slots.saturating_mul(2).max(16))
        .total_tables(slots.saturating_mul(4).max(64))
        .max_core_instances_per_component(64)
        .max_memories_per_component(16)
        .max_tables_per_component(64)
        .max_memory_size(usize::try_from(memory).unwrap_or(usize::MAX))
        .table_elements(100_000)
        .max_core_instance_size(4 * MIB)
        .max_component_instance_size(4 * MIB)
        // Covers the whole first memory of a guest with a small stack.
        .linear_memory_keep_resident(256 * KIB)
        .table_keep_resident(64 * KIB)
        .async_stack_keep_resident(64 * KIB)
        .decommit_batch_size(32)
        .max_unused_warm_slots(100)
        // Skips dirty pages that are swapped out: a later call could read an earlier call's memory.
        .pagemap_scan(Enabled::No);
    pool
}
