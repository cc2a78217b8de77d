//! `toolbay call`: one use of a tool, from its input to its result.

use std::time::Duration;

use toolbay::{Report, Use};

use crate::args::{Call, Common};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::{render, setup};

pub(crate) fn run(common: &Common, arguments: &Call, printer: &mut Printer) -> anyhow::Result<Exit> {
    let target = &arguments.target;
    let ready = setup::session(common, &target.tool)?;
    let input = setup::input(target, ready.host.engine().limits().input_bytes)?;
    let deadline = arguments.timeout.map(|seconds| Duration::from_secs(seconds.into()));
    let used = Use { tool: ready.tool_name(&target.tool)?, input, id: None, deadline };
    let agent = ready.session.agent();
    let report = ready.host.block_on(async {
        let control = ready.session.control();
        let call = agent.call_with(used, control.clone());
        let mut call = std::pin::pin!(call);
        tokio::select! {
            report = &mut call => report,
            // The first Ctrl-C ends the call in order; the tool's report still comes.
            Ok(()) = tokio::signal::ctrl_c() => {
                control.cancel();
                call.await
            }
        }
    });
    Ok(print(&report, printer))
}

fn print(report: &Report, printer: &mut Printer) -> Exit {
    if printer.json {
        printer.document(&render::report(report));
    }
    match &report.result {
        Ok(answer) => {
            if !printer.json {
                answer.content.iter().for_each(|block| printer.tool_text(&render::content_line(block)));
                if let (true, Some(structured)) = (answer.content.is_empty(), &answer.structured) {
                    printer.document(structured);
                }
                report.notes.iter().for_each(|note| printer.note(note));
            }
            Exit::Done
        }
        Err(error) => {
            if !printer.json {
                printer.error(error.code.word(), &error.message, error.cause.as_deref());
            }
            error.code.into()
        }
    }
}
