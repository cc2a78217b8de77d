//! What one running guest holds: the data of its store.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use toolbay_policy::Grant;
use wasmtime::component::ResourceTable;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use crate::capability::context::{CallContext, LogMeter};
use crate::capability::filesystem::OpenFiles;
use crate::capability::wasi::{self, Written};
use crate::control::CallControl;
use crate::meter::Meter;
use crate::stop::StopKind;

/// Which sandbox a guest is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Without capabilities: describe, validate, permissions. Clock and randomness are fixed, so that the answer depends
    /// on the question alone.
    Preflight,
    /// With what the grant says: call.
    Run,
}

/// Built fresh for each instance and dropped with it.
pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) grant: Arc<Grant>,
    /// None while a component describes itself: then there is no call yet.
    pub(crate) context: Option<Arc<CallContext>>,
    pub(crate) meter: Meter,
    pub(crate) table: ResourceTable,
    pub(crate) log: LogMeter,
    pub(crate) files: OpenFiles,
    /// How often it asked for more.
    pub(crate) requests: u32,
    /// Names that were left out of listings, since rules close them.
    pub(crate) withheld: Arc<AtomicU32>,
    pub(crate) control: Arc<CallControl>,
    output_bound: usize,
    cpu: Cpu,
    written: Option<Written>,
    /// Made when the guest first touches it: many calls never do.
    wasi: Option<WasiCtx>,
}

/// Processor time in epochs, counted by the guest's own interruptions.
struct Cpu {
    used: u32,
    bound: u32,
    stopped: Option<StopKind>,
}

/// What a state is built from.
pub(crate) struct Build {
    pub(crate) phase: Phase,
    pub(crate) grant: Arc<Grant>,
    pub(crate) context: Option<Arc<CallContext>>,
    pub(crate) meter: Meter,
    pub(crate) control: Arc<CallControl>,
    pub(crate) handles: u32,
    pub(crate) files: OpenFiles,
    pub(crate) output_bytes: u64,
    pub(crate) cpu_milliseconds: u32,
}

impl State {
    pub(crate) fn new(build: Build) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(usize::try_from(build.handles).unwrap_or(usize::MAX));
        Self {
            phase: build.phase,
            grant: build.grant,
            context: build.context,
            meter: build.meter,
            table,
            log: LogMeter::new(build.output_bytes),
            files: build.files,
            requests: 0,
            withheld: Arc::default(),
            control: build.control,
            output_bound: usize::try_from(build.output_bytes).unwrap_or(usize::MAX),
            cpu: Cpu { used: 0, bound: build.cpu_milliseconds, stopped: None },
            written: None,
            wasi: None,
        }
    }

    /// Called once in each epoch in which the guest computes. Gives what must end it, if anything.
    pub(crate) fn tick(&mut self) -> Option<StopKind> {
        self.cpu.used += 1;
        let over = (self.cpu.used > self.cpu.bound).then_some(StopKind::Cpu);
        self.cpu.stopped = self.control.verdict().or(over);
        self.cpu.stopped
    }

    /// Why the host ended the guest, when it did.
    pub(crate) fn stopped(&self) -> Option<StopKind> {
        self.cpu.stopped.or_else(|| self.meter.refused())
    }

    /// Processor time so far; an epoch is a millisecond.
    pub(crate) fn cpu_milliseconds(&self) -> u32 {
        self.cpu.used
    }

    /// What the guest wrote to standard error. Untrusted.
    pub(crate) fn standard_error(&self) -> String {
        self.written.as_ref().map(Written::standard_error).unwrap_or_default()
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let wasi = self.wasi.get_or_insert_with(|| {
            let written = self.written.insert(Written::new(self.output_bound));
            let directory = self.context.as_ref().map(|context| &*context.working_directory);
            wasi::context(self.phase, &self.grant, directory, written)
        });
        WasiCtxView { ctx: wasi, table: &mut self.table }
    }
}
