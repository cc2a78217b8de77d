//! The clock over all calls: one thread that advances the engine's epoch and ends calls that are overdue or cancelled.
//!
//! A guest that computes is interrupted by the epoch; a guest that waits in a host function is ended by waking its task.
//! The thread belongs to no async runtime, so that neither busy guests nor a busy server can hold it up.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use slab::Slab;

use crate::stop::StopKind;

/// The length of an epoch.
pub(crate) const TICK: Duration = Duration::from_millis(1);
/// Ticks without a call after which the thread sleeps until the next call.
const IDLE_TICKS: u32 = 200;
/// No deadline.
const NEVER: u64 = u64::MAX;

/// Ends one call from outside: at its deadline, or when it's cancelled. Shared by all steps of one use of a tool.
#[derive(Debug)]
pub struct CallControl {
    watch: Arc<Watch>,
    ticker: Arc<Ticker>,
    place: usize,
}

/// What the thread looks at. Apart from [`CallControl`], whose end takes the lock that the thread holds while it looks.
#[derive(Debug)]
struct Watch {
    started: Instant,
    /// Milliseconds after `started`.
    due: AtomicU64,
    cancelled: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Watch {
    fn overdue(&self, now: Instant) -> bool {
        let due = self.due.load(Ordering::Acquire);
        due != NEVER && now.saturating_duration_since(self.started).as_millis() >= u128::from(due)
    }

    fn wake(&self) {
        // Outside the lock: waking may poll the call at once.
        let waker = lock(&self.waker).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl CallControl {
    /// Ends the call now, whether it computes or waits. What it has done stays done.
    pub fn cancel(&self) {
        self.watch.cancelled.store(true, Ordering::Release);
        self.watch.wake();
    }

    /// Whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.watch.cancelled.load(Ordering::Acquire)
    }

    /// Sets the deadline of the step that begins now.
    pub(crate) fn arm(&self, time: Duration) {
        let due = self.watch.started.elapsed().saturating_add(time);
        self.watch.due.store(u64::try_from(due.as_millis()).unwrap_or(NEVER), Ordering::Release);
    }

    /// Between the steps no deadline runs: time that a person takes to answer doesn't count.
    pub(crate) fn disarm(&self) {
        self.watch.due.store(NEVER, Ordering::Release);
    }

    /// Stops the clock of the running step until what is given back is dropped: while a person is asked.
    pub fn pause(&self) -> Paused<'_> {
        let due = self.watch.due.swap(NEVER, Ordering::AcqRel);
        Paused { watch: &self.watch, due, since: Instant::now() }
    }

    /// Why the running step must end, if it must.
    pub(crate) fn verdict(&self) -> Option<StopKind> {
        if self.is_cancelled() {
            return Some(StopKind::Cancelled);
        }
        self.watch.overdue(Instant::now()).then_some(StopKind::Deadline)
    }

    /// Runs a step of the call until it's done or must end. A step that must end is dropped here, on the thread that ran
    /// it, which unwinds the guest.
    pub async fn guard<T>(&self, step: impl Future<Output = T>) -> Result<T, StopKind> {
        let mut step = std::pin::pin!(step);
        std::future::poll_fn(|context| {
            if let Some(stop) = self.verdict() {
                return Poll::Ready(Err(stop));
            }
            let polled = step.as_mut().poll(context).map(Ok);
            if polled.is_pending() {
                let before = lock(&self.watch.waker).replace(context.waker().clone());
                drop(before);
                // A cancellation between the first look and the new waker would wake nobody.
                if let Some(stop) = self.verdict() {
                    return Poll::Ready(Err(stop));
                }
            }
            polled
        })
        .await
    }
}

/// A step whose clock stands still.
#[derive(Debug)]
#[must_use]
pub struct Paused<'a> {
    watch: &'a Watch,
    due: u64,
    since: Instant,
}

impl Drop for Paused<'_> {
    fn drop(&mut self) {
        if self.due != NEVER {
            let waited = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(NEVER);
            self.watch.due.store(self.due.saturating_add(waited), Ordering::Release);
        }
    }
}

