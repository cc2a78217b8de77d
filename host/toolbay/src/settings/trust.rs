//! Which project folders the user trusts, and with which settings.
//!
//! What a repository allows itself counts only after a person has looked at it. Trust is for the very settings that the
//! person saw: when they change, it must be given again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolbay_policy::Location;

use super::Settings;
use super::store::{StoreError, lock, replace};
use crate::{Digest, locate};

/// The trust that the user has given.
#[derive(Debug, Clone)]
pub struct Trust {
    file: PathBuf,
    content: Content,
}

#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Content {
    /// By real path: the digest of the settings that were seen.
    folders: BTreeMap<PathBuf, String>,
}

/// What is known of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustState {
    /// Its settings are those that a person has seen.
    Trusted,
    /// Its settings have changed since.
    Changed,
    /// Nobody has said anything.
    Unknown,
}

/// Why trust can't be read or given.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file can't be read or isn't what it should be. Then nothing is trusted.
    #[error("the list of trusted folders `{0}` can't be used: {1}")]
    Unusable(PathBuf, String),
    /// It can't be written.
    #[error("trust can't be kept")]
    Store(#[from] StoreError),
}

impl Trust {
    /// The trust kept in the user's folder of settings.
    ///
    /// # Errors
    /// When it's there and can't be used.
    pub fn read(config: &Path) -> Result<Self, TrustError> {
        let file = config.join("trust.json");
        let unusable = |why: String| TrustError::Unusable(file.clone(), why);
        let content = match super::places::read(&file).map_err(|error| unusable(error.to_string()))? {
            Some(text) => serde_json::from_str(&text).map_err(|error| unusable(error.to_string()))?,
            None => Content::default(),
        };
        Ok(Self { file, content })
    }

    /// What a person sees of a project's settings: their text, and where its folders lead.
    #[must_use]
    pub fn seen(text: &str, settings: Option<&Settings>) -> String {
        let folders = settings.into_iter().flat_map(|settings| &settings.permissions.additional_directories);
        let leads =
            |folder: &PathBuf| locate(folder).map_or_else(|_| "?".into(), |place| place.real().display().to_string());
        let folders: Vec<String> = folders.map(leads).collect();
        Digest::of(format!("{text}\0{}", folders.join("\0")).as_bytes()).to_string()
    }

    /// Whether this folder may use what its settings allow.
    #[must_use]
    pub fn of(&self, root: &Location, seen: &str) -> TrustState {
        match self.content.folders.get(root.real()) {
            Some(known) if known == seen => TrustState::Trusted,
            Some(_) => TrustState::Changed,
            None => TrustState::Unknown,
        }
    }

    /// The folders.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.content.folders.keys().map(PathBuf::as_path)
    }

    /// Trusts a folder with what was seen of its settings.
    ///
    /// # Errors
    /// When it can't be written down.
    pub fn give(&mut self, root: &Location, seen: &str) -> Result<(), TrustError> {
        self.change(|folders| drop(folders.insert(root.real().to_owned(), seen.to_owned())))
    }

    /// Trusts a folder no longer. Gives whether it was trusted.
    ///
    /// # Errors
    /// When it can't be written down.
    pub fn take(&mut self, root: &Location) -> Result<bool, TrustError> {
        let mut known = false;
        self.change(|folders| known = folders.remove(root.real()).is_some())?;
        Ok(known)
    }

    /// From what is written there now, and not from what was read before: another process may have changed it.
    fn change(&mut self, change: impl FnOnce(&mut BTreeMap<PathBuf, String>)) -> Result<(), TrustError> {
        let unusable = |why: String| TrustError::Unusable(self.file.clone(), why);
        let _lock = lock(&self.file).map_err(|error| unusable(error.to_string()))?;
        let mut now = Self::read(self.file.parent().unwrap_or(Path::new("/")))?;
        change(&mut now.content.folders);
        let text = serde_json::to_string_pretty(&now.content).map_err(|error| unusable(error.to_string()))?;
        replace(&self.file, &text)?;
        self.content = now.content;
        Ok(())
    }
}
