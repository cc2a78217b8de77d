//! The decision about one call. The gate, the explanation and the tests use this one function.

use std::fmt;

use crate::protected::is_protected;
use crate::{Access, Grant, List, Location, Mode, Rule, Rules};

/// What a decision is made from, beside the request.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    /// The folders that the agent works in.
    pub roots: Vec<Location>,
    /// More places that may be read without asking, such as the folder of the session's own results.
    pub readable: Vec<Location>,
    /// The three lists.
    pub rules: Rules,
    /// What happens where no rule decides.
    pub mode: Mode,
}

/// What a tool says it needs for one input, with every path resolved.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The accesses, in the tool's order.
    pub access: Vec<Access>,
    /// The tool's own opinion.
    pub verdict: ToolVerdict,
    /// What is true of this very call.
    pub traits: Traits,
}

/// What a tool says is true of a call with one input. Silence fails closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "five facts that have nothing to do with each other")]
pub struct Traits {
    /// Changes nothing outside its sandbox.
    pub read_only: bool,
    /// May lose or overwrite something.
    pub destructive: bool,
    /// May run beside its neighbours of the same turn.
    pub concurrency_safe: bool,
    /// Doing it twice is the same as doing it once.
    pub idempotent: bool,
    /// Speaks with systems that the host doesn't know.
    pub open_world: bool,
}

/// The tool's own opinion: it can tighten the decision, never loosen it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolVerdict {
    /// No objection.
    #[default]
    Allow,
    /// A person should confirm, for this reason.
    Ask(String),
    /// Must not happen, for this reason.
    Deny(String),
}

/// What happens to an access or to a call. Ordered by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It happens.
    Allow,
    /// A person decides.
    Ask,
    /// It doesn't happen.
    Deny,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        })
    }
}

/// What decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A rule: its text, and the list and source where it stands.
    Rule {
        /// The rule as it would be written.
        rule: String,
        /// The list and the source, such as `permissions.deny of settings`.
        origin: String,
    },
    /// The mode.
    Mode(Mode),
    /// No rule and no mode: the default, in words.
    Default(&'static str),
    /// The tool itself, in its words.
    Tool(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { rule, origin } => write!(formatter, "rule {rule} in {origin}"),
            Self::Mode(mode) => write!(formatter, "mode {mode}"),
            Self::Default(words) => write!(formatter, "default: {words}"),
            Self::Tool(words) => write!(formatter, "the tool itself: {words}"),
        }
    }
}

/// The verdict about one access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What was asked for; none for the tool's own verdict and for what concerns the call as a whole.
    pub access: Option<Access>,
    /// What happens to it.
    pub verdict: Verdict,
    /// What decided.
    pub reason: Reason,
}

/// The decision about a call: the most severe of its steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What happens to the call.
    pub verdict: Verdict,
    /// One step for each access, then those about the call as a whole.
    pub steps: Vec<Step>,
    requested: Vec<Access>,
    closed: Vec<Rule>,
}

impl Decision {
    /// What the call holds when it's allowed: everything it declared, since a call with less could only fail half-way.
    /// Nothing when it isn't.
    #[must_use]
    pub fn grant(&self) -> Grant {
        match self.verdict {
            Verdict::Allow => Grant::new(self.requested.clone(), self.closed.clone()),
            Verdict::Ask | Verdict::Deny => Grant::nothing(),
        }
    }

    /// The steps that stand in the way.
    pub fn obstacles(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.verdict != Verdict::Allow)
    }

    /// The narrowest rules in `permissions.allow` that would lift every ask. None where a rule can't: after a deny, and
    /// where a person must answer.
    #[must_use]
    pub fn remedy(&self) -> Option<Vec<String>> {
        let lifts = |step: &Step| {
            let can = step.verdict == Verdict::Ask && matches!(step.reason, Reason::Default(_) | Reason::Mode(_));
            step.access.as_ref().filter(|access| can && !protected(access)).map(Access::rules)
        };
        let mut rules = self.obstacles().map(lifts).collect::<Option<Vec<_>>>()?.concat();
        rules.dedup();
        // A name with a wildcard in it can't be written as a rule.
        let writable = rules.iter().all(|rule| rule.parse::<Rule>().is_ok());
        (!rules.is_empty() && writable).then_some(rules)
    }
}

