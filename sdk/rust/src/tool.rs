//! The trait that a tool implements, and how its schema comes about.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::de::DeserializeOwned;

use crate::{Context, Definition, Environment, Failure, JsonSchema, Loading, Outcome, Overflow, Request};

/// A tool: a name, an input, and what to do with it.
///
/// `validate` and `permissions` run before anybody has agreed to the call, in a sandbox without capabilities. They must be
/// pure and quick (1 s, 64 MiB). `call` runs in a fresh sandbox that holds what `permissions` declared and was granted.
pub trait Tool {
    /// The name that a model calls: 1 to 64 letters, digits, `_` and `-`.
    const NAME: &str;
    /// What the tool does and when to use it, written for a model.
    const DESCRIPTION: &str;

    /// The input. Its schema is derived: doc comments become descriptions. Put `#[serde(deny_unknown_fields)]` on it, so
    /// that a misspelt parameter is an error instead of a silent default.
    type Input: DeserializeOwned + JsonSchema;

    /// The definition that a model sees. The default has the name, the description and the schema of the input, no
    /// aliases, and a result limit of 50,000 characters, above which the result is kept in a file.
    fn definition(_environment: &Environment) -> Definition {
        Definition::of::<Self>()
    }

    /// Checks what the schema can't say.
    ///
    /// # Errors
    /// A failure whose message tells the model what to change.
    fn validate(_input: &Self::Input, _context: &Context) -> Result<(), Failure> {
        Ok(())
    }

    /// What `call` needs for this input. The default: nothing, and no traits.
    fn permissions(_input: &Self::Input, _context: &Context) -> Request {
        Request::nothing()
    }

    /// Does the work.
    ///
    /// # Errors
    /// A failure whose message tells the model what went wrong and what to do.
    fn call(input: Self::Input, context: &Context) -> Result<Outcome, Failure>;
}

impl Definition {
    /// The default result limit, in Unicode scalar values.
    pub const MAX_RESULT_CHARS: u32 = 50_000;

    /// The definition of a tool with every default.
    #[must_use]
    pub fn of<T: Tool + ?Sized>() -> Self {
        Self {
            name: T::NAME.to_owned(),
            aliases: Vec::new(),
            title: None,
            description: T::DESCRIPTION.to_owned(),
            input_schema: schema_of::<T::Input>(),
            output_schema: None,
            max_result_chars: Some(Self::MAX_RESULT_CHARS),
            overflow: Overflow::Spill,
            loading: Loading::Normal,
            search_terms: Vec::new(),
            disabled: None,
        }
    }
}

/// The JSON Schema of a type, with everything inline: model providers and clients disagree about references.
fn schema_of<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
        settings.transforms.push(Box::new(RecursiveTransform(bound_integers)));
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name and the documentation of the Rust type are for its author.
    schema.remove("title");
    schema.remove("description");
    schema.to_value().to_string()
}

/// A schema's integers have no upper bound by themselves, a Rust type's do: without this, a number that's too large would
/// pass the schema and fail in the tool, with a worse message.
fn bound_integers(schema: &mut Schema) {
    let bound: u64 = match schema.get("format").and_then(serde_json::Value::as_str) {
        Some("uint32") => u32::MAX.into(),
        Some("int32") => i32::MAX.unsigned_abs().into(),
        _ => return,
    };
    if schema.get("maximum").is_none() {
        schema.insert("maximum".to_owned(), bound.into());
    }
    if schema.get("minimum").is_none() {
        schema.insert("minimum".to_owned(), i64::from(i32::MIN).into());
    }
}
