//! The process: one engine, the components it knows, and the threads that guests run on.

use std::fmt;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinError;
use toolbay_sandbox::contract::Environment;
use toolbay_sandbox::{Allocator, Digest, Engine, EngineError, EngineSettings};

use crate::settings::{AllocatorSetting, Settings, SettingsError, SettingsPlaces};
use crate::source::Source;
use crate::{Broken, Origin, Session, SessionSettings, builtin};

/// Why there is no host.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The engine can't be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The threads for guests can't be started.
    #[error("the threads that tools run on can't be started")]
    Threads(#[source] std::io::Error),
    /// The settings can't be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// How a host is made. `HostOptions::default()` serves: a pool, no cache, no settings.
#[derive(Debug, Clone, Default)]
pub struct HostOptions {
    /// What the command line, or the embedding program, says.
    pub settings: Settings,
    /// Where the other sources of settings lie; none are read by default.
    pub places: SettingsPlaces,
    /// Folders of the host's own, such as its audit: closed for every tool. The cache and the user's settings always are.
    pub own: Vec<PathBuf>,
    /// Where instances live unless the settings say so. None: in a pool.
    pub allocator: Option<Allocator>,
    /// The folder of compiled code; none: compile in every process.
    pub cache: Option<PathBuf>,
    /// The folder below which each session keeps its large results; none: the system's folder for temporary files.
    pub results: Option<PathBuf>,
    /// What `~/` means in a tool's request.
    pub home: Option<PathBuf>,
    /// Leaves the built-in tools out, to run a component alone.
    pub without_built_in: bool,
}

/// The process that hosts tools. Cheap to clone; everything is shared.
#[derive(Clone)]
pub struct Host {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: Engine,
    pub(crate) sources: Vec<Arc<Source>>,
    /// Files that couldn't be read.
    pub(crate) unreadable: Vec<Broken>,
    pub(crate) options: HostOptions,
    pub(crate) environment: Environment,
    /// The home folder as guests see it.
    pub(crate) home_text: Option<Arc<str>>,
    guests: Guests,
}

/// The runtime that guests run on: one worker a core, and between two slices of guests it always looks at its timers and
/// sockets. A server on top has a runtime of its own, so that busy guests never hold it up.
struct Guests(Option<Runtime>);

impl Drop for Guests {
    fn drop(&mut self) {
        // Dropping a runtime waits for its threads, which is an error in async code.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Host {
    /// Sets up the engine and reads the components that the settings name. A component that can't be read doesn't stop
    /// the host: it's listed as broken.
    ///
    /// # Errors
    /// When the engine can't be set up, the cache belongs to somebody else, or a rule can't be read.
    pub fn new(mut options: HostOptions) -> Result<Self, HostError> {
        options.settings.check()?;
        if let Some(user) = options.places.user_settings()? {
            options.settings = options.settings.over(&user);
        }
        let limits = options.settings.limits.clone();
        let allocator = match options.settings.engine.allocator {
            Some(AllocatorSetting::Pool) => Allocator::Pool,
            Some(AllocatorSetting::OnDemand) => Allocator::OnDemand,
            None => options.allocator.unwrap_or(Allocator::Pool),
        };
        let engine = Engine::new(&EngineSettings { allocator, limits, cache: options.cache.clone() })?;
        let guests = Builder::new_multi_thread()
            .thread_name("toolbay-guests")
            .enable_all()
            .event_interval(1)
            .global_queue_interval(1)
            .build()
            .map_err(HostError::Threads)?;
        let mut sources: Vec<Arc<Source>> = builtin::all()
            .filter(|_| !options.without_built_in)
            .map(|(name, built)| Source::new(Origin::BuiltIn(name.to_owned()), built.bytes.into(), Some(built.digest)))
            .map(Arc::new)
            .collect();
        let mut unreadable = Vec::new();
        for path in &options.settings.components {
            match read_component(path, engine.limits().component_bytes) {
                Ok(source) => sources.push(Arc::new(source)),
                Err(why) => unreadable.push(Broken { origin: Origin::File(path.clone()), why }),
            }
        }
        let environment = environment(&options.settings);
        let guests = Guests(Some(guests));
        let home_text = options.home.as_deref().and_then(Path::to_str).map(Into::into);
        let inner = Inner { engine, sources, unreadable, options, environment, home_text, guests };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Begins a session: describes every component that isn't known yet.
    ///
    /// # Errors
    /// When a root can't be resolved, when settings of any source can't be used, and for a mode that the policy forbids.
    pub async fn session(&self, settings: SessionSettings) -> Result<Session, SettingsError> {
        let begun = self.on_guests(Session::begin(self.clone(), settings)).await;
        // A panic in there is one here.
        begun.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    /// The components: where each comes from, its digest, and its bytes.
    pub fn components(&self) -> impl Iterator<Item = (&Origin, &Digest, &[u8])> {
        self.inner.sources.iter().map(|source| (&source.origin, &source.digest, source.bytes()))
    }

    /// Describes every component that isn't known in this environment yet, which compiles it. `begin` hears which one is
    /// next, with its place and the number of all. After this, a session begins without compiling.
    pub async fn describe(&self, begin: impl FnMut(&Origin, usize, usize)) {
        let inner = &self.inner;
        self.prepare(|source| source.is_described(&inner.engine, &inner.environment), begin).await;
    }

    /// Compiles every component whose code isn't in the cache; else like [`Host::describe`].
    pub async fn warm(&self, begin: impl FnMut(&Origin, usize, usize)) {
        let inner = &self.inner;
        self.prepare(|source| inner.engine.has_code(&source.digest), begin).await;
    }

    /// Components that can't be used are reported by the session, which asks them again.
    async fn prepare(&self, ready: impl Fn(&Source) -> bool, mut begin: impl FnMut(&Origin, usize, usize)) {
        let cold: Vec<_> = self.inner.sources.iter().filter(|source| !ready(source)).collect();
        for (place, source) in cold.iter().enumerate() {
            begin(&source.origin, place, cold.len());
            let (host, source) = (self.clone(), Arc::clone(source));
            let ready = async move {
                let inner = &*host.inner;
                source.load(&inner.engine).await?;
                source.definitions(&inner.engine, &inner.environment).await
            };
            match self.on_guests(ready).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => tracing::debug!(%error, "a component can't be used"),
                Err(error) => tracing::error!(%error, "a component can't be prepared"),
            }
        }
    }

    /// Guests run on their own runtime. Where that's the current one nothing is handed over, which saves two thread
    /// switches.
    pub(crate) async fn on_guests<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, JoinError> {
        if self.is_on_guests() {
            return Ok(work.await);
        }
        self.guests().spawn(work).await
    }

    /// Whether the current task is one of the guests' runtime.
    pub(crate) fn is_on_guests(&self) -> bool {
        Handle::try_current().is_ok_and(|current| current.id() == self.guests().id())
    }

    /// How many components this process has compiled because the cache had no usable entry.
    pub fn compiled(&self) -> u64 {
        self.inner.engine.compiled()
    }

    /// The settings that hold for the whole process: those of the command line over the user's.
    pub fn settings(&self) -> &Settings {
        &self.inner.options.settings
    }

    /// The engine, for its limits and its cache.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// Runs a future on this thread, as part of the guests' runtime: calls in it cross to no other thread.
    ///
    /// # Panics
    /// In async code: await the future there.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.guests().block_on(future)
    }

    /// The runtime that guests run on.
    pub(crate) fn guests(&self) -> &Handle {
        self.inner.guests()
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Inner {
    fn guests(&self) -> &Handle {
        match &self.guests.0 {
            Some(runtime) => runtime.handle(),
            None => unreachable!("taken only when the host is dropped"),
        }
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Host").field("components", &self.inner.sources.len()).finish_non_exhaustive()
    }
}

#[expect(clippy::disallowed_methods, reason = "a component that a person named")]
fn read_component(path: &PathBuf, limit: u64) -> Result<Source, String> {
    let size = std::fs::metadata(path).map_err(|error| format!("it can't be read: {error}"))?.len();
    if size > limit {
        return Err(format!("it has {size} bytes; the limit is {limit} (setting `limits.componentBytes`)"));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("it can't be read: {error}"))?;
    Ok(Source::new(Origin::File(path.clone()), bytes.into(), None))
}

fn environment(settings: &Settings) -> Environment {
    Environment {
        host_version: env!("CARGO_PKG_VERSION").to_owned(),
        platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        interactive: false,
        features: settings.features.clone(),
        region: settings.region.clone(),
    }
}
