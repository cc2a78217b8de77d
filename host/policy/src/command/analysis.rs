//! Every command that starting one would run, and the files that they name.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use super::programs::{base_name, nature, operands};
use super::script::{self, RedirectKind, Simple};
use super::text::BETWEEN;
use crate::Location;

/// The longest command, in bytes of all its words: what Linux takes for one argument.
const LONGEST: usize = 131_072;
/// The most commands in one.
const MOST_COMMANDS: usize = 10_000;
/// The most levels of a shell in a shell.
const DEEPEST: usize = 16;
/// The most positions behind a wrapper at which a command is suspected.
const MOST_SUSPECTS: usize = 256;

/// Variables that change nothing about which program runs or what it may do.
const HARMLESS: [&str; 12] = [
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LC_COLLATE",
    "TERM",
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "CI",
    "TZ",
];

/// What a command would run and touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Analysis {
    /// Its words, then those of every command inside it, joined by [`BETWEEN`].
    pub(crate) vectors: Vec<Vector>,
    /// Which of them rules must allow, each for itself, for the whole to be allowed. None: only a rule without a wildcard
    /// for the whole can, since the rest isn't understood.
    pub(crate) needed: Option<Vec<usize>>,
    /// Files that it names and seems to read.
    pub(crate) reads: Vec<Location>,
    /// Files that it names and seems to change.
    pub(crate) writes: Vec<Location>,
    /// Files that a redirection certainly writes.
    pub(crate) redirected: Vec<Location>,
    /// Files and folders that it seems to remove.
    pub(crate) removes: Vec<Location>,
    /// The cap that it's above: then it's denied.
    pub(crate) over: Option<String>,
}

/// One argument vector, as the rules compare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Vector {
    /// Words apart.
    pub(crate) exact: Box<str>,
    /// Words joined by blanks.
    pub(crate) joined: Box<str>,
    /// The same with the program's name alone, when it was given with its folder.
    pub(crate) by_name: Option<Box<str>>,
    /// In the quoting of a shell, when it isn't the whole command.
    pub(crate) part: Option<Box<str>>,
}

/// A command to look at: a part of a vector from a position on.
#[derive(Clone)]
struct Open {
    words: Rc<[String]>,
    start: usize,
    /// Whether rules that allow may look at it.
    counts: bool,
    depth: usize,
}

/// The work of one analysis.
struct Work<'a> {
    found: Analysis,
    needed: BTreeSet<usize>,
    understood: bool,
    open: VecDeque<Open>,
    suspected: BTreeSet<(*const String, usize)>,
    resolve: &'a mut dyn FnMut(&str) -> Option<Location>,
}

impl Analysis {
    pub(super) fn of(program: &str, arguments: &[String], resolve: &mut dyn FnMut(&str) -> Option<Location>) -> Self {
        let words: Rc<[String]> = std::iter::once(program.to_owned()).chain(arguments.iter().cloned()).collect();
        let bytes: usize = words.iter().map(|word| word.len() + 1).sum();
        let mut work = Work {
            found: Self::default(),
            needed: BTreeSet::new(),
            understood: true,
            open: VecDeque::new(),
            suspected: BTreeSet::new(),
            resolve,
        };
        if bytes > LONGEST {
            work.found.over = Some(format!("a command has {bytes} bytes; the limit is {LONGEST}"));
            return work.found;
        }
        if words.iter().any(|word| word.contains(BETWEEN)) {
            work.found.over = Some("a command has a NUL in it".to_owned());
            return work.found;
        }
        work.open.push_back(Open { words, start: 0, counts: true, depth: 0 });
        while let Some(open) = work.open.pop_front() {
            if work.found.vectors.len() >= MOST_COMMANDS {
                work.found.over = Some(format!("a command runs more than {MOST_COMMANDS} others"));
                break;
            }
            work.look(&open);
        }
        let Work { mut found, needed, understood, .. } = work;
        found.needed = understood.then(|| needed.into_iter().collect());
        found
    }
}

