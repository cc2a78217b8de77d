//! `toolbay trust`: a person has looked at what a project allows itself.

use anyhow::Context;
use serde_json::json;
use toolbay::{Settings, locate};

use crate::args::{Common, Trust};
use crate::exit::Exit;
use crate::neutral::one_line;
use crate::printer::Printer;
use crate::setup;

pub(crate) fn run(common: &Common, arguments: &Trust, printer: &mut Printer) -> anyhow::Result<Exit> {
    let places = setup::places();
    let config = places.config.as_deref().context("there is no folder for settings; set TOOLBAY_CONFIG")?;
    let mut trust = toolbay::Trust::read(config)?;
    if arguments.list {
        let folders: Vec<String> = trust.folders().map(|folder| folder.display().to_string()).collect();
        if printer.json {
            printer.document(&json!({ "folders": folders }));
        } else {
            folders.iter().for_each(|folder| printer.line(folder));
        }
        return Ok(Exit::Done);
    }
    let mut common_roots = common.root.clone();
    common_roots.splice(0..0, arguments.folder.clone());
    let roots = setup::roots(&common_roots)?;
    let root = locate(roots.first().context("there is no folder to trust")?)?;
    let shown = root.real().display().to_string();
    if arguments.revoke {
        let known = trust.take(&root)?;
        report(printer, &shown, false, if known { "is trusted no longer" } else { "wasn't trusted" });
        return Ok(Exit::Done);
    }
    let file = places.project_file(&root).context("project settings aren't read")?;
    let text = places
        .project_text(&root)?
        .with_context(|| format!("there's no `{}`, so there's nothing to trust", file.display()))?;
    let settings = Settings::parse_at(&file, &text)?;
    let permissions = &settings.permissions;
    let mut allowed: Vec<String> = permissions.allow.iter().map(|entry| format!("allows  {}", entry.rule)).collect();
    for (tools, lists) in &permissions.tools {
        allowed.extend(lists.allow.iter().map(|entry| format!("allows  {} for {tools}", entry.rule)));
    }
    for folder in &permissions.additional_directories {
        allowed.push(format!("folder  {}", locate(folder)?.real().display()));
    }
    allowed.extend(permissions.default_mode.map(|mode| format!("mode    {mode}")));
    if !printer.json {
        allowed.iter().for_each(|line| printer.line(&one_line(line)));
    }
    trust.give(&root, &toolbay::Trust::seen(&text, Some(&settings)))?;
    report(printer, &shown, true, "is trusted with these settings");
    Ok(Exit::Done)
}

fn report(printer: &mut Printer, folder: &str, trusted: bool, words: &str) {
    if printer.json {
        printer.document(&json!({ "folder": folder, "trusted": trusted }));
    } else {
        printer.line(&format!("{folder} {words}"));
    }
}
