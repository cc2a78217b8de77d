//! Writing the user's own settings: whole or not at all.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use serde_json::{Map, Value, json};

use super::{Settings, SettingsError, places};

/// Why a file couldn't be written.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` can't be written")]
pub struct StoreError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// Replaces a file in one step; its folder is made when it's missing. A crash leaves the old file.
#[expect(clippy::disallowed_methods, reason = "the user's own settings")]
pub(super) fn replace(file: &Path, text: &str) -> Result<(), StoreError> {
    let failed = |source| StoreError { path: file.to_owned(), source };
    let folder = file.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    // The file may be a link into a folder of dotfiles: then its target is replaced, and the link stays.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let random = RandomState::new().build_hasher().finish();
    let name = format!(".{}.{random:016x}", target.file_name().unwrap_or_default().to_string_lossy());
    let beside = target.with_file_name(name);
    let mut new = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside).map_err(failed)?;
    let mut write = || {
        new.write_all(text.as_bytes())?;
        new.write_all(b"\n")?;
        new.sync_all()?;
        fs::rename(&beside, &target)?;
        // The new name is as durable as the bytes.
        fs::File::open(target.parent().unwrap_or(Path::new("/")))?.sync_all()
    };
    let written = write();
    if written.is_err() {
        drop(fs::remove_file(&beside));
    }
    written.map_err(failed)
}

/// Adds rules that allow, for one tool, to a settings file. Everything else in it stays as it is.
///
/// # Errors
/// When the file isn't one that can be used: it's never written over.
pub(crate) fn add_rules(file: &Path, tool: &str, rules: &[String]) -> Result<(), SettingsError> {
    let failed = |error: io::Error| SettingsError::Write(file.to_owned(), error);
    let _lock = lock(file).map_err(failed)?;
    let text = places::read(file)?.unwrap_or_else(|| "{}".to_owned());
    Settings::parse_at(file, &text)?;
    let mut document: Map<String, Value> = serde_json::from_str(&text).map_err(SettingsError::Parse)?;
    let mut place = document.entry("permissions").or_insert_with(|| json!({}));
    for key in ["tools", tool] {
        place = object(place, file)?.entry(key).or_insert_with(|| json!({}));
    }
    let allow = object(place, file)?.entry("allow").or_insert_with(|| json!([]));
    if let Value::Array(allow) = allow {
        for rule in rules {
            if !allow.iter().any(|known| known.as_str() == Some(rule)) {
                allow.push(rule.clone().into());
            }
        }
    }
    let text = serde_json::to_string_pretty(&document).map_err(SettingsError::Parse)?;
    // What was added must be read back as what was meant.
    Settings::parse_at(file, &text)?;
    replace(file, &text).map_err(|StoreError { path, source }| SettingsError::Write(path, source))
}

fn object<'a>(value: &'a mut Value, file: &Path) -> Result<&'a mut Map<String, Value>, SettingsError> {
    let shape = SettingsError::In(file.to_owned(), Box::new(SettingsError::Shape("`permissions.tools`")));
    value.as_object_mut().ok_or(shape)
}

/// Two processes that add a rule at the same time both succeed.
#[expect(clippy::disallowed_methods, reason = "the user's own settings")]
pub(super) fn lock(file: &Path) -> io::Result<fs::File> {
    let folder = file.parent().unwrap_or(Path::new("/"));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let lock =
        fs::OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(folder.join(".lock"))?;
    flock(&lock, FlockOperation::LockExclusive)?;
    Ok(lock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests look at what was done")]
    fn a_rule_is_added_once_and_the_rest_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("projects/a/settings.json");
        add_rules(&file, "Fetcher", &["WebFetch(domain:docs.rs)".to_owned()]).unwrap();
        fs::write(
            &file,
            r#"{"permissions":{"deny":["Read(x)"],"tools":{"Fetcher":{"allow":["WebFetch(domain:docs.rs)"]}}}}"#,
        )
        .unwrap();
        for _ in 0..2 {
            add_rules(&file, "Fetcher", &["WebFetch(domain:crates.io)".to_owned()]).unwrap();
        }
        let settings = Settings::read(&file).unwrap();
        let texts =
            |entries: &[super::super::RuleEntry]| entries.iter().map(|entry| entry.rule.clone()).collect::<Vec<_>>();
        assert_eq!(texts(&settings.permissions.deny), ["Read(x)"]);
        let allow = texts(&settings.permissions.tools["Fetcher"].allow);
        assert_eq!(allow, ["WebFetch(domain:docs.rs)", "WebFetch(domain:crates.io)"]);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests look at what was done")]
    fn a_file_that_cannot_be_used_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings.json");
        fs::write(&file, "{ broken").unwrap();
        assert!(add_rules(&file, "X", &["Read(//a)".to_owned()]).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "{ broken");
    }
}
