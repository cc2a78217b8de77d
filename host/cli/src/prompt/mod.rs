//! The question on the terminal: one at a time, in the order in which they were asked.

mod held;
mod keys;
mod page;
mod tty;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub(crate) use self::held::Held;
use self::keys::{Heard, Keys};
use self::page::Page;
use self::tty::{Input, Interrupted, Mode, Tty};
use toolbay::{Approver, Asking, Question, Reply};

/// Whose turn it is. Tokio's lock serves first who came first.
static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
/// A denial's message holds at most this many characters.
const MESSAGE: usize = 1_000;
/// More bytes than a terminal's line can have.
const LINE: usize = 8 * 1024;

/// Asks whoever sits at the terminal that the process belongs to. Standard input and output aren't used.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Terminal {
    /// The terminal knows no escape sequences (`TERM=dumb`).
    pub(crate) plain: bool,
}

impl Approver for Terminal {
    fn ask<'a>(&'a self, question: &'a Question) -> Asking<'a> {
        Box::pin(async move {
            let turn = TURN.lock().await;
            let asking = Withdrawal(Arc::default());
            let (withdrawn, question, plain) = (asking.0.clone(), question.clone(), self.plain);
            let asked = tokio::task::spawn_blocking(move || {
                // The next one is asked when the terminal is as it was, even if nobody awaits the reply any more.
                let _turn = turn;
                ask(&question, plain, &withdrawn).unwrap_or(Reply::Nobody)
            });
            asked.await.unwrap_or(Reply::Nobody)
        })
    }

    fn is_there(&self) -> bool {
        Tty::open(&AtomicBool::new(false)).is_ok()
    }
}

/// Withdraws the question when the call no longer waits for its answer.
struct Withdrawal(Arc<AtomicBool>);

impl Drop for Withdrawal {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn ask(question: &Question, plain: bool, withdrawn: &AtomicBool) -> Result<Reply, Interrupted> {
    let _alone = held::Alone::begin();
    let tty = Tty::open(withdrawn)?;
    let page = Page::new(question, tty.width());
    tty.set(Mode::Keys)?;
    if !plain {
        tty.show(page::RESET)?;
    }
    tty.show(&page.text)?;
    let reply = listen(&tty, &page, plain);
    let said = match &reply {
        Ok(Reply::Once) => "allowed once\n",
        Ok(Reply::Session) => "allowed for this session\n",
        Ok(Reply::Always) => "always allowed\n",
        Ok(Reply::Deny { .. }) => "denied\n",
        Ok(Reply::Nobody) | Err(Interrupted::HungUp) => return reply,
        Err(Interrupted::Withdrawn) => "withdrawn: the call has ended\n",
    };
    // The answer counts, whether or not it can be shown.
    let _ = tty.show(said);
    reply
}

/// Waits for one of the offered keys.
fn listen(tty: &Tty<'_>, page: &Page, plain: bool) -> Result<Reply, Interrupted> {
    let mut keys = Keys::new(&page.offered);
    let mut buffer = [0; 256];
    let shown = Instant::now();
    loop {
        let bytes = match tty.read(&mut buffer, keys.patience())? {
            Input::Nothing => &[],
            Input::Bytes(bytes) => bytes,
            // Without lines there's no end of one.
            Input::End => return Err(Interrupted::HungUp),
        };
        let hint = match keys.feed(bytes, shown.elapsed()) {
            Heard::Nothing => continue,
            Heard::Key(b'o') => return Ok(Reply::Once),
            Heard::Key(b's') => return Ok(Reply::Session),
            Heard::Key(b'a') => return Ok(Reply::Always),
            Heard::Key(b'm') => return Ok(Reply::Deny { message: message(tty)? }),
            Heard::Key(_) => return Ok(Reply::Deny { message: None }),
            Heard::Other => page.hint.as_str(),
            Heard::Several => "Several keys at once are no answer.",
        };
        // In place of the line, so that a stuck key doesn't scroll the question away.
        let start = if plain { "\n" } else { "\r\x1b[K" };
        tty.show(&format!("{start}{hint} {}", page.answer))?;
    }
}

/// Reads a line for the agent. None: nothing was said.
fn message(tty: &Tty<'_>) -> Result<Option<String>, Interrupted> {
    tty.set(Mode::Line)?;
    tty.show("\nMessage to the agent (Enter denies with it, Ctrl-C without): ")?;
    let mut line = Vec::new();
    let mut buffer = [0; 256];
    while line.len() < LINE {
        match tty.read(&mut buffer, Duration::MAX)? {
            Input::Nothing => {}
            Input::Bytes(bytes) => line.extend_from_slice(bytes),
            Input::End => break,
        }
        match line.last() {
            Some(&b'\n') => break,
            Some(&keys::INTERRUPT) => return Ok(None),
            _ => {}
        }
    }
    Ok(said(&line))
}

/// What is left of a typed line.
fn said(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let text: String = text.trim().chars().filter(|character| !character.is_control()).take(MESSAGE).collect();
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_short_and_without_control_characters() {
        assert_eq!(said(b" no\x1b[31m, \xc3\xa9\x00 \xff\n").as_deref(), Some("no[31m, \u{e9} \u{fffd}"));
        assert_eq!(said(b" \x1b\n"), None);
        assert_eq!(said(&[b'x'; 3_000]).map(|text| text.len()), Some(MESSAGE));
    }
}
