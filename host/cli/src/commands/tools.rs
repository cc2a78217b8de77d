//! `toolbay tools`: what can be called.

use serde_json::json;

use crate::args::Common;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::{render, setup};

pub(crate) fn run(common: &Common, printer: &mut Printer) -> anyhow::Result<Exit> {
    let ready = setup::session(common, "")?;
    let catalogue = ready.session.catalogue();
    let tools = ready.session.agent().tools();
    if printer.json {
        let broken = |broken: &toolbay::Broken| json!({ "origin": broken.origin.to_string(), "why": broken.why });
        printer.document(&json!({
            "tools": tools.iter().map(|tool| render::tool(tool)).collect::<Vec<_>>(),
            "broken": catalogue.broken().iter().map(broken).collect::<Vec<_>>(),
        }));
        return Ok(Exit::Done);
    }
    printer.heading(&format!("{} tools", tools.len()));
    let width = tools.iter().map(|tool| tool.definition().name.len()).max().unwrap_or(0);
    for tool in &tools {
        let definition = tool.definition();
        let line = definition.description.lines().next().unwrap_or_default();
        printer.line(&format!("{:width$}  {line}", definition.name));
    }
    for broken in catalogue.broken() {
        printer.note(&format!("`{}` can't be used: {}", broken.origin, broken.why));
    }
    Ok(Exit::Done)
}
