//! The tools of a session, in a stable order, and finding one of them.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use jsonschema::Validator;
use serde_json::Value;
use toolbay_sandbox::Engine;
use toolbay_sandbox::contract::{Definition, Environment};

use crate::repair::Scalars;
use crate::source::Source;
use crate::{Origin, json, schema};

/// The most names that an error about an unknown tool suggests.
const MOST_SUGGESTIONS: usize = 3;
/// How much alike a name must be to be suggested: 1 is equal, 0 has nothing in common.
const LIKENESS: f64 = 0.6;

/// A tool that can be called.
#[derive(Debug)]
pub struct Tool {
    definition: Definition,
    pub(crate) source: Arc<Source>,
    schema: Value,
    scalars: Scalars,
    validator: OnceLock<Option<Validator>>,
}

impl Tool {
    fn new(definition: Definition, source: Arc<Source>) -> Self {
        // The definitions were checked, so this is what `describe` gave.
        let schema = json::parse(&definition.input_schema).unwrap_or_default();
        let scalars = Scalars::of(&schema);
        Self { definition, source, schema, scalars, validator: OnceLock::new() }
    }

    /// The tool as a model sees it.
    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    /// Where it comes from.
    pub fn origin(&self) -> &Origin {
        &self.source.origin
    }

    /// The digest of its component.
    pub fn digest(&self) -> &toolbay_sandbox::Digest {
        &self.source.digest
    }

    /// The JSON Schema of its input.
    pub fn input_schema(&self) -> &Value {
        &self.schema
    }

    pub(crate) fn scalars(&self) -> &Scalars {
        &self.scalars
    }

    /// Built at the first call: listing tools needs no validators.
    pub(crate) fn validator(&self) -> Option<&Validator> {
        self.validator.get_or_init(|| schema::compile(&self.schema).ok()).as_ref()
    }
}

/// A component whose tools can't be used. It never breaks the list.
#[derive(Debug, Clone)]
pub struct Broken {
    /// Where it comes from.
    pub origin: Origin,
    /// Why.
    pub why: String,
}

/// The tools of a session: built-in ones sorted by name, then those of files sorted by name. The first of a name wins.
#[derive(Debug, Default)]
pub struct Catalogue {
    tools: Vec<Arc<Tool>>,
    by_name: HashMap<String, usize>,
    broken: Vec<Broken>,
}

impl Catalogue {
    /// Asks every component for its tools.
    pub(crate) async fn load(
        engine: &Engine,
        sources: &[Arc<Source>],
        environment: &Environment,
        forbidden: &[String],
    ) -> Self {
        let (mut tools, mut broken) = (Vec::new(), Vec::new());
        for source in sources {
            if let Some(import) = source.imports_any(forbidden) {
                let why = format!("it imports `{import}`, which the policy forbids");
                broken.push(Broken { origin: source.origin.clone(), why });
                continue;
            }
            match source.definitions(engine, environment).await {
                Ok(definitions) => {
                    tools.extend(definitions.into_iter().map(|one| Arc::new(Tool::new(one, source.clone()))));
                }
                Err(error) => broken.push(Broken { origin: source.origin.clone(), why: error.to_string() }),
            }
        }
        Self::assemble(tools, broken)
    }

    fn assemble(mut tools: Vec<Arc<Tool>>, mut broken: Vec<Broken>) -> Self {
        let block = |tool: &Tool| !matches!(tool.origin(), Origin::BuiltIn(_));
        tools.retain(|tool| tool.definition.disabled.is_none());
        tools.sort_by(|one, two| (block(one), &one.definition.name).cmp(&(block(two), &two.definition.name)));
        let mut catalogue = Self::default();
        for tool in tools {
            let name = &tool.definition.name;
            if let Some(first) = catalogue.by_name.get(name).and_then(|place| catalogue.tools.get(*place)) {
                let why = format!("its tool `{name}` has the name of a tool from {}", first.origin());
                broken.push(Broken { origin: tool.origin().clone(), why });
                continue;
            }
            catalogue.by_name.insert(name.clone(), catalogue.tools.len());
            catalogue.tools.push(tool);
        }
        // Aliases come after all names, so that no alias hides a tool.
        for (place, tool) in catalogue.tools.iter().enumerate() {
            for alias in &tool.definition.aliases {
                catalogue.by_name.entry(alias.clone()).or_insert(place);
            }
        }
        Self { broken, ..catalogue }
    }

    /// The tools, in the order in which a model sees them.
    pub fn tools(&self) -> &[Arc<Tool>] {
        &self.tools
    }

    /// The components, and the tools, that can't be used.
    pub fn broken(&self) -> &[Broken] {
        &self.broken
    }

    pub(crate) fn add_broken(&mut self, more: &[Broken]) {
        self.broken.extend_from_slice(more);
    }

    /// The tool of this name or alias.
    pub fn find(&self, name: &str) -> Option<&Arc<Tool>> {
        self.by_name.get(name).and_then(|place| self.tools.get(*place))
    }

    /// The names most like this one, best first.
    pub(crate) fn nearest(&self, name: &str) -> Vec<&str> {
        // A name of a megabyte would cost minutes to compare.
        let wanted: String = name.chars().take(64).flat_map(char::to_lowercase).collect();
        let likeness = |known: &str| strsim::jaro_winkler(&wanted, &known.to_lowercase());
        let mut known: Vec<(f64, &str)> = self
            .by_name
            .keys()
            .map(|known| (likeness(known), known.as_str()))
            .filter(|(likeness, _)| *likeness >= LIKENESS)
            .collect();
        known.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(two.1)));
        known.into_iter().take(MOST_SUGGESTIONS).map(|(_, name)| name).collect()
    }
}
