//! Questions that wait for a person who isn't there, in files that outlive the process.
//!
//! A call that asks while nobody is there leaves its question here and ends. A person answers from another terminal;
//! when the same call asks again, it takes the answer, once.

mod entry;
mod folder;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

pub use self::entry::{Entry, Moment, Unreadable};
use self::entry::{ID_DIGITS, file_name, fits, is_digit, is_file_name, is_id, is_old, load};
use self::folder::{Folder, LARGEST};
use super::{Approver, Asking, Question, Reply};

/// At most this many questions are kept, answered ones too.
const MOST: usize = 1_000;
/// How often a waiting call looks for its answer.
const PAUSE: Duration = Duration::from_millis(200);
/// Fewer digits of an identifier are too easily another's.
const LEAST_DIGITS: usize = 4;

/// A private folder with a file for each question.
#[derive(Debug, Clone)]
pub struct Inbox {
    folder: PathBuf,
    wait: Duration,
}

/// What the inbox holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The questions, the oldest first.
    pub entries: Vec<Entry>,
    /// Files that aren't questions, by name.
    pub unreadable: Vec<Unreadable>,
}

/// Why the inbox can't do what it was asked.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum InboxError {
    #[error("the inbox `{}` can't be used: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
    #[error("{0:?} names no question; write at least 4 of its digits, which are 0-9 and a-f")]
    Id(String),
    #[error("no question `{0}` is in the inbox; list those that are")]
    Unknown(String),
    #[error("`{id}` fits {count} questions; write more of its digits")]
    Ambiguous { id: String, count: usize },
    #[error("the question's file `{}` can't be used ({}); remove it", .0.file, .0.why)]
    Unreadable(Unreadable),
    #[error("another question waits as `{0}`; answer it and let its call run, or remove its file")]
    Collision(String),
    #[error("this question can only be answered for this once; allow it once or deny it")]
    OnlyOnce,
    #[error("there's no file for a lasting answer to this question; allow it once or for the session, or deny it")]
    NotAlways,
    #[error("`nobody` is no answer; allow the call or deny it")]
    NoAnswer,
    #[error("the inbox is full with {MOST} questions; answer them and let their calls run, or remove some")]
    Full,
    #[error("the question takes more than 20 MiB; make the call's input smaller")]
    TooLarge,
}

/// An answer that still lies in its file.
struct Found {
    file: File,
    reply: Reply,
}

impl Inbox {
    /// Questions are kept in this folder, which is made when the first one is. A call waits so long for its answer.
    pub fn new(folder: impl Into<PathBuf>, wait: Duration) -> Self {
        Self { folder: folder.into(), wait }
    }

    /// The folder. No tool may reach it: who can write to it can answer.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// As [`Approver::ask`], but says why nothing could be asked.
    ///
    /// Dropped: the question stays, and so does an answer that wasn't returned.
    pub async fn reply(&self, question: &Question) -> Result<Reply, InboxError> {
        let started = tokio::time::Instant::now();
        let question = Arc::new(question.clone());
        loop {
            let (inbox, asked) = (self.clone(), question.clone());
            match tokio::task::spawn_blocking(move || inbox.look(&asked)).await.unwrap_or(Ok(None))? {
                // Nothing is awaited from here on: what is taken is returned.
                Some(found) if self.take(&question.id, &found)? => return Ok(found.reply),
                // Another call took it first. The question has to be asked anew.
                Some(_) => {}
                None => match self.wait.checked_sub(started.elapsed()) {
                    None | Some(Duration::ZERO) => return Ok(Reply::Nobody),
                    Some(left) => tokio::time::sleep(left.min(PAUSE)).await,
                },
            }
        }
    }

    /// Everything in the inbox.
    pub fn list(&self) -> Result<Listing, InboxError> {
        let mut listing = Listing::default();
        let Some(folder) = self.open()? else { return Ok(listing) };
        for name in folder.names().map_err(|source| self.unusable(source))? {
            match load(&folder, &name) {
                Ok(Some((_, entry))) => listing.entries.push(entry),
                Ok(None) => {}
                Err(unreadable) => listing.unreadable.push(unreadable),
            }
        }
        listing.entries.sort_by(|one, two| (one.asked, &one.question.id).cmp(&(two.asked, &two.question.id)));
        listing.unreadable.sort();
        Ok(listing)
    }

    /// One question. At least four of its first digits name it, if they fit no other.
    pub fn show(&self, id: &str) -> Result<Entry, InboxError> {
        self.find(id).map(|(_, entry)| entry)
    }

