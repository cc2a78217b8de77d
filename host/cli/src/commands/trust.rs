//! `toolbay trust`: a person has looked at what a project allows itself.

use anyhow::{Context, bail};
use serde_json::json;
use toolbay::{Settings, locate};

use crate::args::{Common, Trust};
use crate::exit::Exit;
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
    #[expect(clippy::disallowed_methods, reason = "the project's settings, which a person asks to trust")]
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => bail!("`{}` can't be read, so there's nothing to trust: {error}", file.display()),
    };
    let settings = Settings::parse(&text).with_context(|| format!("`{}` can't be used", file.display()))?;
    if !printer.json {
        let permissions = &settings.permissions;
        for entry in &permissions.allow {
            printer.line(&format!("allows  {}", entry.rule));
        }
        for (tools, lists) in &permissions.tools {
            lists.allow.iter().for_each(|entry| printer.line(&format!("allows  {} for {tools}", entry.rule)));
        }
        permissions
            .additional_directories
            .iter()
            .for_each(|folder| printer.line(&format!("folder  {}", folder.display())));
    }
    trust.give(&root, &text)?;
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
