//! What an answer is bound to: change any of it, and the answer is for another call.

use std::path::Path;

use toolbay_policy::{Access, Command, Decision};

use crate::Digest;

/// The most words of a command of which the files are looked at.
const MOST_WORDS: usize = 256;

/// What an answer is for, beside the decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound<'a> {
    pub(crate) tool: &'a str,
    pub(crate) component: &'a Digest,
    pub(crate) input: &'a str,
    /// Where the agent stands.
    pub(crate) folder: &'a Path,
    /// Whether the call runs already.
    pub(crate) running: bool,
}

impl Bound<'_> {
    /// The digest of all that, and of everything that the call would hold.
    pub(crate) fn digest(&self, decision: &Decision) -> Digest {
        let mut text = Vec::new();
        // Each part with its length, so that no two lists of parts give the same text.
        let mut add = |part: &[u8]| {
            text.extend((part.len() as u64).to_le_bytes());
            text.extend(part);
        };
        add(self.tool.as_bytes());
        add(self.component.bytes());
        add(self.input.as_bytes());
        add(self.folder.as_os_str().as_encoded_bytes());
        add(&[u8::from(self.running)]);
        for step in &decision.steps {
            let Some(access) = &step.access else {
                // What the tool itself asks, in its words.
                add(step.reason.to_string().as_bytes());
                continue;
            };
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
}

/// The state of each file that the command's words name: a script that's changed after the answer is another script.
fn files_of(command: &Command) -> Vec<String> {
    let state = |word: &str| {
        let found = rustix::fs::stat(command.directory().real().join(word)).ok()?;
        let regular = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::RegularFile;
        regular.then(|| {
            let (changed, nanoseconds) = (found.st_ctime, found.st_ctime_nsec);
            format!("{word} {} {} {} {changed} {nanoseconds}", found.st_dev, found.st_ino, found.st_size)
        })
    };
    // Of `--file=x` too.
    let names = command.words().map(|word| word.split_once('=').map_or(word, |(_, value)| value));
    names.filter(|word| !word.is_empty() && !word.starts_with('-')).take(MOST_WORDS).filter_map(state).collect()
}
