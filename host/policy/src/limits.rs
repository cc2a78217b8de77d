//! The numbers that bound a call. All are on by default.

use serde::{Deserialize, Serialize};

const MIB: u64 = 1024 * 1024;

/// Bounds of one call, and of all calls together. A setting can lower each, and raise it up to the bound given here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Limits {
    /// Wall-clock time of `call`, in milliseconds; at most 600,000. Stops a guest that waits.
    pub deadline_milliseconds: u32,
    /// Processor time of `call`, in milliseconds. Stops a guest that computes.
    pub cpu_milliseconds: u32,
    /// Wall-clock time of `validate` and `permissions` together, and of `describe`.
    pub preflight_milliseconds: u32,
    /// Memory of `call`, over all linear memories and tables of its instance.
    pub memory_bytes: u64,
    /// Memory of the preflight sandbox.
    pub preflight_memory_bytes: u64,
    /// Memory of all running guests together: stops many calls that each stay below their own bound.
    pub total_memory_bytes: u64,
    /// The input's JSON text.
    pub input_bytes: u64,
    /// What a guest hands over at a time: the result of a call, and the strings and lists given to one host function.
    /// More is refused before the host makes room for it.
    pub result_bytes: u64,
    /// Host objects that a guest holds at a time, such as streams and open files.
    pub handles: u32,
    /// Open files among them: the process has few descriptors.
    pub open_files: u32,
    /// What a call may write to its log, and to each of standard output and standard error, before the rest is dropped.
    pub log_bytes: u64,
    /// Calls that run at a time.
    pub calls_in_flight: u32,
    /// Calls that wait for their turn; one more is refused.
    pub calls_waiting: u32,
    /// Neighbours of one turn that run in parallel.
    pub parallel: u32,
    /// The size of a component's file.
    pub component_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline_milliseconds: 120_000,
            cpu_milliseconds: 120_000,
            preflight_milliseconds: 1_000,
            memory_bytes: 256 * MIB,
            preflight_memory_bytes: 64 * MIB,
            total_memory_bytes: 4_096 * MIB,
            input_bytes: 16 * MIB,
            result_bytes: 32 * MIB,
            handles: 1_024,
            open_files: 64,
            log_bytes: 65_536,
            calls_in_flight: 1_000,
            calls_waiting: 10_000,
            parallel: 10,
            component_bytes: 64 * MIB,
        }
    }
}

impl Limits {
    /// The largest deadline that can be asked for, in milliseconds.
    pub const LONGEST_DEADLINE: u32 = 600_000;
    /// The largest memory of one call: what the engine's pool reserves for it.
    pub const LARGEST_MEMORY: u64 = 1_024 * MIB;

    /// The same limits with every value inside its bounds: nothing is zero, nothing above what the engine can give.
    #[must_use]
    pub fn clamped(mut self) -> Self {
        self.deadline_milliseconds = self.deadline_milliseconds.clamp(1, Self::LONGEST_DEADLINE);
        self.cpu_milliseconds = self.cpu_milliseconds.clamp(1, Self::LONGEST_DEADLINE);
        self.preflight_milliseconds = self.preflight_milliseconds.clamp(1, 60_000);
        self.memory_bytes = self.memory_bytes.clamp(MIB, Self::LARGEST_MEMORY);
        self.preflight_memory_bytes = self.preflight_memory_bytes.clamp(MIB, Self::LARGEST_MEMORY);
        self.result_bytes = self.result_bytes.clamp(1_024, 1_024 * MIB);
        self.handles = self.handles.max(16);
        self.open_files = self.open_files.max(1);
        self.calls_in_flight = self.calls_in_flight.max(1);
        self.parallel = self.parallel.max(1);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_lie_within_the_bounds() {
        assert_eq!(Limits::default().clamped(), Limits::default());
    }
}
