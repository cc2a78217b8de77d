//! Settings as people write them: JSON files, in which an unknown key is an error.

mod entry;
mod import;
mod layers;
mod permissions;
mod places;
mod schema;
mod store;
mod trust;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolbay_policy::{Anchors, Limits, List, RuleError, Source};

use crate::json;

pub use entry::RuleEntry;
pub use import::{Imported, import};
pub use layers::{Layer, LayerState, Layers};
pub use permissions::{Forbidden, PermissionSettings, RuleLists};
pub use places::SettingsPlaces;
pub use schema::schema;
pub(crate) use store::add_rules;
pub use trust::{Trust, TrustError, TrustState};

/// The largest settings file, in bytes.
const LARGEST: usize = 1024 * 1024;

/// A settings file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// Where an editor finds the schema of this file. Not read.
    #[serde(rename = "$schema")]
    pub schema: Option<String>,
    /// Rules and mode.
    pub permissions: PermissionSettings,
    /// Components to load beside the built-in ones; relative paths start at the file's folder.
    pub components: Vec<PathBuf>,
    /// Bounds of calls.
    pub limits: Limits,
    /// How the engine runs.
    pub engine: EngineSettings,
    /// What is kept of each call.
    pub audit: AuditSettings,
    /// Features that tools can ask about when they describe themselves.
    pub features: Vec<String>,
    /// Where the host runs, for tools that are offered in some regions only.
    pub region: Option<String>,
}

/// How the engine runs.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct EngineSettings {
    /// Where instances live; none: what suits the program.
    pub allocator: Option<AllocatorSetting>,
}

/// Where instances live.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AllocatorSetting {
    /// In slots that are kept ready.
    Pool,
    /// Mapped for each call.
    OnDemand,
}

/// What is kept of each call.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AuditSettings {
    /// Keep inputs, which may hold secrets, beside their hashes.
    pub inputs: bool,
}

