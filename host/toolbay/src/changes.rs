//! Context changes that a call asks for. None of them ever widens what the agent may do: only a person's answer can.

use std::path::Path;

use toolbay_policy::Mode;
use toolbay_sandbox::contract::{self, Change};
use toolbay_sandbox::locate;

use crate::agent::AgentContext;

/// The most changes of one call.
const MOST_CHANGES: usize = 20;

/// What a call's changes may do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Honoured {
    /// It doesn't run beside others.
    pub(crate) alone: bool,
    /// A person has said yes to this very call.
    pub(crate) approved: bool,
}

/// Applies what is honoured; gives a note for each change that isn't.
pub(crate) fn apply(context: &mut AgentContext, changes: Vec<Change>, honoured: Honoured) -> Vec<String> {
    if !honoured.alone && !changes.is_empty() {
        return vec!["a call that may run beside others can't change its agent's context".to_owned()];
    }
    // Each can cost a look at the disk.
    let too_many = changes.len().saturating_sub(MOST_CHANGES);
    let mut notes: Vec<String> = changes
        .into_iter()
        .take(MOST_CHANGES)
        .filter_map(|change| apply_one(context, change, honoured.approved).err())
        .collect();
    if too_many > 0 {
        notes.push(format!("{too_many} more changes were ignored; the limit is {MOST_CHANGES}"));
    }
    notes
}

fn apply_one(context: &mut AgentContext, change: Change, approved: bool) -> Result<(), String> {
    match change {
        Change::SetMode(mode) => set_mode(context, mode_of(mode)),
        Change::RestoreMode if context.before_plan.is_some() && !approved => {
            Err("the mode stays `plan`: leaving it takes a person's yes to the call".to_owned())
        }
        Change::RestoreMode => {
            if let Some(before) = context.before_plan.take() {
                context.set_mode(before);
            }
            Ok(())
        }
        Change::SetDirectory(path) => set_directory(context, &path),
        Change::AddDirectory(path) => Err(format!("`{path}` wasn't added to the roots: that takes a person's answer")),
        Change::LoadTools(_) => Err("no tool is deferred, so none was loaded".to_owned()),
    }
}

fn set_mode(context: &mut AgentContext, mode: Mode) -> Result<(), String> {
    let now = context.policy.mode;
    match mode {
        _ if mode == now => {}
        Mode::Plan if mode.is_as_strict_as(now) => {
            context.before_plan = Some(now);
            context.set_mode(Mode::Plan);
        }
        Mode::DontAsk if now == Mode::Default => context.set_mode(Mode::DontAsk),
        _ => return Err(format!("the mode stays `{now}`: only a person can change it to `{mode}`")),
    }
    Ok(())
}

fn set_directory(context: &mut AgentContext, path: &str) -> Result<(), String> {
    let refused = |why: String| format!("the working directory stays `{}`: {why}", context.working_directory.display());
    let location = locate(&context.working_directory.join(path)).map_err(|error| refused(error.to_string()))?;
    if !context.policy.roots.iter().any(|root| root.covers(&location)) {
        return Err(refused(format!("`{path}` lies outside the roots")));
    }
    let folder = location.named().to_owned();
    if !is_folder(&folder) {
        return Err(refused(format!("`{path}` is no folder")));
    }
    context.working_directory = folder;
    Ok(())
}

fn is_folder(path: &Path) -> bool {
    rustix::fs::stat(path).is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir())
}

fn mode_of(mode: contract::Mode) -> Mode {
    match mode {
        contract::Mode::Default => Mode::Default,
        contract::Mode::AcceptEdits => Mode::AcceptEdits,
        contract::Mode::Plan => Mode::Plan,
        contract::Mode::DontAsk => Mode::DontAsk,
        contract::Mode::Bypass => Mode::Bypass,
    }
}

/// The contract's word for a mode.
pub(crate) fn mode_word(mode: Mode) -> contract::Mode {
    match mode {
        Mode::Default => contract::Mode::Default,
        Mode::AcceptEdits => contract::Mode::AcceptEdits,
        Mode::Plan => contract::Mode::Plan,
        Mode::DontAsk => contract::Mode::DontAsk,
        Mode::Bypass => contract::Mode::Bypass,
    }
}
