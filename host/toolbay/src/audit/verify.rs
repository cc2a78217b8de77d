//! Checking and reading the log.

use std::collections::VecDeque;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::folder::Folder;
use super::line::{self, Line};
use super::{AuditError, BEGINNING, Flaw, snapshot};
use crate::Digest;

/// A log without a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// How many entries it has.
    pub entries: u64,
    /// How many files.
    pub files: u64,
    /// The hash of its last line, 64 hexadecimal digits; zeros when there's none. Kept elsewhere, it shows later whether
    /// the log was cut off: then no line has it as its `previous`, and it isn't the last hash either.
    pub last: String,
}

/// Checks that every line is an entry, and that each follows the one before it, over all files.
///
/// It sees lines that were changed, removed, added or moved, and files that are missing, with the oldest among them: a
/// log whose old files are thrown away doesn't verify. It **can't** see that lines were cut off at the end, that the last
/// line was changed, or that all was written anew, unless [`Verified::last`] or another line's hash was kept elsewhere:
/// the chain has no secret. An empty folder verifies, with no entries.
///
/// Others may append meanwhile; what they add isn't checked.
///
/// # Errors
///
/// [`AuditError::Broken`] names the first line that's wrong, and counts those behind it: a line that a crash left torn is
/// the only one, and the rest is checked all the same.
pub fn verify(folder: &Path) -> Result<Verified, AuditError> {
    let mut verified = Verified { entries: 0, files: 0, last: BEGINNING.to_owned() };
    let mut first = None;
    let mut others = 0;
    for mut part in snapshot::take(&Folder::to_read(folder))? {
        let mut reader = part.reader()?;
        let mut number = 0;
        while let Some(line) = line::next(&mut reader).map_err(AuditError::io(&part.path))? {
            number += 1;
            match check(&line, &verified) {
                Ok(()) => {}
                Err(why) if first.is_none() => first = Some((part.path.clone(), number, why)),
                Err(_) => others += 1,
            }
            verified.entries += 1;
            verified.last = Digest::of(&line.bytes).to_string();
        }
        verified.files += 1;
    }
    match first {
        None => Ok(verified),
        Some((file, line, why)) => Err(AuditError::Broken { file, line, why, others }),
    }
}

/// The last `count` entries, oldest first, for showing. Nothing is verified.
///
/// A line that isn't an entry doesn't make the others unreadable: it comes as a JSON string of its text. So does an
/// entry that's nested more than 127 levels deep.
pub fn read(folder: &Path, count: usize) -> Result<Vec<Value>, AuditError> {
    let mut entries = VecDeque::new();
    for mut part in snapshot::take(&Folder::to_read(folder))?.into_iter().rev() {
        let missing = count - entries.len();
        if missing == 0 {
            break;
        }
        let mut reader = part.reader()?;
        let mut lines = VecDeque::new();
        while let Some(line) = line::next(&mut reader).map_err(AuditError::io(&part.path))? {
            if lines.len() == missing {
                lines.pop_front();
            }
            lines.push_back(line.bytes);
        }
        lines.iter().rev().for_each(|line| entries.push_front(shown(line)));
    }
    Ok(entries.into())
}

/// What's looked at in a line. The rest is skipped without recursion, however deep it is.
#[derive(Deserialize)]
struct Link {
    previous: String,
}

/// Whether the line is an entry and follows the line before it.
fn check(line: &Line, verified: &Verified) -> Result<(), Flaw> {
    if !line.whole {
        return Err(Flaw::TooLong);
    }
    let text = std::str::from_utf8(&line.bytes).map_err(|_| Flaw::NotAnEntry)?;
    // Serde would take an array for a struct too.
    if !text.starts_with('{') {
        return Err(Flaw::NotAnEntry);
    }
    let entry: Link = serde_json::from_str(text).map_err(|_| Flaw::NotAnEntry)?;
    if entry.previous == verified.last {
        Ok(())
    } else if verified.entries == 0 {
        Err(Flaw::NotFirst)
    } else {
        Err(Flaw::NotNext)
    }
}

/// The line as an object, or as its text.
fn shown(line: &[u8]) -> Value {
    let entry = serde_json::from_slice(line).ok().filter(Value::is_object);
    entry.unwrap_or_else(|| String::from_utf8_lossy(line).into())
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
