//! `toolbay why`: the decision about a call, without the call.

use serde_json::json;
use toolbay::policy::Verdict;
use toolbay::{Explanation, Use};

use crate::args::{Common, Why};
use crate::exit::Exit;
use crate::neutral::one_line;
use crate::printer::Printer;
use crate::{render, setup};

pub(crate) fn run(common: &Common, arguments: &Why, printer: &mut Printer) -> anyhow::Result<Exit> {
    let target = &arguments.target;
    let ready = setup::session(common, &target.tool)?;
    let input = setup::input(target, ready.host.engine().limits().input_bytes)?;
    let used = Use::new(ready.tool_name(&target.tool)?, input);
    match ready.host.block_on(ready.session.agent().why(used)) {
        Ok(explanation) => {
            print(&explanation, printer);
            Ok(if explanation.decision.verdict == Verdict::Allow { Exit::Done } else { Exit::Denied })
        }
        Err(error) => {
            if printer.json {
                printer.document(&json!({ "error": render::error_document(&error) }));
            } else {
                printer.error(error.code.word(), &error.message, error.cause.as_deref());
            }
            Ok(error.code.into())
        }
    }
}

fn print(explanation: &Explanation, printer: &mut Printer) {
    let decision = &explanation.decision;
    if printer.json {
        printer.document(&json!({
            "tool": explanation.tool,
            "digest": explanation.digest.to_string(),
            "summary": explanation.summary,
            "decision": render::decision(decision),
        }));
        return;
    }
    printer.heading(&format!("{}: {}", explanation.tool, decision.verdict));
    if let Some(summary) = &explanation.summary {
        printer.line(&format!("in its own words: {}", one_line(summary)));
    }
    for step in &decision.steps {
        let access = step.access.as_ref().map_or_else(|| "the call".to_owned(), ToString::to_string);
        printer.line(&format!("{:5}  {}", step.verdict, one_line(&access)));
        printer.line(&format!("       {}", one_line(&step.reason.to_string())));
    }
    if decision.steps.is_empty() {
        printer.line("it needs nothing from outside its sandbox");
    }
    match (decision.verdict, decision.remedy()) {
        (Verdict::Allow, _) => {
            let grant = render::grant(&decision.grant());
            let held = if grant.is_empty() { "nothing".to_owned() } else { grant.join("; ") };
            printer.line(&format!("its sandbox holds: {}", one_line(&held)));
        }
        (_, Some(rules)) => {
            printer.line(&format!("it would be allowed by {} in `permissions.allow`", one_line(&rules.join(" and "))));
        }
        (_, None) => {}
    }
}
