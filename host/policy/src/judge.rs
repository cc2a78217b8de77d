//! The verdict about one access.

use crate::access::Access;
use crate::command::Command;
use crate::decision::{Reason, Verdict};
use crate::rules::Found;
use crate::{List, Location, Mode, Policy};

type Judged = (Verdict, Reason);

/// The verdict by everything that holds for the agent; rules that it brought along as a subagent can only make it stricter.
pub(crate) fn judge(policy: &Policy, access: &Access, tool: &str) -> Judged {
    let judged = judge_alone(policy, access, tool);
    policy.narrowing.iter().fold(judged, |judged, rules| match rules.decide(access, tool) {
        Some((List::Deny, found)) if judged.0 != Verdict::Deny => (Verdict::Deny, by_rule(found)),
        Some((List::Ask, found)) if judged.0 == Verdict::Allow => silenced(policy, (Verdict::Ask, by_rule(found))),
        _ => judged,
    })
}

/// The host's own places, deny, ask, protected places, allow, the mode, the default.
fn judge_alone(policy: &Policy, access: &Access, tool: &str) -> Judged {
    if let Some(location) = access.location().filter(|location| is_own(policy, location, access)) {
        let words = if location.real() == location.named() {
            "this place is the host's own"
        } else {
            "it leads to a place of the host's own"
        };
        return (Verdict::Deny, Reason::Default(words));
    }
    if let Access::Run(command) = access
        && let Some(stopped) = stop_command(policy, command, tool)
    {
        return stopped;
    }
    match policy.rules.decide(access, tool) {
        Some((List::Deny, found)) => (Verdict::Deny, by_rule(found)),
        Some((List::Ask, found)) => silenced(policy, (Verdict::Ask, by_rule(found))),
        _ if is_protected(policy, access) => silenced(
            policy,
            (Verdict::Ask, Reason::Protected("writing here can turn into code, permissions or great loss")),
        ),
        Some((List::Allow, found)) if runs_inside(policy, access) => (Verdict::Allow, by_rule(found)),
        _ => by_default(policy, access),
    }
}

/// An ask is a denial where nobody may be asked.
pub(crate) fn silenced(policy: &Policy, (verdict, reason): Judged) -> Judged {
    if verdict != Verdict::Ask || !policy.stance().silent {
        return (verdict, reason);
    }
    // What no rule stands behind is the mode's doing.
    (Verdict::Deny, if matches!(reason, Reason::Default(_)) { Reason::Mode(Mode::DontAsk) } else { reason })
}

fn by_rule(found: Found<'_>) -> Reason {
    Reason::Rule { written: Box::new(found.written.clone()), part: found.part.map(str::to_owned) }
}

fn is_own(policy: &Policy, location: &Location, access: &Access) -> bool {
    let readable = matches!(access, Access::Read(_)) && policy.is_readable(location);
    !readable && (policy.is_own(location.named()) || policy.is_own(location.real()))
}

fn is_protected(policy: &Policy, access: &Access) -> bool {
    let Access::Write(location) = access else { return false };
    // Working in a root is what it's for; a folder above one isn't.
    let critical =
        |path| policy.is_critical(path) && !policy.roots.iter().any(|root| root.named() == path || root.real() == path);
    [location.named(), location.real()].into_iter().any(|path| policy.is_protected(path) || critical(path))
}

/// What the text of a command can only make stricter: a cap, a critical place that it removes, files that it names, files
/// that its redirections write.
fn stop_command(policy: &Policy, command: &Command, tool: &str) -> Option<Judged> {
    let analysis = command.analysis();
    if let Some(over) = &analysis.over {
        return Some((Verdict::Deny, Reason::Limit(over.clone())));
    }
    let mut worst: Option<Judged> = None;
    let mut add = |judged: Judged| {
        if judged.0 != Verdict::Allow && worst.as_ref().is_none_or(|known| known.0 < judged.0) {
            worst = Some(judged);
        }
    };
    if let Some((List::Deny, found)) = policy.rule_for(&Access::Run(Box::new(command.clone())), tool) {
        add((Verdict::Deny, by_rule(found)));
    }
    for place in &analysis.redirected {
        add(judge(policy, &Access::Write(place.clone()), tool));
    }
    let changed = analysis.writes.iter().chain(&analysis.removes).map(|place| Access::Write(place.clone()));
    for access in changed.chain(analysis.reads.iter().map(|place| Access::Read(place.clone()))) {
        match policy.rule_for(&access, tool) {
            Some((List::Deny, found)) => add((Verdict::Deny, by_rule(found))),
            Some((List::Ask, found)) => add(silenced(policy, (Verdict::Ask, by_rule(found)))),
            _ if is_own_place(policy, &access) => {
                add((Verdict::Deny, Reason::Default("it names a place of the host's own")));
            }
            _ => {}
        }
    }
    if analysis.removes.iter().any(|place| policy.is_critical(place.named()) || policy.is_critical(place.real())) {
        add(silenced(
            policy,
            (
                Verdict::Ask,
                Reason::Protected("it removes the root of the file system, the home folder or a folder worked in"),
            ),
        ));
    }
    worst
}

fn is_own_place(policy: &Policy, access: &Access) -> bool {
    access.location().is_some_and(|location| is_own(policy, location, access))
}

/// A folder outside the roots can hold settings that change what a program does, so a rule doesn't reach there.
fn runs_inside(policy: &Policy, access: &Access) -> bool {
    match access {
        Access::Run(command) => policy.is_inside(command.directory()),
        _ => true,
    }
}

/// The mode and the default: what happens without a rule.
fn by_default(policy: &Policy, access: &Access) -> Judged {
    let stance = policy.stance();
    let words = match access {
        Access::Read(location) if policy.is_inside(location) => {
            return (Verdict::Allow, Reason::Default("reading inside the roots is allowed"));
        }
        Access::Read(location) if policy.is_readable(location) => {
            return (Verdict::Allow, Reason::Default("reading the session's results is allowed"));
        }
        Access::AskUser => return (Verdict::Allow, Reason::Default("asking the user is allowed")),
        Access::Variable(_) => return (Verdict::Deny, Reason::Default("environment variables are denied")),
        Access::Secret(_) => return (Verdict::Deny, Reason::Default("secrets are denied")),
        Access::Write(location) if stance.accept_edits && policy.is_inside(location) => {
            let mode = if stance.bypass { Mode::Bypass } else { Mode::AcceptEdits };
            return (Verdict::Allow, Reason::Mode(mode));
        }
        Access::Read(_) => "reading outside the roots asks",
        Access::Write(_) => "writing asks",
        Access::Fetch(_) => "fetching asks",
        Access::Run(command) if !policy.is_inside(command.directory()) => {
            return if stance.bypass {
                (Verdict::Allow, Reason::Mode(Mode::Bypass))
            } else {
                silenced(policy, (Verdict::Ask, Reason::Protected("it runs outside the roots")))
            };
        }
        Access::Run(_) => "running a program asks",
        Access::UseTool(_) => "calling another tool asks",
        Access::Spawn(_) => "starting a subagent asks",
        Access::Complete => "asking the auxiliary model asks",
    };
    if stance.bypass {
        return (Verdict::Allow, Reason::Mode(Mode::Bypass));
    }
    silenced(policy, (Verdict::Ask, Reason::Default(words)))
}
