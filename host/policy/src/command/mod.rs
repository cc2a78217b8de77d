//! Native programs: what would really run when one is started, and how rules speak about it.
//!
//! An argument vector is decided, never a string: there's nothing to hide in. Where a program's work is to run others
//! (`timeout`, `sudo`, `sh -c`), those are found too. What can't be understood completely is never allowed by a wildcard.

mod analysis;
mod pattern;
mod programs;
mod script;
mod text;

use crate::Location;

pub(crate) use analysis::Analysis;
pub(crate) use pattern::{CommandPattern, CommandPatternError};
pub(crate) use programs::runs_anything;
pub(crate) use text::{quote, quote_for_rule};

/// A program with exactly these arguments, and what it would run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    program: String,
    arguments: Vec<String>,
    directory: Location,
    analysis: Analysis,
}

impl Command {
    /// The program as given, found by the search path when it's a bare name; its arguments without the program's name;
    /// where it runs. `resolve` finds the place of a path that the command names, from its directory.
    pub fn new(
        program: String,
        arguments: Vec<String>,
        directory: Location,
        mut resolve: impl FnMut(&str) -> Option<Location>,
    ) -> Self {
        let analysis = Analysis::of(&program, &arguments, &mut resolve);
        Self { program, arguments, directory, analysis }
    }

    /// The program as given.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Without the program's name.
    #[must_use]
    pub fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// Where it runs.
    #[must_use]
    pub fn directory(&self) -> &Location {
        &self.directory
    }

    /// Every word of it and of the commands inside, each of which could name a file that it runs.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.analysis.vectors.iter().flat_map(|vector| vector.exact.split(text::BETWEEN))
    }

    pub(crate) fn analysis(&self) -> &Analysis {
        &self.analysis
    }

    /// In the quoting of a shell, for people.
    #[must_use]
    pub fn quoted(&self) -> String {
        quote(&self.program, &self.arguments)
    }
}

/// The words of a line that is one plain command for a shell.
pub(crate) fn words_of(text: &str) -> Option<(String, Vec<String>)> {
    let script = script::split(text).ok().filter(|script| script.complete)?;
    match <[script::Simple; 1]>::try_from(script.commands) {
        Ok([only]) if only.assignments.is_empty() && only.redirects.is_empty() => {
            let mut words = only.words.into_iter().map(|word| word.text);
            Some((words.next()?, words.collect()))
        }
        _ => None,
    }
}
