//! The published schema of settings files.

/// The JSON Schema of settings files, as text: `docs/settings.schema.json`.
#[must_use]
pub fn schema() -> &'static str {
    include_str!("../../../../docs/settings.schema.json")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Settings;

    fn document() -> Value {
        serde_json::from_str(schema()).unwrap()
    }

    /// Every key that settings have, from their defaults.
    fn keys(value: &Value) -> Vec<&String> {
        let mut keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        keys.sort();
        keys
    }

    #[test]
    fn the_schema_has_the_keys_and_defaults_that_settings_have() {
        let (schema, settings) = (document(), serde_json::to_value(Settings::default()).unwrap());
        assert_eq!(keys(&schema["properties"]), keys(&settings));
        assert_eq!(keys(&schema["$defs"]["permissions"]["properties"]), keys(&settings["permissions"]));
        assert_eq!(
            keys(&schema["$defs"]["permissions"]["properties"]["forbid"]["properties"]),
            keys(&settings["permissions"]["forbid"])
        );
        let limits = &schema["$defs"]["limits"]["properties"];
        assert_eq!(keys(limits), keys(&settings["limits"]));
        for (name, value) in settings["limits"].as_object().unwrap() {
            assert_eq!(limits[name]["default"], *value, "{name}");
        }
    }

    #[test]
    fn the_schema_and_the_reader_agree() {
        let validator = jsonschema::validator_for(&document()).unwrap();
        for (text, good) in [
            (json!({}), true),
            (json!({ "permissions": { "allow": ["Read(src/**)"], "defaultMode": "plan" } }), true),
            (
                json!({ "permissions": { "deny": [{ "rule": "Bash(rm *)", "match": ["rm x"], "noMatch": ["ls"] }] } }),
                true,
            ),
            (json!({ "permissions": { "tools": { "pack__*": { "ask": ["WebFetch"] } } } }), true),
            (
                json!({ "permissions": { "forbid": { "modes": ["bypass"], "sources": ["project"], "capabilities": ["wasi:http"] } } }),
                true,
            ),
            (json!({ "limits": { "memoryBytes": 1_048_576 } }), true),
            (json!({ "limits": { "memoryBytes": 1 } }), false),
            (json!({ "limits": { "deadlineMilliseconds": 600_001 } }), false),
            (json!({ "limits": { "handles": 1 } }), false),
            (json!({ "permissions": { "alow": [] } }), false),
            (json!({ "permissions": { "deny": "Read" } }), false),
            (json!({ "permissions": { "deny": [{ "match": [] }] } }), false),
            (json!({ "permissions": { "defaultMode": "yolo" } }), false),
            (json!({ "permission": {} }), false),
            (json!({ "engine": { "allocator": "stack" } }), false),
        ] {
            assert_eq!(validator.is_valid(&text), good, "the schema about {text}");
            assert_eq!(Settings::parse(&text.to_string()).is_ok(), good, "the reader about {text}");
        }
    }
}