    /// Answers a question, in place of an answer that no call has taken yet. Returns it as it stands now.
    pub fn answer(&self, id: &str, reply: Reply) -> Result<Entry, InboxError> {
        let (folder, mut entry) = self.find(id)?;
        fits(&entry.question, &reply)?;
        entry.answer = Some(reply);
        entry.answered = Some(Moment::now());
        self.store(&folder, &entry)?;
        Ok(entry)
    }

    /// The question's answer, if it has one. Otherwise the question waits in its file afterwards.
    fn look(&self, question: &Question) -> Result<Option<Found>, InboxError> {
        if !is_id(&question.id) {
            return Err(InboxError::Id(question.id.clone()));
        }
        let folder = Folder::make(&self.folder).map_err(|source| self.unusable(source))?;
        if let Ok(Some((file, entry))) = load(&folder, &file_name(&question.id)) {
            if entry.is_about(question) {
                return Ok(entry.answer.map(|reply| Found { file, reply }));
            }
            // Digits can be made to collide. Were the older question replaced, who reads it would answer this one.
            if entry.question.binding != question.binding {
                return Err(InboxError::Collision(question.id.clone()));
            }
        }
        // Nothing is there, or nothing that can be trusted.
        self.store(&folder, &Entry::new(question.clone()))?;
        Ok(None)
    }

    /// Removes the answer's file. False: it isn't the answer any more.
    fn take(&self, id: &str, found: &Found) -> Result<bool, InboxError> {
        let Some(folder) = self.open()? else { return Ok(false) };
        let name = file_name(id);
        let taken = folder.holds(&name, &found.file).and_then(|holds| {
            if holds {
                folder.remove(&name)?;
            }
            Ok(holds)
        });
        taken.map_err(|source| self.unusable(source))
    }

    fn find(&self, id: &str) -> Result<(Folder, Entry), InboxError> {
        if !(LEAST_DIGITS..=ID_DIGITS).contains(&id.len()) || !id.bytes().all(is_digit) {
            return Err(InboxError::Id(id.to_owned()));
        }
        let unknown = || InboxError::Unknown(id.to_owned());
        let folder = self.open()?.ok_or_else(unknown)?;
        let mut names = folder.names().map_err(|source| self.unusable(source))?;
        names.retain(|name| name.starts_with(id) && is_file_name(name));
        match &*names {
            [] => Err(unknown()),
            [name] => {
                let (_, entry) = load(&folder, name).map_err(InboxError::Unreadable)?.ok_or_else(unknown)?;
                Ok((folder, entry))
            }
            several => Err(InboxError::Ambiguous { id: id.to_owned(), count: several.len() }),
        }
    }

    /// Writes the entry, and removes what is too old.
    fn store(&self, folder: &Folder, entry: &Entry) -> Result<(), InboxError> {
        let unusable = |source| self.unusable(source);
        let bytes = serde_json::to_vec_pretty(entry).map_err(|error| unusable(error.into()))?;
        if bytes.len() as u64 > LARGEST {
            return Err(InboxError::TooLarge);
        }
        let (name, mut others) = (file_name(&entry.question.id), 0);
        for other in folder.names().map_err(unusable)?.iter().filter(|other| is_file_name(other) && **other != name) {
            let removed = folder.written(other).is_ok_and(is_old) && folder.remove(other).is_ok();
            others += usize::from(!removed);
        }
        if others >= MOST {
            return Err(InboxError::Full);
        }
        folder.write(&name, &bytes).map_err(unusable)
    }

    /// The folder, if it was ever made.
    fn open(&self) -> Result<Option<Folder>, InboxError> {
        match Folder::open(&self.folder) {
            Ok(folder) => Ok(Some(folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(self.unusable(source)),
        }
    }

    fn unusable(&self, source: io::Error) -> InboxError {
        InboxError::Folder { folder: self.folder.clone(), source }
    }
}

impl Approver for Inbox {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async {
            self.reply(question).await.unwrap_or_else(|error| {
                tracing::error!(%error, "a question can't be put into the inbox");
                Reply::Nobody
            })
        })
    }

    fn is_there(&self) -> bool {
        !self.wait.is_zero()
    }

    fn takes_many(&self) -> bool {
        true
    }

    fn hint(&self, question: &Question) -> Option<String> {
        // Only where it really waits.
        self.show(&question.id).ok()?;
        let id = question.id.get(..8)?;
        Some(format!("a person can answer with `toolbay approvals allow {id}`, and the same call then succeeds once"))
    }
}

#[cfg(test)]
#[path = "inbox_tests.rs"]
mod tests;
