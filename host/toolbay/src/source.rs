//! Where a component comes from, and loading it when it's first needed.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::OnceCell;
use toolbay_sandbox::contract::{Definition, Environment};
use toolbay_sandbox::{Component, ComponentError, Digest, Engine, Stop};

use crate::definitions;

/// Where a component comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Part of this program.
    BuiltIn(String),
    /// A file.
    File(PathBuf),
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(name) => write!(formatter, "built-in {name}"),
            Self::File(path) => write!(formatter, "{}", path.display()),
        }
    }
}

/// Why a component's tools can't be used.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum SourceError {
    #[error("{0}")]
    Component(Arc<ComponentError>),
    #[error(
        "it ended while it described itself ({0}); it may take `limits.preflightMilliseconds` and `limits.preflightMemoryBytes`"
    )]
    Describe(Stop),
    #[error("{0}")]
    Definitions(String),
    #[error("loading it failed in the host: {0}")]
    Host(String),
}

impl SourceError {
    /// Whether the component is innocent, and another try may work.
    pub(crate) fn is_of_host(&self) -> bool {
        matches!(self, Self::Host(_))
    }
}

/// One component. Compiled once, at its first use.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) origin: Origin,
    pub(crate) digest: Digest,
    bytes: Cow<'static, [u8]>,
    loaded: OnceCell<Result<Component, SourceError>>,
    described: OnceCell<Result<Vec<Definition>, SourceError>>,
}

impl Source {
    pub(crate) fn new(origin: Origin, bytes: Cow<'static, [u8]>, digest: Option<Digest>) -> Self {
        let digest = digest.unwrap_or_else(|| Digest::of(&bytes));
        Self { origin, digest, bytes, loaded: OnceCell::new(), described: OnceCell::new() }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The first import that's one of these interfaces, or of these packages. Bytes that can't be read import what nobody
    /// knows.
    pub(crate) fn imports_any(&self, forbidden: &[String]) -> Option<String> {
        if forbidden.is_empty() {
            return None;
        }
        let Ok(inspection) = toolbay_sandbox::inspect(&self.bytes) else {
            return Some("an unknown interface".to_owned());
        };
        let named = |import: &str, name: &str| {
            let interface = import.split('@').next().unwrap_or(import);
            interface == name || interface.split('/').next() == Some(name)
        };
        inspection.imports.into_iter().find(|import| forbidden.iter().any(|name| named(import, name)))
    }

    /// The component, loaded. Many calls at once load it once, and what is wrong with it is found once. Compiling happens
    /// on a thread that may block.
    pub(crate) async fn load(self: &Arc<Self>, engine: &Engine) -> Result<&Component, SourceError> {
        let load = async || {
            let (source, engine) = (self.clone(), engine.clone());
            let load = move || Component::load(&engine, &source.bytes, source.digest);
            let loaded =
                tokio::task::spawn_blocking(load).await.map_err(|error| SourceError::Host(error.to_string()))?;
            Ok(loaded.map_err(|error| SourceError::Component(Arc::new(error))))
        };
        self.loaded.get_or_try_init(load).await?.as_ref().map_err(Clone::clone)
    }

    /// Whether the component's tools are known, or in the cache. What is found there is kept, and not read again.
    pub(crate) fn is_described(&self, engine: &Engine, environment: &Environment) -> bool {
        if self.described.initialized() {
            return true;
        }
        let Some(known) = key(environment).ok().and_then(|key| self.cached(engine, &key)) else {
            return false;
        };
        // Somebody who was quicker has read the same.
        drop(self.described.set(Ok(known)));
        true
    }

    fn cached(&self, engine: &Engine, key: &str) -> Option<Vec<Definition>> {
        serde_json::from_slice(&engine.cached_definitions(&self.digest, key)?).ok()
    }

    /// The component's tools, checked. From the cache when it's there: then nothing is compiled. A host has one environment,
    /// so the answer, or what is wrong with it, is found once.
    pub(crate) async fn definitions(
        self: &Arc<Self>,
        engine: &Engine,
        environment: &Environment,
    ) -> Result<Vec<Definition>, SourceError> {
        let describe = async || match self.describe(engine, environment).await {
            Err(error) if error.is_of_host() => Err(error),
            described => Ok(described),
        };
        self.described.get_or_try_init(describe).await?.clone()
    }

    async fn describe(
        self: &Arc<Self>,
        engine: &Engine,
        environment: &Environment,
    ) -> Result<Vec<Definition>, SourceError> {
        let key = key(environment)?;
        if let Some(known) = self.cached(engine, &key) {
            return Ok(known);
        }
        let component = self.load(engine).await?;
        let control = engine.control();
        let permit = engine.admit(&control).await.map_err(|refused| SourceError::Host(refused.to_string()))?;
        let described = component.describe(&control, environment).await.map_err(SourceError::Describe)?;
        drop(permit);
        definitions::check(&described).map_err(SourceError::Definitions)?;
        if let Ok(text) = serde_json::to_vec(&described) {
            engine.keep_definitions(&self.digest, &key, &text);
        }
        Ok(described)
    }
}

/// What a cached answer of `describe` depends on, beside the component.
fn key(environment: &Environment) -> Result<String, SourceError> {
    serde_json::to_string(environment).map_err(|error| SourceError::Host(error.to_string()))
}
