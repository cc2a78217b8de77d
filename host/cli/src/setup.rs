//! From what was typed to a host and a session.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use toolbay::{
    Allocator, Approver, AuditFile, Catalogue, Either, Host, HostOptions, Inbox, Nobody, Origin, Recorder, RuleEntry,
    Session, SessionSettings, Settings, SettingsPlaces, ToAudit, ToLog,
};

use crate::args::{Common, Target};
use crate::prompt::{Held, Terminal};

/// A session for one command.
pub(crate) struct Ready {
    pub(crate) host: Host,
    pub(crate) session: Session,
    /// The component's file, when it was given in place of a tool's name.
    pub(crate) file: Option<PathBuf>,
}

/// Sends the host's log to standard error. Warnings by default; the variable `TOOLBAY_LOG` says otherwise.
pub(crate) fn log() {
    let filter = variable("TOOLBAY_LOG").and_then(|filter| filter.into_string().ok());
    let filter = tracing_subscriber::EnvFilter::new(filter.as_deref().unwrap_or("warn"));
    let colours = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Held).with_ansi(colours).without_time().init();
}

/// A host and a session. `tool` may be a component's file, which is then the only component.
pub(crate) fn session(common: &Common, tool: &str) -> anyhow::Result<Ready> {
    let file = component_file(tool);
    let host = host(common, file.as_deref())?;
    let bar = bar();
    host.block_on(host.describe(|origin, place, count| advance(&bar, origin, place, count)));
    bar.finish_and_clear();
    let roots = roots(&common.root)?;
    let settings = SessionSettings {
        roots,
        mode: common.mode,
        recorder: recorder(&host)?,
        approver: approver(common),
        ..SessionSettings::in_folder("/")
    };
    let session = host.block_on(host.session(settings)).context("the session can't begin")?;
    Ok(Ready { host, session, file })
}

/// Every decision and call goes into the audit.
fn recorder(host: &Host) -> anyhow::Result<Arc<dyn Recorder>> {
    let Some(folder) = audit_folder() else { return Ok(Arc::new(ToLog)) };
    let file = AuditFile::open(&folder).context("the audit can't be written")?;
    Ok(Arc::new(ToAudit::new(file, host.settings().audit.inputs)))
}

/// Whoever sits at the terminal; where nobody does, whoever looks into the inbox later.
fn approver(common: &Common) -> Arc<dyn Approver> {
    let inbox: Arc<dyn Approver> = match inbox() {
        Some(inbox) => Arc::new(inbox),
        None => Arc::new(Nobody),
    };
    if common.no_prompt || variable("TOOLBAY_PROMPT").is_some_and(|value| value == "never") {
        return inbox;
    }
    let plain = variable("TERM").is_some_and(|terminal| terminal == "dumb");
    Arc::new(Either(Arc::new(Terminal { plain }), inbox))
}

/// The questions that wait.
pub(crate) fn inbox() -> Option<Inbox> {
    state().map(|state| Inbox::new(state.join("approvals"), Duration::ZERO))
}

pub(crate) fn audit_folder() -> Option<PathBuf> {
    state().map(|state| state.join("audit"))
}

fn state() -> Option<PathBuf> {
    folder("TOOLBAY_STATE", "XDG_STATE_HOME", ".local/state", "toolbay")
}

/// Where settings lie. The policy's place is fixed: a variable that moves it would be a way around it.
pub(crate) fn places() -> SettingsPlaces {
    SettingsPlaces {
        policy: Some(PathBuf::from("/etc/toolbay/policy.json")),
        config: folder("TOOLBAY_CONFIG", "XDG_CONFIG_HOME", ".config", "toolbay"),
        project: true,
    }
}

/// The settings of the command line: its file, and its rules.
fn settings(common: &Common) -> anyhow::Result<Settings> {
    let mut settings = match &common.settings {
        Some(path) => Settings::read(path)?,
        None => Settings::default(),
    };
    let rules = |rules: &[String]| rules.iter().cloned().map(RuleEntry::from).collect::<Vec<_>>();
    settings.permissions.allow.extend(rules(&common.allow));
    settings.permissions.ask.extend(rules(&common.ask));
    settings.permissions.deny.extend(rules(&common.deny));
    Ok(settings)
}

