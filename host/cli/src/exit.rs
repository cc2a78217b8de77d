//! Exit codes, in one table.

use std::process::ExitCode;

use toolbay::{Code, HostError};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    ToolFailed = 1,
    Usage = 2,
    Denied = 3,
    Stopped = 4,
    HostFault = 5,
}

impl Exit {
    /// The code of what kept a command from its work: a mistake of use, unless the host itself couldn't be set up.
    pub(crate) fn of(error: &anyhow::Error) -> Self {
        match error.downcast_ref::<HostError>() {
            Some(HostError::Engine(_) | HostError::Threads(_)) => Self::HostFault,
            _ => Self::Usage,
        }
    }

    /// The word for an error that has no code of its own.
    pub(crate) fn word(self) -> &'static str {
        if self == Self::HostFault { "host-fault" } else { "usage" }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Code> for Exit {
    fn from(code: Code) -> Self {
        match code {
            Code::ToolFailed | Code::ValidationFailed => Self::ToolFailed,
            Code::UnknownTool | Code::InvalidInput | Code::ComponentInvalid => Self::Usage,
            Code::Denied | Code::ApprovalNeeded => Self::Denied,
            Code::InputTooLarge
            | Code::ResultTooLarge
            | Code::Cancelled
            | Code::Deadline
            | Code::Cpu
            | Code::Memory
            | Code::Limit
            | Code::Trap => Self::Stopped,
            // A code that's newer than this table is nobody else's fault.
            _ => Self::HostFault,
        }
    }
}
