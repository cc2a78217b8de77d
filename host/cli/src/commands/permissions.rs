//! `toolbay permissions`: the rules that hold, where each comes from, and what is the matter with some.

use serde_json::{Value, json};
use toolbay::policy::{Finding, List, Policy, Written, lint};
use toolbay::{Layer, LayerState, Session};

use crate::args::Common;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::setup;

pub(crate) fn run(common: &Common, printer: &mut Printer) -> anyhow::Result<Exit> {
    let ready = setup::session(common, "")?;
    let (session, policy) = (&ready.session, ready.session.policy());
    let tools: Vec<&str> = session.catalogue().tools().iter().map(|tool| &*tool.definition().name).collect();
    let findings = lint(&policy.rules, &tools);
    if printer.json {
        printer.document(&document(session, &policy, &findings));
    } else {
        print(session, &policy, &findings, printer);
    }
    Ok(Exit::Done)
}

fn document(session: &Session, policy: &Policy, findings: &[Finding<'_>]) -> Value {
    let rule = |written: &Written| {
        json!({
            "list": written.list.word(),
            "rule": written.rule.to_string(),
            "tools": written.tools.as_ref().map(ToString::to_string),
            "source": written.origin.source.word(),
            "file": written.origin.place.as_ref().map(|(file, ..)| file.display().to_string()),
            "line": written.origin.place.as_ref().map(|(_, line, _)| line),
            "column": written.origin.place.as_ref().map(|(.., column)| column),
            "findings": faults(written, findings),
        })
    };
    let source = |layer: &Layer| {
        json!({
            "source": layer.source.word(),
            "file": layer.file.as_ref().map(|file| file.display().to_string()),
            "state": state(layer.state),
        })
    };
    json!({
        "mode": policy.mode.word(),
        "folders": policy.roots.iter().map(|root| root.named().display().to_string()).collect::<Vec<_>>(),
        "rules": policy.rules.written().iter().map(rule).collect::<Vec<_>>(),
        "sources": session.layers().layers().iter().map(source).collect::<Vec<_>>(),
        "forbidden": session.layers().forbidden(),
        "warnings": session.layers().warnings,
    })
}

fn faults(written: &Written, findings: &[Finding<'_>]) -> Vec<String> {
    let about = findings.iter().filter(|finding| std::ptr::eq(finding.written, written));
    about.map(|finding| finding.fault.to_string()).collect()
}

fn print(session: &Session, policy: &Policy, findings: &[Finding<'_>], printer: &mut Printer) {
    let folders: Vec<String> = policy.roots.iter().map(|root| root.named().display().to_string()).collect();
    printer.heading(&format!("mode {}, in {}", policy.mode, folders.join(", ")));
    let written = policy.rules.written();
    for list in List::ALL {
        let rules: Vec<&Written> = written.iter().filter(|written| written.list == list).collect();
        if rules.is_empty() {
            continue;
        }
        printer.heading(list.word());
        for written in rules {
            let tools = written.tools.as_ref().map_or_else(String::new, |tools| format!(" for {tools}"));
            printer.line(&format!("  {}{tools}   {}", written.rule, written.origin));
            faults(written, findings).iter().for_each(|fault| printer.line(&format!("    ! {fault}")));
        }
    }
    printer.heading("without a rule");
    for words in [
        "reading in these folders is allowed",
        "writing, running, fetching, reading elsewhere, calling other tools and starting subagents ask",
        "environment variables and secrets are denied",
        "writing to version control, settings, editors' and shells' start files always asks",
    ] {
        printer.line(&format!("  {words}"));
    }
    printer.heading("sources");
    for layer in session.layers().layers() {
        let file = layer.file.as_ref().map_or_else(String::new, |file| format!("  {}", file.display()));
        printer.line(&format!("  {:12}  {:9}{file}", layer.source.word(), state(layer.state)));
    }
}

fn state(state: LayerState) -> &'static str {
    match state {
        LayerState::Used => "used",
        LayerState::Absent => "absent",
        LayerState::Untrusted => "untrusted",
        LayerState::Changed => "changed",
        LayerState::Forbidden => "forbidden",
    }
}
