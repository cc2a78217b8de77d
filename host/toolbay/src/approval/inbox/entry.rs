//! One question's file: what it holds, and when that can be trusted.

use std::fmt;
use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::folder::Folder;
use super::{InboxError, Question, Reply};

/// What wasn't touched for so long is removed, and counts for nothing.
const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);
pub(super) const ID_DIGITS: usize = 16;

/// A question in the inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// What is asked, as it was asked first.
    pub question: Question,
    /// When it was asked first.
    pub asked: Moment,
    /// The answer, until a call takes it.
    pub answer: Option<Reply>,
    /// When it was answered last.
    pub answered: Option<Moment>,
}

/// A point in time, written as RFC 3339 says, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Moment(SystemTime);

/// A file in the inbox that isn't a question.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreadable {
    /// Its name.
    pub file: String,
    /// Why it can't be used.
    pub why: String,
}

impl Entry {
    /// The question as it's asked now.
    pub(super) fn new(question: Question) -> Self {
        Self { question, asked: Moment::now(), answer: None, answered: None }
    }

    /// Whether its answer is one to this question: all must be the same but who asks.
    pub(super) fn is_about(&self, question: &Question) -> bool {
        let Question { session, agent, call, .. } = question.clone();
        Question { session, agent, call, ..self.question.clone() } == *question
    }
}

impl Moment {
    pub(super) fn now() -> Self {
        // A clock that stands before 1970 has no text.
        Self(SystemTime::now().max(SystemTime::UNIX_EPOCH))
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_rfc3339_millis(self.0).fmt(formatter)
    }
}

impl From<Moment> for String {
    fn from(moment: Moment) -> Self {
        moment.to_string()
    }
}

impl TryFrom<String> for Moment {
    type Error = humantime::TimestampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        humantime::parse_rfc3339(&text).map(Self)
    }
}

/// Reads a question. None: it isn't there, or is too old.
pub(super) fn load(folder: &Folder, name: &str) -> Result<Option<(File, Entry)>, Unreadable> {
    let unreadable = |why: String| Unreadable { file: name.to_owned(), why };
    if !is_file_name(name) {
        return Err(unreadable("it isn't named like a question".into()));
    }
    let (file, bytes) = match folder.read(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(|error| unreadable(error.to_string()))?,
    };
    if folder.written(name).is_ok_and(is_old) {
        return Ok(None);
    }
    let entry: Entry = serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    if file_name(&entry.question.id) != name {
        return Err(unreadable("it holds another question than its name says".into()));
    }
    if let Some(Err(error)) = entry.answer.as_ref().map(|answer| fits(&entry.question, answer)) {
        return Err(unreadable(error.to_string()));
    }
    Ok(Some((file, entry)))
}

/// Whether the question can be answered so.
pub(super) fn fits(question: &Question, reply: &Reply) -> Result<(), InboxError> {
    match reply {
        Reply::Nobody => Err(InboxError::NoAnswer),
        Reply::Session | Reply::Always if question.rules.is_none() => Err(InboxError::OnlyOnce),
        Reply::Always if question.file.is_none() => Err(InboxError::NotAlways),
        _ => Ok(()),
    }
}

pub(super) fn is_old(written: SystemTime) -> bool {
    written.elapsed().is_ok_and(|age| age > KEPT)
}

pub(super) fn file_name(id: &str) -> String {
    format!("{id}.json")
}

pub(super) fn is_file_name(name: &str) -> bool {
    name.strip_suffix(".json").is_some_and(is_id)
}

pub(super) fn is_id(id: &str) -> bool {
    id.len() == ID_DIGITS && id.bytes().all(is_digit)
}

pub(super) fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}
