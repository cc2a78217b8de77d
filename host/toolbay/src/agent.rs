//! An identity in a session: its own mode, folder and memory of what it has read.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolbay_policy::{List, Mode, Policy, Refused, Wish};
use toolbay_sandbox::{CallControl, ReadState};

use crate::pipeline::{self, Early, Prepared};
use crate::read_state::AgentReadState;
use crate::report::{Explanation, Report};
use crate::{CallError, Session, SettingsError, Tool, turn};

/// One use of a tool, as a model asks for it.
#[derive(Debug, Clone, Default)]
pub struct Use {
    /// The tool's name or alias.
    pub tool: String,
    /// The input, JSON text.
    pub input: String,
    /// Unique within the session; none: the session gives one.
    pub id: Option<String>,
    /// None: the limit in the settings. At most 600 s.
    pub deadline: Option<Duration>,
}

impl Use {
    /// A use of a tool with this input.
    pub fn new(tool: impl Into<String>, input: impl Into<String>) -> Self {
        Self { tool: tool.into(), input: input.into(), ..Self::default() }
    }
}

/// An agent of a session. Cheap to clone; clones are the same agent.
#[derive(Clone)]
pub struct Agent {
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) session: Session,
    pub(crate) id: Arc<str>,
    pub(crate) read_state: Arc<dyn ReadState>,
    pub(crate) roots: Arc<[String]>,
    /// Whose subagent it is; none: a root agent.
    parent: Option<Agent>,
    context: Mutex<AgentContext>,
}

/// What calls can change of an agent.
#[derive(Debug, Clone)]
pub(crate) struct AgentContext {
    /// What it may do now: the session's policy, or its share of its parent's, in its own mode.
    pub(crate) policy: Arc<Policy>,
    /// What that was made from.
    base: Arc<Policy>,
    /// What it wished for, as a subagent.
    wish: Option<Wish>,
    /// Its own mode; none: that of the session or of its parent.
    mode: Option<Mode>,
    /// The mode to go back to after plan mode.
    pub(crate) before_plan: Option<Mode>,
    pub(crate) working_directory: PathBuf,
}

impl AgentContext {
    pub(crate) fn set_mode(&mut self, mode: Mode) {
        self.mode = Some(mode);
        self.policy = derive(&self.base, self.wish.as_ref(), self.mode).0;
    }
}

/// The policy of an agent. A parent's later denies are in its base, so they hold for the child's next call.
fn derive(base: &Arc<Policy>, wish: Option<&Wish>, mode: Option<Mode>) -> (Arc<Policy>, Vec<Refused>) {
    match wish {
        Some(wish) => {
            let (policy, refused) = base.derive(&Wish { mode: mode.or(wish.mode), ..wish.clone() });
            (Arc::new(policy), refused)
        }
        None => match mode.filter(|mode| *mode != base.mode) {
            Some(mode) => (Arc::new(Policy { mode, ..Policy::clone(base) }), Vec::new()),
            None => (base.clone(), Vec::new()),
        },
    }
}

impl Agent {
    pub(crate) fn root(session: Session, working_directory: PathBuf) -> Self {
        let base = session.policy();
        let context =
            AgentContext { policy: base.clone(), base, wish: None, mode: None, before_plan: None, working_directory };
        Self::new(session, "main", None, context)
    }

    fn new(session: Session, id: &str, parent: Option<Self>, context: AgentContext) -> Self {
        let roots = context.policy.roots.iter().map(|root| root.named().display().to_string()).collect();
        let read_state = Arc::new(AgentReadState::new());
        let context = Mutex::new(context);
        Self { inner: Arc::new(Inner { session, id: id.into(), read_state, roots, parent, context }) }
    }

    /// A subagent that may do what it wishes, as far as this agent may: never more, now or later. Also says what of the wish
    /// was too much.
    pub fn derive(&self, id: &str, wish: Wish) -> (Self, Vec<Refused>) {
        let (base, folder) = {
            let context = self.context();
            (context.policy.clone(), context.working_directory.clone())
        };
        let (policy, refused) = derive(&base, Some(&wish), None);
        let inside = policy.roots.iter().any(|root| folder.starts_with(root.named()));
        let folder = match policy.roots.first().filter(|_| !inside) {
            Some(root) => root.named().to_owned(),
            None => folder,
        };
        let context =
            AgentContext { policy, base, wish: Some(wish), mode: None, before_plan: None, working_directory: folder };
        (Self::new(self.inner.session.clone(), id, Some(self.clone()), context), refused)
    }