/// Decides: deny rules, ask rules, protected paths, allow rules, the mode, the default, in this order; then the tool's own
/// verdict. The call gets the most severe.
#[must_use]
pub fn decide(policy: &Policy, request: Request) -> Decision {
    let mut steps: Vec<Step> = request
        .access
        .iter()
        .map(|access| {
            let (verdict, reason) = decide_access(policy, access);
            Step { access: Some(access.clone()), verdict, reason }
        })
        .collect();
    steps.extend(plan_objection(policy.mode, &request));
    steps.extend(tool_objection(policy.mode, request.verdict));
    let verdict = steps.iter().map(|step| step.verdict).max().unwrap_or(Verdict::Allow);
    let has_files = request.access.iter().any(|access| access.location().is_some());
    let closed = if has_files { policy.rules.closed(policy.mode) } else { Vec::new() };
    Decision { verdict, steps, requested: request.access, closed }
}

fn decide_access(policy: &Policy, access: &Access) -> (Verdict, Reason) {
    let ruled = policy.rules.decide(access).map(|(list, sourced)| {
        (list, Reason::Rule { rule: sourced.rule.to_string(), origin: format!("{list} of {}", sourced.source) })
    });
    match ruled {
        Some((List::Deny, reason)) => (Verdict::Deny, reason),
        _ if protected(access) => unanswered(policy.mode, Reason::Default("writing to a protected path asks"), true),
        Some((List::Ask, reason)) => unanswered(policy.mode, reason, false),
        Some((List::Allow, reason)) => (Verdict::Allow, reason),
        None => by_default(policy, access),
    }
}

fn by_default(policy: &Policy, access: &Access) -> (Verdict, Reason) {
    let within = |places: &[Location], location| places.iter().any(|place| place.covers(location));
    let words = match access {
        Access::Read(location) if within(&policy.roots, location) => {
            return (Verdict::Allow, Reason::Default("reading inside the roots is allowed"));
        }
        Access::Read(location) if within(&policy.readable, location) => {
            return (Verdict::Allow, Reason::Default("reading the session's results is allowed"));
        }
        Access::AskUser => return (Verdict::Allow, Reason::Default("asking the user is allowed")),
        Access::Variable(_) => return (Verdict::Deny, Reason::Default("environment variables are denied")),
        Access::Secret(_) => return (Verdict::Deny, Reason::Default("secrets are denied")),
        Access::Write(location) if policy.mode == Mode::AcceptEdits && within(&policy.roots, location) => {
            return (Verdict::Allow, Reason::Mode(Mode::AcceptEdits));
        }
        Access::Read(_) => "reading outside the roots asks",
        Access::Write(_) => "writing asks",
        Access::Fetch(_) => "fetching asks",
        Access::Run { .. } => "running a program asks",
        Access::UseTool(_) => "calling another tool asks",
        Access::Spawn(_) => "starting a subagent asks",
        Access::Complete => "asking the auxiliary model asks",
    };
    unanswered(policy.mode, Reason::Default(words), false)
}

/// What a mode makes of an ask.
fn unanswered(mode: Mode, reason: Reason, protected: bool) -> (Verdict, Reason) {
    match mode {
        Mode::DontAsk => (Verdict::Deny, Reason::Mode(mode)),
        Mode::Bypass if !protected => (Verdict::Allow, Reason::Mode(mode)),
        Mode::Default | Mode::AcceptEdits | Mode::Plan | Mode::Bypass => (Verdict::Ask, reason),
    }
}

/// In plan mode nothing changes. What a call could change is seen from its accesses; a call without the read-only trait
/// could change the session.
fn plan_objection(mode: Mode, request: &Request) -> Option<Step> {
    let changes = |access: &Access| matches!(access, Access::Write(_) | Access::Run { .. });
    let objects = mode == Mode::Plan && (!request.traits.read_only || request.access.iter().any(changes));
    objects.then_some(Step { access: None, verdict: Verdict::Deny, reason: Reason::Mode(Mode::Plan) })
}

fn tool_objection(mode: Mode, verdict: ToolVerdict) -> Option<Step> {
    let (verdict, reason) = match verdict {
        ToolVerdict::Allow => return None,
        ToolVerdict::Ask(words) => unanswered(mode, Reason::Tool(words), false),
        ToolVerdict::Deny(words) => (Verdict::Deny, Reason::Tool(words)),
    };
    Some(Step { access: None, verdict, reason })
}

fn protected(access: &Access) -> bool {
    matches!(access, Access::Write(location) if is_protected(location))
}

#[cfg(test)]
#[path = "decision_tests.rs"]
mod tests;
