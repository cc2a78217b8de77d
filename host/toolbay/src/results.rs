//! The private folder of a session's large results.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A folder that only the user can read. Made when the first result is kept.
#[derive(Debug, Clone)]
pub struct Results {
    folder: PathBuf,
}

impl Results {
    /// Results are kept below this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder. The session's agents may read it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps a result whole, under a name of its own.
    #[expect(clippy::disallowed_methods, reason = "the session's own folder of results")]
    pub(crate) fn keep(&self, call: &str, text: &str) -> io::Result<PathBuf> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        let metadata = fs::symlink_metadata(&self.folder)?;
        // No bit for group or others.
        let ours = metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode().trailing_zeros() >= 6;
        if !metadata.is_dir() || !ours {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "the folder of results isn't the user's alone",
            ));
        }
        // Call identifiers come from the caller; only what can't lead elsewhere becomes part of a name.
        let safe = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        let name: String = call.chars().filter(|letter| safe(*letter)).take(64).collect();
        for count in 0_u32.. {
            let path = self.folder.join(if count == 0 { format!("{name}.txt") } else { format!("{name}-{count}.txt") });
            match fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
                Ok(mut file) => {
                    // A half-written result is removed: a model would take it for the whole one.
                    let written = file.write_all(text.as_bytes());
                    return written.map(|()| path.clone()).inspect_err(|_| drop(fs::remove_file(&path)));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("no free name"))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests look at what was done")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_result_is_private_and_its_name_stays_in_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::new(folder.path().join("deep/results"));
        let path = results.keep("../../etc/passwd", "text").unwrap();
        assert_eq!(path, folder.path().join("deep/results/etcpasswd.txt"));
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_others_can_see_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        assert!(Results::new(folder.path()).keep("call", "text").is_err());
    }

    #[test]
    fn two_results_of_one_name_are_both_kept() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::new(folder.path().join("results"));
        let (one, two) = (results.keep("call", "1").unwrap(), results.keep("call", "2").unwrap());
        assert_eq!((fs::read_to_string(one).unwrap(), fs::read_to_string(two).unwrap()), ("1".into(), "2".into()));
    }
}
