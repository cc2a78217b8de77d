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
  toolbay why Read '{\"file_path\":\"/etc/passwd\"}'
  toolbay permissions";

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

    /// A rule that allows, such as 'Edit(src/**)'. Repeat it for more than one
    #[arg(long, global = true, value_name = "RULE")]
    pub(crate) allow: Vec<String>,

    /// A rule that asks
    #[arg(long, global = true, value_name = "RULE")]
    pub(crate) ask: Vec<String>,

    /// A rule that denies
    #[arg(long, global = true, value_name = "RULE")]
    pub(crate) deny: Vec<String>,

    /// Never ask on the terminal: questions go to the inbox (also with the variable `TOOLBAY_PROMPT=never`)
    #[arg(long, global = true)]
    pub(crate) no_prompt: bool,

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
    /// Show the rules that hold here, where each comes from, and those that are dead, wide or weak
    Permissions,
    /// Let the project's own settings allow what they say, after you have looked at them
    #[command(after_help = "\
What a project denies and asks about always holds. What it allows holds once you trust the folder, and only as long as its
settings stay as they are now.

Examples:
  toolbay trust
  toolbay trust --list
  toolbay trust --revoke ../other")]
    Trust(Trust),
    /// Answer the questions of calls that nobody was there for
    #[command(after_help = "\
Examples:
  toolbay approvals
  toolbay approvals show 3f2a
  toolbay approvals allow 3f2a --always
  toolbay approvals deny 3f2a --message 'use the staging server'")]
    Approvals(Approvals),
    /// Check the audit log, or show its end
    Audit(Audit),
    /// Check, translate and describe settings files
    Settings(SettingsCommand),
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

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The project's folder [default: the first root]
    pub(crate) folder: Option<PathBuf>,
    /// Trust it no longer
    #[arg(long, conflicts_with = "list")]
    pub(crate) revoke: bool,
    /// Show the folders that are trusted
    #[arg(long, conflicts_with = "folder")]
    pub(crate) list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Approvals {
    #[command(subcommand)]
    pub(crate) action: Option<ApprovalAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalAction {
    /// Show the questions that wait
    List,
    /// Show one question with everything that the call would hold
    Show {
        /// The first digits of its identifier, at least 4
        id: String,
    },
    /// Say yes: the same call then succeeds once
    Allow {
        /// The first digits of its identifier, at least 4
        id: String,
        /// For the whole session of the call that takes the answer
        #[arg(long, conflicts_with = "always")]
        session: bool,
        /// From now on, by the rule that `show` shows
        #[arg(long)]
        always: bool,
    },
    /// Say no; also takes back a yes that no call has used
    Deny {
        /// The first digits of its identifier, at least 4
        id: String,
        /// What the agent is told
        #[arg(long)]
        message: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    pub(crate) action: AuditAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditAction {
    /// Check that no entry was changed, removed or put between; prints the hash of the last, which shows later whether the
    /// end was cut off
    Verify,
    /// Show the last entries, oldest first
    Show {
        /// How many
        #[arg(long, default_value_t = 20)]
        last: usize,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SettingsCommand {
    #[command(subcommand)]
    pub(crate) action: SettingsAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SettingsAction {
    /// Translate the permissions in another coding agent's settings file; prints a settings file
    Import {
        /// The file
        file: PathBuf,
    },
    /// Check a settings file
    Check {
        /// The file
        file: PathBuf,
    },
    /// Print the JSON Schema of settings files
    Schema,
}
