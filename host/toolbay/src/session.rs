//! One run of the host for one client.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolbay_policy::{Location, Mode, Policy};
use toolbay_sandbox::{CallControl, Observer, locate};

use crate::host::Host;
use crate::observe::ToHostLog;
use crate::record::{Recorder, ToLog};
use crate::{Agent, Catalogue, LocateError, Results};

/// How a session is made.
#[derive(Clone)]
pub struct SessionSettings {
    /// The folders that the agents work in, absolute; the first is the working directory.
    pub roots: Vec<PathBuf>,
    /// The permission mode; none: the one in the host's settings.
    pub mode: Option<Mode>,
    /// The model that drives the root agent, if it's known.
    pub model: Option<String>,
    /// Hears progress and log of tools.
    pub observer: Arc<dyn Observer>,
    /// Keeps a record of each call.
    pub recorder: Arc<dyn Recorder>,
}

impl SessionSettings {
    /// A session that works in one folder, with every default.
    pub fn in_folder(root: impl Into<PathBuf>) -> Self {
        Self {
            roots: vec![root.into()],
            mode: None,
            model: None,
            observer: Arc::new(ToHostLog),
            recorder: Arc::new(ToLog),
        }
    }
}

impl fmt::Debug for SessionSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SessionSettings").field("roots", &self.roots).finish_non_exhaustive()
    }
}

/// A session: its tools, its settings, and its agents. Cheap to clone; everything is shared.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) host: Host,
    pub(crate) id: Arc<str>,
    pub(crate) catalogue: Catalogue,
    pub(crate) results: Results,
    pub(crate) model: Option<Arc<str>>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) recorder: Arc<dyn Recorder>,
    policy: Policy,
    working_directory: PathBuf,
    calls: AtomicU64,
}

impl Session {
    pub(crate) async fn begin(host: Host, settings: SessionSettings) -> Result<Self, LocateError> {
        let id = identifier();
        let inner = host.inner();
        // In a folder that all users share, only a name of our own can't be taken before us.
        let results = match &inner.options.results {
            Some(folder) => folder.join(&*id),
            None => std::env::temp_dir().join(format!("toolbay-results-{id}")),
        };
        let results = Results::new(results);
        let roots = settings.roots.iter().map(|root| locate(root)).collect::<Result<Vec<_>, _>>()?;
        let readable = vec![own_place(results.folder())?];
        let rules = inner.rules.clone().resolved(|path| Some(locate(path).ok()?.real().to_owned()));
        let mode = settings.mode.unwrap_or(inner.options.settings.permissions.default_mode);
        let working_directory = roots.first().map_or_else(|| PathBuf::from("/"), |root| root.named().to_owned());
        let mut catalogue = Catalogue::load(&inner.engine, &inner.sources, &inner.environment).await;
        catalogue.add_broken(&inner.unreadable);
        let policy = Policy { roots, readable, rules, mode };
        Ok(Self {
            inner: Arc::new(Inner {
                id,
                catalogue,
                results,
                model: settings.model.map(Into::into),
                observer: settings.observer,
                recorder: settings.recorder,
                policy,
                working_directory,
                calls: AtomicU64::new(0),
                host,
            }),
        })
    }

    /// The session's identifier.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// The tools.
    pub fn catalogue(&self) -> &Catalogue {
        &self.inner.catalogue
    }

    /// The folders that the agents work in.
    pub fn roots(&self) -> &[Location] {
        &self.inner.policy.roots
    }

    /// The root agent. Each call of this makes a new one, with nothing read and the session's mode.
    #[must_use]
    pub fn agent(&self) -> Agent {
        Agent::root(self.clone(), self.inner.policy.clone(), self.inner.working_directory.clone())
    }

    /// A control for one use, to cancel it from elsewhere.
    pub fn control(&self) -> Arc<CallControl> {
        self.inner.host.engine().control()
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

impl Inner {
    /// An identifier for a use that came without one.
    pub(crate) fn next_call(&self) -> String {
        format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").field("id", &self.inner.id).finish_non_exhaustive()
    }
}

/// The place of a folder that only we make: whatever lies there already is not followed.
fn own_place(folder: &Path) -> Result<Location, LocateError> {
    match (folder.parent(), folder.file_name()) {
        (Some(parent), Some(name)) => {
            let parent = locate(parent)?;
            Ok(Location::new(&parent.named().join(name), &parent.real().join(name)))
        }
        _ => locate(folder),
    }
}

/// Names a session's folder, which may lie where everybody can write: nobody else can guess it.
fn identifier() -> Arc<str> {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random()).into()
}
