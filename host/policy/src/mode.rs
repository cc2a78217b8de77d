//! Permission modes: how a session answers what no rule decides.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A permission mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// What no rule allows asks.
    #[default]
    Default,
    /// Writes inside the roots pass.
    AcceptEdits,
    /// Only calls that change nothing.
    Plan,
    /// What would ask is denied.
    DontAsk,
    /// What would ask is allowed; what a rule denies or asks about stays so, and protected paths still ask.
    Bypass,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Self; 5] = [Self::Default, Self::AcceptEdits, Self::Plan, Self::DontAsk, Self::Bypass];

    /// The word that settings and the command line use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "accept-edits",
            Self::Plan => "plan",
            Self::DontAsk => "dont-ask",
            Self::Bypass => "bypass",
        }
    }
}

/// What several modes together make of an ask: that of an agent, and those of the agents above it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four facts, each of which may be stricter by itself")]
pub(crate) struct Stance {
    /// What would ask is allowed.
    pub(crate) bypass: bool,
    /// Writes inside the roots pass.
    pub(crate) accept_edits: bool,
    /// Nothing may change.
    pub(crate) plan: bool,
    /// What would ask is denied.
    pub(crate) silent: bool,
}

impl Mode {
    /// Whether it lets nothing pass, and asks about nothing, that the other wouldn't.
    #[must_use]
    pub fn is_as_strict_as(self, other: Self) -> bool {
        self.stance().narrowed(other.stance()) == self.stance()
    }

    pub(crate) fn stance(self) -> Stance {
        Stance {
            bypass: self == Self::Bypass,
            accept_edits: matches!(self, Self::AcceptEdits | Self::Bypass),
            plan: self == Self::Plan,
            silent: self == Self::DontAsk,
        }
    }
}

impl Stance {
    /// The stricter of both in everything.
    pub(crate) fn narrowed(self, other: Self) -> Self {
        Self {
            bypass: self.bypass && other.bypass,
            accept_edits: self.accept_edits && other.accept_edits,
            plan: self.plan || other.plan,
            silent: self.silent || other.silent,
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

impl FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.word() == text)
            .ok_or_else(|| format!("`{text}` is no mode; there are {}", Self::ALL.map(Self::word).join(", ")))
    }
}