/// Why settings can't be used. Nothing runs with settings that can't be read.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file can't be read.
    #[error("the settings file `{0}` can't be read")]
    Read(PathBuf, #[source] std::io::Error),
    /// The file can't be written.
    #[error("the settings file `{0}` can't be written")]
    Write(PathBuf, #[source] std::io::Error),
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
    /// A rule that can't be used. A deny that nobody can read must not be taken for none.
    #[error("the rule in `permissions.{}`{at} can't be used: {source}", list.word())]
    Rule {
        /// The list.
        list: List,
        /// Line and column, when it came from a file.
        at: String,
        /// What is wrong with it.
        source: Box<RuleError>,
    },
    /// All rules together can't be used.
    #[error("the rules can't be used: {0}")]
    Rules(#[source] Box<RuleError>),
    /// What goes wrong in one of several files.
    #[error("`{0}`: {1}")]
    In(PathBuf, #[source] Box<Self>),
    /// A policy that others than the administrator could have written.
    #[error("the policy `{0}` must belong to root and be writable by nobody else; nothing runs with one that isn't")]
    Owner(PathBuf),
    /// A key that only some sources may have.
    #[error("`{0}` can't stand in {1} settings")]
    Misplaced(&'static str, &'static str),
    /// A mode that the policy forbids.
    #[error("the mode `{0}` is forbidden by the policy `{1}`")]
    Mode(toolbay_policy::Mode, PathBuf),
    /// The list of trusted folders can't be used.
    #[error(transparent)]
    Trust(#[from] Box<TrustError>),
    /// What a folder of this name can't be resolved to.
    #[error(transparent)]
    Locate(#[from] crate::LocateError),
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
        let mut settings: Self = serde_json::from_str(text).map_err(SettingsError::Parse)?;
        settings.permissions.find_places(text);
        settings.permissions.check()?;
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
        let text = places::read(path)?
            .ok_or_else(|| SettingsError::Read(path.to_owned(), std::io::Error::from(std::io::ErrorKind::NotFound)))?;
        Self::parse_at(path, &text)
    }

    /// Holds the rules against their own examples, for a session that works in these folders. Gives what would be left out.
    ///
    /// # Errors
    /// For a rule that denies or asks and doesn't fulfil them.
    pub fn check_examples(&self, anchors: &Anchors) -> Result<Vec<String>, SettingsError> {
        self.permissions.written(Source::CommandLine, None, Some(anchors)).map(|(_, warnings)| warnings)
    }

    /// Rules that deny or ask and can't be read, before anything is started.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        self.permissions.check()
    }

    /// Reads settings from the text of a file, relative to whose folder paths in it are meant.
    ///
    /// # Errors
    /// For anything that isn't understood.
    pub fn parse_at(path: &Path, text: &str) -> Result<Self, SettingsError> {
        let path = &std::path::absolute(path).map_err(|error| SettingsError::Read(path.to_owned(), error))?;
        let within = |error| SettingsError::In(path.clone(), Box::new(error));
        let mut settings = Self::parse(text).map_err(within)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        settings.components.iter_mut().for_each(|component| *component = folder.join(&*component));
        settings.permissions.additional_directories.iter_mut().for_each(|path| *path = folder.join(&*path));
        settings.permissions.file = Some(path.as_path().into());
        Ok(settings)
    }

    /// These settings over those of a wider source: lists are joined, single values count where they're given.
    #[must_use]
    pub(crate) fn over(mut self, wider: &Self) -> Self {
        self.components.splice(0..0, wider.components.iter().cloned());
        self.features.splice(0..0, wider.features.iter().cloned());
        self.region = self.region.or_else(|| wider.region.clone());
        self.engine.allocator = self.engine.allocator.or(wider.engine.allocator);
        self.audit.inputs |= wider.audit.inputs;
        self.limits = limits_over(&self.limits, &wider.limits);
        self
    }
}

/// Each limit that isn't the default counts, the nearer one first.
fn limits_over(nearer: &Limits, wider: &Limits) -> Limits {
    let value = |limits: &Limits| serde_json::to_value(limits).unwrap_or_default();
    let (mut merged, wider, default) = (value(nearer), value(wider), value(&Limits::default()));
    if let Some(merged) = merged.as_object_mut() {
        for (name, value) in merged.iter_mut().filter(|(name, value)| default.get(name.as_str()) == Some(&**value)) {
            *value = wider.get(name).cloned().unwrap_or_default();
        }
    }
    serde_json::from_value(merged).unwrap_or_else(|_| nearer.clone())
}

fn check_shape(value: &Value) -> Result<(), SettingsError> {
    let object = |value: Option<&Value>, name| match value {
        Some(value) if !value.is_object() => Err(SettingsError::Shape(name)),
        _ => Ok(()),
    };
    object(Some(value), "a settings file")?;
    let permissions = value.get("permissions");
    object(permissions, "`permissions`")?;
    object(permissions.and_then(|permissions| permissions.get("forbid")), "`permissions.forbid`")?;
    object(permissions.and_then(|permissions| permissions.get("tools")), "`permissions.tools`")?;
    object(value.get("limits"), "`limits`")?;
    object(value.get("engine"), "`engine`")?;
    object(value.get("audit"), "`audit`")
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
            r#"{"permissions":{"read":{"deny":["x"]}}}"#,
            r#"{"permissions":{"deny":"Read(x)"}}"#,
            r#"{"permissions":{"deny":["Read(x)"],}}"#,
            r#"{"permissions":{"deny":["Raed(//a)"]}}"#,
            r#"{"permissions":{"deny":[{"rule":"Read(x)","mach":[]}]}}"#,
            r#"{"permissions":{"tools":{"X":{"dney":[]}}}}"#,
            r#"{"permissions":{"tools":{"X":{"deny":["Read(["]}}}}"#,
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
        assert_eq!(settings.permissions.default_mode, None);
    }

    #[test]
    fn a_rule_that_is_none_is_named_with_its_line_and_column() {
        let text = "{\n \"permissions\": {\n  \"deny\": [\"Read(a)\",\n   \"Read([\"]\n }\n}";
        let error = Settings::parse(text).unwrap_err().to_string();
        assert!(
            error.contains("permissions.deny") && error.contains("line 4, column 4") && error.contains("Read(["),
            "{error}"
        );
    }
}
