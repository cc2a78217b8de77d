//! The terminal that the process belongs to, as a place to ask at.

use std::fs::File;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, OutputModes, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr,
    tcgetpgrp, tcgetwinsize, tcsetattr,
};

use super::keys::INTERRUPT;

/// How long it may take until a withdrawn question is noticed.
const NOTICE: Duration = Duration::from_millis(50);

/// The terminal. Dropped, it's as it was.
pub(super) struct Tty<'a> {
    device: File,
    before: Termios,
    withdrawn: &'a AtomicBool,
}

/// How the terminal hands over what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Each byte at once, unseen.
    Keys,
    /// Whole lines that are seen and can be edited. Ctrl-C ends a line too.
    Line,
}

/// What came from the terminal.
pub(super) enum Input<'a> {
    Nothing,
    Bytes(&'a [u8]),
    /// Ctrl-D on an empty line.
    End,
}

/// Why there's no reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interrupted {
    /// The terminal has gone, or isn't ours to ask at.
    HungUp,
    /// The call doesn't wait any more.
    Withdrawn,
}

impl From<Errno> for Interrupted {
    fn from(_: Errno) -> Self {
        Self::HungUp
    }
}

impl<'a> Tty<'a> {
    /// Opens the terminal, if there's one and this process is in its foreground.
    #[expect(clippy::disallowed_methods, reason = "the terminal itself: standard input may be something else")]
    pub(super) fn open(withdrawn: &'a AtomicBool) -> Result<Self, Interrupted> {
        // Not blocking: a terminal that was stopped with Ctrl-S must not keep a withdrawn question open.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let device = File::options().read(true).write(true).custom_flags(flags.bits().cast_signed()).open("/dev/tty");
        let device = device.map_err(|_| Interrupted::HungUp)?;
        check(&device, withdrawn)?;
        let before = tcgetattr(&device)?;
        Ok(Self { device, before, withdrawn })
    }

    /// Columns.
    pub(super) fn width(&self) -> usize {
        tcgetwinsize(&self.device).ok().map(|size| size.ws_col.into()).filter(|width| *width > 0).unwrap_or(80)
    }

    /// Changes the mode, and forgets what was typed before.
    pub(super) fn set(&self, mode: Mode) -> Result<(), Interrupted> {
        check(&self.device, self.withdrawn)?;
        let mut termios = self.before.clone();
        // A program that ended badly may have left any of these.
        termios.input_modes.insert(InputModes::ICRNL);
        termios.input_modes.remove(InputModes::IGNCR | InputModes::INLCR | InputModes::IXON);
        termios.output_modes.insert(OutputModes::OPOST | OutputModes::ONLCR);
        let line = LocalModes::ICANON | LocalModes::ECHO | LocalModes::ECHOE | LocalModes::ECHOK | LocalModes::ECHOCTL;
        termios.local_modes.set(line, mode == Mode::Line);
        // Ctrl-C denies. It must not end the process, which would lose the reply.
        termios.local_modes.remove(LocalModes::ISIG | LocalModes::ECHONL);
        match mode {
            Mode::Keys => {
                termios.special_codes[SpecialCodeIndex::VMIN] = 1;
                termios.special_codes[SpecialCodeIndex::VTIME] = 0;
            }
            Mode::Line => termios.special_codes[SpecialCodeIndex::VEOL] = INTERRUPT,
        }
        tcsetattr(&self.device, OptionalActions::Now, &termios)?;
        Ok(tcflush(&self.device, QueueSelector::IFlush)?)
    }

    /// Writes the text, all of it.
    pub(super) fn show(&self, text: &str) -> Result<(), Interrupted> {
        let mut left = text.as_bytes();
        while !left.is_empty() {
            match rustix::io::write(&self.device, left) {
                Ok(count) => left = left.get(count..).unwrap_or_default(),
                Err(Errno::AGAIN | Errno::INTR) => {
                    check(&self.device, self.withdrawn)?;
                    self.wait(PollFlags::OUT, NOTICE)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Reads what came, or waits for it: at most so long, and never long enough to miss that the call has ended.
    pub(super) fn read<'b>(&self, buffer: &'b mut [u8], wait: Duration) -> Result<Input<'b>, Interrupted> {
        check(&self.device, self.withdrawn)?;
        let ready = self.wait(PollFlags::IN, wait.min(NOTICE))?;
        if ready.is_empty() {
            return Ok(Input::Nothing);
        }
        match rustix::io::read(&self.device, &mut *buffer) {
            Ok(0) if ready.contains(PollFlags::HUP) => Err(Interrupted::HungUp),
            Ok(0) => Ok(Input::End),
            Ok(count) => Ok(Input::Bytes(buffer.get(..count).unwrap_or_default())),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Input::Nothing),
            Err(error) => Err(error.into()),
        }
    }

    fn wait(&self, events: PollFlags, wait: Duration) -> Result<PollFlags, Errno> {
        let mut polled = [PollFd::new(&self.device, events)];
        let wait = Timespec { tv_sec: 0, tv_nsec: wait.subsec_nanos().into() };
        match poll(&mut polled, Some(&wait)) {
            Ok(_) | Err(Errno::INTR) => Ok(polled.first().map_or(PollFlags::empty(), PollFd::revents)),
            Err(error) => Err(error),
        }
    }
}

impl Drop for Tty<'_> {
    fn drop(&mut self) {
        // From the background it would stop the process. There, the shell has already taken the terminal back.
        if is_foreground(&self.device) {
            // What is left of a paste isn't for whoever reads next.
            let _ = tcflush(&self.device, QueueSelector::IFlush);
            let _ = tcsetattr(&self.device, OptionalActions::Now, &self.before);
        }
    }
}

/// A process in the background that touches the terminal is stopped, so this comes before each touch.
fn check(device: &File, withdrawn: &AtomicBool) -> Result<(), Interrupted> {
    if withdrawn.load(Ordering::Relaxed) {
        return Err(Interrupted::Withdrawn);
    }
    if is_foreground(device) { Ok(()) } else { Err(Interrupted::HungUp) }
}

fn is_foreground(device: &File) -> bool {
    tcgetpgrp(device).is_ok_and(|group| group == rustix::process::getpgrp())
}
