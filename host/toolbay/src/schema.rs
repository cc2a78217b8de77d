//! Checking an input against a tool's schema, and a schema before it's used.

use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use crate::schema_cost;

/// The most faults that are listed; a large array of wrong items would otherwise fill the model's context.
const MOST_FAULTS: usize = 20;
/// The largest input, as JSON text, whose faults are all looked for. Of a larger one only the first is.
const ALL_FAULTS: usize = 65_536;
/// The longest fault, in Unicode scalar values: some repeat the wrong value.
const LONGEST_FAULT: usize = 300;

/// Makes a schema ready for use. Patterns run on an engine that takes linear time, and references must be local: nothing
/// is ever fetched.
pub(crate) fn compile(schema: &Value) -> Result<Validator, String> {
    schema_cost::check(schema)?;
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .with_pattern_options(PatternOptions::regex())
        .build(schema)
        .map_err(|error| error.to_string())
}

/// Every fault of the input, each with the path to the value that is wrong. Empty: none. `size` is the input's in bytes.
pub(crate) fn faults(validator: &Validator, input: &Value, size: usize) -> Vec<String> {
    if validator.is_valid(input) {
        return Vec::new();
    }
    if size > ALL_FAULTS {
        return validator.validate(input).err().iter().map(fault).collect();
    }
    let mut faults: Vec<String> =
        validator.iter_errors(input).take(MOST_FAULTS + 1).map(|error| fault(&error)).collect();
    if faults.len() > MOST_FAULTS {
        faults.truncate(MOST_FAULTS);
        faults.push("and more".to_owned());
    }
    faults
}

fn fault(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().to_string();
    let path = if path.is_empty() { "input".to_owned() } else { path };
    format!("{path}: {error}").chars().take(LONGEST_FAULT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_fault_is_listed_with_its_path() {
        let schema = json!({
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "type": "array", "items": { "type": "string" } } },
            "required": ["c"],
            "additionalProperties": false,
        });
        let faults = faults(&compile(&schema).unwrap(), &json!({ "a": "x", "b": [1, "y"], "d": 0 }), 40);
        let all = faults.join("\n");
        for part in ["/a: ", "/b/0: ", "\"c\"", "'d'"] {
            assert!(all.contains(part), "{part} in {all}");
        }
        assert_eq!(faults.len(), 4, "{all}");
    }

    #[test]
    fn nothing_is_fetched() {
        for reference in ["http://127.0.0.1:1/x.json", "file:///etc/passwd"] {
            assert!(compile(&json!({ "$ref": reference })).is_err(), "{reference}");
        }
    }

    #[test]
    fn patterns_take_linear_time_or_are_refused() {
        assert!(compile(&json!({ "pattern": "^(a|aa)+(?!b)$" })).is_err());
        let nested = compile(&json!({ "pattern": "^(a+)+$" })).unwrap();
        assert_eq!(super::faults(&nested, &json!(format!("{}!", "a".repeat(10_000))), 10_003).len(), 1);
    }

    #[test]
    fn the_list_of_faults_is_bounded() {
        let schema = compile(&json!({ "items": { "type": "string" } })).unwrap();
        let faults = super::faults(&schema, &json!(vec![1; 1_000]), 2_001);
        assert_eq!(super::faults(&schema, &json!(vec![1; 1_000]), 100_000).len(), 1, "of a large input the first");
        assert_eq!(faults.len(), MOST_FAULTS + 1);
        let long = compile(&json!({ "type": "integer" })).unwrap();
        assert!(super::faults(&long, &json!("x".repeat(100_000)), 100_002).concat().len() < 1_000);
    }
}