impl Work<'_> {
    fn look(&mut self, open: &Open) {
        let words = open.words.get(open.start..).unwrap_or_default();
        if words.is_empty() {
            return;
        }
        let place = self.found.vectors.len();
        self.found.vectors.push(vector(words, place > 0));
        self.files(words);
        let nature = nature(words);
        if open.counts {
            self.understood &= !nature.opaque;
            if nature.inner.is_none() && !nature.is_script {
                self.needed.insert(place);
            }
        }
        for (order, at) in nature.scripts.into_iter().enumerate() {
            self.shell(words, at, &Open { counts: open.counts && nature.is_script && order == 0, ..open.clone() });
        }
        if nature.suspects.len() > MOST_SUSPECTS {
            self.found.over =
                Some(format!("a command has more than {MOST_SUSPECTS} options before the program that it runs"));
            return;
        }
        for at in nature.suspects {
            let (start, counts) = (open.start + at, open.counts && nature.inner == Some(at));
            // The suspects of two wrappers in each other overlap.
            if counts || self.suspected.insert((open.words.as_ptr(), start)) {
                self.open.push_back(Open { words: open.words.clone(), start, counts, depth: open.depth });
            }
        }
    }

    /// What a shell is given as text. `eval` joins its words.
    fn shell(&mut self, words: &[String], at: usize, open: &Open) {
        let eval = words.first().is_some_and(|program| base_name(program) == "eval");
        let text = if eval {
            words.get(at..).unwrap_or_default().join(" ")
        } else {
            words.get(at).cloned().unwrap_or_default()
        };
        if open.depth >= DEEPEST {
            self.found.over = Some(format!("a command has more than {DEEPEST} shells in each other"));
            return;
        }
        match script::split(&text) {
            Ok(script) => {
                self.understood &= script.complete || !open.counts;
                script.commands.into_iter().for_each(|simple| self.simple(simple, open));
            }
            Err(over) => self.found.over = Some(format!("a shell's text is too large: {over}")),
        }
    }

    fn simple(&mut self, simple: Simple, open: &Open) {
        let harmless = |name: &str| HARMLESS.contains(&name);
        self.understood &= !open.counts || simple.assignments.iter().all(|(name, _)| harmless(name));
        // Builtins such as `test -v` and `printf -v` expand what is literal to the shell.
        let expands = |word: &script::Word| word.text.contains("$(") || word.text.contains('`');
        self.understood &= !open.counts || !simple.words.iter().any(expands);
        for redirect in &simple.redirects {
            let found = match redirect.kind {
                RedirectKind::Descriptor => continue,
                _ if redirect.target.text == "/dev/null" => continue,
                RedirectKind::Input => &mut self.found.reads,
                RedirectKind::Output => &mut self.found.redirected,
            };
            match (self.resolve)(&redirect.target.text).filter(|_| redirect.target.literal) {
                Some(location) => found.push(location),
                None => self.understood &= !open.counts,
            }
        }
        let words: Rc<[String]> = simple.words.into_iter().map(|word| word.text).collect();
        if !words.is_empty() {
            self.open.push_back(Open { words, start: 0, counts: open.counts, depth: open.depth + 1 });
        }
    }

    fn files(&mut self, words: &[String]) {
        let operands = operands(words);
        let found = &mut self.found;
        for (paths, list) in [
            (operands.reads, &mut found.reads),
            (operands.writes, &mut found.writes),
            (operands.removes, &mut found.removes),
        ] {
            list.extend(paths.into_iter().filter_map(&mut *self.resolve));
        }
    }
}

fn vector(words: &[String], part: bool) -> Vector {
    let join = |between: &str| words.join(between);
    let by_name = words.split_first().filter(|(program, _)| program.contains('/')).map(|(program, rest)| {
        std::iter::once(base_name(program)).chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join(" ").into()
    });
    let quoted = || words.split_first().map(|(program, rest)| super::quote(program, rest).into());
    Vector { exact: join("\0").into(), joined: join(" ").into(), by_name, part: if part { quoted() } else { None } }
}