/// A host alone.
pub(crate) fn host(common: &Common, file: Option<&Path>) -> anyhow::Result<Host> {
    let mut settings = settings(common)?;
    if let Some(file) = file {
        settings.components = vec![file.to_owned()];
    }
    let options = HostOptions {
        settings,
        // One call and out: a pool would take longer to set up than it saves.
        allocator: Some(Allocator::OnDemand),
        cache: folder("TOOLBAY_CACHE", "XDG_CACHE_HOME", ".cache", "toolbay"),
        results: state().map(|state| state.join("results")),
        home: home(),
        places: places(),
        own: state().into_iter().collect(),
        without_built_in: file.is_some(),
    };
    Host::new(options).context("the host can't be set up")
}

impl Ready {
    /// The name of the tool that was meant.
    pub(crate) fn tool_name(&self, typed: &str) -> anyhow::Result<String> {
        let Some(file) = &self.file else {
            return Ok(typed.to_owned());
        };
        let catalogue = self.session.catalogue();
        if let Some((_, name)) = typed.rsplit_once('#').filter(|_| !catalogue.tools().is_empty()) {
            return Ok(name.to_owned());
        }
        match catalogue.tools() {
            [only] => Ok(only.definition().name.clone()),
            [] => bail!("{}", broken(catalogue).unwrap_or_else(|| format!("`{}` has no tool", file.display()))),
            several => {
                let names: Vec<&str> = several.iter().map(|tool| &*tool.definition().name).collect();
                bail!("`{}` has several tools; write `{typed}#NAME` with one of {}", file.display(), names.join(", "))
            }
        }
    }
}

/// Why a component can't be used, if one can't.
pub(crate) fn broken(catalogue: &Catalogue) -> Option<String> {
    catalogue.broken().first().map(|broken| format!("`{}` can't be used: {}", broken.origin, broken.why))
}

/// A name that ends like a component's file is one. `#NAME` chooses one of its tools.
pub(crate) fn component_file(tool: &str) -> Option<PathBuf> {
    let path = tool.rsplit_once('#').map_or(tool, |(path, _)| path);
    Path::new(path).extension().is_some_and(|ending| ending == "wasm").then(|| PathBuf::from(path))
}

/// The input: the argument itself, standard input, or a file. Reads at most one byte more than is allowed, so that a
/// larger input is refused by its size and not by its missing end.
pub(crate) fn input(target: &Target, limit: u64) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let read = |source: &mut dyn Read, bytes: &mut Vec<u8>| source.take(limit.saturating_add(1)).read_to_end(bytes);
    if target.input == "-" {
        read(&mut std::io::stdin().lock(), &mut bytes).context("standard input can't be read")?;
    } else if let Some(path) = target.input.strip_prefix('@') {
        #[expect(clippy::disallowed_methods, reason = "a file that a person named")]
        let mut file = std::fs::File::open(path).with_context(|| format!("the input file `{path}` can't be opened"))?;
        read(&mut file, &mut bytes).with_context(|| format!("the input file `{path}` can't be read"))?;
    } else {
        return Ok(target.input.clone());
    }
    if bytes.len() as u64 > limit {
        // Too large in any case; its last character may be cut.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).context("the input isn't UTF-8 text")
}

pub(crate) fn roots(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut roots = named.to_vec();
    if roots.is_empty() || roots.iter().any(|root| root.is_relative()) {
        #[expect(clippy::disallowed_methods, reason = "the one place where the program looks where it stands")]
        let current = std::env::current_dir().context("the current folder can't be found; name one with --root")?;
        if roots.is_empty() {
            return Ok(vec![current]);
        }
        roots.iter_mut().for_each(|root| *root = current.join(&*root));
    }
    match roots.iter().find(|root| !root.is_dir()) {
        Some(root) => bail!("the root `{}` is no folder", root.display()),
        None => Ok(roots),
    }
}

pub(crate) fn home() -> Option<PathBuf> {
    variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// A folder for the program's own files: our own variable, the desktop standard's, or the standard's default.
fn folder(own: &str, standard: &str, default: &str, name: &str) -> Option<PathBuf> {
    let absolute = |path: std::ffi::OsString| Some(PathBuf::from(path)).filter(|path| path.is_absolute());
    variable(own)
        .and_then(absolute)
        .or_else(|| variable(standard).and_then(absolute).map(|base| base.join(name)))
        .or_else(|| home().map(|home| home.join(default).join(name)))
}

#[expect(clippy::disallowed_methods, reason = "the one place where the program reads its environment")]
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// Compiling takes up to a second a component; on a terminal a bar says so.
pub(crate) fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("compiling [{bar:24}] {pos}/{len} {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
    bar
}

/// The next component is compiled.
pub(crate) fn advance(bar: &ProgressBar, origin: &Origin, place: usize, count: usize) {
    bar.set_length(count as u64);
    bar.set_position(place as u64);
    bar.set_message(origin.to_string());
    bar.tick();
}
