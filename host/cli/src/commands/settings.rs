//! `toolbay settings`: checking, translating and describing settings files.

use anyhow::Context;
use serde_json::{Value, json};
use toolbay::policy::Anchors;
use toolbay::{Settings, import_settings, locate, settings_schema};

use crate::args::{Common, SettingsAction};
use crate::exit::Exit;
use crate::printer::Printer;
use crate::setup;

pub(crate) fn run(common: &Common, action: &SettingsAction, printer: &mut Printer) -> anyhow::Result<Exit> {
    match action {
        SettingsAction::Schema => {
            let schema: Value =
                serde_json::from_str(settings_schema()).context("the schema in this program can't be read")?;
            printer.document(&schema);
        }
        SettingsAction::Check { file } => {
            let roots = setup::roots(&common.root)?.iter().map(|root| locate(root)).collect::<Result<_, _>>()?;
            let anchors = Anchors { roots, home: setup::home().and_then(|home| locate(&home).ok()) };
            let left_out = Settings::read(file)?.check_examples(&anchors)?;
            left_out.iter().for_each(|warning| printer.note(warning));
            if printer.json {
                printer.document(&json!({ "file": file.display().to_string(), "usable": true }));
            } else {
                printer.line(&format!("`{}` can be used", file.display()));
            }
        }
        SettingsAction::Import { file } => {
            #[expect(clippy::disallowed_methods, reason = "a file that a person named")]
            let text = std::fs::read_to_string(file).with_context(|| format!("`{}` can't be read", file.display()))?;
            let imported =
                import_settings(&text).with_context(|| format!("`{}` can't be translated", file.display()))?;
            // The settings alone go to standard output, so that they can be kept in a file.
            imported.notes.iter().for_each(|note| printer.note(note));
            printer.document(&imported.settings);
        }
    }
    Ok(Exit::Done)
}
