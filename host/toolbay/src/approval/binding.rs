//! What an answer is bound to: change any of it, and the answer is for another call.

use std::path::Path;

use toolbay_policy::{Access, Command, Decision};

use crate::Digest;

/// The most words of a command of which the files are looked at.
const MOST_WORDS: usize = 256;

/// The digest of the tool, its component, the exact input, where it runs, and everything that it would hold.
pub(crate) fn binding(tool: &str, component: &Digest, input: &str, folder: &Path, decision: &Decision) -> Digest {
    let mut text = Vec::new();
    // Each part with its length, so that no two lists of parts give the same text.
    let mut add = |part: &[u8]| {
        text.extend((part.len() as u64).to_le_bytes());
        text.extend(part);
    };
    add(tool.as_bytes());
    add(component.bytes());
    add(input.as_bytes());
    add(folder.as_os_str().as_encoded_bytes());
    for step in &decision.steps {
        let Some(access) = &step.access else { continue };
        add(access.kind().word().as_bytes());
        add(access.to_string().as_bytes());
        if let Some(location) = access.location() {
            add(location.named().as_os_str().as_encoded_bytes());
            add(location.real().as_os_str().as_encoded_bytes());
        }
        if let Access::Run(command) = access {
            files_of(command).iter().for_each(|state| add(state.as_bytes()));
        }
    }
    Digest::of(&text)
}

/// The state of each file that the command's words name: a script that's changed after the answer is another script.
fn files_of(command: &Command) -> Vec<String> {
    let words = std::iter::once(command.program()).chain(command.arguments().iter().map(String::as_str));
    let state = |word: &str| {
        let found = rustix::fs::stat(command.directory().real().join(word)).ok()?;
        let regular = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::RegularFile;
        regular.then(|| {
            let (changed, nanoseconds) = (found.st_ctime, found.st_ctime_nsec);
            format!("{word} {} {} {} {changed} {nanoseconds}", found.st_dev, found.st_ino, found.st_size)
        })
    };
    words.filter(|word| !word.is_empty() && !word.starts_with('-')).take(MOST_WORDS).filter_map(state).collect()
}