impl Drop for CallControl {
    fn drop(&mut self) {
        lock(&self.ticker.calls).list.try_remove(self.place);
    }
}

/// The thread and the calls that it watches.
#[derive(Debug)]
pub(crate) struct Ticker {
    calls: Mutex<Calls>,
    begun: Condvar,
}

#[derive(Debug, Default)]
struct Calls {
    list: Slab<Arc<Watch>>,
    asleep: bool,
}

impl Ticker {
    /// Starts the thread. It ends by itself when the ticker is dropped, or when `tick` says that its engine is gone.
    pub(crate) fn start(tick: impl Fn() -> bool + Send + 'static) -> std::io::Result<Arc<Self>> {
        let ticker = Arc::new(Self { calls: Mutex::default(), begun: Condvar::new() });
        let watched = Arc::downgrade(&ticker);
        thread::Builder::new().name("toolbay-clock".into()).spawn(move || run(&watched, &tick))?;
        Ok(ticker)
    }

    /// Begins to watch a call.
    pub(crate) fn watch(self: &Arc<Self>) -> Arc<CallControl> {
        let watch = Arc::new(Watch {
            started: Instant::now(),
            due: AtomicU64::new(NEVER),
            cancelled: AtomicBool::new(false),
            waker: Mutex::default(),
        });
        let mut calls = lock(&self.calls);
        let place = calls.list.insert(watch.clone());
        if calls.asleep {
            self.begun.notify_one();
        }
        Arc::new(CallControl { watch, ticker: self.clone(), place })
    }
}

fn run(watched: &Weak<Ticker>, tick: &impl Fn() -> bool) {
    let mut idle = 0;
    loop {
        thread::sleep(TICK);
        let Some(ticker) = watched.upgrade() else { return };
        if !tick() {
            return;
        }
        let mut calls = lock(&ticker.calls);
        idle = if calls.list.is_empty() { idle + 1 } else { 0 };
        if idle > IDLE_TICKS {
            calls.asleep = true;
            // A bounded sleep, so that the thread also notices when its engine is dropped.
            let (mut woken, _) =
                ticker.begun.wait_timeout(calls, Duration::from_secs(1)).unwrap_or_else(PoisonError::into_inner);
            woken.asleep = false;
            continue;
        }
        let now = Instant::now();
        let overdue: Vec<Arc<Watch>> =
            calls.list.iter().filter(|(_, watch)| watch.overdue(now)).map(|(_, watch)| watch.clone()).collect();
        drop(calls);
        overdue.iter().for_each(|watch| watch.wake());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().build().unwrap()
    }

    #[test]
    fn a_step_that_waits_ends_at_its_deadline() {
        let ticker = Ticker::start(|| true).unwrap();
        let control = ticker.watch();
        control.arm(Duration::from_millis(20));
        let ended = runtime().block_on(control.guard(std::future::pending::<()>()));
        assert_eq!(ended, Err(StopKind::Deadline));
    }

    #[test]
    fn a_step_that_waits_ends_when_cancelled_from_another_thread() {
        let ticker = Ticker::start(|| true).unwrap();
        let control = ticker.watch();
        let canceller = control.clone();
        thread::spawn(move || canceller.cancel());
        assert_eq!(runtime().block_on(control.guard(std::future::pending::<()>())), Err(StopKind::Cancelled));
    }

    #[test]
    fn time_in_a_pause_does_not_count() {
        let ticker = Ticker::start(|| true).unwrap();
        let control = ticker.watch();
        control.arm(Duration::from_millis(30));
        let paused = control.pause();
        thread::sleep(Duration::from_millis(60));
        assert_eq!(control.verdict(), None);
        drop(paused);
        assert_eq!(control.verdict(), None);
        thread::sleep(Duration::from_millis(60));
        assert_eq!(control.verdict(), Some(StopKind::Deadline));
    }

    #[test]
    fn a_call_that_ends_is_watched_no_longer() {
        let ticker = Ticker::start(|| true).unwrap();
        drop(ticker.watch());
        assert!(lock(&ticker.calls).list.is_empty());
    }
}
