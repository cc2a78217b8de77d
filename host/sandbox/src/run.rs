//! The functions of a component, each in an instance of its own.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use toolbay_policy::Grant;
use wasmtime::{Store, UpdateDeadline};

use crate::capability::context::CallContext;
use crate::capability::filesystem::OpenFiles;
use crate::contract::{Definition, Environment, Failure, Invocation, Outcome, Request};
use crate::control::CallControl;
use crate::meter::Meter;
use crate::state::{Build, Phase, State};
use crate::{Component, Stop};

/// What a tool said before its call.
#[derive(Debug, Clone)]
pub enum Preflight {
    /// It accepts the input, and needs this.
    Accepted(Request),
    /// It refuses the input, for this reason.
    Refused(Failure),
}

/// What a call gave, and what it took.
#[derive(Debug)]
pub struct Ran {
    /// The tool's answer.
    pub answer: Result<Outcome, Failure>,
    /// Processor time in milliseconds.
    pub cpu_milliseconds: u32,
    /// Memory at its peak, in bytes.
    pub memory_bytes: u64,
    /// Names in granted folders that it wasn't shown, since rules close them.
    pub withheld: u32,
    /// How often it asked for more.
    pub requests: u32,
}

/// The handle, output and file bounds of the preflight sandbox: it has nothing to hold.
const PREFLIGHT_HANDLES: u32 = 64;
const PREFLIGHT_OUTPUT: u64 = 4_096;

impl Component {
    /// Asks the component for its tools, in a sandbox without capabilities.
    ///
    /// # Errors
    /// When the component ends without answering.
    pub async fn describe(
        &self,
        control: &Arc<CallControl>,
        environment: &Environment,
    ) -> Result<Vec<Definition>, Stop> {
        let mut store = self.store(self.preflight(control, None));
        let time = Duration::from_millis(self.engine.limits.preflight_milliseconds.into());
        run(control, time, &mut store, async |store| {
            let instance = self.pre.instantiate_async(&mut *store).await?;
            let describe =
                instance.get_typed_func::<(&Environment,), (Vec<Definition>,)>(&mut *store, self.exports.describe)?;
            describe.call_async(&mut *store, (environment,)).await.map(|(definitions,)| definitions)
        })
        .await
    }

    /// Asks the tool whether it accepts the input, and what the call will need. One instance for both, since they speak of
    /// the same input; it has no capabilities.
    ///
    /// # Errors
    /// When the component ends without answering.
    pub async fn ask(
        &self,
        control: &Arc<CallControl>,
        context: &Arc<CallContext>,
        invocation: &Invocation,
    ) -> Result<Preflight, Stop> {
        let mut store = self.store(self.preflight(control, Some(context.clone())));
        let time = Duration::from_millis(self.engine.limits.preflight_milliseconds.into());
        run(control, time, &mut store, async |store| {
            let instance = self.pre.instantiate_async(&mut *store).await?;
            let validate = instance
                .get_typed_func::<(&Invocation,), (Result<(), Failure>,)>(&mut *store, self.exports.validate)?;
            if let (Err(failure),) = validate.call_async(&mut *store, (invocation,)).await? {
                return Ok(Preflight::Refused(failure));
            }
            let permissions =
                instance.get_typed_func::<(&Invocation,), (Request,)>(&mut *store, self.exports.permissions)?;
            let (request,) = permissions.call_async(&mut *store, (invocation,)).await?;
            Ok(Preflight::Accepted(request))
        })
        .await
    }

    /// Makes the call, in a fresh sandbox that holds the grant and nothing else.
    ///
    /// # Errors
    /// When the component ends without answering.
    pub async fn call(
        &self,
        control: &Arc<CallControl>,
        context: &Arc<CallContext>,
        grant: Arc<Grant>,
        invocation: &Invocation,
        deadline: Duration,
    ) -> Result<Ran, Stop> {
        let limits = &self.engine.limits;
        let mut store = self.store(Build {
            phase: Phase::Run,
            grant,
            context: Some(context.clone()),
            meter: Meter::new(limits.memory_bytes, self.engine.budget.clone()),
            control: control.clone(),
            handles: limits.handles,
            files: OpenFiles::new(limits.open_files, self.engine.files.clone()),
            output_bytes: limits.log_bytes,
            cpu_milliseconds: limits.cpu_milliseconds,
        });
        let answer = run(control, deadline, &mut store, async |store| {
            let instance = self.pre.instantiate_async(&mut *store).await?;
            let call = instance
                .get_typed_func::<(&Invocation,), (Result<Outcome, Failure>,)>(&mut *store, self.exports.call)?;
            call.call_async(&mut *store, (invocation,)).await.map(|(answer,)| answer)
        })
        .await?;
        let state = store.data();
        Ok(Ran {
            answer,
            cpu_milliseconds: state.cpu_milliseconds(),
            memory_bytes: state.meter.used(),
            withheld: state.withheld.load(Ordering::Relaxed),
            requests: state.requests,
        })
    }

    fn preflight(&self, control: &Arc<CallControl>, context: Option<Arc<CallContext>>) -> Build {
        let limits = &self.engine.limits;
        Build {
            phase: Phase::Preflight,
            grant: self.engine.nothing.clone(),
            context,
            meter: Meter::new(limits.preflight_memory_bytes, self.engine.budget.clone()),
            control: control.clone(),
            handles: PREFLIGHT_HANDLES,
            files: OpenFiles::new(0, self.engine.files.clone()),
            output_bytes: PREFLIGHT_OUTPUT,
            cpu_milliseconds: limits.preflight_milliseconds,
        }
    }

    fn store(&self, build: Build) -> Store<State> {
        let handles = usize::try_from(build.handles).unwrap_or(usize::MAX);
        let mut store = Store::new(&self.engine.inner, State::new(build));
        store.limiter(|state| &mut state.meter);
        store.set_hostcall_fuel(usize::try_from(self.engine.limits.result_bytes).unwrap_or(usize::MAX));
        store.set_max_component_handles(handles);
        // Before the instance is made: its start functions run then, and must be interrupted like anything else.
        store.set_epoch_deadline(1);
        store.epoch_deadline_callback(|mut context| match context.data_mut().tick() {
            None => Ok(UpdateDeadline::Yield(1)),
            Some(_) => Ok(UpdateDeadline::Interrupt),
        });
        store
    }
}

/// Runs one step in a store, until it answers or must end. After anything but an answer the store is of no use any more.
async fn run<T>(
    control: &CallControl,
    time: Duration,
    store: &mut Store<State>,
    step: impl AsyncFnOnce(&mut Store<State>) -> wasmtime::Result<T>,
) -> Result<T, Stop> {
    control.arm(time);
    let guarded = control.guard(step(store)).await;
    control.disarm();
    match guarded {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(Stop::classify(&error, store.data())),
        Err(kind) => Err(Stop::outside(kind, store.data())),
    }
}
