//! The settings of every source for one session, merged: nobody lifts what another denies.

use std::path::{Path, PathBuf};

use toolbay_policy::{Anchors, Location, Mode, Source, Written};

use super::places::{read, read_policy};
use super::{Forbidden, PermissionSettings, Settings, SettingsError, SettingsPlaces, Trust, TrustState};

/// What is known of one source.
#[derive(Debug, Clone)]
pub struct Layer {
    /// The source.
    pub source: Source,
    /// Its file, if it has one.
    pub file: Option<PathBuf>,
    /// What became of it.
    pub state: LayerState,
    settings: PermissionSettings,
    base: Option<Location>,
}

/// What became of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerState {
    /// It counts.
    Used,
    /// It has no file.
    Absent,
    /// What it denies and asks about counts; what it allows doesn't, since nobody has trusted the folder.
    Untrusted,
    /// The same, since its settings have changed after they were trusted.
    Changed,
    /// The same, since the policy forbids the source.
    Forbidden,
}

impl LayerState {
    /// Whether what the source allows counts.
    #[must_use]
    pub fn allows(self) -> bool {
        self == Self::Used
    }
}

/// All sources, from the administrator's to the command line.
#[derive(Debug, Clone)]
pub struct Layers {
    all: Vec<Layer>,
    forbidden: Forbidden,
    policy_file: PathBuf,
    /// What was left out, and why.
    pub warnings: Vec<String>,
}

impl Layers {
    /// Reads every source for a session that works in this folder.
    ///
    /// # Errors
    /// For any file that's there and can't be used.
    pub(crate) fn read(
        places: &SettingsPlaces,
        command_line: &Settings,
        root: &Location,
    ) -> Result<Self, SettingsError> {
        let policy = parse(places.policy.as_deref(), read_policy)?;
        let user = parse(places.user_file().as_deref(), read)?;
        let project_file = places.project_file(root);
        let project_text = project_file.as_deref().map(read).transpose()?.flatten();
        let project = match (&project_file, &project_text) {
            (Some(file), Some(text)) => Some(Settings::parse_at(file, text)?),
            _ => None,
        };
        let local = parse(places.local_file(root).as_deref(), read)?;
        only_permissions("policy", policy.as_ref())?;
        only_permissions("project", project.as_ref())?;
        only_permissions("local", local.as_ref())?;
        for (name, settings) in
            [("user", &user), ("project", &project), ("local", &local), ("command-line", &Some(command_line.clone()))]
        {
            if settings.as_ref().is_some_and(|settings| settings.permissions.forbid != Forbidden::default()) {
                return Err(SettingsError::Misplaced("permissions.forbid", name));
            }
        }
        let forbidden = policy.as_ref().map(|policy| policy.permissions.forbid.clone()).unwrap_or_default();
        let trusted = match (&places.config, &project_text) {
            (Some(config), Some(text)) => trust(config, root, &Trust::seen(text, project.as_ref()))?,
            _ => LayerState::Untrusted,
        };
        let here = || Some(root.clone());
        let folder = places.config.as_deref().map(Location::plain);
        let mut layers = Vec::new();
        let mut add = |source: Source, file: Option<PathBuf>, settings: Option<Settings>, base, state: LayerState| {
            let taken_away = forbidden.sources.contains(&source);
            let state = match settings {
                None => LayerState::Absent,
                Some(_) if taken_away => LayerState::Forbidden,
                Some(_) => state,
            };
            let settings = settings.map(|settings| settings.permissions).unwrap_or_default();
            layers.push(Layer { source, file, state, settings, base });
        };
        add(Source::Policy, places.policy.clone(), policy, here(), LayerState::Used);
        add(Source::User, places.user_file(), user, folder, LayerState::Used);
        add(Source::Project, project_file, project, here(), trusted);
        add(Source::Local, places.local_file(root), local, here(), LayerState::Used);
        let file = command_line.permissions.file.as_ref().map(|file| file.to_path_buf());
        let base = match file.as_deref().and_then(Path::parent) {
            Some(folder) => Some(crate::locate(folder)?),
            None => here(),
        };
        add(Source::CommandLine, file, Some(command_line.clone()), base, LayerState::Used);
        let policy_file = places.policy.clone().unwrap_or_default();
        Ok(Self { all: layers, forbidden, policy_file, warnings: Vec::new() })
    }

    /// Each source and what became of it.
    #[must_use]
    pub fn layers(&self) -> &[Layer] {
        &self.all
    }

    /// What the policy takes away.
    #[must_use]
    pub fn forbidden(&self) -> &Forbidden {
        &self.forbidden
    }

    /// The administrator's policy, for those who are refused by it.
    #[must_use]
    pub fn policy_file(&self) -> &Path {
        &self.policy_file
    }

    /// More folders to work in.
    pub(crate) fn directories(&self) -> impl Iterator<Item = &Path> {
        let used = self.all.iter().filter(|layer| layer.state.allows());
        used.flat_map(|layer| layer.settings.additional_directories.iter().map(PathBuf::as_path))
    }

