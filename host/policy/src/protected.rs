//! Places where a write can turn into code or into permissions later. Writing there always asks a person.

use std::path::Path;

use crate::Location;

/// Folders of version control and of this tool's own settings, at any depth.
const FOLDERS: [&str; 7] = [".git", ".hg", ".svn", ".jj", ".bzr", ".toolbay", ".ssh"];

/// Files that a shell or a version-control program runs or obeys.
const FILES: [&str; 14] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".envrc",
    ".gitconfig",
    ".gitmodules",
    ".mcp.json",
];

/// Whether writing to this place always asks. Case is folded, since some file systems do.
pub(crate) fn is_protected(location: &Location) -> bool {
    names_protected(location.named()) || names_protected(location.real())
}

/// Whether this path, taken alone, is protected.
pub(crate) fn names_protected(path: &Path) -> bool {
    let among = |list: &[&str], name: &str| list.iter().any(|entry| entry.eq_ignore_ascii_case(name));
    let inside = path.iter().any(|name| among(&FOLDERS, &name.to_string_lossy()));
    inside || path.file_name().is_some_and(|name| among(&FILES, &name.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_by_name_by_target_and_in_any_case() {
        let protected = |named: &str, real: &str| is_protected(&Location::new(Path::new(named), Path::new(real)));
        assert!(protected("/w/.git/hooks/pre-commit", "/w/.git/hooks/pre-commit"));
        assert!(protected("/w/innocent", "/w/.GIT/config"));
        assert!(protected("/home/a/.bashrc", "/home/a/.bashrc"));
        assert!(!protected("/w/src/git.rs", "/w/src/git.rs"));
    }
}
