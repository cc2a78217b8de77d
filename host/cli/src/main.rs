//! The program `toolbay`: arguments, settings, printing, exit codes. It never decides.

mod args;
mod commands;
mod exit;
mod neutral;
mod printer;
mod prompt;
mod render;
mod setup;

use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use exit::Exit;
use printer::Printer;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // Help and version are answers; everything else about the arguments is a mistake of use.
        Err(error) => {
            let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
            drop(error.print());
            return exit.into();
        }
    };
    setup::log();
    let mut printer = Printer::new(arguments.common.json);
    let exit = run(&arguments, &mut printer).unwrap_or_else(|error| {
        let exit = Exit::of(&error);
        printer.failure(exit.word(), &error);
        exit
    });
    let exit = if printer.failed() { Exit::HostFault } else { exit };
    exit.into()
}

fn run(arguments: &Arguments, printer: &mut Printer) -> anyhow::Result<Exit> {
    let common = &arguments.common;
    match &arguments.command {
        Command::Call(call) => commands::call::run(common, call, printer),
        Command::Tools => commands::tools::run(common, printer),
        Command::Inspect(inspect) => commands::inspect::run(common, inspect, printer),
        Command::Why(why) => commands::why::run(common, why, printer),
        Command::Permissions => commands::permissions::run(common, printer),
        Command::Trust(trust) => commands::trust::run(common, trust, printer),
        Command::Approvals(approvals) => commands::approvals::run(approvals.action.as_ref(), printer),
        Command::Audit(audit) => commands::audit::run(&audit.action, printer),
        Command::Settings(settings) => commands::settings::run(common, &settings.action, printer),
        Command::Cache(cache) => commands::cache::run(common, cache.action, printer),
        Command::Completions { shell } => commands::completions::run(*shell, printer),
    }
}
