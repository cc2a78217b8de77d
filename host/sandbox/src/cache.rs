//! Compiled code and definitions on disk.
//!
//! Machine code from a file is trusted like the host itself, so an entry is used only if this installation wrote it: the
//! folder and its files belong to the user and nobody else can write there, and each entry is authenticated with a key of
//! this installation over its bytes, the component's digest and everything that changes code (engine version, settings,
//! processor). The bytes that are checked are the bytes that are used. Anything off counts as absent, and is rebuilt.

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};

use crate::Digest;

/// The entry's format. Part of what is authenticated.
const FORMAT: &[u8] = b"toolbay cache 1";
const KEY_FILE: &str = "key";
/// The endings of entries, and of files that become entries.
const ENDINGS: [&str; 3] = ["code", "definitions", "new"];
const TAG_LENGTH: usize = 32;
/// The block size of the hash, which needs no padding.
const KEY_LENGTH: usize = 64;

/// Why a folder can't be the cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It can't be made or read.
    #[error("`{path}` can't be used as cache folder")]
    Folder {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// Somebody else could put code there.
    #[error("`{0}` must belong to the current user, and be writable by nobody else")]
    Foreign(PathBuf),
}

/// What is kept of a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Machine code.
    Code,
    /// The answer of `describe`, for one environment.
    Definitions,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Definitions => "definitions",
        }
    }
}

/// The cache of one installation, for one engine configuration.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    key: [u8; KEY_LENGTH],
    fingerprint: Digest,
}

#[expect(clippy::disallowed_methods, reason = "the cache's own folder")]
impl Cache {
    /// Opens or makes the folder, owner-only.
    pub(crate) fn open(folder: PathBuf, engine: &wasmtime::Engine) -> Result<Self, CacheError> {
        let at = |source| CacheError::Folder { path: folder.clone(), source };
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder).map_err(at)?;
        check_owner(&folder, &fs::metadata(&folder).map_err(at)?)?;
        let key = key(&folder.join(KEY_FILE))?;
        Ok(Self { folder, key, fingerprint: fingerprint(engine) })
    }

    /// Where the entries are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes every entry; gives their number and size in bytes. The key stays.
    ///
    /// # Errors
    /// When the folder can't be read or a file can't be removed.
    pub fn clear(&self) -> io::Result<(u64, u64)> {
        let mut removed = (0, 0);
        for entry in self.entries()? {
            let (path, size) = entry?;
            match fs::remove_file(path) {
                Ok(()) => removed = (removed.0 + 1, removed.1 + size),
                // Another process was quicker.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(removed)
    }

    /// The number of entries and their size in bytes.
    ///
    /// # Errors
    /// When the folder can't be read.
    pub fn size(&self) -> io::Result<(u64, u64)> {
        self.entries()?.try_fold((0, 0), |(count, bytes), entry| Ok((count + 1, bytes + entry?.1)))
    }

    fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<(PathBuf, u64)>>> {
        let file = |entry: io::Result<fs::DirEntry>| {
            let entry = entry?;
            Ok((entry.path(), entry.metadata()?.len()))
        };
        // Only what this module made: the folder may be anything that a person named.
        let ours = |path: &Path| ENDINGS.iter().any(|ending| path.extension().is_some_and(|found| found == *ending));
        let entries = fs::read_dir(&self.folder)?.map(file);
        Ok(entries.filter(move |entry| entry.as_ref().map_or(true, |(path, _)| ours(path))))
    }

    /// The entry's bytes, if it was written by this installation for exactly this.
    pub(crate) fn get(&self, kind: Kind, digest: &Digest, variant: &[u8]) -> Option<Vec<u8>> {
        let path = self.path(kind, digest, variant);
        let mut bytes = match read_private(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "a cache entry can't be read and is rebuilt");
                return None;
            }
        };
        let content = bytes.len().checked_sub(TAG_LENGTH)?;
        let tag = bytes.split_off(content);
        if self.mac(kind, digest, variant, &bytes).verify_slice(&tag).is_err() {
            tracing::warn!(path = %path.display(), "a cache entry was changed or is foreign, and is rebuilt");
            return None;
        }
        Some(bytes)
    }

    /// Keeps an entry. A cache that can't be written costs time, not results, so that's logged and nothing more.
    pub(crate) fn put(&self, kind: Kind, digest: &Digest, variant: &[u8], bytes: &[u8]) {
        let path = self.path(kind, digest, variant);
        let tag = self.mac(kind, digest, variant, bytes).finalize().into_bytes();
        if let Err(error) = replace(&path, &[bytes, &tag]) {
            tracing::warn!(path = %path.display(), %error, "a cache entry can't be written");
        }
    }

    fn path(&self, kind: Kind, digest: &Digest, variant: &[u8]) -> PathBuf {
        let mut name = Sha256::new();
        name.update(self.fingerprint.bytes());
        name.update(variant);
        let variant = Digest::known(name.finalize().into()).to_string();
        let variant = variant.get(..16).unwrap_or_default();
        self.folder.join(format!("{digest}-{variant}.{}", kind.word()))
    }

    fn mac(&self, kind: Kind, digest: &Digest, variant: &[u8], bytes: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new((&self.key).into());
        for part in [FORMAT, kind.word().as_bytes(), digest.bytes(), self.fingerprint.bytes(), variant, bytes] {
            // Lengths keep two different lists of parts from reading alike.
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }
}