    /// The rules of all sources.
    ///
    /// # Errors
    /// For a rule that denies or asks and can't be used, or doesn't fulfil its own examples.
    pub(crate) fn rules(&mut self, anchors: &Anchors) -> Result<Vec<Written>, SettingsError> {
        let mut all = Vec::new();
        for layer in &self.all {
            let within = |error| match &layer.file {
                Some(file) => SettingsError::In(file.clone(), Box::new(error)),
                None => error,
            };
            let read = layer.settings.written(layer.source, layer.base.as_ref(), Some(anchors));
            let (written, warnings) = read.map_err(within)?;
            let counts = |written: &Written| layer.state.allows() || written.list != toolbay_policy::List::Allow;
            let ignored = written.iter().filter(|written| !counts(written)).count();
            all.extend(written.into_iter().filter(counts));
            let place = layer.file.as_deref().unwrap_or(Path::new("settings")).display().to_string();
            self.warnings.extend(warnings.into_iter().map(|warning| format!("`{place}`: {warning}")));
            if ignored > 0 || !layer.state.allows() && !layer.settings.additional_directories.is_empty() {
                self.warnings.push(format!(
                    "`{place}`: {ignored} rules that allow, and its folders, don't count: {}",
                    why(layer.state)
                ));
            }
        }
        Ok(all)
    }

    /// The mode of the session: the one that was asked for, or that of the nearest source that names one. A source that
    /// doesn't count, such as a project that nobody trusts, can only make it stricter.
    ///
    /// # Errors
    /// When the policy forbids it.
    pub(crate) fn mode(&mut self, asked: Option<Mode>) -> Result<Mode, SettingsError> {
        let mut mode = Mode::Default;
        // From the widest source to the nearest.
        for source in [Source::Policy, Source::User, Source::Project, Source::Local, Source::CommandLine] {
            let Some(layer) = self.all.iter().find(|layer| layer.source == source) else { continue };
            let asked = asked.filter(|_| source == Source::CommandLine);
            let Some(chosen) = asked.or(layer.settings.default_mode) else { continue };
            let counts = if asked.is_some() { !self.is_forbidden(source) } else { layer.state.allows() };
            // What everybody gets with a project can't be everything.
            let counts = counts && !(source == Source::Project && chosen == Mode::Bypass);
            if counts || chosen.is_as_strict_as(mode) {
                mode = chosen;
            } else {
                self.warnings
                    .push(format!("the mode `{chosen}` of {source} settings doesn't count: {}", why(layer.state)));
            }
        }
        self.check_mode(mode).map(|()| mode)
    }

    fn is_forbidden(&self, source: Source) -> bool {
        self.forbidden.sources.contains(&source)
    }

    /// Whether a mode may be chosen.
    ///
    /// # Errors
    /// When the policy forbids it.
    pub(crate) fn check_mode(&self, mode: Mode) -> Result<(), SettingsError> {
        if self.forbidden.modes.contains(&mode) {
            return Err(SettingsError::Mode(mode, self.policy_file.clone()));
        }
        Ok(())
    }
}

fn why(state: LayerState) -> &'static str {
    match state {
        LayerState::Untrusted => "nobody has trusted the folder; look at them and run `toolbay trust`",
        LayerState::Changed => "they have changed since the folder was trusted; look at them and run `toolbay trust`",
        LayerState::Forbidden => "the policy forbids this source",
        LayerState::Used | LayerState::Absent => "a project can't choose it for everybody",
    }
}

fn trust(config: &Path, root: &Location, seen: &str) -> Result<LayerState, SettingsError> {
    let trust = Trust::read(config).map_err(Box::new)?;
    Ok(match trust.of(root, seen) {
        TrustState::Trusted => LayerState::Used,
        TrustState::Changed => LayerState::Changed,
        TrustState::Unknown => LayerState::Untrusted,
    })
}

fn parse(
    file: Option<&Path>,
    read: impl Fn(&Path) -> Result<Option<String>, SettingsError>,
) -> Result<Option<Settings>, SettingsError> {
    let Some(file) = file else { return Ok(None) };
    read(file)?.map(|text| Settings::parse_at(file, &text)).transpose()
}

/// A project must not load code, change limits or switch on features.
fn only_permissions(name: &'static str, settings: Option<&Settings>) -> Result<(), SettingsError> {
    let Some(settings) = settings else { return Ok(()) };
    let default = Settings::default();
    let other = [
        ("components", settings.components != default.components),
        ("limits", settings.limits != default.limits),
        ("engine", settings.engine != default.engine),
        ("audit", settings.audit != default.audit),
        ("features", settings.features != default.features),
        ("region", settings.region != default.region),
    ];
    other.into_iter().find(|(_, set)| *set).map_or(Ok(()), |(key, _)| Err(SettingsError::Misplaced(key, name)))
}
