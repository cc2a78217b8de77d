//! The decision about one call. The gate, the explanation, the approval prompt and the tests use this one function.

use std::fmt;
use std::sync::Arc;

use crate::judge::{judge, silenced};
use crate::{Access, Grant, List, Location, Mode, Policy, Rule, Written};

/// What a tool says it needs for one input, with every path resolved.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The tool's own name.
    pub tool: String,
    /// The accesses, in the tool's order.
    pub access: Vec<Access>,
    /// The tool's own opinion.
    pub verdict: ToolVerdict,
    /// What is true of this very call.
    pub traits: Traits,
    /// The plain values at the top of the input that rules look at, see [`Policy::parameters`].
    pub parameters: Vec<(String, String)>,
    /// Asked by a call that runs already: then only its accesses count, since the call itself was decided before.
    pub running: bool,
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

impl Verdict {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// What decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A rule.
    Rule {
        /// The rule, where it stands, and its list.
        written: Box<Written>,
        /// The command inside another that it's about.
        part: Option<String>,
    },
    /// The mode.
    Mode(Mode),
    /// No rule and no mode: the default, in words.
    Default(&'static str),
    /// Something that no rule can allow: only a person's answer to this very call.
    Protected(&'static str),
    /// Over a cap, or not decidable: why.
    Limit(String),
    /// The tool itself, in its words.
    Tool(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule { written, part } => {
                write!(formatter, "rule {} in {} of {}", written.rule, written.list, written.origin)?;
                part.as_ref().map_or(Ok(()), |part| write!(formatter, ", for `{part}` in it"))
            }
            Self::Mode(mode) => write!(formatter, "mode {mode}"),
            Self::Default(words) => write!(formatter, "default: {words}"),
            Self::Protected(words) => write!(formatter, "protected: {words}"),
            Self::Limit(words) => write!(formatter, "limit: {words}"),
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
#[derive(Debug, Clone)]
pub struct Decision {
    /// What happens to the call.
    pub verdict: Verdict,
    /// One step for each access, then those about the call as a whole.
    pub steps: Vec<Step>,
    tool: Arc<str>,
    policy: Arc<Policy>,
}

impl Decision {
    /// What the call holds when it's allowed: everything it declared, since a call with less could only fail half-way.
    /// Nothing when it isn't.
    #[must_use]
    pub fn grant(&self) -> Grant {
        if self.verdict == Verdict::Allow { self.whole(Vec::new()) } else { Grant::nothing() }
    }

    /// What the call holds when a person has answered every ask with yes. Nothing where something is denied.
    #[must_use]
    pub fn approved_grant(&self) -> Grant {
        // An answer about a place opens what was asked about, and only there.
        let opens = |step: &Step| {
            let closed = matches!(step.reason, Reason::Rule { .. } | Reason::Protected(_));
            let asked = step.verdict == Verdict::Ask && closed;
            step.access.as_ref().filter(|_| asked)?.location().cloned()
        };
        match self.verdict {
            Verdict::Allow | Verdict::Ask => self.whole(self.steps.iter().filter_map(opens).collect()),
            Verdict::Deny => Grant::nothing(),
        }
    }

    fn whole(&self, opened: Vec<Location>) -> Grant {
        Grant::new(self.requested().cloned().collect(), opened, self.policy.clone(), self.tool.clone())
    }

    /// What it was made from.
    #[must_use]
    pub fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Everything that was asked for.
    pub fn requested(&self) -> impl Iterator<Item = &Access> {
        self.steps.iter().filter_map(|step| step.access.as_ref())
    }

    /// The steps that stand in the way.
    pub fn obstacles(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.verdict != Verdict::Allow)
    }

    /// The narrowest rules in `permissions.allow` that would lift every ask. None where a rule can't: after a deny, and
    /// where a person must answer.
    #[must_use]
    pub fn remedy(&self) -> Option<Vec<String>> {
        let lifts = |step: &Step| match (&step.access, &step.reason) {
            (Some(access), Reason::Default(_)) if step.verdict == Verdict::Ask => access.rules(),
            (Some(access), Reason::Mode(Mode::DontAsk)) => access.rules(),
            (None, Reason::Tool(_)) if step.verdict == Verdict::Ask => {
                // A kind of access as an allow is about accesses, not about the tool of that name.
                let rule: Option<Rule> = self.tool.parse().ok();
                rule.filter(|rule| rule.names_tool(&self.tool) && !rule.is_about_accesses())
                    .map(|rule| vec![rule.to_string()])
            }
            _ => None,
        };
        let mut rules = self.obstacles().map(lifts).collect::<Option<Vec<_>>>()?.concat();
        rules.sort_unstable();
        rules.dedup();
        (!rules.is_empty()).then_some(rules)
    }
}

/// Decides. For each access: the host's own places, deny rules, ask rules, protected places, allow rules, the mode, the
/// default, in this order. Then rules about the tool, and the tool's own verdict. The call gets the most severe.
#[must_use]
pub fn decide(policy: &Arc<Policy>, request: Request) -> Decision {
    let about_call = objections(policy, &request);
    let about_accesses = request.access.into_iter().map(|access| {
        let (verdict, reason) = judge(policy, &access, &request.tool);
        Step { access: Some(access), verdict, reason }
    });
    let steps: Vec<Step> = about_accesses.chain(about_call).collect();
    let verdict = steps.iter().map(|step| step.verdict).max().unwrap_or(Verdict::Allow);
    Decision { verdict, steps, tool: request.tool.into(), policy: policy.clone() }
}

/// What stands against the call as a whole.
fn objections(policy: &Policy, request: &Request) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut object = |verdict, reason| steps.push(Step { access: None, verdict, reason });
    let by_rule = |written: &Written| Reason::Rule { written: Box::new(written.clone()), part: None };
    let stance = policy.stance();
    // In plan mode nothing changes. What a call could change is seen from its accesses; a call without the read-only trait
    // could change the session.
    let changes = |access: &Access| matches!(access, Access::Write(_) | Access::Run(_));
    if stance.plan && (!request.traits.read_only && !request.running || request.access.iter().any(changes)) {
        object(Verdict::Deny, Reason::Mode(Mode::Plan));
    }
    if request.running {
        return steps;
    }
    let about = |list| policy.rule_about_call(list, &request.tool, &request.parameters);
    if let Some(written) = about(List::Deny) {
        object(Verdict::Deny, by_rule(written));
    }
    if let Some(written) = about(List::Ask) {
        let (verdict, reason) = silenced(policy, (Verdict::Ask, by_rule(written)));
        object(verdict, reason);
    }
    match &request.verdict {
        ToolVerdict::Deny(words) => object(Verdict::Deny, Reason::Tool(words.clone())),
        // A rule that names the tool is a person's standing answer to what the tool asks.
        ToolVerdict::Ask(_) if stance.bypass || about(List::Allow).is_some() => {}
        ToolVerdict::Ask(words) => {
            let (verdict, reason) = silenced(policy, (Verdict::Ask, Reason::Tool(words.clone())));
            object(verdict, reason);
        }
        ToolVerdict::Allow => {}
    }
    steps
}
