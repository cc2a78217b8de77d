//! One run of the host for one client.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::Mutex;
use toolbay_policy::{Anchors, Fault, Finding, List, Location, Mode, Policy, Rules, Source, Wildcard, Written, lint};
use toolbay_sandbox::{CallControl, Observer, locate};

use crate::approval::{Approver, Nobody};
use crate::host::Host;
use crate::observe::ToHostLog;
use crate::record::{Recorder, ToLog};
use crate::settings::{Layers, SettingsError, add_rules};
use crate::{Agent, Catalogue, LocateError, Results};

/// How a session is made.
#[derive(Clone)]
pub struct SessionSettings {
    /// The folders that the agents work in, absolute; the first is the working directory, and the project.
    pub roots: Vec<PathBuf>,
    /// The permission mode; none: the one in the settings.
    pub mode: Option<Mode>,
    /// The model that drives the root agent, if it's known.
    pub model: Option<String>,
    /// Hears progress and log of tools.
    pub observer: Arc<dyn Observer>,
    /// Keeps a record of each decision and call.
    pub recorder: Arc<dyn Recorder>,
    /// Asks a person where a rule or default says so.
    pub approver: Arc<dyn Approver>,
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
            approver: Arc::new(Nobody),
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
    pub(crate) approver: Arc<dyn Approver>,
    /// Held while a person is asked, so that the next question is asked with the answer to this one in mind.
    pub(crate) asking: Mutex<()>,
    layers: Layers,
    anchors: Anchors,
    /// What decisions are made from, replaced when a person's answer adds a rule.
    policy: RwLock<Arc<Policy>>,
    /// Where "always" writes to.
    local_file: Option<PathBuf>,
    working_directory: PathBuf,
    calls: AtomicU64,
}