fn check_owner(path: &Path, metadata: &fs::Metadata) -> Result<(), CacheError> {
    let ours = metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o022 == 0;
    if ours { Ok(()) } else { Err(CacheError::Foreign(path.to_owned())) }
}

/// The installation's key, made on first use. Two processes that make it at the same time agree on the first one.
fn key(path: &Path) -> Result<[u8; KEY_LENGTH], CacheError> {
    let at = |source| CacheError::Folder { path: path.to_owned(), source };
    for _ in 0..2 {
        if let Ok(Ok(key)) = read_private(path).map(<[u8; KEY_LENGTH]>::try_from) {
            return Ok(key);
        }
        let mut fresh = [0; KEY_LENGTH];
        getrandom::fill(&mut fresh).map_err(|error| at(io::Error::other(error)))?;
        create_key(path, &fresh).map_err(at)?;
    }
    Err(at(io::Error::new(io::ErrorKind::InvalidData, "the key file can't be used; remove it")))
}

#[expect(clippy::disallowed_methods, reason = "the cache's own folder")]
fn create_key(path: &Path, key: &[u8]) -> io::Result<()> {
    let temporary = temporary(path)?;
    write_private(&temporary, &[key])?;
    // A link fails if the name is taken, so the first key stays.
    let linked = fs::hard_link(&temporary, path);
    fs::remove_file(&temporary)?;
    match linked {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

/// Reads a file that must be a regular file of ours.
#[expect(clippy::disallowed_methods, reason = "the cache's own folder")]
fn read_private(path: &Path) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let mut file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || check_owner(path, &metadata).is_err() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "not a file of the current user alone"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Old or new, never half: readers see a rename.
#[expect(clippy::disallowed_methods, reason = "the cache's own folder")]
fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let temporary = temporary(path)?;
    write_private(&temporary, parts)?;
    fs::rename(&temporary, path).inspect_err(|_| drop(fs::remove_file(&temporary)))
}

#[expect(clippy::disallowed_methods, reason = "the cache's own folder")]
fn write_private(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let written = parts.iter().try_for_each(|part| file.write_all(part)).and_then(|()| file.sync_data());
    written.inspect_err(|_| drop(fs::remove_file(path)))
}

/// A name that no other process uses, whatever its identifier: in containers many processes have the same.
fn temporary(path: &Path) -> io::Result<PathBuf> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    Ok(path.with_extension(format!("{:016x}.new", u64::from_ne_bytes(random))))
}

/// Everything that changes the code an engine makes.
fn fingerprint(engine: &wasmtime::Engine) -> Digest {
    struct Sha(Sha256);
    impl Hasher for Sha {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0
        }
    }
    let mut hasher = Sha(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    Digest::known(hasher.0.finalize().into())
}
