//! What a tool may know of its call and tell its host.

#[cfg(not(target_arch = "wasm32"))]
use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

#[cfg(target_arch = "wasm32")]
use crate::bindings::toolbay::tool::{context, permissions, read_state};
use crate::{Access, Denied, Level, Mode, ReadEntry, ReadRefusal};

/// The call's surroundings. On WebAssembly each method asks the host, so nothing is paid for what isn't used; natively it
/// is a mock for unit tests.
#[derive(Debug, Clone)]
pub struct Context {
    #[cfg(not(target_arch = "wasm32"))]
    mock: Mock,
}

/// What a native context answers and remembers.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone)]
struct Mock {
    working_directory: String,
    read: Rc<RefCell<BTreeMap<String, ReadEntry>>>,
    log: Rc<RefCell<Vec<String>>>,
}

#[cfg(target_arch = "wasm32")]
impl Context {
    pub(crate) fn of_call() -> Self {
        Self {}
    }

    /// The session's identifier.
    #[must_use]
    pub fn session(&self) -> String {
        context::session()
    }

    /// The calling agent's identifier; `main` is the root agent.
    #[must_use]
    pub fn agent(&self) -> String {
        context::agent()
    }

    /// The identifier of this use.
    #[must_use]
    pub fn call_id(&self) -> String {
        context::call_id()
    }

    /// Where relative paths start; absolute.
    #[must_use]
    pub fn working_directory(&self) -> String {
        context::working_directory()
    }

    /// What `~/` means in a declared path.
    #[must_use]
    pub fn home_directory(&self) -> Option<String> {
        context::home_directory()
    }

    /// The calling agent's type; none for the root agent.
    #[must_use]
    pub fn agent_type(&self) -> Option<String> {
        context::agent_type()
    }

    /// The model that drives the agent, when the host knows it.
    #[must_use]
    pub fn model(&self) -> Option<String> {
        context::model()
    }

    /// The folders that the agent works in, absolute.
    #[must_use]
    pub fn roots(&self) -> Vec<String> {
        context::roots()
    }

    /// The agent's permission mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        context::permission_mode()
    }

    /// Whether a person can be asked.
    #[must_use]
    pub fn interactive(&self) -> bool {
        context::interactive()
    }

    /// Whether the call was cancelled.
    #[must_use]
    pub fn cancelled(&self) -> bool {
        context::cancelled()
    }

    /// Tells the caller how far the call has come: `done` of `total`, in any unit.
    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        let message = (!message.is_empty()).then(|| message.to_owned());
        context::progress(&context::ProgressUpdate { done, total, message });
    }

    /// Writes to the host's log.
    pub fn log(&self, level: Level, message: &str) {
        context::log(level, message);
    }

    /// What this agent has read of a file.
    #[must_use]
    pub fn read_of(&self, path: &str) -> Option<ReadEntry> {
        read_state::get(path)
    }

    /// Records that this call has read a file.
    ///
    /// # Errors
    /// Without a grant to read the path, in `validate` and `permissions`, and for a malformed digest.
    pub fn record_read(&self, path: &str, entry: &ReadEntry) -> Result<(), ReadRefusal> {
        read_state::put(path, entry)
    }

    /// Asks for one more access while the call runs, for what its input couldn't tell beforehand. Once granted, the ordinary
    /// operation works.
    ///
    /// # Errors
    /// When rules or a person say no, and in `validate` and `permissions`.
    pub fn request(&self, access: &Access) -> Result<(), Denied> {
        permissions::request(access)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Context {
    /// A context for unit tests, with this working directory as the only root.
    pub fn mock(working_directory: impl Into<String>) -> Self {
        Self { mock: Mock { working_directory: working_directory.into(), read: Rc::default(), log: Rc::default() } }
    }

    /// What the tool has logged so far.
    #[must_use]
    pub fn logged(&self) -> Vec<String> {
        self.mock.log.borrow().clone()
    }

    pub(crate) fn of_call() -> Self {
        Self::mock("/")
    }

    /// The session's identifier.
    #[must_use]
    pub fn session(&self) -> String {
        "session".to_owned()
    }

    /// The calling agent's identifier; `main` is the root agent.
    #[must_use]
    pub fn agent(&self) -> String {
        "main".to_owned()
    }

    /// The identifier of this use.
    #[must_use]
    pub fn call_id(&self) -> String {
        "call".to_owned()
    }

    /// Where relative paths start; absolute.
    #[must_use]
    pub fn working_directory(&self) -> String {
        self.mock.working_directory.clone()
    }

    /// What `~/` means in a declared path: here `home` below the working directory.
    #[must_use]
    pub fn home_directory(&self) -> Option<String> {
        Some(format!("{}/home", self.mock.working_directory))
    }

    /// The calling agent's type; none for the root agent.
    #[must_use]
    pub fn agent_type(&self) -> Option<String> {
        None
    }

    /// The model that drives the agent, when the host knows it.
    #[must_use]
    pub fn model(&self) -> Option<String> {
        None
    }

    /// The folders that the agent works in, absolute.
    #[must_use]
    pub fn roots(&self) -> Vec<String> {
        vec![self.working_directory()]
    }

    /// The agent's permission mode.
    #[must_use]
    pub fn mode(&self) -> Mode {
        Mode::Default
    }

    /// Whether a person can be asked.
    #[must_use]
    pub fn interactive(&self) -> bool {
        false
    }

    /// Whether the call was cancelled.
    #[must_use]
    pub fn cancelled(&self) -> bool {
        false
    }

    /// Tells the caller how far the call has come: `done` of `total`, in any unit.
    pub fn progress(&self, done: f64, total: Option<f64>, message: &str) {
        self.mock.log.borrow_mut().push(format!("{done}/{total:?} {message}"));
    }

    /// Writes to the host's log.
    pub fn log(&self, level: Level, message: &str) {
        self.mock.log.borrow_mut().push(format!("{level:?}: {message}"));
    }

    /// What this agent has read of a file.
    #[must_use]
    pub fn read_of(&self, path: &str) -> Option<ReadEntry> {
        self.mock.read.borrow().get(path).cloned()
    }

    /// Records that this call has read a file.
    ///
    /// # Errors
    /// None natively; see the WebAssembly version.
    pub fn record_read(&self, path: &str, entry: &ReadEntry) -> Result<(), ReadRefusal> {
        self.mock.read.borrow_mut().insert(path.to_owned(), entry.clone());
        Ok(())
    }

    /// Asks for one more access. The mock grants everything and notes it in the log.
    ///
    /// # Errors
    /// None natively; see the WebAssembly version.
    pub fn request(&self, access: &Access) -> Result<(), Denied> {
        self.mock.log.borrow_mut().push(format!("request {access:?}"));
        Ok(())
    }
}
