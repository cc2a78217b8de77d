//! Components: bytes that were checked, compiled once, and linked.

use std::fmt;

use wasmtime::component::{ComponentExportIndex, InstancePre};

use crate::bindings::tool::FullToolPre;
use crate::cache::Kind;
use crate::inspect::inspect;
use crate::state::State;
use crate::{Digest, Engine, contract};

/// Why bytes are no component that this host can run.
#[derive(Debug, thiserror::Error)]
pub enum ComponentError {
    /// Over the size limit.
    #[error("the component has {size} bytes; the limit is {limit} (setting `limits.componentBytes`)")]
    TooLarge {
        /// Its bytes.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Machine code. Only code that this host compiled itself is ever run.
    #[error("this is compiled machine code, not a WebAssembly component; give the component that it was made from")]
    Precompiled,
    /// A core module.
    #[error("this is a core WebAssembly module, not a component; build it for `wasm32-wasip2`")]
    Module,
    /// Not WebAssembly, or broken.
    #[error("this is no WebAssembly component: {0}")]
    Malformed(String),
    /// A component that isn't a tool.
    #[error("this component is no tool: it doesn't export `{package}/{interface}`", package = contract::PACKAGE, interface = contract::INTERFACE)]
    NotATool,
    /// A tool of another contract.
    #[error("this tool was built for contract {found}; this host serves {served}", served = contract::VERSION)]
    OtherVersion {
        /// The version that the component exports.
        found: String,
    },
    /// It imports what this host doesn't offer, or in another shape.
    #[error("this tool can't be linked: {0}")]
    Link(String),
    /// The compiler refused it.
    #[error("this component can't be compiled")]
    Compile(#[source] wasmtime::Error),
}

/// A component that's ready to be instantiated.
#[derive(Clone)]
pub struct Component {
    pub(crate) engine: Engine,
    pub(crate) pre: InstancePre<State>,
    pub(crate) exports: Exports,
    digest: Digest,
}

/// Where the four functions are in the component. Looked up once: each instance then needs only the ones it calls.
#[derive(Clone, Copy)]
pub(crate) struct Exports {
    pub(crate) describe: ComponentExportIndex,
    pub(crate) validate: ComponentExportIndex,
    pub(crate) permissions: ComponentExportIndex,
    pub(crate) call: ComponentExportIndex,
}

impl Exports {
    fn find(component: &wasmtime::component::Component) -> Option<Self> {
        let name = format!("{}/{}@{}", contract::PACKAGE, contract::INTERFACE, contract::VERSION);
        let (_, interface) = component.get_export(None, &name)?;
        let function = |name| component.get_export(Some(&interface), name).map(|(_, index)| index);
        Some(Self {
            describe: function("describe")?,
            validate: function("validate")?,
            permissions: function("permissions")?,
            call: function("call")?,
        })
    }
}

impl Component {
    /// Checks, compiles and links a component with this digest. Compiled code comes from the cache when it's there: then
    /// this takes a fraction of a millisecond, else up to seconds of processor time, so it belongs on a blocking thread.
    ///
    /// # Errors
    /// When the bytes are no tool for this host.
    pub fn load(engine: &Engine, bytes: &[u8], digest: Digest) -> Result<Self, ComponentError> {
        let cached = engine.cache().and_then(|cache| cache.get(Kind::Code, &digest, b""));
        let usable = cached.and_then(|code| from_cache(engine, &code));
        let component = match usable {
            Some(component) => component,
            None => compile(engine, bytes, &digest)?,
        };
        let link = |error: wasmtime::Error| ComponentError::Link(format!("{error:#}"));
        let pre = engine.linker.instantiate_pre(&component).map_err(link)?;
        // The generated code compares the types of all exports with the contract.
        FullToolPre::new(pre.clone()).map_err(link)?;
        let exports = Exports::find(&component).ok_or(ComponentError::NotATool)?;
        Ok(Self { engine: engine.clone(), pre, exports, digest })
    }

    /// SHA-256 of the component's bytes.
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Component").field("digest", &self.digest).finish_non_exhaustive()
    }
}

fn from_cache(engine: &Engine, code: &[u8]) -> Option<wasmtime::component::Component> {
    // SAFETY: the cache gives only bytes that this installation wrote itself, authenticated with its key for this very
    // component, engine version and settings, and these bytes in memory are the ones that were authenticated.
    #[expect(unsafe_code, reason = "the one place where machine code is taken from a file")]
    let loaded = unsafe { wasmtime::component::Component::deserialize(&engine.inner, code) };
    loaded.inspect_err(|error| tracing::warn!(%error, "cached code can't be used and is rebuilt")).ok()
}

fn compile(engine: &Engine, bytes: &[u8], digest: &Digest) -> Result<wasmtime::component::Component, ComponentError> {
    let (size, limit) = (bytes.len() as u64, engine.limits().component_bytes);
    if size > limit {
        return Err(ComponentError::TooLarge { size, limit });
    }
    if wasmtime::Engine::detect_precompiled(bytes).is_some() {
        return Err(ComponentError::Precompiled);
    }
    let inspection = inspect(bytes)?;
    let found = inspection.contract_version().ok_or(ComponentError::NotATool)?;
    if !serves(found) {
        return Err(ComponentError::OtherVersion { found: found.to_owned() });
    }
    engine.count_compiled();
    let component = wasmtime::component::Component::new(&engine.inner, bytes).map_err(ComponentError::Compile)?;
    if let (Some(cache), Ok(code)) = (engine.cache(), component.serialize()) {
        cache.put(Kind::Code, digest, b"", &code);
    }
    Ok(component)
}

/// Before 1.0 each minor version is a contract of its own; a patch adds documentation at most.
fn serves(found: &str) -> bool {
    found.split('.').take(2).eq(contract::VERSION.split('.').take(2))
}

/// Definitions are cached beside the code: listing tools then compiles and runs nothing.
impl Engine {
    /// Whether this component's code is in the cache. Looking is as safe as loading: nothing is run.
    pub fn has_code(&self, digest: &Digest) -> bool {
        self.cache().is_some_and(|cache| cache.get(Kind::Code, digest, b"").is_some())
    }

    /// The cached answer of `describe`, for one environment. JSON text that [`Engine::keep_definitions`] was given.
    pub fn cached_definitions(&self, digest: &Digest, environment: &str) -> Option<Vec<u8>> {
        self.cache()?.get(Kind::Definitions, digest, environment.as_bytes())
    }

    /// Keeps the answer of `describe`.
    pub fn keep_definitions(&self, digest: &Digest, environment: &str, text: &[u8]) {
        if let Some(cache) = self.cache() {
            cache.put(Kind::Definitions, digest, environment.as_bytes(), text);
        }
    }
}
