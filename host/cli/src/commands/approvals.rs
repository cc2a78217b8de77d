//! `toolbay approvals`: answering the questions of calls that nobody was there for.

use anyhow::Context;
use serde_json::{Value, json};
use toolbay::{Entry, Inbox, Reply};

use crate::args::ApprovalAction;
use crate::exit::Exit;
use crate::neutral::one_line;
use crate::printer::Printer;
use crate::setup;

pub(crate) fn run(action: Option<&ApprovalAction>, printer: &mut Printer) -> anyhow::Result<Exit> {
    let inbox = setup::inbox().context("there is no folder for approvals; set TOOLBAY_STATE")?;
    match action {
        None | Some(ApprovalAction::List) => list(&inbox, printer)?,
        Some(ApprovalAction::Show { id }) => show(&inbox.show(id)?, printer),
        Some(ApprovalAction::Allow { id, session, always }) => {
            let reply = match (session, always) {
                (_, true) => Reply::Always,
                (true, _) => Reply::Session,
                _ => Reply::Once,
            };
            answered(&inbox.answer(id, reply)?, printer);
        }
        Some(ApprovalAction::Deny { id, message }) => {
            answered(&inbox.answer(id, Reply::Deny { message: message.clone() })?, printer);
        }
    }
    Ok(Exit::Done)
}

fn list(inbox: &Inbox, printer: &mut Printer) -> anyhow::Result<()> {
    let listing = inbox.list()?;
    if printer.json {
        let unreadable = listing.unreadable.iter().map(|found| json!({ "file": found.file, "why": found.why }));
        printer.document(&json!({
            "questions": listing.entries.iter().map(document).collect::<Vec<_>>(),
            "unreadable": unreadable.collect::<Vec<_>>(),
        }));
        return Ok(());
    }
    printer.heading(&format!("{} questions", listing.entries.len()));
    for entry in &listing.entries {
        let question = &entry.question;
        let asks: Vec<&str> = question.asks.iter().map(|ask| ask.access.as_str()).collect();
        let short = question.id.get(..8).unwrap_or(&question.id);
        printer.line(&format!(
            "{short}  {}  {}  {} wants to {}",
            entry.asked,
            state(entry),
            question.tool,
            asks.join("; ")
        ));
    }
    for found in &listing.unreadable {
        printer.note(&format!("`{}` is no question: {}", found.file, found.why));
    }
    Ok(())
}

fn show(entry: &Entry, printer: &mut Printer) {
    if printer.json {
        printer.document(&document(entry));
        return;
    }
    let question = &entry.question;
    printer.heading(&format!("{}: {}", question.id, state(entry)));
    printer.line(&format!("{} ({}, sha256 {})", one_line(&question.tool), one_line(&question.origin), question.digest));
    printer.line("asks to:");
    question
        .asks
        .iter()
        .for_each(|ask| printer.line(&format!("  {}   {}", one_line(&ask.access), one_line(&ask.reason))));
    printer.line("with it the call would hold:");
    question.accesses.iter().for_each(|access| printer.line(&format!("  {}", one_line(access))));
    if let Some(summary) = &question.summary {
        printer.line(&format!("in its own words: {}", one_line(summary)));
    }
    printer.line(&format!("input: {}", one_line(&question.input)));
    let (tool, rules) = (one_line(&question.tool), question.rules.as_ref().map(|rules| one_line(&rules.join(" and "))));
    match (rules, &question.file) {
        (Some(rules), Some(file)) => {
            printer.line(&format!("`--always` writes {rules} for {tool} to {}", file.display()));
        }
        (Some(rules), None) => printer.line(&format!("`--session` allows {rules} for {tool}")),
        (None, _) => printer.line("it can only be allowed for this once"),
    }
}

fn answered(entry: &Entry, printer: &mut Printer) {
    if printer.json {
        printer.document(&document(entry));
    } else {
        printer.line(&format!("{} is answered: {}", entry.question.id, state(entry)));
    }
}

fn state(entry: &Entry) -> &'static str {
    match &entry.answer {
        None => "waits",
        Some(Reply::Once) => "allowed once",
        Some(Reply::Session) => "allowed for a session",
        Some(Reply::Always) => "allowed always",
        Some(Reply::Deny { .. }) => "denied",
        Some(Reply::Nobody) => "unanswered",
    }
}

fn document(entry: &Entry) -> Value {
    serde_json::to_value(entry).unwrap_or_default()
}
