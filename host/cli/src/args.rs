//! What was typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use toolbay::policy::Mode;

/// Runs tools in sandboxes that hold exactly what each call declared and was granted.
#[derive(Debug, Parser)]
#[command(
    name = "toolbay",
    version = concat!(env!("CARGO_PKG_VERSION"), " (contract ", "0.1.0", ")"),
    after_help = EXIT_CODES,
    propagate_version = true
)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  the tool failed, or refused the input
  2  usage: arguments, settings, an unknown tool, an input that doesn't fit, a file that is no tool
  3  denied, or a person's approval is needed
  4  a limit, a crash of the tool, or cancelled
  5  a fault of the host

Try:
  toolbay tools
  toolbay call Read '{\"file_path\":\"README.md\"}'
  toolbay why Read '{\"file_path\":\"/etc/passwd\"}'";

/// What every command takes.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// A folder that the tools work in; reading inside is allowed. Repeat it for more than one [default: the current folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,

    /// A settings file (JSON): permissions, limits, more components
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,

    /// What happens where no rule decides
    #[arg(long, global = true, value_name = "MODE", value_parser = modes())]
    pub(crate) mode: Option<Mode>,

    /// Print one JSON document for scripts
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

fn modes() -> impl clap::builder::TypedValueParser<Value = Mode> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    PossibleValuesParser::new(Mode::ALL.map(Mode::word)).try_map(|word| word.parse::<Mode>())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Call a tool and print its result
    #[command(after_help = "\
Examples:
  toolbay call Echo '{\"text\":\"hello\"}'
  echo '{\"file_path\":\"README.md\",\"limit\":5}' | toolbay call Read -
  toolbay call Read @input.json --timeout 10
  toolbay call ./my_tool.wasm '{}'")]
    Call(Call),
    /// List the tools
    Tools,
    /// Show a component: imports in plain words, definitions, size, digest
    Inspect(Inspect),
    /// Explain what a call would be allowed, without making it (exit code 3 unless it's allowed)
    Why(Why),
    /// Show, fill or empty the cache of compiled code
    Cache(Cache),
    /// Print completions for a shell
    #[command(after_help = "Example:\n  toolbay completions bash > ~/.local/share/bash-completion/completions/toolbay")]
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Call {
    #[command(flatten)]
    pub(crate) target: Target,
    /// Stop the call after this many seconds, at most 600 [default: the limit in the settings, 120]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..=600))]
    pub(crate) timeout: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct Why {
    #[command(flatten)]
    pub(crate) target: Target,
}

/// A tool and its input.
#[derive(Debug, Args)]
pub(crate) struct Target {
    /// A tool's name, or a component's file (FILE.wasm, or FILE.wasm#NAME when it has several tools)
    pub(crate) tool: String,
    /// The input: JSON text, `-` for standard input, or `@FILE`
    #[arg(allow_hyphen_values = true)]
    pub(crate) input: String,
}

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// A tool's name, or a component's file
    pub(crate) target: String,
}

#[derive(Debug, Args)]
pub(crate) struct Cache {
    /// What to do; without it, the cache is shown
    #[arg(value_enum)]
    pub(crate) action: Option<CacheAction>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CacheAction {
    /// Compile everything that isn't compiled yet
    Warm,
    /// Remove everything that was compiled
    Clear,
}
