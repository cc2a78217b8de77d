//! What a component says about its tools, checked before anybody relies on it.

use std::collections::HashSet;

use serde_json::Value;
use toolbay_sandbox::contract::Definition;

use crate::{json, schema};

/// The most tools of one component.
const MOST_DEFINITIONS: usize = 256;
/// The longest name: what model providers accept.
const LONGEST_NAME: usize = 64;
/// The longest description, in Unicode scalar values.
const LONGEST_DESCRIPTION: usize = 16_384;
/// The largest schema, in bytes. Building one takes more than linear time.
const LARGEST_SCHEMA: usize = 262_144;

/// Checks all definitions of a component. One bad definition refuses the component, since nobody could say which of its
/// tools to believe.
pub(crate) fn check(definitions: &[Definition]) -> Result<(), String> {
    if definitions.is_empty() {
        return Err("it describes no tool".to_owned());
    }
    if definitions.len() > MOST_DEFINITIONS {
        return Err(format!("it describes {} tools; the limit is {MOST_DEFINITIONS}", definitions.len()));
    }
    let mut names = HashSet::new();
    for definition in definitions {
        check_one(definition)?;
        for name in std::iter::once(&definition.name).chain(&definition.aliases) {
            if !names.insert(name) {
                return Err(format!("it uses the name `{name}` twice"));
            }
        }
    }
    Ok(())
}

fn check_one(definition: &Definition) -> Result<(), String> {
    for name in std::iter::once(&definition.name).chain(&definition.aliases) {
        if !is_name(name) {
            let shown: String = name.chars().take(LONGEST_NAME).collect();
            return Err(format!("{shown:?} is no name: 1 to {LONGEST_NAME} letters, digits, `_` and `-`"));
        }
    }
    let name = &definition.name;
    let length = definition.description.chars().count();
    if length > LONGEST_DESCRIPTION {
        return Err(format!("the description of `{name}` has {length} characters; the limit is {LONGEST_DESCRIPTION}"));
    }
    let input = check_schema(&definition.input_schema).map_err(|why| format!("the input schema of `{name}` {why}"))?;
    if input.get("type").and_then(Value::as_str) != Some("object") {
        return Err(format!("the input schema of `{name}` must be of type `object`"));
    }
    if let Some(output) = &definition.output_schema {
        check_schema(output).map_err(|why| format!("the output schema of `{name}` {why}"))?;
    }
    Ok(())
}

/// Whether model providers accept this name.
pub(crate) fn is_name(name: &str) -> bool {
    let accepted = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(accepted)
}

fn check_schema(text: &str) -> Result<Value, String> {
    if text.len() > LARGEST_SCHEMA {
        return Err(format!("has {} bytes; the limit is {LARGEST_SCHEMA}", text.len()));
    }
    let value = json::parse(text).map_err(|error| format!("is no JSON: {error}"))?;
    schema::compile(&value).map_err(|error| format!("can't be used: {error}"))?;
    Ok(value)
}
