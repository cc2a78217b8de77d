//! Which project folders the user trusts, and with which settings.
//!
//! What a repository allows itself counts only after a person has looked at it. Trust is for the very settings that the
//! person saw: when they change, it must be given again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolbay_policy::Location;

use super::store::{StoreError, replace};
use crate::Digest;

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

    /// Whether this folder may use what its settings allow.
    #[must_use]
    pub fn of(&self, root: &Location, settings: &str) -> TrustState {
        match self.content.folders.get(root.real()) {
            Some(seen) if *seen == Digest::of(settings.as_bytes()).to_string() => TrustState::Trusted,
            Some(_) => TrustState::Changed,
            None => TrustState::Unknown,
        }
    }

    /// The folders.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.content.folders.keys().map(PathBuf::as_path)
    }

    /// Trusts a folder with these settings.
    ///
    /// # Errors
    /// When it can't be written down.
    pub fn give(&mut self, root: &Location, settings: &str) -> Result<(), TrustError> {
        self.content.folders.insert(root.real().to_owned(), Digest::of(settings.as_bytes()).to_string());
        self.write()
    }

    /// Trusts a folder no longer. Gives whether it was trusted.
    ///
    /// # Errors
    /// When it can't be written down.
    pub fn take(&mut self, root: &Location) -> Result<bool, TrustError> {
        let known = self.content.folders.remove(root.real()).is_some();
        self.write()?;
        Ok(known)
    }

    fn write(&self) -> Result<(), TrustError> {
        let text = serde_json::to_string_pretty(&self.content)
            .map_err(|error| TrustError::Unusable(self.file.clone(), error.to_string()))?;
        Ok(replace(&self.file, &text)?)
    }
}