impl Session {
    pub(crate) async fn begin(host: Host, settings: SessionSettings) -> Result<Self, SettingsError> {
        let id = identifier();
        let inner = host.inner();
        // In a folder that all users share, only a name of our own can't be taken before us.
        let results = match &inner.options.results {
            Some(folder) => folder.join(&*id),
            None => std::env::temp_dir().join(format!("toolbay-results-{id}")),
        };
        let results = Results::new(results);
        let mut roots = settings.roots.iter().map(|root| locate(root)).collect::<Result<Vec<_>, _>>()?;
        let project = roots.first().cloned().unwrap_or_else(|| Location::plain(Path::new("/")));
        let places = &inner.options.places;
        let mut layers = Layers::read(places, &inner.options.settings, &project)?;
        roots.extend(layers.directories().map(locate).collect::<Result<Vec<_>, _>>()?);
        let home = inner.options.home.as_deref().and_then(|home| locate(home).ok());
        let anchors = Anchors { roots: roots.clone(), home: home.clone() };
        let rules = compile(layers.rules(&anchors)?, &anchors)?;
        let mode = layers.mode(settings.mode)?;
        layers.warnings.iter().for_each(|warning| tracing::warn!(target: "toolbay::settings", "{warning}"));
        let policy = Policy {
            readable: vec![own_place(results.folder())?],
            own: own_places(&host, &project)?,
            guarded: guarded(&host, &project)?,
            roots,
            home,
            rules: Arc::new(rules),
            mode,
            ..Policy::default()
        };
        let working_directory = policy.roots.first().map_or_else(|| PathBuf::from("/"), |root| root.named().to_owned());
        let forbidden = &layers.forbidden().capabilities;
        let mut catalogue = Catalogue::load(&inner.engine, &inner.sources, &inner.environment, forbidden).await;
        catalogue.add_broken(&inner.unreadable);
        warn(&policy.rules, &catalogue);
        Ok(Self {
            inner: Arc::new(Inner {
                id,
                catalogue,
                results,
                model: settings.model.map(Into::into),
                observer: settings.observer,
                recorder: settings.recorder,
                approver: settings.approver,
                asking: Mutex::new(()),
                local_file: places.local_file(&project),
                layers,
                anchors,
                policy: RwLock::new(Arc::new(policy)),
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

    /// What decisions are made from now: folders, rules and mode.
    pub fn policy(&self) -> Arc<Policy> {
        self.inner.policy.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The sources of settings, and what became of each.
    pub fn layers(&self) -> &Layers {
        &self.inner.layers
    }

    /// The file that "always" answers are written to, if there is one.
    pub fn local_file(&self) -> Option<&Path> {
        self.inner.local_file.as_deref()
    }

    /// The root agent. Each call of this makes a new one, with nothing read and the session's mode.
    #[must_use]
    pub fn agent(&self) -> Agent {
        Agent::root(self.clone(), self.inner.working_directory.clone())
    }

    /// A control for one use, to cancel it from elsewhere.
    pub fn control(&self) -> Arc<CallControl> {
        self.inner.host.engine().control()
    }

    /// Takes back everything that persons have allowed since it began. What they allowed for good stays in its file.
    pub fn revoke(&self) {
        // What "always" added stands in its file, and was added here without a place.
        let answered = |rule: &Written| {
            let always = rule.origin.source == Source::Local && rule.origin.place.is_none();
            rule.origin.source == Source::Session || always
        };
        self.replace_rules(|written| written.retain(|rule| !answered(rule)));
    }

    /// Makes rules ready for this session's folders, such as those that a subagent brings along.
    ///
    /// # Errors
    /// For a rule that can't be used.
    pub fn compile(&self, written: Vec<Written>) -> Result<Rules, SettingsError> {
        compile(written, &self.inner.anchors)
    }

    /// Whether an answer may add a rule until the session ends, and whether it may for good.
    pub(crate) fn may_add_rules(&self) -> (bool, bool) {
        let forbidden = &self.inner.layers.forbidden().sources;
        let allowed = |source: Source| !forbidden.contains(&source);
        (allowed(Source::Session), allowed(Source::Local) && self.inner.local_file.is_some())
    }

    /// A person has allowed what these rules say, for this tool.
    pub(crate) fn allow(&self, tool: &str, rules: &[String], always: bool) -> Result<(), SettingsError> {
        let file = self.inner.local_file.as_deref().filter(|_| always);
        if let Some(file) = file {
            add_rules(file, tool, rules)?;
        }
        let source = if file.is_some() { Source::Local } else { Source::Session };
        self.replace_rules(|written| {
            written.extend(
                rules.iter().filter_map(|rule| rule.parse().ok()).map(|rule| Written {
                    tools: Some(Wildcard::new(tool)),
                    ..Written::new(List::Allow, rule, source)
                }),
            );
        });
        Ok(())
    }

    fn replace_rules(&self, change: impl FnOnce(&mut Vec<Written>)) {
        let mut policy = self.inner.policy.write().unwrap_or_else(PoisonError::into_inner);
        let mut written = policy.rules.written().to_vec();
        change(&mut written);
        match compile(written, &self.inner.anchors) {
            Ok(rules) => Arc::make_mut(&mut policy).rules = Arc::new(rules),
            // The rules that were there stay.
            Err(error) => tracing::error!(%error, "a rule that a person allowed can't be used"),
        }
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }
}

fn compile(written: Vec<Written>, anchors: &Anchors) -> Result<Rules, SettingsError> {
    let look = |path: &Path| locate(path).ok();
    Rules::compile(written, anchors, &look).map_err(|error| SettingsError::Rules(Box::new(error)))
}

/// Rules that surely aren't what their writer meant. `lint` has more to say to who asks.
fn warn(rules: &Rules, catalogue: &Catalogue) {
    let tools: Vec<&str> = catalogue.tools().iter().map(|tool| &*tool.definition().name).collect();
    for Finding { written, fault } in lint(rules, &tools) {
        if matches!(fault, Fault::NoTool | Fault::LooksAbsolute | Fault::Letters(_)) {
            tracing::warn!(target: "toolbay::settings", "the rule {} in {} of {} {fault}", written.rule, written.list, written.origin);
        }
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

/// The host's own folders, by the names that they have and by where those lead now: a folder of settings may be a link into
/// one of dotfiles, and so may a file in it.
fn own_places(host: &Host, project: &Location) -> Result<Vec<Location>, LocateError> {
    let options = &host.inner().options;
    let folders = options.places.config.iter().chain(&options.cache).chain(&options.own);
    let mut own = Vec::new();
    for folder in folders {
        own.extend([own_place(folder)?, locate(folder)?]);
    }
    let files = [options.places.user_file(), options.places.local_file(project), options.places.trust_file()];
    own.extend(files.iter().flatten().map(|file| locate(file)).collect::<Result<Vec<_>, _>>()?);
    Ok(own)
}

/// Files that decide what is allowed or what runs, outside the host's own folders.
fn guarded(host: &Host, project: &Location) -> Result<Vec<Location>, LocateError> {
    let options = &host.inner().options;
    let settings = options.settings.permissions.file.as_deref();
    let policy = options.places.policy.as_deref().and_then(Path::parent);
    let project = options.places.project_file(project);
    let files = settings.into_iter().chain(policy).chain(project.as_deref());
    let components = options.settings.components.iter().map(PathBuf::as_path);
    // What has no absolute name was named by a program that knows where it is.
    files.chain(components).filter(|file| file.is_absolute()).map(locate).collect()
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
