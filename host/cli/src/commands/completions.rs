//! `toolbay completions`: what a shell needs to complete our arguments.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Arguments;
use crate::exit::Exit;
use crate::printer::Printer;

pub(crate) fn run(shell: Shell, printer: &mut Printer) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "toolbay", &mut script);
    printer.line(String::from_utf8(script)?.trim_end());
    Ok(Exit::Done)
}
