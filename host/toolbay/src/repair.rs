//! Models send `"10"` or `10.0` for 10 and `"false"` for false; where the schema leaves no doubt, that's read as it was meant.
//!
//! Only top-level parameters whose schema names exactly one of the scalar types, and only texts that mean exactly one value
//! of it. It happens before anything is checked or decided, so rules and people judge the value that the tool gets.
//! (Public reports: anthropics/claude-code CHANGELOG 2.1.72 and 2.1.140.)

use serde_json::{Number, Value};

/// The parameters of a tool whose schema names one scalar type. Worked out once for each tool.
#[derive(Debug, Default)]
pub(crate) struct Scalars(Vec<(String, Kind)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Boolean,
}

impl Scalars {
    pub(crate) fn of(schema: &Value) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        Self(properties.filter_map(|(name, schema)| Some((name.clone(), wanted(schema)?))).collect())
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, kind)| *kind)
    }
}

/// Repairs the input in place; says whether anything was changed.
pub(crate) fn repair(input: &mut Value, scalars: &Scalars) -> bool {
    let Some(input) = input.as_object_mut().filter(|_| !scalars.0.is_empty()) else {
        return false;
    };
    let mut changed = false;
    for (name, value) in input.iter_mut() {
        let Some(kind) = scalars.kind(name) else { continue };
        let meant = match &*value {
            Value::String(text) => read(text, kind),
            Value::Number(number) if kind == Kind::Integer => whole(number),
            _ => None,
        };
        if let Some(meant) = meant {
            *value = meant;
            changed = true;
        }
    }
    changed
}

/// `2.0` is an integer to JSON Schema, but to few languages.
fn whole(number: &Number) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let number = number.as_f64().filter(|_| number.is_f64())?;
    let exact = number.fract() == 0.0 && number.abs() <= EXACT;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and within the range where every integer is exact")]
    exact.then(|| Value::from(number as i64))
}

/// The one scalar type that a parameter's schema names, beside null.
fn wanted(schema: &Value) -> Option<Kind> {
    let kind = match schema.get("type")? {
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => {
            let mut named = kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null");
            let first = named.next()?;
            named.next().is_none().then(|| first.to_owned())?
        }
        _ => return None,
    };
    match kind.as_str() {
        "integer" => Some(Kind::Integer),
        "number" => Some(Kind::Number),
        "boolean" => Some(Kind::Boolean),
        _ => None,
    }
}

fn read(text: &str, kind: Kind) -> Option<Value> {
    let text = text.trim();
    if kind == Kind::Boolean {
        return match text.to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        };
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let text = text.strip_prefix('+').unwrap_or(text);
    let whole = text.parse::<i64>().ok().map(Value::from);
    let any = || text.parse::<f64>().ok().and_then(Number::from_f64).map(Value::Number);
    whole.or_else(|| if kind == Kind::Number { any() } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn repaired(value: Value, kind: Value) -> Value {
        let mut input = json!({ "x": value });
        repair(&mut input, &Scalars::of(&json!({ "properties": { "x": { "type": kind } } })));
        input["x"].clone()
    }

    #[test]
    fn padded_and_signed_digits_are_numbers() {
        assert_eq!(repaired(json!(" +10 "), json!("integer")), json!(10));
        assert_eq!(repaired(json!("-3"), json!(["integer", "null"])), json!(-3));
        assert_eq!(repaired(json!("1.5"), json!("number")), json!(1.5));
        assert_eq!(repaired(json!("False"), json!("boolean")), json!(false));
        assert_eq!(repaired(json!(2.0), json!("integer")).to_string(), "2");
    }

    #[test]
    fn what_could_mean_something_else_stays() {
        for (value, kind) in [
            (json!("1.5"), json!("integer")),
            (json!("ten"), json!("integer")),
            (json!("inf"), json!("number")),
            (json!("1"), json!("boolean")),
            (json!(true), json!("integer")),
            (json!(1.5), json!("integer")),
            (json!(1e300), json!("integer")),
            (json!("10"), json!("string")),
            (json!("10"), json!(["integer", "string"])),
        ] {
            assert_eq!(repaired(value.clone(), kind), value);
        }
    }
}
