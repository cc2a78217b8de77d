//! How much work a schema can make, known before it's used.
//!
//! References that lead to references can double at each step: a schema of a few hundred bytes then takes days for one
//! short input. (Public measurement: 22 doublings take 0.44 s, each further one twice that.)

use std::collections::HashMap;

use serde_json::Value;

/// The most places of a schema, with every reference written out.
const MOST_PLACES: u64 = 100_000;
/// The longest chain of references.
const LONGEST_CHAIN: usize = 100;

/// Says why a schema is too much work, if it is.
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    let mut expansion = Expansion { schema, known: HashMap::new(), chain: Vec::new(), branching: 0 };
    let places = expansion.places(schema, false)?;
    if places > MOST_PLACES {
        return Err(format!("its references stand for more than {MOST_PLACES} places"));
    }
    // One such reference is followed once for each level of the input, two of them twice, which doubles at each level.
    if expansion.branching > 1 {
        return Err("it refers to itself more than once for the same value".to_owned());
    }
    Ok(())
}

struct Expansion<'a> {
    schema: &'a Value,
    known: HashMap<&'a str, u64>,
    chain: Vec<&'a str>,
    branching: u32,
}

impl<'a> Expansion<'a> {
    /// `combined`: several schemas apply to the same value here.
    fn places(&mut self, value: &'a Value, combined: bool) -> Result<u64, String> {
        let mut places = 1_u64;
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let together = matches!(key.as_str(), "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else");
                    places = places.saturating_add(match (key.as_str(), value) {
                        ("$ref" | "$dynamicRef", Value::String(reference)) => self.reference(reference, combined)?,
                        _ => self.places(value, together)?,
                    });
                }
            }
            Value::Array(list) => {
                for value in list {
                    places = places.saturating_add(self.places(value, combined)?);
                }
            }
            _ => {}
        }
        Ok(places)
    }

    fn reference(&mut self, reference: &'a str, combined: bool) -> Result<u64, String> {
        if let Some(places) = self.known.get(reference) {
            return Ok(*places);
        }
        if self.chain.contains(&reference) {
            self.branching += u32::from(combined);
            return Ok(1);
        }
        if self.chain.len() >= LONGEST_CHAIN {
            return Err(format!("its references form a chain of more than {LONGEST_CHAIN}"));
        }
        // What isn't found here is refused when the schema is built.
        let Some(target) = reference.strip_prefix('#').and_then(|pointer| self.schema.pointer(pointer)) else {
            return Ok(1);
        };
        self.chain.push(reference);
        let places = self.places(target, combined)?;
        self.chain.pop();
        self.known.insert(reference, places);
        Ok(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    /// `a0` is a string; each further definition applies the one before it twice.
    fn doubling(steps: u32) -> Value {
        let mut definitions = Map::new();
        definitions.insert("a0".into(), json!({ "type": "string" }));
        for step in 1..=steps {
            let before = json!({ "$ref": format!("#/$defs/a{}", step - 1) });
            definitions.insert(format!("a{step}"), json!({ "allOf": [before, before] }));
        }
        json!({ "$defs": definitions, "$ref": format!("#/$defs/a{steps}") })
    }

    #[test]
    fn references_that_double_are_refused() {
        assert!(check(&doubling(8)).is_ok());
        assert!(check(&doubling(40)).is_err());
    }

    #[test]
    fn a_long_chain_is_refused_and_takes_no_stack() {
        let link = |step: u32| (format!("a{step}"), json!({ "$ref": format!("#/$defs/a{}", step + 1) }));
        let definitions: Map<String, Value> = (0..20_000).map(link).collect();
        assert!(check(&json!({ "$defs": definitions, "$ref": "#/$defs/a0" })).is_err());
    }

    #[test]
    fn a_recursive_schema_is_fine_unless_it_doubles() {
        let own = json!({ "$ref": "#/$defs/n" });
        let schema = |n: Value| json!({ "$defs": { "n": n }, "$ref": "#/$defs/n" });
        let tree = json!({ "properties": { "left": own, "right": own } });
        let any_json = json!({ "anyOf": [{ "type": "string" }, { "items": own }, { "additionalProperties": own }] });
        let doubles = json!({ "properties": { "next": { "anyOf": [own, own] } } });
        assert!(check(&schema(tree)).is_ok());
        assert!(check(&schema(any_json)).is_ok());
        assert!(check(&schema(doubles)).is_err());
    }
}
