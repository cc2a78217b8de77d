//! The question on a real terminal: which keys are an answer, and which aren't.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use pty_process::blocking::{Command, Pty};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{SpecialCodeIndex, tcgetattr};

use crate::support::Place;

/// Longer than any silence that the question waits for.
const PAUSE: Duration = Duration::from_millis(500);
/// How long a slow machine is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a call in it that needs an answer.
struct Terminal {
    pty: Pty,
    program: Child,
    modes: String,
    output: String,
}

impl Terminal {
    fn new(place: &Place) -> Self {
        Self::of(place, "exec \"$0\" \"$@\"", "")
    }

    /// The keys are pressed before the program starts; `script` starts it.
    fn of(place: &Place, script: &str, keys: &str) -> Self {
        let outside = place.path().join("outside.txt");
        std::fs::write(&outside, "what is asked for\n").unwrap();
        std::fs::create_dir_all(place.path().join("work")).unwrap();
        let (mut pty, pts) = pty_process::blocking::open().unwrap();
        pty.write_all(keys.as_bytes()).unwrap();
        let modes = modes(&pty);
        let input = format!(r#"{{"file_path":"{}"}}"#, outside.display());
        let call = place.command(&["--root", "work", "call", "Read", &input]);
        let mut command = Command::new("sh").args(["-c", script]).arg(call.get_program()).args(call.get_args());
        for (name, value) in call.get_envs().filter(|(name, _)| *name != "TOOLBAY_PROMPT") {
            command = match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let command = command.current_dir(place.path()).stdout(Stdio::piped());
        Self { program: command.spawn(pts).unwrap(), pty, modes, output: String::new() }
    }

    /// The program has asked, and is past the time in which it hears nothing.
    fn listening(place: &Place) -> Self {
        let mut terminal = Self::new(place);
        terminal.press_until("", "Answer for");
        terminal.press_until("x", "Press o");
        terminal
    }

    fn press(&mut self, keys: &str) {
        self.pty.write_all(keys.as_bytes()).unwrap();
    }

    /// Reads what comes next. None: nothing more will. Some(0): nothing came for a pause.
    fn read(&mut self) -> Option<usize> {
        let wait = Timespec { tv_sec: 0, tv_nsec: PAUSE.subsec_nanos().into() };
        if poll(&mut [PollFd::new(&self.pty, PollFlags::IN)], Some(&wait)).unwrap() == 0 {
            return Some(0);
        }
        let mut bytes = [0; 4096];
        let count = self.pty.read(&mut bytes).unwrap_or(0);
        self.output += &String::from_utf8_lossy(&bytes[..count]);
        Some(count).filter(|count| *count > 0)
    }

    /// Reads until the text has come. In each silence before that, the keys are pressed: once may be too soon.
    fn press_until(&mut self, keys: &str, text: &str) {
        let started = Instant::now();
        while !self.output.contains(text) {
            let read = self.read();
            assert!(read.is_some() && started.elapsed() < PATIENCE, "no {text:?} in {:?}", self.output);
            if read == Some(0) {
                self.press(keys);
            }
        }
    }

    /// Presses a key until it's the answer. Gives the exit code and what the program printed.
    fn answer(mut self, key: &str) -> (i32, String) {
        self.press_until("", "Answer for");
        self.press_until(key, if ["d", "\x03", "\x04"].contains(&key) { "denied" } else { "allowed" });
        self.end()
    }

    /// The program has ended, and has left the terminal as it was.
    fn end(&mut self) -> (i32, String) {
        while self.read().is_some() {
            assert!(self.output.len() < 1_000_000);
        }
        let mut printed = String::new();
        self.program.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        let code = self.program.wait().unwrap().code().unwrap();
        assert_eq!(modes(&self.pty), self.modes);
        (code, printed)
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.program.kill());
        drop(self.program.wait());
    }
}

fn modes(pty: &Pty) -> String {
    let termios = tcgetattr(pty).unwrap();
    let codes = [SpecialCodeIndex::VEOL, SpecialCodeIndex::VMIN, SpecialCodeIndex::VTIME];
    let codes = codes.map(|code| termios.special_codes[code]);
    format!("{:?} {:?} {:?} {codes:?}", termios.input_modes, termios.output_modes, termios.local_modes)
}

#[test]
fn a_fresh_key_is_the_answer_and_always_is_kept() {
    let place = Place::new();
    for _ in 0..2 {
        let (code, printed) = Terminal::new(&place).answer("o");
        assert!(code == 0 && printed.contains("what is asked for"), "{printed}");
    }
    for key in ["d", "\x03", "\x04"] {
        assert_eq!(Terminal::new(&place).answer(key).0, 3);
    }
    assert_eq!(Terminal::new(&place).answer("a").0, 0);
    let mut asked_no_more = Terminal::new(&place);
    assert_eq!(asked_no_more.end().0, 0);
    assert!(!asked_no_more.output.contains("Answer for"));
}

/// denoland/deno#9750
#[test]
fn keys_that_were_typed_ahead_are_no_answer() {
    let place = Place::new();
    assert_eq!(Terminal::of(&place, "exec \"$0\" \"$@\"", "o\no").answer("d").0, 3);
}

#[test]
fn a_paste_a_terminals_reply_and_a_key_that_is_not_offered_are_no_answer() {
    let place = Place::new();
    let mut terminal = Terminal::listening(&place);
    terminal.press_until("oooo", "Several keys at once");
    terminal.press("\x1b[24;80Ro");
    for key in ["y", "\n", " "] {
        terminal.output.clear();
        terminal.press_until(key, "Press o, s, a, d, m.");
    }
    assert_eq!(terminal.answer("d").0, 3);
}

#[test]
fn a_denial_can_have_a_message_for_the_model() {
    let place = Place::new();
    let mut terminal = Terminal::listening(&place);
    terminal.press_until("m", "Message to the agent");
    terminal.press("not thiss\x7f one\x1b\n");
    assert_eq!(terminal.end().0, 3);
    assert!(terminal.output.contains("said no to `Read`: not this one"), "{}", terminal.output);
}

/// denoland/deno#34457: without a terminal, or in the background, nobody is asked and nothing waits.
#[test]
fn a_process_in_the_background_or_without_a_terminal_asks_nobody() {
    let place = Place::new();
    let mut background = Terminal::of(&place, "set -m; \"$0\" \"$@\" & wait $!", "");
    assert_eq!(background.end().0, 3);
    assert!(
        background.output.contains("nobody is there") && !background.output.contains("Answer for"),
        "{}",
        background.output
    );
    let mut alone = Terminal::of(&place, "exec setsid --wait \"$0\" \"$@\"", "o");
    assert_eq!(alone.end().0, 3);
}
