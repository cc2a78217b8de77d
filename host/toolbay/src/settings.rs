//! Settings as people write them: one JSON file, in which an unknown key is an error.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use toolbay_policy::{Limits, Mode, Rule, RuleError, Rules, Source, Sourced};

use crate::json;

/// The largest settings file, in bytes.
const LARGEST: usize = 1024 * 1024;

/// A settings file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// Rules and mode.
    pub permissions: PermissionSettings,
    /// Components to load beside the built-in ones; relative paths start at the file's folder.
    pub components: Vec<PathBuf>,
    /// Bounds of calls.
    pub limits: Limits,
    /// How the engine runs.
    pub engine: EngineSettings,
    /// Features that tools can ask about when they describe themselves.
    pub features: Vec<String>,
    /// Where the host runs, for tools that are offered in some regions only.
    pub region: Option<String>,
}

/// Rules and mode.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct PermissionSettings {
    /// What passes.
    pub allow: Vec<String>,
    /// What asks a person.
    pub ask: Vec<String>,
    /// What never happens.
    pub deny: Vec<String>,
    /// What happens where no rule decides.
    pub default_mode: Mode,
}

/// How the engine runs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EngineSettings {
    /// Where instances live; none: what suits the program.
    pub allocator: Option<AllocatorSetting>,
}

/// Where instances live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AllocatorSetting {
    /// In slots that are kept ready.
    Pool,
    /// Mapped for each call.
    OnDemand,
}

/// Why settings can't be used. Nothing runs with settings that can't be read.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file can't be read.
    #[error("the settings file `{0}` can't be read")]
    Read(PathBuf, #[source] std::io::Error),
    /// Over 1 MiB.
    #[error("the settings have {0} bytes; the limit is {LARGEST}")]
    TooLarge(usize),
    /// A list where an object belongs: it would be read by position.
    #[error("{0} must be an object")]
    Shape(&'static str),
    /// No JSON, an unknown key, or a value of the wrong kind; the text names line and column.
    #[error("the settings can't be used: {0}")]
    Parse(serde_json::Error),
    /// A limit outside its bounds.
    #[error("a limit is out of its bounds; the nearest that are possible are {0:?}")]
    Limits(Box<Limits>),
    /// A rule that can't be read. A deny that nobody can read must not be taken for none.
    #[error("the rule {rule:?} in `permissions.{list}` can't be used: {source}")]
    Rule {
        /// The list.
        list: &'static str,
        /// The rule.
        rule: String,
        /// What is wrong with it.
        source: RuleError,
    },
}

impl Settings {
    /// Reads settings from JSON text.
    ///
    /// # Errors
    /// For anything that isn't understood; nothing is ignored.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        if text.len() > LARGEST {
            return Err(SettingsError::TooLarge(text.len()));
        }
        // First strictly, for keys that stand twice; then from the text, so that errors name line and column.
        let value = json::parse(text).map_err(SettingsError::Parse)?;
        check_shape(&value)?;
        let settings: Self = serde_json::from_str(text).map_err(SettingsError::Parse)?;
        settings.rules()?;
        if settings.limits != settings.limits.clone().clamped() {
            return Err(SettingsError::Limits(Box::new(settings.limits.clamped())));
        }
        Ok(settings)
    }

    /// Reads a settings file.
    ///
    /// # Errors
    /// When it can't be read, and for anything that isn't understood.
    pub fn read(path: &Path) -> Result<Self, SettingsError> {
        #[expect(clippy::disallowed_methods, reason = "a file that a person named")]
        let text = std::fs::read_to_string(path).map_err(|error| SettingsError::Read(path.to_owned(), error))?;
        let mut settings = Self::parse(&text)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        settings.components.iter_mut().for_each(|component| *component = folder.join(&*component));
        Ok(settings)
    }

    /// The rules of the three lists.
    ///
    /// # Errors
    /// For the first rule that can't be read.
    pub fn rules(&self) -> Result<Rules, SettingsError> {
        let parse = |list: &'static str, texts: &[String]| {
            let parse_one = |text: &String| {
                let rule: Result<Rule, RuleError> = text.parse();
                rule.map(|rule| Sourced { rule, source: Source::Settings }).map_err(|source| SettingsError::Rule {
                    list,
                    rule: text.chars().take(200).collect(),
                    source,
                })
            };
            texts.iter().map(parse_one).collect::<Result<Vec<_>, _>>()
        };
        let permissions = &self.permissions;
        Ok(Rules {
            deny: parse("deny", &permissions.deny)?,
            ask: parse("ask", &permissions.ask)?,
            allow: parse("allow", &permissions.allow)?,
        })
    }
}

fn check_shape(value: &Value) -> Result<(), SettingsError> {
    let object = |value: Option<&Value>, name| match value {
        Some(value) if !value.is_object() => Err(SettingsError::Shape(name)),
        _ => Ok(()),
    };
    object(Some(value), "a settings file")?;
    object(value.get("permissions"), "`permissions`")?;
    object(value.get("limits"), "`limits`")?;
    object(value.get("engine"), "`engine`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_not_understood_is_ignored() {
        for text in [
            "",
            "[]",
            r#"{"permissions":[["Read"]]}"#,
            r#"{"limits":[1]}"#,
            r#"{"limits":{"memoryBytes":1099511627776}}"#,
            r#"{"limits":{"parallel":0}}"#,
            r#"{"permission":{}}"#,
            r#"{"permissions":{"alow":[]}}"#,
            r#"{"permissions":{"deny":["Raed(//a)"]}}"#,
            r#"{"permissions":{"deny":["Read(//a)"],"deny":[]}}"#,
            r#"{"limits":{"deadlineMilliseconds":-1}}"#,
            r#"{"permissions":{"defaultMode":"yolo"}}"#,
        ] {
            assert!(Settings::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let settings = Settings::parse(r#"{"limits":{"memoryBytes":67108864}}"#).unwrap();
        assert_eq!(settings.limits.memory_bytes, 67_108_864);
        assert_eq!(settings.limits.deadline_milliseconds, Limits::default().deadline_milliseconds);
        assert_eq!(settings.permissions.default_mode, Mode::Default);
    }
}
