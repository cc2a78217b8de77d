//! Keeps what others print away from an open question.
//!
//! A question may be open for hours. Who prints can wait for its end, as [`held`] does, or go on: the log does, since a
//! host whose threads wait for a person couldn't even end the call that asks.

use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

static TERMINAL: Mutex<Output> = Mutex::new(Output { open: false, kept: Vec::new(), lost: 0 });
static CLOSED: Condvar = Condvar::new();
/// Bytes of the log that are kept while a question is open.
const MOST: usize = 64 * 1024;

/// The right to print.
#[derive(Debug)]
pub(crate) struct Output {
    open: bool,
    kept: Vec<u8>,
    lost: usize,
}

/// Waits until no question is open. None is opened as long as the guard lives: never keep it while asking.
pub(crate) fn held() -> MutexGuard<'static, Output> {
    // What is guarded is as good after a panic as before.
    CLOSED.wait_while(lock(), |output| output.open).unwrap_or_else(PoisonError::into_inner)
}

/// Standard error for the log. What is written while a question is open appears when it's closed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Held;

impl Write for Held {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut output = lock();
        if !output.open {
            return io::stderr().write(bytes);
        }
        if output.kept.len() + bytes.len() <= MOST {
            output.kept.extend_from_slice(bytes);
        } else {
            output.lost += bytes.len();
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A question that is open. Nobody else prints.
pub(super) struct Alone;

impl Alone {
    /// Opens one, after the one that is open.
    pub(super) fn begin() -> Self {
        held().open = true;
        Self
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        let mut output = lock();
        output.open = false;
        let (mut kept, lost) = (std::mem::take(&mut output.kept), std::mem::take(&mut output.lost));
        if lost > 0 {
            kept.extend_from_slice(format!("{lost} more bytes of the log came while a question was open\n").as_bytes());
        }
        // A log that can't be written is no reason to fail.
        drop(io::stderr().write_all(&kept));
        CLOSED.notify_all();
    }
}

fn lock() -> MutexGuard<'static, Output> {
    TERMINAL.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_kept_while_a_question_is_open() {
        let alone = Alone::begin();
        Held.write_all(b"kept\n").unwrap();
        Held.write_all(&vec![b'x'; MOST]).unwrap();
        let output = lock();
        assert_eq!((&*output.kept, output.lost), (&b"kept\n"[..], MOST));
        drop(output);
        let printing = std::thread::spawn(|| held().open);
        drop(alone);
        assert!(!printing.join().unwrap());
        let output = lock();
        assert_eq!((output.kept.len(), output.lost), (0, 0));
    }
}
