//! Which bytes from a terminal are a person's answer.
//!
//! A terminal also sends what nobody decided: keys that were meant for something else, pastes, replies to escape
//! sequences. So input is taken in bursts. A burst ends with silence, and only one that is a single offered key counts.

use std::time::Duration;

/// What Ctrl-C and Ctrl-D send while they raise no signal.
pub(super) const INTERRUPT: u8 = 3;
const END: u8 = 4;
const ESCAPE: u8 = 0x1b;

/// A burst that begins so soon after the question was shown can't be about it.
const UNREAD: Duration = Duration::from_millis(300);
/// No hand is so fast: what follows within it belongs to the same burst.
const GAP: Duration = Duration::from_millis(30);
/// A terminal's reply may come in pieces, over a slow line.
const ESCAPE_GAP: Duration = Duration::from_millis(100);

/// Tells answers from everything else.
#[derive(Debug)]
pub(super) struct Keys {
    offered: Vec<u8>,
    burst: Option<Burst>,
}

#[derive(Debug)]
struct Burst {
    begun: Duration,
    last: Duration,
    /// The only byte, if there's one.
    single: Option<u8>,
    escape: bool,
}

/// What was heard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Nothing that needs an answer.
    Nothing,
    /// An offered key. Ctrl-C and Ctrl-D are `d`.
    Key(u8),
    /// Some other key.
    Other,
    /// More bytes than one key sends.
    Several,
}

impl Keys {
    pub(super) fn new(offered: &[u8]) -> Self {
        Self { offered: offered.to_vec(), burst: None }
    }

    /// How long to wait for input before [`Keys::feed`] is called without any.
    pub(super) fn patience(&self) -> Duration {
        self.burst.as_ref().map_or(Duration::MAX, Burst::gap)
    }

    /// Takes the bytes that came, or none when none came until now. `elapsed` is the time since the question was shown.
    pub(super) fn feed(&mut self, bytes: &[u8], elapsed: Duration) -> Heard {
        if let [first, rest @ ..] = bytes {
            let escape = bytes.contains(&ESCAPE);
            if let Some(burst) = &mut self.burst {
                burst.last = elapsed;
                burst.single = None;
                burst.escape |= escape;
            } else {
                let single = rest.is_empty().then_some(*first);
                self.burst = Some(Burst { begun: elapsed, last: elapsed, single, escape });
            }
            return Heard::Nothing;
        }
        match self.burst.take_if(|burst| elapsed.saturating_sub(burst.last) >= burst.gap()) {
            Some(burst) if burst.begun >= UNREAD && !burst.escape => match burst.single {
                Some(INTERRUPT | END) => Heard::Key(b'd'),
                Some(key) if self.offered.contains(&key) => Heard::Key(key),
                Some(_) => Heard::Other,
                None => Heard::Several,
            },
            _ => Heard::Nothing,
        }
    }
}

impl Burst {
    fn gap(&self) -> Duration {
        if self.escape { ESCAPE_GAP } else { GAP }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is heard of bytes that come at these times (in milliseconds), each until 40 ms of silence after it.
    fn heard(input: &[(u64, &[u8])]) -> Vec<Heard> {
        let mut keys = Keys::new(b"odm");
        let mut heard = Vec::new();
        for (index, (at, bytes)) in input.iter().enumerate() {
            heard.push(keys.feed(bytes, Duration::from_millis(*at)));
            let next = input.get(index + 1).map_or(u64::MAX, |(next, _)| *next);
            for later in (at + 10..next.min(at + 200)).step_by(10) {
                heard.push(keys.feed(b"", Duration::from_millis(later)));
            }
        }
        heard.retain(|heard| *heard != Heard::Nothing);
        heard
    }

    #[test]
    fn a_single_offered_key_is_an_answer() {
        assert_eq!(heard(&[(300, b"o")]), [Heard::Key(b'o')]);
        assert_eq!(heard(&[(300, b"\x03")]), [Heard::Key(b'd')]);
        assert_eq!(heard(&[(300, b"\x04")]), [Heard::Key(b'd')]);
        assert_eq!(heard(&[(1_000, b"x"), (1_100, b"d")]), [Heard::Other, Heard::Key(b'd')]);
    }

    #[test]
    fn what_came_too_soon_is_no_answer() {
        assert_eq!(heard(&[(0, b"o"), (299, b"o")]), []);
        // It began too soon and goes on.
        assert_eq!(heard(&[(290, b"o"), (310, b"o")]), []);
        assert_eq!(heard(&[(290, b"o"), (340, b"o")]), [Heard::Key(b'o')]);
    }

    #[test]
    fn keys_that_are_not_offered_are_none() {
        for key in [b"s", b"a", b"O", b"y", b"\r", b"\n", b" ", b"\0", b"\x1a", b"\xff"] {
            assert_eq!(heard(&[(500, key)]), [Heard::Other]);
        }
    }

    #[test]
    fn a_paste_is_no_answer() {
        assert_eq!(heard(&[(500, b"oooo")]), [Heard::Several]);
        assert_eq!(heard(&[(500, b"o\n")]), [Heard::Several]);
        assert_eq!(heard(&[(500, b"o"), (520, b"o"), (549, b"o")]), [Heard::Several]);
        assert_eq!(heard(&[(500, "\u{e9}".as_bytes())]), [Heard::Several]);
        // The thread slept: that there was silence between the two can't be known.
        let mut keys = Keys::new(b"o");
        keys.feed(b"o", Duration::from_secs(1));
        keys.feed(b"o", Duration::from_secs(2));
        assert_eq!(keys.feed(b"", Duration::from_secs(3)), Heard::Several);
    }

    #[test]
    fn what_a_terminal_replies_is_no_answer() {
        assert_eq!(heard(&[(500, b"\x1b[24;80R")]), []);
        assert_eq!(heard(&[(500, b"\x1b"), (590, b"O"), (680, b"o")]), []);
        assert_eq!(heard(&[(500, b"\x1b[200~o\x1b[201~"), (650, b"o")]), [Heard::Key(b'o')]);
    }

    #[test]
    fn silence_is_waited_for() {
        let mut keys = Keys::new(b"o");
        assert_eq!(keys.patience(), Duration::MAX);
        keys.feed(b"o", UNREAD);
        assert_eq!(keys.patience(), GAP);
        assert_eq!(keys.feed(b"", UNREAD + GAP / 2), Heard::Nothing);
        assert_eq!(keys.feed(b"", UNREAD + GAP), Heard::Key(b'o'));
    }
}
