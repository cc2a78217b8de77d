//! `toolbay audit`: checking the log of decisions and calls, and looking at its end.

use anyhow::Context;
use serde_json::{Value, json};
use toolbay::{AuditError, read_audit, verify_audit};

use crate::args::AuditAction;
use crate::exit::Exit;
use crate::neutral::one_line;
use crate::printer::Printer;
use crate::setup;

pub(crate) fn run(action: &AuditAction, printer: &mut Printer) -> anyhow::Result<Exit> {
    let folder = setup::audit_folder().context("there is no folder for the audit; set TOOLBAY_STATE")?;
    match action {
        AuditAction::Verify => match verify_audit(&folder) {
            Ok(verified) => {
                if printer.json {
                    printer.document(
                        &json!({ "entries": verified.entries, "files": verified.files, "last": verified.last }),
                    );
                } else {
                    printer.line(&format!(
                        "{} entries in {} files are whole; the last has the hash {}",
                        verified.entries, verified.files, verified.last
                    ));
                }
                Ok(Exit::Done)
            }
            // An answer to the question that was asked, and not a good one.
            Err(error @ AuditError::Broken { .. }) => {
                printer.failure("audit-broken", &error.into());
                Ok(Exit::ToolFailed)
            }
            Err(error) => Err(error.into()),
        },
        AuditAction::Show { last } => {
            let entries = read_audit(&folder, *last)?;
            if printer.json {
                printer.document(&json!({ "entries": entries }));
            } else {
                entries.iter().for_each(|entry| printer.line(&line(entry)));
            }
            Ok(Exit::Done)
        }
    }
}

/// One entry for a person.
fn line(entry: &Value) -> String {
    let text = |key: &str| one_line(entry.get(key).and_then(Value::as_str).unwrap_or("-"));
    let head = format!("{}  {:8}  {}  {}", text("time"), text("entry"), text("tool"), text("call"));
    if text("entry") == "call" {
        return format!("{head}  {}", text("outcome"));
    }
    let answer = entry.get("answer").and_then(Value::as_str).map(|answer| format!(", a person: {answer}"));
    let accesses = entry.get("accesses").and_then(Value::as_array).into_iter().flatten().map(|access| {
        let text = |key: &str| one_line(access.get(key).and_then(Value::as_str).unwrap_or("the call"));
        format!("\n    {:5}  {}  ({})", text("verdict"), text("access"), text("reason"))
    });
    format!("{head}  {}{}{}", text("verdict"), answer.unwrap_or_default(), accesses.collect::<String>())
}
