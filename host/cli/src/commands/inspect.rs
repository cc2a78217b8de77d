//! `toolbay inspect`: what a component is, before it's trusted with anything.

use anyhow::bail;
use serde_json::json;
use toolbay::{Digest, Inspection, Origin, Tool, inspect};

use crate::args::{Common, Inspect};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::render;
use crate::setup::{self, Ready};

pub(crate) fn run(common: &Common, arguments: &Inspect, printer: &mut Printer) -> anyhow::Result<Exit> {
    let ready = setup::session(common, &arguments.target)?;
    let Some((origin, bytes)) = bytes(&ready, &arguments.target)? else {
        bail!(
            "{}",
            setup::broken(ready.session.catalogue()).unwrap_or_else(|| "there is no such component".to_owned())
        );
    };
    let inspection = inspect(bytes)?;
    let of_it = |tool: &&std::sync::Arc<Tool>| *tool.digest() == inspection.digest;
    let tools: Vec<&Tool> = ready.session.catalogue().tools().iter().filter(of_it).map(|tool| &**tool).collect();
    let broken = setup::broken(ready.session.catalogue()).filter(|_| tools.is_empty());
    if printer.json {
        printer.document(&json!({
            "origin": origin.to_string(),
            "digest": inspection.digest.to_string(),
            "bytes": inspection.size,
            "contract": inspection.contract_version(),
            "imports": inspection.imports,
            "powers": inspection.powers(),
            "tools": tools.iter().map(|tool| render::tool(tool)).collect::<Vec<_>>(),
            "broken": broken,
        }));
    } else {
        print(&origin, &inspection, &tools, printer);
        if let Some(why) = &broken {
            printer.error("component-invalid", why, None);
        }
    }
    Ok(if broken.is_some() { Exit::Usage } else { Exit::Done })
}

/// The component's own bytes: those of a file, or those of the component that carries the tool.
fn bytes<'a>(ready: &'a Ready, target: &str) -> anyhow::Result<Option<(Origin, &'a [u8])>> {
    let wanted: Option<Digest> = match &ready.file {
        Some(_) => None,
        None => match ready.session.catalogue().find(target) {
            Some(tool) => Some(*tool.digest()),
            None => bail!("there is no tool `{target}`; `toolbay tools` lists them"),
        },
    };
    let mut components = ready.host.components();
    let found = components.find(|(_, digest, _)| wanted.is_none_or(|wanted| wanted == **digest));
    Ok(found.map(|(origin, _, bytes)| (origin.clone(), bytes)))
}

fn print(origin: &Origin, inspection: &Inspection, tools: &[&Tool], printer: &mut Printer) {
    printer.heading(&origin.to_string());
    printer.line(&format!("digest    sha256:{}", inspection.digest));
    printer.line(&format!("size      {} bytes", inspection.size));
    printer.line(&format!("contract  {}", inspection.contract_version().unwrap_or("none: this is no tool")));
    printer.heading("What it could ever do, by its imports");
    let powers = inspection.powers();
    if powers.is_empty() {
        printer.line("- compute, and nothing else");
    }
    powers.iter().for_each(|power| printer.line(&format!("- {power}")));
    for tool in tools {
        let definition = tool.definition();
        printer.heading(&definition.name);
        printer.line(&definition.description);
        let limit = definition.max_result_chars.map_or("none".to_owned(), |limit| format!("{limit} characters"));
        printer.line(&format!("result limit: {limit}"));
        printer.line(&format!("input: {:#}", tool.input_schema()));
    }
}
