//! Where settings files lie, and reading them.

use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use toolbay_policy::Location;

use super::{LARGEST, Settings, SettingsError};
use crate::Digest;

/// Where settings come from. Without a place, nothing is read from it.
#[derive(Debug, Clone, Default)]
pub struct SettingsPlaces {
    /// The administrator's policy for the whole machine; it must belong to root.
    pub policy: Option<PathBuf>,
    /// The user's own folder: `settings.json` for all folders, `trust.json`, and below `projects` what the user said about
    /// each. A project can't reach any of it, so a repository can't bring "local" settings along.
    pub config: Option<PathBuf>,
    /// Whether a project's own `.toolbay/settings.json` is read.
    pub project: bool,
}

impl SettingsPlaces {
    /// The user's settings for all folders.
    #[must_use]
    pub fn user_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("settings.json"))
    }

    /// Whom the user trusts.
    pub(crate) fn trust_file(&self) -> Option<PathBuf> {
        self.config.as_ref().map(|config| config.join("trust.json"))
    }

    /// The text of the project's settings, as far as it has any.
    ///
    /// # Errors
    /// When the file is there and can't be read.
    pub fn project_text(&self, root: &Location) -> Result<Option<String>, SettingsError> {
        self.project_file(root).as_deref().map(read).transpose().map(Option::flatten)
    }

    /// The user's settings.
    pub(crate) fn user_settings(&self) -> Result<Option<Settings>, SettingsError> {
        let Some(file) = self.user_file() else { return Ok(None) };
        read(&file)?.map(|text| Settings::parse_at(&file, &text)).transpose()
    }

    /// What the user said about the project in this folder.
    #[must_use]
    pub fn local_file(&self, root: &Location) -> Option<PathBuf> {
        let name = root.real().file_name().unwrap_or_default().to_string_lossy();
        let safe: String =
            name.chars().filter(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(*letter)).take(40).collect();
        // Two folders of one name are two projects.
        let digest = Digest::of(root.real().as_os_str().as_encoded_bytes()).to_string();
        let folder = format!("{safe}-{}", digest.get(..16).unwrap_or_default());
        self.config.as_ref().map(|config| config.join("projects").join(folder).join("settings.json"))
    }

    /// The settings that everybody who works on a project shares.
    #[must_use]
    pub fn project_file(&self, root: &Location) -> Option<PathBuf> {
        self.project.then(|| root.real().join(".toolbay/settings.json"))
    }
}

/// The text of a file; none when there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<String>, SettingsError> {
    let failed = |error| SettingsError::Read(path.to_owned(), error);
    match open(path) {
        Ok(file) => read_text(path, file).map(Some),
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(failed(error)),
    }
}

/// The administrator's policy. Who owns it is asked of the file that's really open.
pub(super) fn read_policy(path: &Path) -> Result<Option<String>, SettingsError> {
    let failed = |error| SettingsError::Read(path.to_owned(), error);
    let file = match open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let metadata = file.metadata().map_err(failed)?;
    if !is_administrators(metadata.uid(), metadata.mode()) {
        return Err(SettingsError::Owner(path.to_owned()));
    }
    read_text(path, file).map(Some)
}

/// Owned by root, and not writable for group or others.
fn is_administrators(owner: u32, mode: u32) -> bool {
    owner == 0 && mode & 0o022 == 0
}

/// A regular file, without waiting: a repository may put a pipe or a device in its place.
#[expect(clippy::disallowed_methods, reason = "settings files, in their own places")]
fn open(path: &Path) -> std::io::Result<std::fs::File> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = std::fs::OpenOptions::new().read(true).custom_flags(nonblocking).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, "it's no ordinary file"))
    }
}

fn read_text(path: &Path, file: std::fs::File) -> Result<String, SettingsError> {
    let mut text = String::new();
    let within = |error| SettingsError::Read(path.to_owned(), error);
    file.take(LARGEST as u64 + 1).read_to_string(&mut text).map_err(within)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_belongs_to_root_alone() {
        assert!(is_administrators(0, 0o100_644) && is_administrators(0, 0o100_600));
        assert!(
            !is_administrators(1000, 0o100_644) && !is_administrators(0, 0o100_664) && !is_administrators(0, 0o100_646)
        );
    }

    #[test]
    fn two_folders_of_one_name_are_two_projects() {
        let places = SettingsPlaces { config: Some("/c".into()), ..SettingsPlaces::default() };
        let file = |path: &str| places.local_file(&Location::plain(Path::new(path))).unwrap();
        assert_ne!(file("/a/app"), file("/b/app"));
        assert!(file("/a/app").starts_with("/c/projects") && file("/").starts_with("/c/projects"));
    }
}
