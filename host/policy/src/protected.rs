//! Places where a write can turn into code or into permissions later. Writing there always asks a person.

use std::path::Path;

/// Folders of version control, of editors and agents, and of this tool's own settings, at any depth.
const FOLDERS: [&str; 16] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".bzr",
    ".toolbay",
    ".ssh",
    ".vscode",
    ".idea",
    ".husky",
    ".claude",
    ".cursor",
    ".codex",
    ".gemini",
    ".devcontainer",
    ".direnv",
];

/// Files that a shell, a version-control program or a package manager runs or obeys.
const FILES: [&str; 24] = [
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
    ".gitattributes",
    ".mcp.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pypirc",
    ".netrc",
    ".ripgreprc",
    ".pre-commit-config.yaml",
    ".inputrc",
    ".wgetrc",
];

/// Whether this path, taken alone, is protected. Case is folded, since some file systems do.
pub(crate) fn names_protected(path: &Path) -> bool {
    let among = |list: &[&str], name: &str| list.iter().any(|entry| entry.eq_ignore_ascii_case(name));
    let hidden = |name: &&std::ffi::OsStr| name.as_encoded_bytes().first() == Some(&b'.');
    let inside = path.iter().filter(hidden).any(|name| among(&FOLDERS, &name.to_string_lossy()));
    inside || path.file_name().filter(hidden).is_some_and(|name| among(&FILES, &name.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protected_in_any_case_and_at_any_depth() {
        for path in
            ["/w/.git/hooks/pre-commit", "/w/.GIT/config", "/home/a/.bashrc", "/w/x/.Vscode/tasks.json", "/w/.git"]
        {
            assert!(names_protected(Path::new(path)), "{path}");
        }
        for path in ["/w/src/git.rs", "/w/.github/workflows/ci.yml", "/w/.gitignore", "/w/git/config"] {
            assert!(!names_protected(Path::new(path)), "{path}");
        }
    }
}
