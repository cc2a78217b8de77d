//! One entry of a list of rules: its text, or an object with examples.

use std::fmt;

use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A rule as it's written in settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleEntry {
    /// The rule.
    pub rule: String,
    /// What it must match; checked when it's loaded.
    pub matches: Vec<String>,
    /// What it must not match.
    pub no_match: Vec<String>,
    /// Line and column, from 1, when it was read from a text.
    pub(crate) place: Option<(u32, u32)>,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WithExamples {
    rule: String,
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    matches: Vec<String>,
    #[serde(default, alias = "no-match", skip_serializing_if = "Vec::is_empty")]
    no_match: Vec<String>,
}

impl From<&str> for RuleEntry {
    fn from(rule: &str) -> Self {
        rule.to_owned().into()
    }
}

impl From<String> for RuleEntry {
    fn from(rule: String) -> Self {
        Self { rule, ..Self::default() }
    }
}

impl Serialize for RuleEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.matches.is_empty() && self.no_match.is_empty() {
            return self.rule.serialize(serializer);
        }
        let Self { rule, matches, no_match, .. } = self.clone();
        WithExamples { rule, matches, no_match }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RuleEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = RuleEntry;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a rule, or an object with `rule`, `match` and `noMatch`")
            }

            fn visit_str<E>(self, text: &str) -> Result<RuleEntry, E> {
                Ok(text.into())
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<RuleEntry, A::Error> {
                let WithExamples { rule, matches, no_match } =
                    Deserialize::deserialize(MapAccessDeserializer::new(map))?;
                Ok(RuleEntry { rule, matches, no_match, place: None })
            }
        }

        deserializer.deserialize_any(Either)
    }
}