    /// A person chooses another mode for this agent.
    ///
    /// # Errors
    /// When the administrator's policy forbids it.
    pub fn set_mode(&self, mode: Mode) -> Result<(), SettingsError> {
        self.inner.session.layers().check_mode(mode)?;
        let mut context = self.context();
        context.before_plan = None;
        context.set_mode(mode);
        Ok(())
    }

    /// Uses a tool.
    pub async fn call(&self, used: Use) -> Report {
        self.call_with(used, self.inner.session.control()).await
    }

    /// Uses a tool; the control ends it from elsewhere. A control serves one use.
    pub async fn call_with(&self, used: Use, control: Arc<CallControl>) -> Report {
        if self.inner.session.inner().host.is_on_guests() {
            return pipeline::call(self, used, control).await;
        }
        let (id, tool) = (used.id.clone().unwrap_or_default(), used.tool.clone());
        let agent = self.clone();
        let called = self.on_guests(control.clone(), async move { pipeline::call(&agent, used, control).await }).await;
        called.unwrap_or_else(|error| Report::failed(id, tool, error))
    }

    /// Uses several tools in one turn: neighbours that may run beside each other do, all others run alone and in order.
    /// One failure doesn't end the others; a context change counts for every later use.
    pub async fn turn(&self, uses: Vec<Use>) -> Vec<Report> {
        turn::run(self, uses).await
    }

    /// The first half of a use, for a turn.
    pub(crate) async fn prepare(&self, used: Use, first: bool) -> Result<Box<Prepared>, Early> {
        let control = self.inner.session.control();
        let (id, tool) = (used.id.clone().unwrap_or_default(), used.tool.clone());
        let agent = self.clone();
        let asked =
            self.on_guests(control.clone(), async move { pipeline::prepare(&agent, used, control, first).await }).await;
        asked.unwrap_or_else(|error| Err(Early::Ended(Box::new(Report::failed(id, tool, error)))))
    }

    /// The second half.
    pub(crate) async fn complete(&self, prepared: Prepared) -> Report {
        let (id, tool, control) = prepared.identity();
        let called = self.on_guests(control, pipeline::complete(prepared)).await;
        called.unwrap_or_else(|error| Report::failed(id, tool, error))
    }

    /// What a use would be allowed, and why, without making the call.
    ///
    /// # Errors
    /// Where the call would end before it's decided.
    pub async fn why(&self, used: Use) -> Result<Explanation, CallError> {
        let (agent, control) = (self.clone(), self.inner.session.control());
        self.on_guests(control.clone(), async move { pipeline::explain(&agent, used, control).await }).await?
    }

    /// The tools that a model sees: all but those that a rule denies as a whole.
    pub fn tools(&self) -> Vec<Arc<Tool>> {
        let policy = self.context().policy.clone();
        let seen = |tool: &&Arc<Tool>| policy.rule_about_call(List::Deny, &tool.definition().name, &[]).is_none();
        self.inner.session.catalogue().tools().iter().filter(seen).cloned().collect()
    }

    /// The permission mode.
    pub fn mode(&self) -> Mode {
        self.context().policy.mode
    }

    /// Where relative paths start.
    pub fn working_directory(&self) -> PathBuf {
        self.context().working_directory.clone()
    }

    /// Whether this agent has read the file at this path.
    pub fn has_read(&self, path: &Path) -> bool {
        path.to_str().is_some_and(|path| self.inner.read_state.get(path).is_some())
    }

    /// The session.
    pub fn session(&self) -> &Session {
        &self.inner.session
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// What it may do is made anew when the session's or its parent's policy has changed.
    pub(crate) fn context(&self) -> MutexGuard<'_, AgentContext> {
        let base = match &self.inner.parent {
            Some(parent) => parent.context().policy.clone(),
            None => self.inner.session.policy(),
        };
        let mut context = self.inner.context.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&context.base, &base) {
            context.policy = derive(&base, context.wish.as_ref(), context.mode).0;
            context.base = base;
        }
        context
    }

    /// Hands work to the guests' runtime. When the caller goes away, the call is cancelled.
    async fn on_guests<T: Send + 'static>(
        &self,
        control: Arc<CallControl>,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, CallError> {
        let mut gone = CancelOnDrop(Some(control));
        let done = self.inner.session.inner().host.on_guests(work).await;
        gone.0 = None;
        done.map_err(|error| {
            tracing::error!(%error, "the host failed during a call");
            CallError::lost("").because(error.to_string())
        })
    }
}

/// Cancels the call of a caller that goes away before it's done.
struct CancelOnDrop(Option<Arc<CallControl>>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.cancel();
        }
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Agent").field("id", &self.inner.id).finish_non_exhaustive()
    }
}
